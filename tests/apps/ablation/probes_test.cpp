#include "apps/ablation/probes.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/apps/program.h"
#include "tests/apps/word_corpus.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(probes)

namespace {

using Json = nlohmann::ordered_json;

Json read(const std::string& path) { return Json::parse(contents_of(path)); }

}  // namespace

BOOST_AUTO_TEST_CASE(runs_are_probed_judged_and_kept) {
  const TemporaryDirectory scratch;
  const std::string out = scratch / "out", kept = scratch / "kept.json", corpus = word_corpus(scratch);
  const std::string train =
      "ablate complexformer --rows fixed,learned --steps 12 --seeds 1 --data " + corpus +
      " --set d_model=16,n_layers=1,n_heads=2,d_ff=16,length=16,max_seq_len=16,batch=4 --threads 1 --jobs 1 --out ";
  BOOST_TEST_REQUIRE(run_argand(scratch, train + out).code == 0);
  BOOST_TEST(!std::filesystem::exists(out + "/fixed/seed-0/written.json"));
  const Finished nobody = run_argand(scratch, "ablate complexformer --out " + out + " --judge " + out + "/fixed/seed-0");
  BOOST_TEST(nobody.err == "argand: --judge: no run in " + out + " has generated texts; use --probe first\n");

  const Finished another = run_argand(scratch, "ablate crope --out " + out + " --judge " + out + "/fixed/seed-0");
  BOOST_TEST(another.err == "argand: --judge: " + out + " contains an ablation of complexformer, not of crope\n");

  // The runs exist, so they are probed but not trained again.
  const Finished probed = run_argand(scratch, train + out + " --probe");
  BOOST_TEST_REQUIRE(probed.code == 0, probed.err);
  const Json written = read(out + "/fixed/seed-0/written.json");
  BOOST_TEST(written["texts"].size() == 50U);
  BOOST_TEST(written["part"] == "test part");
  BOOST_TEST(written["step"] == 12);
  const std::string text = written["texts"][0];
  BOOST_TEST(std::count(text.begin(), text.end(), ' ') == 32 + 256 - 1);
  BOOST_TEST(text.starts_with("the cat sat on mat 0 <eos> the cat"), text);
  // RoPE works beyond the length of the training windows; learned positions do not.
  const Json longer = read(out + "/fixed/seed-0/positions.json"), learned = read(out + "/learned/seed-0/positions.json");
  BOOST_TEST(longer["length"] == 128);
  BOOST_TEST(longer["positions"].size() == 4U);
  BOOST_TEST(learned["length"] == 16);
  BOOST_TEST(learned["positions"].size() == 1U);

  const std::string tables = contents_of(out + "/probes.md");
  BOOST_TEST(probed.out.ends_with("\n" + tables));
  BOOST_TEST(tables.find("| fixed | - |  | ") != std::string::npos, tables);
  BOOST_TEST(tables.find("Not judged yet; add --judge RUN.") != std::string::npos, tables);
  BOOST_TEST(tables.find("| row | 1-16 | 17-32 | 33-64 | 65-128 |\n") != std::string::npos, tables);
  BOOST_TEST(tables.find("with other passages") == std::string::npos, tables);
  const std::string before = contents_of(out + "/fixed/seed-0/written.json");
  BOOST_TEST(run_argand(scratch, train + out + " --probe").code == 0);
  BOOST_TEST(contents_of(out + "/fixed/seed-0/written.json") == before);  // the file is written only once

  // The judge's likelihood equals the one that `argand eval` reports for the model that wrote the text.
  const std::string judge = out + "/learned/seed-0/last.safetensors";
  const Finished judged = run_argand(scratch, "ablate complexformer --out " + out + " --judge " + judge);
  BOOST_TEST_REQUIRE(judged.code == 0, judged.err);
  BOOST_TEST(judged.out == contents_of(out + "/probes.md"));
  BOOST_TEST(judged.out.find("The judge is transformer, 1 layer of width") != std::string::npos, judged.out);
  const Finished eval = run_argand(scratch, "eval " + out + "/fixed/seed-0/last.safetensors --generate --threads 1 --judge " +
                                                judge + " --json " + (scratch / "eval.json"));
  BOOST_TEST_REQUIRE(eval.code == 0, eval.err);
  const Json now = read(out + "/fixed/seed-0/written.json"), same = read(scratch / "eval.json");
  BOOST_TEST(now["texts"] == same["texts"]);
  BOOST_TEST(now["model"]["loss"].get<double>() == same["model"]["loss"].get<double>(), boost::test_tools::tolerance(1e-12));

  BOOST_TEST(now["corpus"]["loss"].get<double>() == same["corpus"]["loss"].get<double>(), boost::test_tools::tolerance(1e-12));
  const std::string perplexity = fmt::format("{:.1f}", std::exp(same["corpus"]["loss"].get<double>()));
  BOOST_TEST(judged.out.find("| *the text itself* | " + perplexity + " |") != std::string::npos, judged.out);
  // If the text is no longer available, only generated texts are judged, and this judge's earlier result for the text is kept.
  std::filesystem::rename(corpus, corpus + "-elsewhere");
  const Finished alone = run_argand(scratch, "ablate complexformer --out " + out + " --judge " + judge);
  BOOST_TEST(alone.code == 0, alone.err);
  BOOST_TEST(alone.err.find("no text to compare with") != std::string::npos, alone.err);
  BOOST_TEST(read(out + "/fixed/seed-0/written.json") == now);
  // An earlier result of another judge is not kept.
  const Finished other =
      run_argand(scratch, "ablate complexformer --out " + out + " --judge " + out + "/fixed/seed-0/last.safetensors");
  BOOST_TEST(other.code == 0, other.err);
  const Json without = read(out + "/fixed/seed-0/written.json");
  BOOST_TEST(without["model"]["loss"] != now["model"]["loss"]);
  BOOST_TEST(!without["corpus"].contains("loss"));

  // Probes are kept together with the tables.
  BOOST_TEST_REQUIRE(run_argand(scratch, "ablate complexformer --out " + out + " --keep " + kept).code == 0);
  const Finished shown = run_argand(scratch, "ablate " + kept);
  BOOST_TEST(shown.out == contents_of(out + "/table.md") + "\n" + contents_of(out + "/probes.md"), shown.err);
  BOOST_TEST(contents_of(kept).find(scratch / "") == std::string::npos);
  BOOST_TEST(contents_of(kept).find("the cat sat") == std::string::npos);
  std::ofstream(out + "/learned/seed-0/positions.json") << "{\"step\": 12}";
  const Finished damaged = run_argand(scratch, "ablate complexformer --out " + out + " --keep " + kept);
  BOOST_TEST(damaged.err == "argand: ablate: " + out + "/learned/seed-0/positions.json is damaged; remove it and measure again\n");
}

BOOST_AUTO_TEST_CASE(learnt_parameters_are_set_to_a_number) {
  const TemporaryDirectory scratch;
  const std::string out = scratch / "out", kept = scratch / "kept.json", corpus = word_corpus(scratch);
  const Finished probed = run_argand(
      scratch, "ablate complexformer --rows shared,moduli --steps 6 --seeds 2 --probe --data " + corpus +
                   " --set d_model=16,n_layers=1,n_heads=2,d_ff=16,length=16,max_seq_len=16,batch=4 --threads 1 --jobs 1 "
                   "--out " +
                   out);
  BOOST_TEST_REQUIRE(probed.code == 0, probed.err);
  const Json zero = read(out + "/shared/seed-1/with-delta=0.json");
  BOOST_TEST(zero["set"].dump() == "[\"delta=0\"]");
  BOOST_TEST(read(out + "/shared/seed-1/with-delta=0,phase_bias=0.json")["set"].size() == 2U);
  BOOST_TEST(!std::filesystem::exists(out + "/moduli/seed-1/with-delta=0.json"));
  const std::string tables = contents_of(out + "/probes.md");
  BOOST_TEST(
      tables.find(
          "| row | with delta=0, % | with phase_bias=0, % | with delta=0,phase_bias=0, % |\n|---|---:|---:|---:|\n| shared | ") !=
          std::string::npos,
      tables);
  BOOST_TEST_REQUIRE(run_argand(scratch, "ablate complexformer --out " + out + " --keep " + kept).code == 0);
  BOOST_TEST(run_argand(scratch, "ablate " + kept).out.ends_with("\n" + tables));

  // Setting a parameter to its current value changes nothing; an unknown name is rejected with a list of the existing ones.
  const std::string run = "eval " + out + "/shared/seed-0/last.safetensors --threads 1 ";
  const auto loss = [&](const std::string& more) {
    const Finished done = run_argand(scratch, run + more + "--json " + (scratch / "e.json"));
    BOOST_TEST_REQUIRE(done.code == 0, done.err);
    return read(scratch / "e.json")["loss"].get<double>();
  };
  BOOST_TEST(loss("") != loss("--set delta=3 "));
  BOOST_TEST(loss("--set delta=0,phase_bias=0 ") == loss("--set phase_bias=0 --set delta=0 "));
  const Finished unknown = run_argand(scratch, run + "--set dleta=0");
  BOOST_TEST(unknown.code == 2);
  BOOST_TEST(
      unknown.err.starts_with("argand: --set dleta=0: no parameter has this name; parameters: weight, bias, delta, phase_bias"),
      unknown.err);
  BOOST_TEST(run_argand(scratch, run + "--set delta=much").err == "argand: --set delta=much: \"much\" is not a number\n");
}

BOOST_AUTO_TEST_CASE(rows_with_retrieval_are_audited_and_read_exchanged_passages) {
  const TemporaryDirectory scratch;
  const std::string out = scratch / "out", kept = scratch / "kept.json", corpus = word_corpus(scratch);
  const Finished probed =
      run_argand(scratch, "ablate crat --rows real,retro,without-irw --steps 3 --seeds 2 --probe --data " + corpus +
                              " --set d_model=16,n_layers=2,n_heads=2,d_ff=16,length=16,max_seq_len=16,batch=4,irw_length=8,"
                              "irw_passages=100 --threads 1 --jobs 1 --out " +
                              out);
  BOOST_TEST_REQUIRE(probed.code == 0, probed.err);
  BOOST_TEST(!std::filesystem::exists(out + "/without-irw/seed-0/audit.json"));
  for (const std::string row : {"real", "retro"}) {
    const Json audit = read(out + "/" + row + "/seed-1/audit.json"), exchanged = read(out + "/" + row + "/seed-1/exchanged.json");
    BOOST_TEST(audit["violations"] == 0);
    BOOST_TEST(audit["reads"].get<int>() > 0);
    BOOST_TEST(exchanged["part"] == "valid part");
    BOOST_TEST((exchanged["loss"] != exchanged["exchanged"]["loss"]));
  }
  const std::string tables = contents_of(out + "/probes.md");
  BOOST_TEST(tables.find("| row | violations | of pairs | perplexity | with other passages | difference |\n") != std::string::npos,
             tables);
  BOOST_TEST(tables.find("\n| real | 0 (2) | ") != std::string::npos, tables);
  BOOST_TEST(tables.find("\n| retro | 0 (2) | ") != std::string::npos, tables);
  BOOST_TEST_REQUIRE(run_argand(scratch, "ablate crat --out " + out + " --keep " + kept).code == 0);
  BOOST_TEST(run_argand(scratch, "ablate " + kept).out.ends_with("\n" + tables));

  // Models with and without retrieval are measured on the same tokens.
  const auto by_retro = [&](const std::string& row) {
    const std::string json = scratch / (row + ".json"), reader = out + "/retro/seed-0/last.safetensors";
    const Finished done = run_argand(scratch, "eval " + out + "/" + row + "/seed-0/last.safetensors --retrieved-by " + reader +
                                                  " --json " + json + " --threads 1");
    BOOST_TEST_REQUIRE(done.code == 0, done.err);
    return read(json)["groups"];
  };
  const Json with = by_retro("retro"), without = by_retro("without-irw");
  BOOST_TEST_REQUIRE(with.size() == 6U);
  for (std::size_t i = 0; i < 6; ++i) BOOST_TEST(with[i]["count"] == without[i]["count"]);
  BOOST_TEST(with[0]["count"].get<int>() > 0);
  BOOST_TEST((with[0]["loss"] != without[0]["loss"]));
  BOOST_TEST(run_argand(scratch, "eval " + out + "/retro/seed-0/last.safetensors --retrieved-by " + out +
                                     "/without-irw/seed-0/last.safetensors")
                 .err.find("is not a language model with retrieval") != std::string::npos);

  const std::string eval = "eval " + out + "/without-irw/seed-0/last.safetensors --exchange-passages";
  BOOST_TEST(run_argand(scratch, eval).err ==
             "argand: --exchange-passages: the model does not use retrieval, so there are no passages to exchange\n");
  const Finished trained_on =
      run_argand(scratch, "eval " + out + "/real/seed-0/last.safetensors --exchange-passages --split train");
  BOOST_TEST(trained_on.code == 2);
  BOOST_TEST(trained_on.err.find("must not read passages that overlap them") != std::string::npos, trained_on.err);
}

BOOST_AUTO_TEST_CASE(classifiers_are_not_probed) {
  const TemporaryDirectory scratch;
  const Finished qic = run_argand(scratch, "ablate qic --probe --out " + (scratch / "out"));
  BOOST_TEST(qic.code == 2);
  BOOST_TEST(qic.err == "argand: --probe: is for language models only\n");
}

BOOST_AUTO_TEST_SUITE_END()
