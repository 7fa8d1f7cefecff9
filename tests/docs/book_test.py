"""Checks the book in docs/: its commands print the output shown, its code exists in the project, and its links are valid.

  book_test.py SOURCE_DIR PROGRAM_DIR...

Reads every docs/*.md and docs/teaching/*.md; BOOK=04 in the environment restricts this to names that begin with 04, which helps
while writing. The first PROGRAM_DIR contains the program `argand`; the commands are run with all of them on the PATH.

  ```console   Every line `$ command` is run in a throwaway directory that looks like the project's root, and must print the lines
               below it. A line `...` matches any number of lines. A command that fails also prints its errors and ends with
               `(exit status N)`. `<!-- varies: seconds rounding -->` on the line before the block allows values of these kinds to
               differ between machines; VARIES below defines the kinds. `<!-- needs: torch -->`: run only if some python3 can
               import this module; otherwise a message says that the block was not run.
  ```sh        Not run, because it is long or writes files, but its subcommands and options must exist.
  ```cpp       and ```python: must appear, apart from indentation, in a project file that is linked since the last heading.
               A line `...` or `// ...` marks omitted lines.
  ```math      and $...$, $$: delimiters, braces and environments must balance and contain nothing that GitHub renders wrongly.
  ```text      Not checked: drawings and file layouts.
"""
import difflib
import os
import re
import subprocess
import sys
import tempfile

VARIES = {
    "seconds": r"\b\d+(\.\d+)? m?s\b",  # times
    "rounding": r"\b\d+(\.\d+)?e-(09|[1-9]\d|\d{3})\b|\b0(\.0)?e\+00\b",  # values below 1e-8: rounding errors and error bars
    "orders": r"\border \d\.\d\d at steps \S+ to \de[-+]\d+",  # Taylor remainders: where rounding sets in depends on the processor
    "training": r"(?!)",  # all numbers, see same(): processors round differently, which changes a training run
}
LANGUAGES = ("console", "sh", "cpp", "python", "math", "text")

failures = []


class Fence:
    """A fenced block: its language, the number of its first line, the section's prose before it, the preceding line, and its lines
    without the fence's indentation."""

    def __init__(self, language, line, before, previous):
        self.language, self.line, self.before, self.previous = language, line, before, previous
        self.lines = []


def parse(name, text):
    """Returns the fenced blocks of a Markdown text, and the text with these blanked, so that line numbers stay the same."""
    fences, prose, section, since, current, indent = [], [], [], [], None, 0
    for number, line in enumerate(text.split("\n"), 1):
        mark = re.match(r"( *)```(.*)$", line)
        if current is None and mark:
            previous = next((p for p in reversed(since) if p.strip()), "")
            current, indent = Fence(mark[2].strip(), number, "\n".join(section), previous), len(mark[1])
            if current.language not in LANGUAGES:
                failures.append(f"{name}:{number}: unknown block language '{current.language}'; use one of {', '.join(LANGUAGES)}")
        elif current is not None and mark and not mark[2]:
            fences.append(current)
            current, since = None, []
        elif current is not None:
            current.lines.append(line[indent:] if line[:indent].isspace() else line)
        else:
            section, since = ([], []) if line.startswith("#") else (section + [line], since + [line])
        prose.append(line if current is None and not mark else "")
    if current is not None:
        failures.append(f"{name}:{current.line}: unclosed block")
    return fences, "\n".join(prose)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def without_code(prose):
    """The prose with inline code blanked, except $`...`$, which is mathematics."""
    return re.sub(r"(?<![$`])(`+)(?!`)(.+?)(?<!`)\1(?!`)", lambda m: " " * len(m[0]), prose)


# ------------------------------------------------------------------------------------------------ links


def anchors(text):
    """The anchors that GitHub gives the headings of a Markdown text."""
    found = {}
    for heading in re.findall(r"^#+ +(.*)$", parse("", text)[1], re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        slug = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
        found[slug if slug not in found else f"{slug}-{found[slug]}"] = 1
        found[slug] += 1
    return found


def links(text):
    return re.finditer(r"\[[^\]]*\]\(([^)\s]+)\)", text)


def check_links(name, folder, prose):
    for link in links(without_code(prose)):
        target, at = link[1], f"{name}:{line_of(prose, link.start())}"
        if re.match(r"https?:", target):
            continue
        path, _, anchor = target.partition("#")
        file = os.path.normpath(os.path.join(folder, path)) if path else os.path.join(folder, os.path.basename(name))
        if not os.path.exists(file):
            failures.append(f"{at}: {path} does not exist")
        elif anchor and file.endswith(".md") and anchor not in anchors(read(file)):
            failures.append(f"{at}: {path or name} has no heading #{anchor}")
        elif anchor and not file.endswith(".md"):
            failures.append(f"{at}: a line number in {path} would go stale; link to the file")


def check_files_named(name, source, prose):
    for path in re.finditer(r"`((?:core|autograd|nn|optim|data|apps|tests|bench|examples|docs)/[\w./-]*)`", prose):
        if not os.path.exists(os.path.join(source, path[1])):
            failures.append(f"{name}:{line_of(prose, path.start())}: {path[1]} does not exist")


# ------------------------------------------------------------------------------------------------ commands

known_help = {}


def help_of(words):
    """The help text of the command `argand WORD...`."""
    if words not in known_help:
        known_help[words] = subprocess.run([argand, *words, "--help"], capture_output=True, text=True, check=False).stdout
    return known_help[words]


def check_command(at, command):
    """Checks that the subcommands and options of one `argand` command line exist."""
    words, path = re.findall(r"\"[^\"]*\"|'[^']*'|\S+", command)[1:], ()
    while len(path) < len(words) and "Subcommands:" in help_of(path) and not words[len(path)].startswith("-"):
        word = words[len(path)]
        if not re.search(rf"^  {re.escape(word)} ", help_of(path).split("Subcommands:")[1], re.M):
            failures.append(f"{at}: there is no `argand {' '.join((*path, word))}`")
            return
        path += (word,)
    for option in (w.split("=")[0] for w in words[len(path) :] if w.startswith("--")):
        if not re.search(rf"(?<![\w-]){option}(?![\w-])", help_of(path)):
            failures.append(f"{at}: `argand{''.join(' ' + word for word in path)}` has no {option}")


def commands_in(text):
    """The `argand` command lines of an sh block, with continuation lines joined and comments removed."""
    joined = re.sub(r"\\\n\s*", " ", text)
    return re.findall(r"(?:^|\| *)(?:\$ +)?(argand [^|>#\n]*)", joined, re.M)


def matches(expected, actual, kinds):
    """Whether the actual lines match the expected ones, in which `...` matches any number of lines."""
    reach = {0}
    for line in expected:
        if line.strip() == "...":
            reach = set(range(min(reach), len(actual) + 1)) if reach else reach
        else:
            reach = {i + 1 for i in reach if i < len(actual) and same(line, actual[i], kinds)}
    return len(actual) in reach


def same(expected, actual, kinds):
    """Whether two lines agree. In a training run, integers may differ by half of the larger one, and decimals by half of the line's
    largest decimal: of five seeds that all end near 0, one may end with four times the expected error."""
    if "training" not in kinds:
        return expected == actual
    number = r"\d+(?:\.\d+)?"
    if re.split(number, expected) != re.split(number, actual):
        return False
    pairs = list(zip(re.findall(number, expected), re.findall(number, actual)))
    largest = max((float(x) for pair in pairs for x in pair if "." in x), default=0)
    return all(abs(float(a) - float(b)) <= 0.5 * (largest if "." in a + b else max(float(a), float(b))) for a, b in pairs)


def plain(lines, kinds):
    """The lines in comparable form: varying values are replaced by their kind, and runs of white space by one space."""
    result = []
    for line in lines:
        for kind in kinds:
            line = re.sub(VARIES[kind], f"<{kind}>", line)
        result.append(re.sub(r"\s+", " ", line).rstrip() if kinds else line.rstrip())
    while result and not result[-1]:
        result.pop()
    return result


def python_with(module):
    """The folder of a python3 that can import the module, or None if there is none."""
    for folder in os.environ["PATH"].split(os.pathsep) + ["/usr/bin"]:
        python = os.path.join(folder, "python3")
        if os.path.exists(python) and subprocess.run([python, "-c", "import " + module], capture_output=True, check=False).returncode == 0:
            return folder
    return None


def directive(fence, word):
    """The words of `<!-- WORD: ... -->` on the line before a block."""
    return re.findall(r"\w+", (re.search(rf"<!-- {word}:(.*?)-->", fence.previous) or [0, ""])[1])


def run_block(name, fence, directory, environment):
    kinds = directive(fence, "varies")
    for module in directive(fence, "needs"):
        if python_with(module) is None:
            print(f"{name}:{fence.line}: skipped: no python3 has the module {module}")
            return
        environment = dict(environment, PATH=python_with(module) + os.pathsep + environment["PATH"])
    for kind in [k for k in kinds if k not in VARIES]:
        failures.append(f"{name}:{fence.line}: unknown kind '{kind}'; use one of {', '.join(VARIES)}")
        return
    groups = []
    for offset, line in enumerate(fence.lines, 1):
        if groups and groups[-1][1].endswith("\\") and not groups[-1][2]:
            groups[-1][1] += "\n" + line
        elif line.startswith("$ "):
            groups.append([fence.line + offset, line[2:], []])
        elif groups:
            groups[-1][2].append(line)
        else:
            failures.append(f"{name}:{fence.line}: a console block must begin with a line `$ command`")
            return
    for number, command, expected in groups:
        at = f"{name}:{number}"
        if any(line.strip() for line in expected) and all(line.strip() in ("", "...") for line in expected):
            failures.append(f"{at}: shows no output of {command!r}")
        try:
            run = subprocess.run(["sh", "-c", command], cwd=directory, env=environment, capture_output=True, text=True, check=False, timeout=120)
        except subprocess.TimeoutExpired:
            failures.append(f"{at}: {command!r} takes more than two minutes")
            continue
        actual = run.stdout.split("\n")
        if run.returncode != 0:
            actual = plain(actual, []) + run.stderr.rstrip("\n").split("\n") + [f"(exit status {run.returncode})"]
        expected, actual = plain(expected, kinds), plain(actual, kinds)
        if not matches(expected, actual, kinds):
            difference = difflib.unified_diff(expected, actual, "the book", "the program", lineterm="", n=2)
            failures.append("\n    ".join([f"{at}: the output of {command!r} differs", *difference]))


# ------------------------------------------------------------------------------------------------ code


def stands_in(block, file):
    """Whether the file contains the pieces of the block in this order, ignoring indentation and blank lines."""
    stripped = [line.strip() for line in file.split("\n") if line.strip()]
    text, position = "\n".join(["", *stripped, ""]), 0
    for piece in re.split(r"^ *(?:// *|# *)?\.\.\. *$", "\n".join(block), flags=re.M):
        lines = [line.strip() for line in piece.split("\n") if line.strip()]
        position = text.find("\n".join(["", *lines, ""]), position) if lines else position
        if position < 0:
            return False
        position += sum(len(line) + 1 for line in lines)
    return True


def check_code(name, folder, fence):
    files = [os.path.normpath(os.path.join(folder, link[1])) for link in links(fence.before)]
    files = [file for file in files if os.path.isfile(file) and not file.endswith(".md")]
    if not files:
        failures.append(f"{name}:{fence.line}: the text before this {fence.language} block does not link to the file that contains it")
    elif not any(stands_in(fence.lines, read(file)) for file in files):
        failures.append(f"{name}:{fence.line}: not in {' nor '.join(os.path.relpath(f, folder) for f in files)}: {fence.lines[0][:60]}...")


# ------------------------------------------------------------------------------------------------ mathematics


def check_formula(at, formula, inline):
    say = lambda what: failures.append(f"{at}: {what}: {formula.strip()[:70]}")
    bare = re.sub(r"\\[{}]", "", formula)
    depth = 0
    for c in bare:
        depth += (c == "{") - (c == "}")
        if depth < 0:
            break
    if depth != 0:
        say("braces do not balance")
    if len(re.findall(r"\\left\b", formula)) != len(re.findall(r"\\right\b", formula)):
        say("\\left and \\right do not balance")
    if sorted(re.findall(r"\\begin\{(\w+\*?)\}", formula)) != sorted(re.findall(r"\\end\{(\w+\*?)\}", formula)):
        say("\\begin and \\end do not balance")
    if "\\operatorname" in formula:
        say("GitHub rejects \\operatorname; use \\mathrm")
    if "$" in formula:
        say("a dollar sign inside")
    if inline:  # Markdown processes inline formulas before they are rendered
        if re.search(r"\\[^A-Za-z\s]", formula):
            say("Markdown takes the backslash before punctuation; write $`...`$ or a math block")
        if re.search(r"[*<]|[^\w\s]_", formula):
            say("Markdown may read *, < or an underscore after punctuation; write $`...`$ or a math block")


def check_mathematics(name, fences, prose):
    for fence in fences:
        if fence.language == "math":
            check_formula(f"{name}:{fence.line}", "\n".join(fence.lines), False)
    text = without_code(prose)

    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])

    for match in re.finditer(r"\$\$(.*?)\$\$", text, re.S):
        check_formula(f"{name}:{line_of(text, match.start())}", match[1], False)
    text = re.sub(r"\$\$(.*?)\$\$", blank, text, flags=re.S)
    for match in re.finditer(r"\$`(.*?)`\$", text):
        check_formula(f"{name}:{line_of(text, match.start())}", match[1], False)
    text = re.sub(r"\$`(.*?)`\$", blank, text)
    for match in re.finditer(r"\$([^$\n]+)\$", text):
        at = f"{name}:{line_of(text, match.start())}"
        if match[1] != match[1].strip():
            failures.append(f"{at}: white space next to a dollar sign: {match[0]}")
        if re.match(r"\w", text[match.end() : match.end() + 1]) or re.search(r"\w\Z", text[: match.start()]):
            failures.append(f"{at}: a letter or digit next to a dollar sign: {match[0]}")
        check_formula(at, match[1], True)
    rest = re.sub(r"\$([^$\n]+)\$", blank, text)
    for match in re.finditer(r"\$", rest):
        failures.append(f"{name}:{line_of(rest, match.start())}: an unpaired dollar sign")


# ------------------------------------------------------------------------------------------------ main


def read(path):
    with open(path, encoding="utf8") as file:
        return file.read()


if __name__ == "__main__":  # tests/python/test_notebooks.py imports this module
    source, program_dirs = os.path.abspath(sys.argv[1]), [os.path.abspath(d) for d in sys.argv[2:]]
    docs = os.path.join(source, "docs")
    argand = os.path.join(program_dirs[0], "argand")
    environment = dict(os.environ, PATH=os.pathsep.join(program_dirs + [os.environ["PATH"]]), LC_ALL="C.UTF-8", OMP_WAIT_POLICY="passive")
    counts = {language: 0 for language in LANGUAGES}
    names = os.listdir(docs) + [os.path.join("teaching", name) for name in os.listdir(os.path.join(docs, "teaching"))]
    chapters = sorted(name for name in names if name.endswith(".md") and name.startswith(os.environ.get("BOOK", "")))
    if not chapters:
        sys.exit(f"no chapter's name begins with BOOK={os.environ.get('BOOK')}")
    for name in chapters:
        folder = os.path.dirname(os.path.join(docs, name))
        text = read(os.path.join(docs, name))
        fences, prose = parse(name, text)
        check_links(name, folder, prose)
        check_files_named(name, source, prose)
        check_mathematics(name, fences, prose)
        for match in re.finditer(r"`(argand [a-z][^`]*)`", prose):
            check_command(f"{name}:{line_of(prose, match.start())}", match[1])
        if name[0].isdigit() and f"({name})" not in read(os.path.join(docs, "README.md")):
            failures.append(f"README.md: no link to the chapter {name}")
        with tempfile.TemporaryDirectory() as directory:
            for entry in os.listdir(source):
                if not entry.startswith((".", "build", "runs")):
                    os.symlink(os.path.join(source, entry), os.path.join(directory, entry))
            for fence in fences:
                counts[fence.language] = counts.get(fence.language, 0) + 1
                if fence.language == "console":
                    run_block(name, fence, directory, environment)
                elif fence.language == "sh":
                    for command in commands_in("\n".join(fence.lines)):
                        check_command(f"{name}:{fence.line}", command)
                    for word in re.findall(r"^\./dev ([a-z-]+)", "\n".join(fence.lines), re.M):
                        if not re.search(rf"^  {word}\)", read(os.path.join(source, "dev")), re.M):
                            failures.append(f"{name}:{fence.line}: there is no `./dev {word}`")
                elif fence.language in ("cpp", "python"):
                    check_code(name, folder, fence)

    for text in failures:
        print(text)
    print(f"{len(chapters)} chapters, blocks:", ", ".join(f"{n} {language}" for language, n in counts.items()))
    sys.exit(1 if failures or not chapters else 0)
