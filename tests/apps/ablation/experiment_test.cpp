#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "tests/apps/program.h"
#include "tests/error_text.h"
#include "tests/sanitized.h"
#include "train/ablation/experiment_file.h"
#include "train/config/run_config.h"

using namespace argand;

namespace {

/// The error message for a file with this text, without the file's path.
std::string fault_in(const TemporaryDirectory& scratch, const std::string& text) {
  const std::string path = scratch.file("x.toml", text), error = error_of([&] { read_experiment(path); });
  return error.starts_with(path) ? error.substr(path.size()) : error;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(experiments)

BOOST_AUTO_TEST_CASE(the_shipped_experiments_can_be_trained) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(ARGAND_SOURCE_DIR) + "/experiments")) {
    if (entry.path().extension() != ".toml") continue;
    ++files;
    const Experiment experiment = read_experiment(entry.path());
    BOOST_TEST(experiment.table.rows.size() >= 2U);
    // An experiment that tests no paper has no claims: it states its predictions in a comment.
    const bool of_no_paper = experiment.table.source.starts_with("none");
    BOOST_TEST(experiment.table.claims.empty() == of_no_paper);
    for (const AblationRow& row : experiment.table.rows) {
      Settings settings = {{"preset", experiment.table.preset, "test"}};
      for (const KeyTexts* part : {&experiment.shared, &row.settings})
        for (const auto& [key, text] : *part) settings.push_back({key, text, row.name});
      for (const std::string& rate : experiment.rates) {
        settings.push_back({"lr", rate, row.name});
        BOOST_TEST(error_of([&] { RunConfig::resolve({}, settings, experiment.table.task); }) == "");
      }
    }
  }
  BOOST_TEST(files >= 1U);
}

BOOST_AUTO_TEST_CASE(a_file_is_read) {
  const TemporaryDirectory scratch;
  const Experiment e = read_experiment(scratch.file(
      "x.toml",
      "rates = ['1e-3', 2e-3]\n[settings]\nsteps = 9\n[[row]]\nname = 'a'\nsettings = { irw_layers = [0, 1], family = 'crat' }\n"
      "[[row]]\nname = 'b'\nextra = true\npaper = '20.4'\n[[claim]]\npaper = 'level'\nbetter = 'a'\nworse = 'b'\nwithin = 1\n"));
  BOOST_TEST(e.rates[1] == "0.002");
  BOOST_TEST((e.shared == KeyTexts{{"steps", "9"}}));
  BOOST_TEST((e.table.rows[0].settings == KeyTexts{{"family", "crat"}, {"irw_layers", "0,1"}}));
  BOOST_TEST(e.table.rows[1].extra);
  BOOST_TEST(e.table.claims[0].within.value() == 1.0);
}

BOOST_AUTO_TEST_CASE(errors_name_the_line) {
  const TemporaryDirectory scratch;
  const std::string row = "[[row]]\nname = 'a'\n";
  BOOST_TEST(fault_in(scratch, "") == ": missing [[row]]");
  BOOST_TEST(fault_in(scratch, "rates = [\n").starts_with(":"));
  BOOST_TEST(fault_in(scratch, "rate = 3\n" + row) == ":1: unknown key rate here; did you mean rates?");
  BOOST_TEST(fault_in(scratch, "rates = 3\n" + row) == ":1: rates must be a list");
  BOOST_TEST(fault_in(scratch, row + "what = 3\n") == ":3: what must be a string");
  BOOST_TEST(fault_in(scratch, row + row) == ":3: two rows are named \"a\"");
  BOOST_TEST(fault_in(scratch, "[[row]]\nname = '../a'\n") == ":1: \"../a\" cannot name a folder; use letters, digits, - _ . +");
  BOOST_TEST(fault_in(scratch, row + "[[claim]]\npaper = 'x'\nbetter = 'a'\nworse = 'c'\n") ==
             ":3: unknown row \"c\"; did you mean a?");
  BOOST_TEST(fault_in(scratch, row + "[[claim]]\npaper = 'x'\nbetter = 'a'\n") ==
             ":3: a claim must name a `better` and a `worse` row, or say why it is out_of_reach");
  BOOST_TEST(fault_in(scratch, "[settings]\nlr = 1\n" + row + "settings = { lr = 2 }\n") ==
             ":3: row a sets lr, which [settings] already sets for all rows; drop one of them");
  BOOST_TEST(fault_in(scratch, "[[[") == ": brackets or keys that are not valid TOML");
  BOOST_TEST(fault_in(scratch, "rates = " + std::string(100'000, '[')).starts_with(":1: "));
  BOOST_TEST(error_of([] { read_experiment("nowhere.toml"); }) == "ablate: cannot read nowhere.toml");
}

BOOST_AUTO_TEST_CASE(every_row_at_its_own_best_rate) {
  const TemporaryDirectory scratch;
  const std::string file =
      scratch.file("two.toml",
                   "rates = ['1e-3', '1e-2']\n[settings]\nd_model = 16\nn_layers = 1\nn_heads = 2\nd_ff = 16\nlength = 16\nbatch = "
                   "4\nsteps = 6\n"
                   "warmup = 1\neval_batches = 1\n[[row]]\nname = 'crope'\nsettings = { family = 'crope' }\n"
                   "[[row]]\nname = 'rope'\nsettings = { family = 'transformer', position = 'rope', lr = 0.002 }\n"
                   "[[claim]]\npaper = 'a claim'\nbetter = 'crope'\nworse = 'rope'\n");
  const std::string command = "ablate " + file + " --seeds 1 --jobs 2 --out " + (scratch / "out");
  const Finished early = run_argand(scratch, command);
  BOOST_TEST(early.code == 2);
  BOOST_TEST(early.err == "argand: --search: crope has no best rate yet; add this option to search for one\n");
  const Finished done = run_argand(scratch, command + " --search");
  BOOST_TEST(done.code == 0, done.err);
  BOOST_TEST(done.out.find(" is the best rate\n") != done.out.npos, done.out);
  BOOST_TEST(done.out.find("a claim") != done.out.npos, done.out);
  BOOST_TEST(contents_of(scratch / "out/rope/seed-0/config.json").find("\"lr\": 0.002,") != std::string::npos);
  BOOST_TEST(!std::filesystem::exists(scratch / "out/search/rope"));
  const Finished again = run_argand(scratch, command + " --table");
  BOOST_TEST(again.code == 0, again.err);
  BOOST_TEST(again.out.substr(again.out.find("| row")) == done.out.substr(done.out.find("| row")));

  // The result for each learning rate is printed, and printed again from the file that stores it.
  BOOST_TEST(done.out.find("\n| row | ") != done.out.npos, done.out);
  BOOST_TEST(done.out.find("| 1e-3 | ") != done.out.npos, done.out);
  BOOST_TEST(done.out.find("\n| crope | ") != done.out.npos, done.out);
  BOOST_TEST(done.out.find("Perplexity by learning rate, seed 0") != done.out.npos, done.out);
  BOOST_TEST(contents_of(scratch / "out/table.md") == done.out.substr(done.out.find("| row")));
  const std::string kept = scratch / "kept.json";
  BOOST_TEST_REQUIRE(run_argand(scratch, "ablate " + file + " --out " + (scratch / "out") + " --keep " + kept).code == 0);
  BOOST_TEST(run_argand(scratch, "ablate " + kept).out == contents_of(scratch / "out/table.md"));
  BOOST_TEST(contents_of(kept).find("\"rates\": {\"third\": {\"") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
