#include "train/ablation/kept_runs.h"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <sstream>

#include "tests/apps/program.h"
#include "tests/apps/word_corpus.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(kept_runs)

namespace {

using Json = nlohmann::ordered_json;

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
  return lines;
}

std::vector<std::int64_t> steps_with(const std::string& text, const std::string& key) {
  std::vector<std::int64_t> steps;
  for (const Json& line : lines_of(text))
    if (line.contains(key)) steps.push_back(line["step"]);
  return steps;
}

const std::string sizes = " --set d_model=16,n_layers=1,n_heads=2,d_ff=16,length=16,batch=4 --threads 1 --jobs 1 ";

}  // namespace

BOOST_AUTO_TEST_CASE(paths_become_names) {
  const Json config = {
      {"training", {{"data", "/home/me/wikitext-2/"}, {"split", "90/5/5"}, {"init", ""}, {"tokens", "/x/pieces.model"}}},
      {"knowledge", {{"irw_file", "/a/b.txt"}}},
      {"model", {{"family", "crat"}, {"irw_layers", {1}}}}};
  const Json kept = without_paths(config);
  BOOST_TEST(kept["training"]["data"] == "wikitext-2");
  BOOST_TEST(kept["training"]["split"] == "90/5/5");
  BOOST_TEST(kept["training"]["tokens"] == "pieces.model");
  BOOST_TEST(kept["knowledge"]["irw_file"] == "b.txt");
  BOOST_TEST(kept["model"] == config["model"]);
  BOOST_TEST(without_paths({{"data", "/a/one.txt,/b/two.txt"}})["data"] == "one.txt,two.txt");
  BOOST_TEST(without_paths({{"data", "grammar"}})["data"] == "grammar");
  BOOST_TEST(without_paths(kept) == kept);
}

BOOST_AUTO_TEST_CASE(a_thin_log_has_every_tenth_step_and_all_validations) {
  const TemporaryDirectory scratch;
  const std::string log = scratch / "log.jsonl";
  {
    std::ofstream file(log);
    for (int step = 1; step <= 1503; ++step) {
      Json line = {{"step", step}, {"loss", 1.0 / step}, {"lr", 0.123456789}, {"grad_norm", 0.1 * step}};
      line["theta"]["blocks.0.attn.theta"] = {0.123456789, 1.5};
      line["flops"] = 123456789123;
      file << line.dump() << "\n";
      if (step % 500 == 0 || step == 1503) file << Json{{"step", step}, {"valid_loss", 1.0 / 3}}.dump() << "\n";
    }
    file << "{\"step\":1504,\"lo";  // still being written
  }
  const std::string text = thin_log(log, {{"processor", "Abacus 3"}}, 42);
  BOOST_TEST(text.size() <= 40'000U);
  const std::vector<Json> lines = lines_of(text);
  BOOST_TEST(lines.at(0).dump() == "{\"step\":0,\"made_by\":{\"processor\":\"Abacus 3\",\"parameters\":42}}");
  BOOST_TEST(lines.at(1)["theta"]["blocks.0.attn.theta"].dump() == "[0.123457,1.5]");
  BOOST_TEST(lines.at(1)["flops"] == 123456789123);
  BOOST_TEST(steps_with(text, "valid_loss") == (std::vector<std::int64_t>{500, 1000, 1500, 1503}),
             boost::test_tools::per_element());
  BOOST_TEST(lines.back()["valid_loss"] == 1.0 / 3);  // the result is not rounded
  const auto steps = steps_with(text, "loss");
  BOOST_TEST(
      (steps.size() == 152U && steps[0] == 1 && steps[1] == 10 && steps[2] == 20 && steps[150] == 1500 && steps[151] == 1503));
  const std::string thinner = thin_log(log, {}, 42, 10'000);
  BOOST_TEST(thinner.size() <= 10'000U);
  BOOST_TEST(steps_with(thinner, "loss").at(1) == 40);
  BOOST_TEST(steps_with(thinner, "valid_loss").size() == 4U);
}

BOOST_AUTO_TEST_CASE(a_kept_ablation_is_checked_and_more_is_added_to_a_copy) {
  const TemporaryDirectory scratch;
  const std::string out = scratch / "out", kept = scratch / "kept", corpus = word_corpus(scratch);
  const std::string train = "ablate crope --rows none,qk --steps 25 --data " + corpus + sizes + "--out ";
  BOOST_TEST_REQUIRE(run_argand(scratch, train + out + " --seeds 2").code == 0);
  const Finished done = run_argand(scratch, "ablate crope --out " + out + " --keep " + kept);
  BOOST_TEST(done.code == 0, done.err);
  BOOST_TEST(done.out == "4 runs of " + out + " are kept in " + kept + "\n");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kept)) {
    if (!entry.is_regular_file()) continue;
    ++files;
    BOOST_TEST(contents_of(entry.path()).find(scratch / "") == std::string::npos, entry.path());
  }
  BOOST_TEST(files == 3U + 4 * 2);
  BOOST_TEST(contents_of(kept + "/table.md") == contents_of(out + "/table.md"));
  BOOST_TEST(contents_of(kept + "/qk/seed-1/log.jsonl").find("\"data\"") == std::string::npos);
  BOOST_TEST(contents_of(kept + "/qk/seed-1/config.json").find("\"data\": \"words\"") != std::string::npos);

  // Its table, from logs alone.
  const Finished table = run_argand(scratch, "ablate crope --table --out " + kept);
  BOOST_TEST(table.out == "\n" + contents_of(kept + "/table.md"), table.err);
  const Finished good = run_argand(scratch, "ablate crope --check " + kept);
  BOOST_TEST(good.code == 0);
  BOOST_TEST(good.out == "4 runs of 2 rows in " + kept + ": the tables agree with the logs\n");

  // The same command goes on with a copy: another seed of each row, another row.
  const Finished more = run_argand(scratch, train + kept + " --seeds 3");
  BOOST_TEST(more.code == 0, more.err);
  BOOST_TEST(more.out.find("5 of 6: none, seed 2: perplexity ") != std::string::npos, more.out);
  BOOST_TEST(more.out.find("seed 1: perplexity ") == std::string::npos, more.out);  // was there
  BOOST_TEST(contents_of(kept + "/table.md").find(" (3) |") != std::string::npos);
  BOOST_TEST(run_argand(scratch, "ablate crope --check " + kept).code == 0);
  const Finished other = run_argand(scratch, "ablate crope --rows none --steps 26 --data " + corpus + sizes + "--out " + kept);
  BOOST_TEST(other.code == 2);
  BOOST_TEST(other.err.find("contains an ablation with different settings") != std::string::npos, other.err);

  // A figure in a log that is changed, and one in the table.
  std::string text = contents_of(kept + "/qk/seed-0/log.jsonl");
  const auto at = text.find("\"valid_loss\":") + 13;
  std::ofstream(kept + "/qk/seed-0/log.jsonl") << text.substr(0, at) << "9" << text.substr(text.find(',', at));
  const Finished bad = run_argand(scratch, "ablate crope --check " + kept);
  BOOST_TEST(bad.code == 1);
  BOOST_TEST(bad.out.find("table.md:4: kept: | qk |") == 0U, bad.out);
  BOOST_TEST(bad.out.find(" differences\n") != std::string::npos, bad.out);
  std::ofstream(kept + "/qk/seed-0/log.jsonl") << text;
  BOOST_TEST(run_argand(scratch, "ablate crope --check " + kept).code == 0);
  std::string lines = contents_of(kept + "/table.md");
  std::ofstream(kept + "/table.md") << lines.replace(lines.find("| qk |"), 6, "| QK |");
  BOOST_TEST(run_argand(scratch, "ablate crope --check " + kept).code == 1);
}

// As runs of before logs said by what they were made: parameters are counted in a model.
BOOST_AUTO_TEST_CASE(older_runs_are_kept_too) {
  const TemporaryDirectory scratch;
  const std::string out = scratch / "out", kept = scratch / "kept";
  BOOST_TEST_REQUIRE(run_argand(scratch, "ablate crope --rows none --seeds 1 --steps 12" + sizes + "--out " + out).code == 0);
  const std::string log = out + "/none/seed-0/log.jsonl";
  const std::string whole = contents_of(log);
  const Json maker = Json::parse(whole.substr(0, whole.find('\n')))["made_by"];
  for (const char* key : {"argand", "processor", "level", "blas", "threads", "parameters"}) BOOST_TEST(maker.contains(key), key);
  std::ofstream(log) << whole.substr(whole.find('\n') + 1);
  BOOST_TEST_REQUIRE(run_argand(scratch, "ablate crope --out " + out + " --keep " + kept + " --made-by abc --threads 1").code == 0);
  const std::string text = contents_of(kept + "/none/seed-0/log.jsonl");
  Json noted = Json::parse(text.substr(0, text.find('\n')))["made_by"];
  BOOST_TEST(noted["noted"] == "when the run was kept");
  BOOST_TEST(noted["commit"] == "abc");
  BOOST_TEST(!noted.contains("argand"));
  for (const char* key : {"processor", "level", "blas", "threads", "parameters"}) BOOST_TEST(noted[key] == maker[key], key);
  BOOST_TEST(contents_of(out + "/table.md") == contents_of(kept + "/table.md"));
  // Not without an ablation, nor over another one.
  const Finished none = run_argand(scratch, "ablate crope --out " + (scratch / "nothing") + " --keep " + kept);
  BOOST_TEST(none.err == "argand: --keep: " + (scratch / "nothing") + " contains no ablation\n");
  const Finished other = run_argand(scratch, "ablate qic --out " + out + " --keep " + (scratch / "other"));
  BOOST_TEST(other.err == "argand: --keep: " + out + " contains an ablation of crope, not of qic\n");
}

BOOST_AUTO_TEST_SUITE_END()
