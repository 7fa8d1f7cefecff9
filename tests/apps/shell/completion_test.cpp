#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "tests/apps/program.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(completion)

namespace {

bool can_run(const std::string& program) { return std::system(("command -v " + program + " >/dev/null").c_str()) == 0; }

/// The sorted output lines of a shell script that runs in the scratch folder.
std::vector<std::string> lines_of(const TemporaryDirectory& scratch, const std::string& shell, const std::string& script) {
  scratch.file("script", "cd " + scratch.path() + "\n" + script);
  BOOST_TEST_REQUIRE(std::system((shell + " " + scratch / "script" + " > " + scratch / "lines 2>&1").c_str()) == 0);
  std::vector<std::string> lines;
  std::istringstream text(contents_of(scratch / "lines"));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

using Lines = std::vector<std::string>;

/// The completions that bash or zsh offers after these words, the last of which is incomplete.
struct Offers {
  const TemporaryDirectory& scratch;
  std::string shell;

  Lines operator()(const Lines& words) const {
    std::string typed;
    for (const std::string& word : words) typed += "'" + word + "' ";
    if (shell == "bash")
      return lines_of(scratch, shell,
                      "source ./argand.bash\nCOMP_WORDS=(" + typed + ")\nCOMP_CWORD=" + std::to_string(words.size() - 1) +
                          "\n_argand\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
    // Zsh's completion functions need a terminal, so those that the script calls are replaced.
    return lines_of(scratch, shell + " -f",
                    "compdef() { }\nsource ./argand.zsh\nPREFIX='" + words.back() +
                        "'\ncompadd() { shift; for w in \"$@\"; do [[ $w == ${PREFIX}* ]] && print -r -- $w; done; true }\n"
                        "_files() { for w in ${PREFIX}*(N); do print -r -- $w; done }\nwords=(" +
                        typed + ")\nCURRENT=" + std::to_string(words.size()) + "\n_argand\n");
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(shells_offer_subcommands_options_values_and_files) {
  const TemporaryDirectory scratch;
  scratch.file("training.txt", "a");
  for (const std::string shell : {"bash", "zsh"}) {
    if (!can_run(shell)) {
      std::cout << "skipped: completion in " << shell << ", which is not installed\n";
      continue;
    }
    scratch.file("argand." + shell, run_argand(scratch, "completion " + shell).out);
    const Offers offered{scratch, shell};
    // Files are not offered where a command is expected.
    BOOST_TEST(offered({"argand", "tr"}) == Lines{"train"}, boost::test_tools::per_element());
    BOOST_TEST(offered({"argand", "train", ""}) == (Lines{"--help", "classify", "lm"}), boost::test_tools::per_element());
    BOOST_TEST(offered({"argand", "train", "lm", "--find"}) == (Lines{"--find-lr"}), boost::test_tools::per_element());
    BOOST_TEST(offered({"argand", "eval", "run", "--header", "y"}) == Lines{"yes"}, boost::test_tools::per_element());
    BOOST_TEST(offered({"argand", "train", "lm", "--data", "train"}) == Lines{"training.txt"}, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(the_manual_page_has_every_command_with_its_full_name) {
  const TemporaryDirectory scratch;
  const std::string page = run_argand(scratch, "completion man").out;
  for (const char* text :
       {".TH ARGAND 1\n", ".SH argand train lm\n", "Usage: argand train lm [OPTIONS]", ".SH argand exercise make\n"})
    BOOST_TEST(page.find(text) != page.npos, text);
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with('.') || line.starts_with('\'')) {
      const std::string macro = line.substr(0, line.find(' '));
      const Lines known = {".TH", ".SH", ".B", ".I", ".nf", ".fi"};
      BOOST_TEST((std::find(known.begin(), known.end(), macro) != known.end()), line);
    }
  if (!can_run("mandoc")) {
    std::cout << "skipped: the manual page in mandoc, which is not installed\n";
    return;
  }
  scratch.file("argand.1", page);
  BOOST_TEST(lines_of(scratch, "sh", "mandoc -T lint -W error argand.1") == Lines{}, boost::test_tools::per_element());
  const Lines shown = lines_of(scratch, "sh", "mandoc -T utf8 -O width=200 argand.1 | sed 's/.\\x08//g'");
  BOOST_TEST((std::find_if(shown.begin(), shown.end(),
                           [](const std::string& line) { return line.find("--set NAME=VALUE") != line.npos; }) != shown.end()));
}

BOOST_AUTO_TEST_SUITE_END()
