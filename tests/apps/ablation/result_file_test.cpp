#include "train/ablation/result_file.h"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "apps/ablation/result_tables.h"
#include "tests/apps/program.h"
#include "tests/apps/word_corpus.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(result_file)

namespace {

using Json = nlohmann::ordered_json;

const std::string sizes = " --set d_model=16,n_layers=1,n_heads=2,d_ff=16,length=16,batch=4 --threads 1 --jobs 1 ";

/// Results of two rows with two seeds each, with every optional part of the format.
Json example() {
  const Json probes = Json::parse(R"({"positions":{"length":32,"trained_length":16,"losses":[[1,16,5.1],[17,32,4.9]]},
    "texts":{"prompts":50,"prompt_length":32,"tokens":256,"top_p":0.9,"temperature":1.0,"judge":"a crope",
             "model":{"dist_1":0.25,"dist_2":0.74,"rep_4":0.006,"loss":5.4},"corpus":{"dist_1":0.23,"dist_2":0.68,"rep_4":0.01}},
    "as_learnt":5.0,"with":{"delta=0":5.1},"exchanged":[640,5.0,5.2],
    "audit":{"batches":9,"windows":36,"reads":72,"pairs":144,"violations":0}})");
  Json json = Json::parse(R"({"family":"toys","task":"lm","asked":{"data":"words","steps":"20"},"source":"table 1","note":"A note.",
    "costs":"","settings":{"family":"toys","task":"lm","lr":0.001,"irw_layers":[1],"tie":true},"steps":[1,10,20],
    "claims":[{"paper":"lower","better":"b","worse":"a"},{"paper":"alike","better":"a","worse":"b","within":2.5},
              {"paper":"on the moon","out_of_reach":"needs a moon"}],"interventions":["delta=0"],"rows":[]})");
  for (const char* name : {"a", "b"}) {
    Json row = {{"row", name}, {"what", "the row"}, {"paper", "10"}, {"parameters", 100}, {"settings", Json::object()}};
    row["rates"] = Json::parse(R"({"third":{"1e-3":90.0,"2e-3":null},"whole":{"1e-3":80.5}})");
    if (*name == 'b') row["settings"] = {{"lr", 0.002}, {"tie", nullptr}};
    for (const int seed : {0, 1}) {
      Json run = {{"seed", seed}, {"loss", 5 - 0.1 * seed + (*name == 'b' ? 0.01 * (seed + 1) : 0)}, {"bits", 1.5}, {"count", 640}};
      run["made_by"] = {{"processor", "Abacus 3"}, {"blas", "Beads"}, {"threads", 1}};
      run["curve"] = {6.0, 5.5, 5.1};
      run["learnt"] = {{"delta_mean", 0.1}};
      run["tokens_per_second"] = 1000.5, run["flops_per_step"] = 2e9, run["flops_per_token"] = 4e6, run["peak_memory"] = 1 << 20;
      run["milliseconds_per_token"] = 0.5, run["first_token"] = 1.5, run["timed_by"] = run["made_by"];
      run.update(probes);
      row["runs"].push_back(run);
    }
    json["rows"].push_back(row);
  }
  return json;
}

/// The error message for a file with this text, without the file's name.
std::string fault_in(const std::string& text) {
  const std::string error = error_of([&] { parse_results(text, "x.json"); });
  return error.starts_with("x.json") ? error.substr(6) : error;
}

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

BOOST_AUTO_TEST_CASE(a_file_is_read_as_it_was_written) {
  const std::string text = result_text(parse_results(example().dump(), "x.json"));
  BOOST_TEST(result_text(parse_results(text, "x.json")) == text);
  BOOST_TEST(Json::parse(text) == example());
  const ResultTable runs = parse_results(text, "x.json");
  BOOST_TEST(runs.settings[1].dump() == R"({"family":"toys","task":"lm","lr":0.002,"irw_layers":[1]})");
  for (const char* part :
       {"needs a moon", "A note.", "| row | 1e-3 | 2e-3 |", "| a | **80.5** (90.0) | (diverged) |",
        "| b | 80.5 (90.0) | **(diverged)** |", "The judge is a crope.", "with delta=0", "0 (2)", "| 1-16 | 17-32 |"})
    BOOST_TEST(markdown_of(runs).find(part) != std::string::npos, part);
  BOOST_TEST(markdown_of(runs).find("tokens per second") == std::string::npos);
  Json costs = example();
  costs["measures"] = "costs";
  BOOST_TEST(markdown_of(parse_results(costs.dump(), "x.json")).starts_with("| row | parameters | million FLOPs per token |"));
}

BOOST_AUTO_TEST_CASE(the_shipped_files_are_what_would_be_written) {
  std::size_t files = 0;
  for (const char* folder : {"/bench/results/tables", "/bench/results/repeated"})
    for (const auto& entry : std::filesystem::directory_iterator(std::string(ARGAND_SOURCE_DIR) + folder)) {
      ++files;
      BOOST_TEST((result_text(read_result_file(entry.path())) == contents_of(entry.path())), entry.path());
    }
  BOOST_TEST(files >= 15U);
}

BOOST_AUTO_TEST_CASE(malformed_files_are_refused_with_their_location) {
  const Json good = example();
  const auto changed = [&](const std::function<void(Json&)>& f) {
    Json json = good;
    f(json);
    return fault_in(json.dump());
  };
  const auto run = [](Json& json) -> Json& { return json["rows"][1]["runs"][0]; };
  BOOST_TEST(fault_in(good.dump()) == "");
  BOOST_TEST(fault_in("") == ": is not a JSON file, or is damaged");
  BOOST_TEST(fault_in("[]") == ": must be an object, {...}");
  BOOST_TEST(fault_in(std::string(100'000, '[')) == ": is not a JSON file, or is damaged");
  BOOST_TEST(fault_in("{\"rows\":" + std::string(100'000, '{')) == ": is not a JSON file, or is damaged");
  const std::string text = good.dump();
  for (std::size_t n = 0; n < text.size(); n += 7)
    BOOST_TEST(fault_in(text.substr(0, n)) == ": is not a JSON file, or is damaged", n);

  BOOST_TEST(changed([](Json& j) { j["rows"].push_back(j["rows"][0]); }) == ": rows[2]: the row a appears twice");
  BOOST_TEST(changed([&](Json& j) { run(j)["seed"] = 1; }) == ": rows[1]: runs[1]: seed 1 appears twice");
  BOOST_TEST(changed([&](Json& j) { run(j)["seed"] = -1; }) == ": rows[1]: runs[0]: seed must be a whole number, 0 or more");
  BOOST_TEST(changed([&](Json& j) { run(j)["curve"].erase(0); }) ==
             ": rows[1]: runs[0]: curve has 2 losses, but there are 3 steps");
  BOOST_TEST(changed([&](Json& j) { run(j)["accuracy"] = 0.5; }) == ": rows[1]: runs[0]: unknown key \"accuracy\"");
  BOOST_TEST(changed([&](Json& j) { run(j)["made_by"]["processor"] = 3; }) ==
             ": rows[1]: runs[0]: made_by: processor must be a string");
  BOOST_TEST(changed([](Json& j) { j["rows"][0]["row"] = "../a"; }) ==
             ": rows[0]: \"../a\" cannot name a folder; use letters, digits, - _ . +");
  BOOST_TEST(changed([](Json& j) { j["rows"][0]["what"] = "two\nlines"; }) == ": rows[0]: what must be on one line");
  BOOST_TEST(changed([](Json& j) { j["rows"][0]["runs"] = Json::array(); }) == ": rows[0]: the row a has no runs");
  BOOST_TEST(changed([](Json& j) { j["rows"][0]["settings"]["lr"] = Json::object(); }) ==
             ": rows[0]: settings: lr must be text, a number, true or false, or a list of these");
  BOOST_TEST(changed([](Json& j) {
               j["rows"][0]["rates"]["whole"] = {{"fast", 3}};
             }) == ": rows[0]: rates: whole: the rates must be numbers above 0 in ascending order");
  BOOST_TEST(changed([](Json& j) { j["rows"] = Json::array(); }) == ": there are no rows");
  BOOST_TEST(changed([](Json& j) { j["task"] = "dance"; }) == ": task must be lm or classify, not \"dance\"");
  BOOST_TEST(changed([](Json& j) { j["task"] = "classify"; }) == ": rows[0]: runs[0]: the key accuracy is missing");
  BOOST_TEST(changed([](Json& j) { j["steps"] = {1, 1, 2}; }) == ": steps must be whole numbers above 0 in ascending order");
  BOOST_TEST(changed([](Json& j) { j["claims"][0].erase("worse"); }) ==
             ": claims[0]: a claim must name a `better` and a `worse` row, or say why it is out_of_reach");
  BOOST_TEST(changed([](Json& j) { j["sources"] = ""; }) == ": unknown key \"sources\"; did you mean source?");
  // In the header, a row or a run, only values that some runs lack may be missing.
  const std::set<std::string> optional = {"bits",
                                          "count",
                                          "tokens_per_second",
                                          "flops_per_step",
                                          "flops_per_token",
                                          "texts",
                                          "positions",
                                          "milliseconds_per_token",
                                          "first_token",
                                          "timed_by",
                                          "as_learnt",
                                          "exchanged",
                                          "audit",
                                          "rates",
                                          "peak_memory"};
  for (const char* part : {"", "/rows/0", "/rows/0/runs/0"})
    for (const auto& [key, _] : good[Json::json_pointer(part)].items()) {
      Json json = good;
      Json& from = json[Json::json_pointer(part)];
      from.erase(key);
      if (key == "as_learnt") from.erase("with");  // these results are compared with it
      if (key == "with") continue;
      BOOST_TEST((fault_in(json.dump()) == "") == optional.contains(key), part << ": " << key << ": " << fault_in(json.dump()));
    }
  BOOST_TEST(error_of([] { read_result_file("nowhere.json"); }) == "nowhere.json: cannot be read");
}

BOOST_AUTO_TEST_CASE(a_kept_ablation_has_the_tables_of_its_runs_and_rows_join_it) {
  const TemporaryDirectory scratch;
  const std::string out = scratch / "out", more = scratch / "more", file = scratch / "kept.json", corpus = word_corpus(scratch);
  const std::string train = "ablate crope --steps 25 --data " + corpus + sizes;
  BOOST_TEST_REQUIRE(run_argand(scratch, train + "--rows none,qk --seeds 2 --out " + out).code == 0);
  const std::string keep = "ablate crope --out " + out + " --keep " + file;
  const Finished done = run_argand(scratch, keep);
  BOOST_TEST(done.code == 0, done.err);
  BOOST_TEST(done.out == "4 runs of " + out + " kept in " + file + "\n");
  const std::string text = contents_of(file);
  BOOST_TEST(text.find(scratch / "") == std::string::npos);
  BOOST_TEST(text.find("\"data\": \"words\"") != std::string::npos);
  const Finished table = run_argand(scratch, "ablate " + file);
  BOOST_TEST(table.out == contents_of(out + "/table.md"), table.err);
  BOOST_TEST(run_argand(scratch, keep).code == 0);
  BOOST_TEST(contents_of(file) == text);  // keeping the same rows again changes nothing

  // Later runs add a seed to one row, and a new row.
  BOOST_TEST_REQUIRE(run_argand(scratch, train + "--rows qk,qkv --seeds 3 --out " + more).code == 0);
  const Finished joined = run_argand(scratch, "ablate crope --out " + more + " --keep " + file);
  BOOST_TEST(joined.out == "6 runs of " + more + " kept in " + file + "\n", joined.err);
  const std::string tables = run_argand(scratch, "ablate " + file).out;
  for (const char* row : {"none", "qk", "qkv"}) {
    const std::string of_row = fmt::format("\n| {} | ", row);
    BOOST_TEST(tables.find(of_row) != std::string::npos, tables);
    const std::string count = row == std::string("none") ? " (2) |" : " (3) |";
    BOOST_TEST(tables.substr(tables.find(of_row)).find(count) < 160U, tables);
  }
  const Json rows = Json::parse(run_argand(scratch, "ablate " + file + " --rows qkv --against qk --json").out)["rows"];
  BOOST_TEST(rows.size() == 2U);
  BOOST_TEST((rows[0]["row"] == "qk" && rows[1]["row"] == "qkv" && rows[1]["pairs"].size() == 3U), rows);
  const Json elsewhere = Json::parse(run_argand(scratch, "ablate " + file + " --rows qkv --against " + file + ":qk --json").out);
  BOOST_TEST(elsewhere["rows"] == rows);

  // Results that cannot be merged, and invalid requests.
  const auto refused = [&](const std::string& command, const std::string& why) {
    const Finished f = run_argand(scratch, command);
    BOOST_TEST(f.code == 2);
    BOOST_TEST(f.err.find(why) != std::string::npos, f.err);
  };
  BOOST_TEST_REQUIRE(
      run_argand(scratch, "ablate crope --rows none --seeds 1 --steps 26 --data " + corpus + sizes + "--out " + (scratch / "other"))
          .code == 0);
  const std::string before = contents_of(file);
  refused("ablate crope --out " + (scratch / "other") + " --keep " + file,
          "--keep: the settings of the kept rows and of the new ones differ: ");
  refused("ablate crope --out " + out + " --cost --keep " + file, "--keep: costs and results cannot be kept in one file");
  refused("ablate crope --out " + (scratch / "nothing") + " --keep " + file,
          "--keep: " + (scratch / "nothing") + " contains no ablation\n");
  refused("ablate qic --out " + out + " --keep " + file, "--keep: " + out + " contains an ablation of crope, not of qic\n");
  refused("ablate crope --out " + out + " --keep " + (scratch / "folder"), "--keep: must be a file NAME.json");
  refused("ablate " + file + " --steps 30", "so it takes no training options; --repeat trains its rows again");
  refused("ablate " + file + " --rows qv", file + " has no row \"qv\"; its rows: none, qk, qkv");
  refused("ablate " + file + " --against qv", "--against: no row is named \"qv\"; rows: none, qk, qkv");
  refused("ablate crope --json", "--json: requires --table or a results file");
  std::ofstream(file) << before.substr(0, before.size() / 2);
  refused("ablate crope --out " + out + " --keep " + file, file + ": is not a JSON file, or is damaged");
  BOOST_TEST(contents_of(file) == before.substr(0, before.size() / 2));  // the damaged file is not replaced
  std::ofstream(file) << before;

  // The check passes until a digit changes in the page or in the file.
  const std::string page = scratch / "page.md", check = "ablate " + file + " --check " + page;
  std::ofstream(page) << "# Results\n\n" << tables << "\nThat is all.\n";
  const Finished good = run_argand(scratch, check);
  BOOST_TEST(good.code == 0, good.out);
  BOOST_TEST(good.out.ends_with(" of 1 file: " + page + " contains them all\n"), good.out);
  std::filesystem::create_directory(scratch / "folder");
  std::filesystem::copy(file, scratch / "folder/kept.json");
  BOOST_TEST(run_argand(scratch, "ablate " + (scratch / "folder") + " --check " + page).code == 0);
  const auto at = before.find("\"loss\":", before.find("\"row\": \"qkv\"")) + 7;
  std::ofstream(file) << before.substr(0, at) << "9" << before.substr(before.find(',', at));
  const Finished bad = run_argand(scratch, check);
  BOOST_TEST(bad.code == 1);
  BOOST_TEST(bad.out.find(file + ": rows: | qkv | ") != std::string::npos, bad.out);
  BOOST_TEST(bad.out.ends_with(" not in " + page + "\n"), bad.out);
  std::ofstream(file) << before;
  std::string lines = contents_of(page);
  const auto digit = lines.find(" ± ", lines.find("\n| qk |")) - 1;
  lines[digit] = lines[digit] == '0' ? '1' : '0';
  std::ofstream(page) << lines;
  BOOST_TEST(run_argand(scratch, check).code == 1);
  refused("ablate crope --check " + page, "--check: compares kept results with a page");
  refused("ablate " + file + " --check " + (scratch / "none.md"), "--check: cannot read " + (scratch / "none.md"));
}

// Older runs, whose logs do not name the program, are kept too: their parameters are counted by building the model.
BOOST_AUTO_TEST_CASE(older_runs_are_kept_too) {
  const TemporaryDirectory scratch;
  const std::string out = scratch / "out", file = scratch / "kept.json";
  BOOST_TEST_REQUIRE(run_argand(scratch, "ablate crope --rows none --seeds 1 --steps 12" + sizes + "--out " + out).code == 0);
  const std::string log = out + "/none/seed-0/log.jsonl", whole = contents_of(log);
  const Json maker = Json::parse(whole.substr(0, whole.find('\n')))["made_by"];
  for (const char* key : {"argand", "processor", "level", "blas", "threads", "parameters"}) BOOST_TEST(maker.contains(key), key);
  std::ofstream(log) << whole.substr(whole.find('\n') + 1);
  BOOST_TEST_REQUIRE(run_argand(scratch, "ablate crope --out " + out + " --keep " + file + " --threads 1").code == 0);
  const Json row = Json::parse(contents_of(file))["rows"][0];
  BOOST_TEST(row["runs"][0]["made_by"].is_null());
  BOOST_TEST(row["parameters"] == maker["parameters"]);
  BOOST_TEST(run_argand(scratch, "ablate " + file).out == contents_of(out + "/table.md"));
}

BOOST_AUTO_TEST_CASE(curves_are_thinned_to_common_steps) {
  ResultTable runs = parse_results(example().dump(), "x.json");
  std::int64_t last = 1503;
  for (SeedResults& row : runs.results)
    for (auto& [_, run] : row) {
      run.training_losses.clear();
      for (std::int64_t step = 1; step <= last; ++step) run.training_losses[step] = 6 - 0.001 * static_cast<double>(step);
      last -= 1;
    }
  runs.results[0].clear();
  ResultTable again = runs;
  reduce(runs);
  BOOST_TEST(runs.table.rows.size() == 1U);
  for (const auto& [_, run] : runs.results[0]) {
    BOOST_TEST(run.training_losses.size() == 151U);
    BOOST_TEST(run.training_losses.begin()->first == 1);
    BOOST_TEST(run.training_losses.rbegin()->first == 1500);  // the runs logged steps 1 to 1500 and 1 to 1501
  }
  // Runs that are added must have logged the steps kept in the file.
  BOOST_TEST((result_text(joined(runs, again, "here")) == result_text(runs)));
  again.results[1].begin()->second.training_losses.erase(10);
  BOOST_TEST(error_of([&] { joined(runs, again, "here"); }) == "here: b, seed 0, did not log all the steps of the kept curves");
}

BOOST_AUTO_TEST_SUITE_END()
