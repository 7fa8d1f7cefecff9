# Finds which requirements in the table of docs/guides/requirements.md are missing here, and installs them. ./dev sources this file.
# It needs only Bash 3.2 (as on a Mac) and BSD's tools.

requirements_page=docs/guides/requirements.md

# Prints the package manager: that of an activated conda environment, else the system's; prints nothing if there is none.
package_manager() {
  local manager
  if [[ -n ${CONDA_PREFIX:-} && ${CONDA_DEFAULT_ENV:-base} != base ]]; then
    for manager in conda mamba micromamba; do command -v "$manager" >/dev/null && { echo "$manager"; return; }; done
  fi
  for manager in apt-get dnf pacman zypper brew; do
    command -v "$manager" >/dev/null && { echo "$manager"; return; }
  done
  return 0
}

# package_names MANAGER: prints which column of the table has this manager's package names; without a manager, the system decides.
package_names() {
  local like=
  case $1 in
    apt-get) echo 'Debian, Ubuntu' ;;
    dnf) echo Fedora ;;
    pacman) echo Arch ;;
    zypper) echo openSUSE ;;
    brew) echo Homebrew ;;
    conda | mamba | micromamba) echo conda-forge ;;
    *)
      [[ -r ${ARGAND_OS_RELEASE:-/etc/os-release} ]] && like=$(. "${ARGAND_OS_RELEASE:-/etc/os-release}" && echo " ${ID:-} ${ID_LIKE:-} ")
      case "$(uname -s)$like" in
        Darwin*) echo Homebrew ;;
        *' fedora '* | *' rhel '*) echo Fedora ;;
        *' arch '*) echo Arch ;;
        *suse*) echo openSUSE ;;
        *) echo 'Debian, Ubuntu' ;;
      esac
      ;;
  esac
}

# requirements COLUMN GROUPS...: prints the table's rows that any of the groups requires, as "what TAB weight TAB found by TAB
# packages". The weight is "wanted" if only `option`, `test` or `bench` require it, otherwise "needed".
requirements() {
  local column=$1
  shift
  awk -F ' *[|] *' -v column="$column" -v groups="$*" '
    /^\| What \| What for / { for (i = 1; i <= NF; ++i) if ($i == column) at = i; n = split(groups, wanted, " "); next }
    at && !/^\|/ { at = 0 }
    at && !/^\| ---/ {
      weight = ""
      for (i = 1; i <= n; ++i)
        if (index(", " $4 ",", ", " wanted[i] ",") && weight != "needed") weight = wanted[i] ~ /^(option|test|bench)$/ ? "wanted" : "needed"
      gsub(/`/, "", $5)
      if (weight != "") print $2 "\t" weight "\t" $5 "\t" $at
    }' "$requirements_page"
}

# installed MANAGER PACKAGES...: prints the packages that the manager has installed, one per line.
installed() {
  local manager=$1
  shift
  case $manager in
    apt-get) dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "$@" 2>/dev/null | awk '$1 == "ii" {print $2}' ;;
    dnf | zypper) rpm -q --qf '%{NAME}\n' "$@" 2>/dev/null | grep -v ' ' ;;
    pacman) pacman -Qq "$@" 2>/dev/null ;;
    brew) brew list --formula -1 2>/dev/null ;;
    conda | mamba | micromamba) ls "$CONDA_PREFIX/conda-meta" | sed -n 's/-[^-]*-[^-]*\.json$//p' ;;
  esac || true
}

# install_with MANAGER PACKAGES...: installs the packages without asking.
install_with() {
  local manager=$1 as_root=
  shift
  if [[ $(id -u) != 0 ]]; then
    case $manager in
      apt-get | dnf | pacman | zypper)
        command -v sudo >/dev/null || { echo "dev: please install as root: $*" >&2; return 1; }
        as_root=sudo
        ;;
    esac
  fi
  echo "dev: installing $*" >&2
  case $manager in
    apt-get)
      # A fresh machine has no package lists yet, and stale lists name versions that no longer exist.
      $as_root apt-get update -qq </dev/null >&2
      $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" </dev/null >&2
      ;;
    dnf) $as_root dnf install -y -q "$@" </dev/null >&2 ;;
    pacman) $as_root pacman -Sy --needed --noconfirm "$@" </dev/null >&2 ;;
    zypper) $as_root zypper --non-interactive --quiet install --no-recommends "$@" </dev/null >&2 ;;
    brew) brew install --quiet "$@" </dev/null >&2 ;;
    *) "$manager" install --yes --quiet --channel conda-forge "$@" </dev/null >&2 ;;
  esac
}

# newest_clang FLAGS...: prints the newest clang++ or clang++-NN that compiles and links with each of the flags.
newest_clang() {
  local compiler version flags best= newest=13 object
  object=$(mktemp)
  for compiler in $(compgen -c clang++ | grep -E '^clang\+\+(-[0-9]+)?$' | sort -u); do
    version=$("$compiler" -dumpversion 2>/dev/null | cut -d. -f1)
    ((version > newest)) || continue
    for flags in "$@"; do
      printf '#include <string>\nint main() { return 0; }\n' | "$compiler" $flags -x c++ - -o "$object" 2>/dev/null || continue 2
    done
    best=$compiler newest=$version
  done
  rm -f "$object"
  [[ -n $best ]] && echo "$best"
}
sanitizer_flags=('-fsanitize=address,undefined -fopenmp' -fsanitize=thread -fsanitize=address,fuzzer-no-link)
libcxx_flags='-stdlib=libc++ -fopenmp'

# is_found FOUND_BY: whether a requirement is present, tested as the column "found by" says. (Without a package manager to
# distinguish the variants of OpenBLAS, any of them is accepted.)
is_found() {
  local word=$1
  if [[ $word == *' or '* ]]; then
    is_found "${word%% or *}" || is_found "${word#* or }"
    return
  fi
  case $word in
    'the package') [[ -z $manager ]] && is_found '<openblas-openmp/cblas.h> or openblas.pc or <openblas/cblas.h>' ;;
    'the sanitizers of clang++') newest_clang "${sanitizer_flags[@]}" >/dev/null ;;
    'clang++ -stdlib=libc++') newest_clang "$libcxx_flags" >/dev/null ;;
    '<'*) printf '#if !__has_include(%s)\n#error\n#endif\n' "$word" | ${CXX:-c++} -std=c++20 -E -x c++ - >/dev/null 2>&1 ;;
    *.pc) pkg-config --exists "${word%.pc}" 2>/dev/null ;;
    'import '*) python3 -c "$word" 2>/dev/null ;;
    */*) [[ -f $word ]] ;;
    *) command -v "$word" >/dev/null ;;
  esac
}

# among WORDS WORD: whether WORD is one of WORDS.
among() { case " $1 " in *" $2 "*) ;; *) false ;; esac }

# known_packages MANAGER "A or B": prints the first alternative whose packages the manager knows.
known_packages() {
  local manager=$1 alternatives=$2 one
  while [[ $alternatives == *' or '* ]]; do
    one=${alternatives%% or *} alternatives=${alternatives#* or }
    [[ $manager != apt-get ]] || apt-cache show ${one%% *} >/dev/null 2>&1 && { echo "$one"; return; }
  done
  echo "$alternatives"
}

# find_requirements GROUPS...: sets `found_requirements` to the requirements that are present and `missing_packages` to the packages
# of the others; `needed_packages` are those that a build cannot do without. `missing_sources` and `needed_sources` name the
# missing requirements that are not packaged.
find_requirements() {
  manager=$(package_manager)
  system=$(package_names "$manager")
  found_requirements='' missing_packages='' needed_packages='' missing_sources='' needed_sources=''
  local rows have what weight found_by packages package absent
  rows=$(requirements "$system" "$@")
  have=$(echo $(installed "$manager" $(cut -f 4 <<<"$rows" | sed 's/ or / /g' | tr ' ' '\n' | grep -vx -e -)))
  while IFS=$'\t' read -r what weight found_by packages; do
    packages=$(known_packages "$manager" "$packages")
    absent=
    for package in $packages; do among "$have" "$package" || absent="$absent $package"; done
    # If the packages are installed, there is no need to try the compiler. If not, the software may still be installed another way.
    if [[ -n $manager && -z $absent ]] || is_found "$found_by"; then
      found_requirements="$found_requirements${found_requirements:+, }$what"
    elif [[ $packages == - ]]; then
      missing_sources="$missing_sources${missing_sources:+, }$what"
      [[ $weight == wanted ]] || needed_sources="$needed_sources${needed_sources:+, }$what"
    else
      for package in $absent; do
        among "$missing_packages" "$package" && continue
        missing_packages="$missing_packages${missing_packages:+ }$package"
        [[ $weight == wanted ]] || needed_packages="$needed_packages${needed_packages:+ }$package"
      done
    fi
  done <<<"$rows"
}

# require GROUPS...: installs the missing requirements of these groups. Exits if something that a build needs is still missing;
# reports which optional parts are left out.
require() {
  find_requirements "$@"
  if [[ -n $missing_packages && -n $manager ]]; then
    # A single unavailable package must not prevent the installation of the others.
    if ! install_with "$manager" $missing_packages; then
      for package in $missing_packages; do install_with "$manager" "$package" || true; done
    fi
    find_requirements "$@"
  fi
  if [[ -n $needed_packages$needed_sources ]]; then
    local missing=$needed_packages
    [[ -z $needed_packages ]] || missing="$needed_packages ($system's names)"
    [[ -z $needed_sources ]] || missing="$missing${missing:+; }$needed_sources (no package is known)"
    echo "dev: missing: $missing; $requirements_page says more" >&2
    exit 1
  fi
  if [[ -n $missing_packages$missing_sources ]]; then
    echo "dev: left out: $missing_packages${missing_packages:+${missing_sources:+; }}$missing_sources" >&2
  fi
}
