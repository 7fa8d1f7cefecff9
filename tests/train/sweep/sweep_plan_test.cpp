#include "train/sweep/sweep_plan.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>

#include "tests/data/temporary_directory.h"
#include "tests/error_text.h"
#include "train/sweep/sweep_file.h"

using namespace argand;

namespace {

RunConfig with_defaults(const Settings& settings) {
  Settings all = {{"steps", "90", ""}, {"d_model", "16", ""}};
  all.insert(all.end(), settings.begin(), settings.end());
  return RunConfig::resolve({}, all, "lm");
}

Grid grid_of(const Settings& given, const Settings& grids = {}, std::int64_t seeds = 0) {
  return read_grid(given, grids, seeds, TextTask::Lm);
}

/// Simulates training: gives each run the `score` for its settings, and counts the runs.
struct SimulatedRuns {
  std::map<std::string, int> trained{};
  SweepScores scores{};

  void finish(SweepPlan& plan, const std::function<double(double lr, const SweepRun& run)>& score, std::size_t at_most = 1000) {
    for (;;) {
      const std::vector<SweepRun> runs = plan.next(scores);
      if (runs.empty()) return;
      for (const SweepRun& run : runs) {
        if (at_most-- == 0) return;
        const double lr = with_defaults(plan.settings(run)).training.lr;
        ++trained[plan.name(run)];
        const double s = score(lr, run);
        scores[plan.name(run)] = {s, s};
      }
    }
  }
};

/// A score that has its minimum at `best`.
double bowl(double lr, double best) { return std::pow(std::log(lr / best), 2); }

std::string best_of(const SweepPlan& plan) { return plan.best() ? plan.name(*plan.best()) : "none"; }

}  // namespace

BOOST_AUTO_TEST_SUITE(sweep_plan)

BOOST_AUTO_TEST_CASE(values_of_a_grid) {
  const Grid grid = grid_of({{"lr", "1e-3,3e-3", "--lr"}, {"data", "a.txt,b.txt", "--data"}, {"position", "rope,learned", ""}},
                            {{"warmup", "2%, 5%", ""}, {"split", "90/5/5;80/10/10", ""}}, 3);
  BOOST_TEST(grid.axes.size() == 4U);
  BOOST_TEST(grid.axes[0].values == (std::vector<std::string>{"1e-3", "3e-3"}), boost::test_tools::per_element());
  BOOST_TEST(grid.axes[2].values == (std::vector<std::string>{"2%", "5%"}), boost::test_tools::per_element());
  BOOST_TEST(grid.axes[3].values == (std::vector<std::string>{"90/5/5", "80/10/10"}), boost::test_tools::per_element());
  BOOST_TEST(grid.common.size() == 1U);
  BOOST_TEST(grid.common[0].text == "a.txt,b.txt");  // text values may contain commas
  BOOST_TEST(grid.seeds == (std::vector<std::int64_t>{0, 1, 2}), boost::test_tools::per_element());
  BOOST_TEST(grid_of({{"seed", "7", ""}}, {}, 2).seeds == (std::vector<std::int64_t>{7, 8}), boost::test_tools::per_element());
  BOOST_TEST(grid_of({{"seed", "3,1", ""}}).seeds == (std::vector<std::int64_t>{3, 1}), boost::test_tools::per_element());
  // A list is one value, unless it contains semicolons.
  BOOST_TEST(grid_of({}, {{"irw_layers", "0,1", ""}}).axes.empty());
  BOOST_TEST(grid_of({}, {{"irw_layers", "0;0,1", ""}}).axes[0].values.size() == 2U);
}

BOOST_AUTO_TEST_CASE(invalid_values) {
  BOOST_TEST(error_of([] { grid_of({{"lr", "", "--lr"}}); }) == "--lr: a value is empty; separate values with \",\"");
  BOOST_TEST(error_of([] { grid_of({{"lr", "1e-3,", "--lr"}}); }) == "--lr: a value is empty; separate values with \",\"");
  BOOST_TEST(error_of([] {
               grid_of({}, {{"split", ";", "--grid split=;"}});
             }) == "--grid split=;: a value is empty; separate values with \";\"");
  BOOST_TEST(error_of([] {
               grid_of({{"lr", "1", "--lr"}}, {{"lr", "1,2", "--grid lr=1,2"}});
             }) == "--grid lr=1,2: lr is given twice, by --lr; drop one of them");
  BOOST_TEST(error_of([] { grid_of({{"seed", "1,1", "--seed"}}); }) == "--seed: 1 is given twice");
  BOOST_TEST(error_of([] {
               grid_of({{"seed", "1,2", "--seed"}}, {}, 3);
             }) == "--seed: lists the seeds; drop `seeds`, which sets their number");
  BOOST_TEST(error_of([] { grid_of({{"seed", "x", "--seed"}}); }) == "--seed: \"x\" is not a whole number");
  const auto plan_of = [](const Settings& given, const Settings& grids, bool halving = false) {
    return SweepPlan({.grid = grid_of(given, grids), .halving = halving}, with_defaults);
  };
  BOOST_TEST(error_of([&] { plan_of({{"lr", "1e-3,0.001", ""}}, {}); }) == "grid: lr=1e-3 and lr=0.001 are the same configuration");
  BOOST_TEST(error_of([&] {
               plan_of({}, {{"learning", "1,2", "--grid learning=1,2"}});
             }).starts_with("--grid learning=1,2: unknown key"));
  BOOST_TEST(error_of([&] { plan_of({{"lr", "1e-3,fast", "--lr"}}, {}); }) == "--lr: \"fast\" is not a number");
  BOOST_TEST(error_of([&] {
               plan_of({{"steps", "6,9", "--steps"}}, {}, true);
             }) == "--steps: `halving` compares runs of equal length; drop it, or give one value");
  std::string thousand;
  for (int i = 1; i <= 1000; ++i) thousand += (i > 1 ? "," : "") + std::to_string(i);
  BOOST_TEST(error_of([&] {
               plan_of({{"batch", thousand, ""}, {"accumulate", thousand, ""}}, {});
             }) == "grid: 1000000 configurations exceed the limit of 10000: vary fewer keys, or give fewer values");
}

BOOST_AUTO_TEST_CASE(every_combination_with_every_seed) {
  SweepPlan plan({.grid = grid_of({{"lr", "1e-3,3e-3,1e-2", ""}, {"dropout", "0,0.1", ""}}, {}, 2)}, with_defaults);
  SimulatedRuns world;
  world.finish(plan, [](double lr, const SweepRun&) { return bowl(lr, 3e-3); });
  BOOST_TEST(world.trained.size() == 12U);
  BOOST_TEST(best_of(plan) == "lr=3e-3,dropout=0");
  BOOST_TEST(plan.ranking(false).size() == 6U);
  BOOST_TEST(plan.edges().empty());  // a dropout of 0 cannot be lowered
}

BOOST_AUTO_TEST_CASE(halving_trains_the_best_third_in_full_and_the_best_with_the_other_seeds) {
  SweepPlan plan({.grid = grid_of({{"lr", "1e-3,2e-3,4e-3,8e-3,1.6e-2", ""}}, {}, 3), .halving = true, .search_seeds = 1},
                 with_defaults);
  BOOST_TEST(with_defaults(plan.settings(SweepRun{0, true, 0})).training.steps == 30);
  BOOST_TEST(with_defaults(plan.settings(SweepRun{0, false, 0})).training.steps == 90);
  SimulatedRuns world;
  // The best value after a third of the steps is not the best in the end.
  world.finish(plan, [](double lr, const SweepRun& run) { return bowl(lr, run.third ? 3.9e-3 : 2e-3); });
  BOOST_TEST(world.trained.size() == 5U + 2U + 2U);
  BOOST_TEST(world.trained.contains("lr=2e-3/seed-2"));
  BOOST_TEST(best_of(plan) == "lr=2e-3");
  BOOST_TEST(plan.edges().empty());
  BOOST_TEST(plan.ranking(true).size() == 5U);
}

BOOST_AUTO_TEST_CASE(widening_goes_on_until_the_best_is_inside) {
  for (const bool halving : {false, true})
    for (const double best : {1e-5, 2e-3, 0.3}) {
      SweepPlan plan({.grid = grid_of({{"lr", "1e-3,2e-3,4e-3", ""}}), .halving = halving, .widen = true}, with_defaults);
      SimulatedRuns world;
      world.finish(plan, [&](double lr, const SweepRun&) { return bowl(lr, best); });
      BOOST_TEST_REQUIRE(plan.best().has_value());
      double found = 0;
      assign({"lr", plan.settings(*plan.best())[0].text, ""}, "", found);
      BOOST_TEST(std::abs(std::log(found / best)) <= std::log(2.0) * 0.51, found << " for " << best);
      BOOST_TEST(plan.edges().empty());
      // The values on both sides of the best one were trained in full.
      std::size_t full = 0;
      for (const auto& [name, _] : world.trained) full += !name.starts_with("third/");
      BOOST_TEST(full >= 3U);
    }
  // If the best value is always at an end of the range, the search stops with a warning.
  SweepPlan plan({.grid = grid_of({{"lr", "1e-3,2e-3", ""}}), .widen = true}, with_defaults);
  SimulatedRuns world;
  world.finish(plan, [](double lr, const SweepRun&) { return -lr; });
  BOOST_TEST(plan.size() == 2 + SweepPlan::most_added);
  BOOST_TEST(plan.edges().size() == 1U);
  BOOST_TEST(plan.edges()[0].upper);
}

BOOST_AUTO_TEST_CASE(configurations_without_scores_come_last) {
  const double infinite = no_score[0];
  SweepPlan plan({.grid = grid_of({{"lr", "1e-3,1e-2,1e-1", ""}}, {}, 2), .halving = true, .widen = true}, with_defaults);
  SimulatedRuns world;
  world.finish(plan, [&](double lr, const SweepRun& run) { return lr > 5e-2 || (lr > 5e-3 && run.seed == 1) ? infinite : 1 / lr; });
  BOOST_TEST(best_of(plan) == "lr=1e-3");
  BOOST_TEST(plan.edges().empty());  // the run with the next value diverges
  BOOST_TEST(!world.trained.contains("lr=1e-1/seed-0"));
  SweepPlan hopeless({.grid = grid_of({{"lr", "1e-3,1e-2,1e-1", ""}}), .halving = true, .widen = true}, with_defaults);
  SimulatedRuns nowhere;
  nowhere.finish(hopeless, [&](double, const SweepRun&) { return infinite; });
  BOOST_TEST(nowhere.trained.size() == 3U);
  BOOST_TEST(!hopeless.best());
}

BOOST_AUTO_TEST_CASE(a_configuration_that_fails_with_another_seed_is_not_the_best) {
  SweepPlan plan({.grid = grid_of({{"lr", "1e-3,2e-3,4e-3", ""}}, {}, 3), .search_seeds = 1}, with_defaults);
  SimulatedRuns world;
  world.finish(plan, [](double lr, const SweepRun& run) { return lr > 3e-3 && run.seed == 2 ? no_score[0] : bowl(lr, 4e-3); });
  BOOST_TEST(best_of(plan) == "lr=2e-3");
  BOOST_TEST(world.trained.size() == 3U + 2U + 2U);
  BOOST_TEST(plan.name(plan.ranking(false).back()) == "lr=4e-3");
}

// A sweep that is interrupted at any point reaches the same result and trains nothing twice.
BOOST_AUTO_TEST_CASE(a_stopped_sweep_comes_to_the_same_end) {
  const SweepRequest request{
      .grid = grid_of({{"lr", "1e-3,2e-3,4e-3", ""}}, {}, 3), .halving = true, .widen = true, .search_seeds = 2};
  const auto score = [](double lr, const SweepRun& run) {
    return bowl(lr, 1.5e-2) + 0.3 * std::sin(static_cast<double>(run.seed) + 100 * lr);
  };
  SweepPlan whole(request, with_defaults);
  SimulatedRuns once;
  once.finish(whole, score);
  BOOST_TEST(once.trained.size() > 12U);
  for (std::size_t stop = 0; stop < once.trained.size(); ++stop) {
    SimulatedRuns twice;
    SweepPlan before(request, with_defaults), after(request, with_defaults);
    twice.finish(before, score, stop);
    twice.finish(after, score);
    BOOST_TEST((twice.trained == once.trained), stop);
    BOOST_TEST(best_of(after) == best_of(whole));
    BOOST_TEST((after.ranking(false) == whole.ranking(false)));
  }
}

BOOST_AUTO_TEST_CASE(the_file_of_a_sweep) {
  const TemporaryDirectory scratch;
  const nlohmann::json identity = {{"task", "lm"}, {"settings", {{"steps", "9"}}}, {"varies", {"lr"}}};
  {
    SweepFile file(scratch.path(), identity);
    file.record("lr=1/seed-0", {.loss = 1.0 / 3, .metric = 2, .bits_per_byte = 0.1});
    file.record("lr=9/seed-0", {.diverged = "the loss became nan at step 3"});
  }
  const SweepFile again(scratch.path(), identity);
  BOOST_TEST(again.outcomes().size() == 2U);
  BOOST_TEST(again.outcomes().at("lr=1/seed-0").loss == 1.0 / 3);
  BOOST_TEST((score_of(again.outcomes().at("lr=9/seed-0"), TextTask::Lm) == no_score));
  nlohmann::json other = identity;
  other["settings"] = {{"steps", "12"}, {"batch", "2"}};
  BOOST_TEST(error_of([&] { SweepFile(scratch.path(), other); }) ==
             "out: " + scratch.path() +
                 " contains a sweep with different settings (batch is 2, was not set, steps is 12, was 9); choose another folder");
  for (const std::string& text : {std::string("{"), std::string("{\"sweep\":1}"), std::string(100'000, '['),
                                  std::string("{\"sweep\":{},\"runs\":{\"a\":{\"loss\":\"x\"}}}")}) {
    scratch.file("sweep.json", text);
    BOOST_TEST(error_of([&] { SweepFile(scratch.path(), nlohmann::json::object()); }).starts_with("out: " + scratch.path()));
  }
  const TemporaryDirectory taken;
  taken.file("letter.txt", "dear");
  BOOST_TEST(error_of([&] { SweepFile(taken.path(), identity); }) ==
             "out: " + taken.path() + " is not empty and contains no sweep; choose another folder");
}

BOOST_AUTO_TEST_SUITE_END()
