/// Rules of the project that no compiler checks. ARGAND_SOURCE_DIR is the project's root.

#include <fmt/format.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(structure)

namespace fs = std::filesystem;

namespace {

/// The top-level folders from which each may include: core <- autograd <- nn <- train <- apps, with optim and data at the level of
/// nn, and lab at the level of train.
const std::map<std::string, std::set<std::string>> may_see = {
    {"core", {"core"}},
    {"autograd", {"core", "autograd"}},
    {"nn", {"core", "autograd", "nn"}},
    {"optim", {"core", "autograd", "optim"}},
    {"data", {"core", "data"}},
    {"train", {"core", "autograd", "nn", "optim", "data", "train"}},
    {"lab", {"core", "autograd", "optim", "data", "lab"}},
    {"argand", {"core", "autograd", "nn", "optim", "data", "train"}},  // the header that includes everything
    {"apps", {"core", "autograd", "nn", "optim", "data", "train", "lab", "apps"}},
    {"python", {"core", "autograd", "nn", "optim", "data", "train", "lab", "python"}},
    {"web", {"core", "autograd", "nn", "optim", "data", "train", "lab", "web"}},
    {"examples", {"core", "autograd", "nn", "optim", "data", "train"}},
    {"docs", {"core", "autograd", "nn", "optim", "data", "train"}},
    {"tests", {"core", "autograd", "nn", "optim", "data", "train", "lab", "apps", "tests"}},
    {"bench", {"core", "autograd", "nn", "optim", "data", "train", "lab", "bench"}},
};

/// For each subfolder of train, lab and apps: the sibling subfolders from which it may include. The subcommands in apps are above
/// these and may include from all.
const std::map<std::string, std::set<std::string>> floor_may_see = {
    {"train/config", {}},
    {"train/ranks", {"train/config"}},
    {"train/checkpoints", {"train/config"}},
    {"train/data", {"train/config", "train/checkpoints"}},
    {"train/generation", {"train/config"}},
    {"train/evaluation", {"train/config", "train/ranks", "train/checkpoints", "train/data", "train/generation"}},
    {"train/retrieval", {"train/config", "train/checkpoints", "train/data"}},
    {"train/loop", {"train/config", "train/ranks", "train/checkpoints", "train/data", "train/evaluation"}},
    {"train/start",
     {"train/config", "train/ranks", "train/checkpoints", "train/data", "train/evaluation", "train/generation", "train/loop"}},
    {"train/sweep", {"train/config"}},
    {"train/ablation", {"train/config", "train/checkpoints", "train/evaluation", "train/sweep"}},
    {"train/checks", {"train/config"}},
    {"lab/expression", {}},
    {"lab", {"lab/expression"}},
    {"lab/portrait", {"lab/expression", "lab"}},
    {"lab/exercise", {"lab/expression", "lab"}},
    {"apps/terminal", {}},
    {"apps/runs", {"apps/terminal"}},
    {"apps/ablation", {"apps/terminal", "apps/runs"}},
    {"apps/sweep", {"apps/terminal", "apps/runs", "apps/ablation"}},
    {"apps/report", {"apps/terminal"}},
    {"apps/shell", {"apps"}},  // its command is declared in apps/commands.h, like all others
};

constexpr std::ptrdiff_t most_lines = 400, most_files = 25, most_lines_of_programs = 9000;

std::vector<std::string> quoted_includes(const std::string& text) {
  static const std::regex line(R"re((?:^|\n)[ \t]*#[ \t]*include[ \t]*"([^"\n]*)")re");
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), line), end; it != end; ++it) found.push_back((*it)[1]);
  return found;
}

std::string room_of(const std::string& path) { return path.substr(0, path.find('/')); }

/// The forbidden includes of a file, each as "core/x.cpp must not include nn/y.h".
std::vector<std::string> forbidden_arrows(const std::string& path, const std::string& text) {
  std::vector<std::string> found;
  const auto allowed = may_see.find(room_of(path));
  for (const std::string& include : quoted_includes(text)) {
    if (allowed == may_see.end())
      found.push_back(fmt::format("{} is in no known top-level folder", path));
    else if (!allowed->second.contains(room_of(include)))
      found.push_back(fmt::format("{} must not include {}", path, include));
  }
  const std::string floor = fs::path(path).parent_path().string();
  if (const auto lower = floor_may_see.find(floor); lower != floor_may_see.end())
    for (const std::string& include : quoted_includes(text)) {
      const std::string other = fs::path(include).parent_path().string();
      if (room_of(include) == room_of(path) && other != floor && !lower->second.contains(other))
        found.push_back(fmt::format("{} must not include {}", path, include));
    }
  return found;
}

/// Whether the meson.build of the file's folder, or of a folder above it, names the file.
bool is_built(const std::string& path, const std::map<std::string, std::string>& files) {
  for (fs::path folder = fs::path(path).parent_path();; folder = folder.parent_path()) {
    const auto list = files.find((folder / "meson.build").string());
    const std::string name = fs::path(path).lexically_relative(folder.empty() ? "." : folder).string();
    if (list != files.end() && list->second.find("'" + name + "'") != std::string::npos) return true;
    if (folder.empty()) return false;
  }
}

const std::string rooms_of_families = "nn/families/";

/// The family whose folder contains the file, or nothing.
std::string family_of(const std::string& path) {
  if (!path.starts_with(rooms_of_families)) return "";
  const std::size_t begin = rooms_of_families.size(), end = path.find('/', begin);
  return end == std::string::npos ? "" : path.substr(begin, end - begin);
}

/// A file's forbidden dependencies on families: a program or a layer that names a family or includes from its folder, or a family's
/// folder that includes from another's. Examples, docs, tests and benchmarks may do so.
std::vector<std::string> names_of_families(const std::string& path, const std::string& text, const std::set<std::string>& known) {
  static const std::set<std::string> rooms = {"core", "autograd", "nn", "optim", "data", "train", "lab", "apps"};
  std::vector<std::string> found;
  if (!rooms.contains(room_of(path))) return found;
  for (const std::string& include : quoted_includes(text))
    if (const std::string owner = family_of(include); !owner.empty() && owner != family_of(path))
      found.push_back(fmt::format("{} must not include {}", path, include));
  if (path.starts_with(rooms_of_families)) return found;
  for (const std::string& family : known)
    for (const char* quote : {"\"", "'", "`"})
      if (text.find(quote + family + quote) != std::string::npos)
        found.push_back(fmt::format("{} names the family {}; use the family's description (nn/family.h) instead", path, family));
  return found;
}

/// Code in the library's files that belongs in a program: command-line parsing, terminal output, or an option's spelling in a
/// string.
std::vector<std::string> words_of_programs(const std::string& path, const std::string& text) {
  static const std::set<std::string> library = {"core", "autograd", "nn", "optim", "data", "train"};
  static const std::regex option(R"re("[^"\n]*--[a-z][a-z-]+[^"\n]*")re");
  static const std::regex terminal(R"re(<CLI/|<iostream>|isatty|\bstd::exit\b|\bprintf\(|\bfmt::print\((?!stderr)|\bputs\()re");
  static const std::regex comment(R"re(//[^\n]*)re");
  std::vector<std::string> found;
  if (!library.contains(room_of(path))) return found;
  const std::string code = std::regex_replace(text, comment, "");
  for (const std::regex* rule : {&option, &terminal})
    for (std::sregex_iterator it(code.begin(), code.end(), *rule), end; it != end; ++it)
      found.push_back(fmt::format("{} contains {}, which belongs in a program", path, it->str()));
  return found;
}

/// The custom targets and tests of a meson.build that run the program or the Python module without waiting for argand_levels, or
/// wait for one level alone.
std::vector<std::string> early_targets(const std::string& path, const std::string& text) {
  static const std::regex one_level(R"re(depends: [^\n]*\bargand_(lib|v3|v4)\b)re");
  std::vector<std::string> found;
  if (std::regex_search(text, one_level)) found.push_back(path + " waits for one level of the library; use argand_levels");
  const std::string start = "custom_target(";
  for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
    std::size_t end = at + start.size();
    for (int depth = 1; end < text.size() && depth > 0; ++end) depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    const std::string target = text.substr(at, end - at);
    const bool runs = target.find("argand_program") != std::string::npos || target.find("PYTHONPATH") != std::string::npos;
    if (runs && target.find("argand_levels") == std::string::npos)
      found.push_back(fmt::format("{}: this must have argand_levels among its `depends` (levels/meson.build): {}", path, target));
  }
  return found;
}

bool ends_with_any(const std::string& path, std::initializer_list<const char*> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](const char* ending) { return path.ends_with(ending); });
}

/// Maps the path of every project file, from the root, to its text, leaving out Git's and Python's files, builds and runs.
std::map<std::string, std::string> read_tree(const fs::path& root) {
  std::map<std::string, std::string> files;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator(); ++it) {
    const std::string name = it->path().filename().string();
    const bool ours = name != ".git" && name != "__pycache__" &&
                      !(it.depth() == 0 && it->is_directory() && (name.starts_with("build") || name == "runs"));
    if (it->is_directory() && !ours) it.disable_recursion_pending();
    if (!it->is_regular_file() || !ours) continue;
    std::ifstream in(it->path(), std::ios::binary);
    files[it->path().lexically_relative(root).string()] = std::string(std::istreambuf_iterator<char>(in), {});
  }
  return files;
}

const std::map<std::string, std::string>& files() {
  static const auto tree = read_tree(ARGAND_SOURCE_DIR);
  return tree;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_rules_find_what_they_forbid) {
  const std::string text =
      "#pragma once\n#include <vector>\n  #  include \"nn/model.h\"\n// #include \"apps/a.h\"\n#include \"core/shape.h\"\n";
  BOOST_TEST(quoted_includes(text).size() == 2U);
  BOOST_TEST(forbidden_arrows("optim/adamw.cpp", text).at(0) == "optim/adamw.cpp must not include nn/model.h");
  BOOST_TEST(forbidden_arrows("optim/adamw.cpp", text).size() == 1U);
  BOOST_TEST(forbidden_arrows("nn/model.cpp", text).empty());
  BOOST_TEST(forbidden_arrows("new/file.cpp", text).at(0) == "new/file.cpp is in no known top-level folder");
  const std::string upwards = "#include \"train/loop/training_session.h\"\n#include \"train/config/settings.h\"\n";
  BOOST_TEST(forbidden_arrows("train/loop/a.cpp", upwards).empty());
  BOOST_TEST(forbidden_arrows("apps/report/a.cpp", upwards).empty());
  BOOST_TEST(forbidden_arrows("train/data/a.cpp", upwards).at(0) ==
             "train/data/a.cpp must not include train/loop/training_session.h");
  BOOST_TEST(forbidden_arrows("nn/a.cpp", upwards).size() == 2U);
  for (const char* room : {"lab", "python", "web", "bench", "examples"})
    BOOST_TEST(forbidden_arrows(fmt::format("{}/a.cpp", room), "#include \"apps/lab.h\"\n").size() == 1U);
  const std::map<std::string, std::string> tree = {{"core/meson.build", "files('a.cpp', 'kernels/b.cpp')"}, {"meson.build", ""}};
  BOOST_TEST(is_built("core/a.cpp", tree));
  BOOST_TEST(is_built("core/kernels/b.cpp", tree));
  BOOST_TEST(!is_built("core/b.cpp", tree));
  BOOST_TEST(!is_built("nn/a.cpp", tree));
  const std::string early = "custom_target(\n  'a',\n  command: [argand_program, 'completion'],\n)\n";
  const std::string patient = "custom_target(\n  'b',\n  command: [argand_program],\n  depends: argand_levels,\n)\n";
  const std::string indented = "  x += custom_target(\n    'c',\n    env: {'PYTHONPATH': ''},\n  )\n";
  BOOST_TEST(early_targets("m", early + patient).size() == 1U);
  BOOST_TEST(early_targets("m", patient + early + indented).size() == 2U);
  BOOST_TEST(early_targets("m", "custom_target(\n  'd',\n  command: [python],\n)\n" + patient).empty());
  BOOST_TEST(early_targets("m", "custom_target('e', command: [find_program('env'), argand_program])\n" + patient).size() == 1U);
  BOOST_TEST(early_targets("m", "test('f', depends: [argand_lib, argand_program])").size() == 1U);
}

BOOST_AUTO_TEST_CASE(includes_follow_the_arrows_and_start_at_the_root) {
  std::size_t seen = 0;
  for (const auto& [path, text] : files()) {
    if (!ends_with_any(path, {".h", ".cpp"})) continue;
    for (const std::string& arrow : forbidden_arrows(path, text)) BOOST_ERROR(arrow);
    for (const std::string& include : quoted_includes(text)) {
      ++seen;
      if (!files().contains(include))
        BOOST_ERROR(path << " includes " << include << "; write its path from the root of the project");
    }
  }
  BOOST_TEST(seen > 100U);
}

BOOST_AUTO_TEST_CASE(a_family_is_known_in_its_room_alone) {
  const std::set<std::string> two = {"crat", "qic"};
  const auto faults = [&](const std::string& path, const std::string& text) { return names_of_families(path, text, two); };
  BOOST_TEST(faults("apps/run.cpp", "if (name == \"crat\") ...").size() == 1U);
  BOOST_TEST(faults("apps/report/page.js", "run.family === 'qic'").size() == 1U);
  BOOST_TEST(faults("apps/run.cpp", "qic_linear(\"qic_linear\"); // crat").empty());
  BOOST_TEST(faults("apps/run.cpp", "#include \"nn/families/crat/config.h\"\n").size() == 1U);
  BOOST_TEST(faults("nn/families/qic/model.cpp", "#include \"nn/families/crat/config.h\"\n\"qic\"").size() == 1U);
  BOOST_TEST(faults("nn/families/qic/model.cpp", "#include \"nn/families/qic/config.h\"\n#include \"nn/family.h\"\n").empty());
  BOOST_TEST(faults("tests/nn/qic_test.cpp", "#include \"nn/families/qic/config.h\"\n\"qic\"").empty());

  std::set<std::string> known;
  for (const auto& [path, text] : files())
    if (const std::string family = family_of(path); !family.empty()) known.insert(family);
  BOOST_TEST(known.size() >= 5U);
  for (const auto& [path, text] : files()) {
    if (!ends_with_any(path, {".h", ".cpp", ".js", ".html", ".py"})) continue;
    for (const std::string& fault : names_of_families(path, text, known)) BOOST_ERROR(fault);
  }
}

BOOST_AUTO_TEST_CASE(the_library_knows_no_command_line) {
  BOOST_TEST(words_of_programs("train/a.cpp", "fail(\"a\", \"raise --max-seq-len\");").size() == 1U);
  BOOST_TEST(words_of_programs("train/a.cpp", "#include <CLI/CLI.hpp>\n#include <iostream>\n").size() == 2U);
  BOOST_TEST(words_of_programs("train/a.cpp", "fmt::print(\"{}\", x);").size() == 1U);
  BOOST_TEST(words_of_programs("train/a.cpp", "--i; fail(\"raise `max_seq_len`\"); // --count").empty());
  BOOST_TEST(words_of_programs("apps/a.cpp", "fail(\"a\", \"raise --max-seq-len\");").empty());
  for (const auto& [path, text] : files()) {
    if (!ends_with_any(path, {".h", ".cpp"})) continue;
    for (const std::string& fault : words_of_programs(path, text)) BOOST_ERROR(fault);
  }
}

/// Only one function limits the depth of JSON (core/machine/json.h), so others must not parse it. The header of a safetensors file
/// is read value by value, without nesting.
BOOST_AUTO_TEST_CASE(foreign_json_is_read_in_one_place) {
  static const std::set<std::string> may = {"core/machine/json.h", "data/files/safetensors_header.cpp"};
  static const std::regex parse(R"re(\b[Jj]son::(parse|sax_parse|accept)\()re");
  std::size_t seen = 0;
  for (const auto& [path, text] : files()) {
    if (!ends_with_any(path, {".h", ".cpp"}) || path.starts_with("tests/")) continue;
    if (!std::regex_search(text, parse)) continue;
    ++seen;
    if (!may.contains(path)) BOOST_ERROR(path << " parses JSON directly; use parse_json or try_parse_json, which limit its depth");
  }
  BOOST_TEST(seen == may.size());
}

BOOST_AUTO_TEST_CASE(files_stay_small) {
  for (const auto& [path, text] : files()) {
    if (!ends_with_any(path, {".h", ".cpp", ".py", "meson.build"})) continue;
    const auto lines = std::count(text.begin(), text.end(), '\n');
    BOOST_TEST_INFO(path << " has " << lines << " lines; split it by subject");
    BOOST_TEST(lines <= most_lines);
  }
}

BOOST_AUTO_TEST_CASE(programs_stay_small) {
  std::ptrdiff_t lines = 0;
  for (const auto& [path, text] : files())
    if (path.starts_with("apps/") && ends_with_any(path, {".h", ".cpp"})) lines += std::count(text.begin(), text.end(), '\n');
  BOOST_TEST_INFO("move code that does not handle the command line to train/ or lab/");
  BOOST_TEST(lines <= most_lines_of_programs);
  BOOST_TEST(lines > 0);
}

BOOST_AUTO_TEST_CASE(folders_stay_small) {
  std::map<std::string, std::ptrdiff_t> count;
  for (const auto& [path, text] : files()) ++count[fs::path(path).parent_path().string()];
  for (const auto& [folder, n] : count) {
    // Skips files that other programs wrote: reference cases, and inputs found by fuzzing.
    if (folder == "tests/golden" || folder.starts_with("tests/fuzz/seeds")) continue;
    BOOST_TEST_INFO(folder << " has " << n << " files; divide it into subfolders");
    BOOST_TEST(n <= most_files);
  }
  for (const auto& [folder, n] : count)
    if ((folder.starts_with("apps/") || folder.starts_with("train/")) && !floor_may_see.contains(folder))
      BOOST_ERROR(folder << " is not listed in this test; add what it may include");
}

BOOST_AUTO_TEST_CASE(every_source_is_built) {
  for (const auto& [path, text] : files())
    if (path.ends_with(".cpp") && !is_built(path, files())) BOOST_ERROR("no meson.build lists " << path);
}

BOOST_AUTO_TEST_CASE(what_runs_during_the_build_waits_for_every_level) {
  std::size_t seen = 0;
  for (const auto& [path, text] : files()) {
    if (!path.ends_with("meson.build")) continue;
    for (const std::string& fault : early_targets(path, text)) BOOST_ERROR(fault);
    seen += text.find("depends: argand_levels") != std::string::npos || text.find("+ argand_levels") != std::string::npos;
  }
  BOOST_TEST(seen >= 3U);
}

// Files next to one checkout may be missing next to another, so only .ci may use them.
BOOST_AUTO_TEST_CASE(nothing_depends_on_what_lies_beside_the_checkout) {
  const std::string beside = std::string("..") + "/shared";
  for (const auto& [path, text] : files())
    if (!path.starts_with(".ci/") && text.find(beside) != std::string::npos) BOOST_ERROR(path << " mentions " << beside);
}

// Several sources are compiled as one, which ones depends on their number.
BOOST_AUTO_TEST_CASE(no_two_sources_define_the_same_macro) {
  const std::regex defined("(?:^|\n)#define (\\w+)"), dropped("(?:^|\n)#undef (\\w+)");
  std::map<std::string, std::string> owner;
  for (const auto& [path, text] : files()) {
    if (!path.ends_with(".cpp") || path.starts_with("tests/")) continue;
    std::set<std::string> names, gone;
    for (std::sregex_iterator i(text.begin(), text.end(), defined), end; i != end; ++i) names.insert((*i)[1]);
    for (std::sregex_iterator i(text.begin(), text.end(), dropped), end; i != end; ++i) gone.insert((*i)[1]);
    for (const std::string& name : names) {
      if (gone.contains(name)) continue;
      const auto [first, is_new] = owner.emplace(name, path);
      BOOST_TEST(is_new, name << " is defined in " << first->second << " and in " << path << "; rename one");
    }
  }
}

BOOST_AUTO_TEST_CASE(headers_are_guarded) {
  for (const auto& [path, text] : files())
    if (path.ends_with(".h") && !text.starts_with("#pragma once\n")) BOOST_ERROR(path << " does not start with #pragma once");
}

BOOST_AUTO_TEST_SUITE_END()
