#include "apps/ablation/repetition.h"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <random>

#include "apps/ablation/ablation_tables.h"
#include "apps/runs/run_config.h"
#include "tests/apps/program.h"
#include "tests/apps/word_corpus.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(repetition)

namespace {

/// A finished run of a hundred steps, with this accuracy in percent.
void write_run(const std::string& folder, double accuracy, double lr = 0.002) {
  std::filesystem::create_directories(folder);
  RunConfig config;
  config.training.steps = 100, config.training.lr = lr;
  std::ofstream(folder + "/config.json") << config.to_json();
  std::ofstream(folder + "/log.jsonl") << R"({"step":0,"made_by":{"parameters":7}})"
                                       << "\n"
                                       << R"({"step":100,"valid_loss":1.5,"valid_accuracy":)" << accuracy / 100 << "}\n";
}

const std::string sizes = " --set d_model=16,n_layers=1,n_heads=2,d_ff=16,length=16,batch=4 ";

}  // namespace

BOOST_AUTO_TEST_CASE(new_means_by_hand) {
  // Mean 2, s = 1, n = 3: t(2; 97.5 %) = 4.30265, of one new value s √(1/3 + 1) = 1.154701, of two s √(1/3 + 1/2) = 0.912871.
  const Spread before = spread_of({1, 2, 3});
  BOOST_TEST(*new_mean_within(before, 1, 1) == 4.30265 * 1.154701, boost::test_tools::tolerance(1e-5));
  BOOST_TEST(*new_mean_within(before, 2, 1) == 4.30265 * 0.912871, boost::test_tools::tolerance(1e-5));
  BOOST_TEST(*new_mean_within(before, 2, 2) == 6.20535 * 0.912871, boost::test_tools::tolerance(1e-5));  // t(2; 98.75 %)
  BOOST_TEST(!new_mean_within(spread_of({1}), 2, 1).has_value());
  BOOST_TEST(!new_mean_within(before, 0, 1).has_value());
}

// Of runs that are all drawn alike, 95 of 100 new means lie within.
BOOST_AUTO_TEST_CASE(new_means_lie_within_as_often_as_is_said) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(70, 2);
  const auto draw = [&](int n) {
    std::vector<double> values;
    for (int i = 0; i < n; ++i) values.push_back(normal(random));
    return values;
  };
  int within = 0;
  for (int e = 0; e < 4000; ++e) {
    const Spread before = spread_of(draw(3));
    within += std::abs(spread_of(draw(2)).mean - before.mean) <= *new_mean_within(before, 2, 1);
  }
  BOOST_TEST((within > 3800 - 3.5 * 13.8 && within < 3800 + 3.5 * 13.8), within);
}

BOOST_AUTO_TEST_CASE(rows_land_or_do_not) {
  const TemporaryDirectory scratch;
  const std::string kept = scratch / "kept", out = scratch / "out";
  AblationTable table = ablation_table("qic");
  std::erase_if(table.rows, [](const AblationRow& row) { return row.name != "learned" && row.name != "real"; });
  BOOST_TEST_REQUIRE(table.rows.size() == 2U);
  for (int seed = 0; seed < 3; ++seed) {
    write_run(folder_of_run(kept, "learned", seed), 73 + seed);
    write_run(folder_of_run(kept, "real", seed), 80 + 0.1 * seed);
  }
  write_run(folder_of_run(out, "learned", 1), 76.5);
  write_run(folder_of_run(out, "real", 0), 81.4);
  const Repetition repetition(table, kept, out);
  const RepeatedRow &learned = repetition.rows()[0], &real = repetition.rows()[1];
  // t(2; 98.75 %) √(4/3) = 7.1653 times the deviations 1 and 0.1.
  BOOST_TEST(*learned.reach == 7.1653, boost::test_tools::tolerance(1e-4));
  BOOST_TEST(learned.apart == 2.5, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(*learned.same_seed == 2.5, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(learned.lands());
  BOOST_TEST(*real.reach == 0.71653, boost::test_tools::tolerance(1e-4));
  BOOST_TEST(!real.lands());
  BOOST_TEST(!repetition.all_land());
  const std::string text = repetition.markdown();
  BOOST_TEST(text.find("| learned | 74.0 ± 1.0 (3) | 76.5 (1) | +2.5 | ±7.2 | 2.5 | lands |\n") != std::string::npos, text);
  BOOST_TEST(text.find("| real | 80.1 ± 0.1 (3) | 81.4 (1) | +1.3 | ±0.7 | 1.4 | does not land |\n") != std::string::npos, text);

  // Another recipe is no repetition, wherever it lands.
  write_run(folder_of_run(out, "learned", 1), 74, 0.003);
  const Repetition other(table, kept, out);
  BOOST_TEST(!other.rows()[0].lands());
  BOOST_TEST(other.markdown().find("| another recipe |") != std::string::npos, other.markdown());
  BOOST_TEST(other.markdown().find("learned: training.lr is 0.003, was 0.002\n") != std::string::npos, other.markdown());
}

BOOST_AUTO_TEST_CASE(kept_rows_are_trained_again_with_one_command) {
  const TemporaryDirectory scratch;
  const std::string out = scratch / "out", kept = scratch / "kept", again = scratch / "again", corpus = word_corpus(scratch);
  BOOST_TEST_REQUIRE(run_argand(scratch, "ablate crope --rows none,qk --seeds 2 --steps 25 --threads 1 --jobs 1 --data " + corpus +
                                             sizes + "--out " + out)
                         .code == 0);
  BOOST_TEST_REQUIRE(run_argand(scratch, "ablate crope --out " + out + " --keep " + kept).code == 0);
  const std::string repeat = "ablate crope --threads 1 --repeat " + kept + " --out " + again;
  const Finished done = run_argand(scratch, repeat + " --rows qk --seeds 2 --data " + corpus);
  BOOST_TEST(done.code == 0, done.err);
  // The same program, data and number of threads: the same numbers.
  BOOST_TEST(done.out.find("| 0.0 % |") != std::string::npos, done.out);
  BOOST_TEST(done.out.find("| 0.0 % | lands |") != std::string::npos, done.out);
  BOOST_TEST(done.out.find("| none |") == std::string::npos, done.out);
  BOOST_TEST(done.out.ends_with(contents_of(again + "/repeated.md")), done.out);
  const Finished table = run_argand(scratch, repeat + " --table --data " + corpus);
  BOOST_TEST(table.code == 0, table.err);
  BOOST_TEST(table.out == "\n" + contents_of(again + "/repeated.md"));

  const auto refused = [&](const std::string& command, const std::string& why) {
    const Finished f = run_argand(scratch, command);
    BOOST_TEST(f.code == 2);
    BOOST_TEST(f.err.find(why) != std::string::npos, f.err);
  };
  refused(repeat, "the kept runs learned from \"words\"; --data DIR says where it is");
  refused(repeat + " --rows qkv --data " + corpus, "no row \"qkv\", it has none, qk");
  refused(repeat + " --steps 30 --data " + corpus, "does not go with --steps");
  refused("ablate qic --repeat " + kept, "holds an ablation of crope, not of qic");
  refused("ablate crope --repeat " + out + "/qk", "holds no ablation");
}

BOOST_AUTO_TEST_SUITE_END()
