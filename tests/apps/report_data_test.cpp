/// Tests what reports extract from logs and how they embed data in a page. report_test.py tests the page itself in a browser.

#include <cmath>
#include <numbers>

#include "apps/report/history.h"
#include "apps/report/log.h"
#include "apps/report/page.h"
#include "core/error.h"
#include "tests/apps/program.h"
#include "train/checkpoints/run_folder.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(report_data)

using Json = nlohmann::ordered_json;

BOOST_AUTO_TEST_CASE(damaged_lines_of_a_log_are_skipped_and_counted) {
  const TemporaryDirectory scratch;
  const RunLog log = read_log(scratch.file(
      "log", "{\"step\":1,\"loss\":2.5}\n[1]\n{\"loss\":1}\n{\"step\":\"2\"}\n{\"step\":2,\"loss\":null}\n{\"step\":3,"));
  BOOST_TEST(log.lines.size() == 2U);
  BOOST_TEST(log.unreadable == 3);
  BOOST_TEST(curves_of(log)["curves"].dump() == R"({"loss":{"x":[1,2],"y":[2.5,null]}})");
  BOOST_TEST(read_log(scratch / "none").lines.empty());
  BOOST_TEST(curves_of({})["curves"].dump() == "{}");
}

BOOST_AUTO_TEST_CASE(long_curves_keep_their_peaks_and_gaps) {
  RunLog log;
  for (int i = 1; i <= 10'000; ++i) {
    Json line = {{"step", i}, {"grad_norm", i == 4321 ? 50.0 : i == 7000 ? -3.0 : 1 + 0.001 * (i % 7)}};
    if (i == 5555) line["grad_norm"] = nullptr;
    log.lines.push_back(line);
  }
  const Json curve = curves_of(log)["curves"]["grad_norm"];
  BOOST_TEST(curve["x"].size() <= 801U);
  BOOST_TEST(curve["x"].size() == curve["y"].size());
  const auto at = [&](int step) {
    const auto x = curve["x"].get<std::vector<int>>();
    const auto found = std::find(x.begin(), x.end(), step);
    BOOST_REQUIRE(found != x.end());
    return curve["y"].at(static_cast<std::size_t>(found - x.begin()));
  };
  BOOST_TEST(at(4321) == 50.0);
  BOOST_TEST(at(7000) == -3.0);
  BOOST_TEST(at(5555).is_null());
  const auto x = curve["x"].get<std::vector<int>>();
  BOOST_TEST(std::is_sorted(x.begin(), x.end()));
}

BOOST_AUTO_TEST_CASE(the_smooth_curve_has_no_bias_and_passes_over_gaps) {
  RunLog log;
  for (int i = 1; i <= 500; ++i) log.lines.push_back({{"step", i}, {"loss", 3.0}});
  log.lines[9]["loss"] = nullptr;
  const Json smooth = curves_of(log)["smooth"]["loss"];
  BOOST_TEST(smooth["x"].back() == 500);
  for (const Json& y : smooth["y"]) BOOST_TEST(y == 3.0);
}

BOOST_AUTO_TEST_CASE(the_clock_counts_the_steps_between_lines) {
  RunLog log;
  log.lines.push_back({{"step", 10}, {"seconds", 0.5}, {"tokens_per_second", 200.0}});
  log.lines.push_back({{"step", 10}, {"valid_loss", 1.0}});
  log.lines.push_back({{"step", 14}, {"seconds", 1.0}, {"tokens_per_second", 100.0}});
  BOOST_TEST(curves_of(log)["clock"].dump() == R"({"step":[10,14],"seconds":[5.0,9.0],"tokens":[1000,1400]})");
}

BOOST_AUTO_TEST_CASE(angles_and_their_kappa) {
  RunLog log;
  log.lines.push_back({{"step", 1}, {"theta", {{"theta", {0.0}}, {"blocks.0.attn.theta", {0.0, std::numbers::pi / 4}}}}});
  log.lines.push_back({{"step", 2}, {"theta", {{"theta", {0.5}}, {"blocks.0.attn.theta", {nullptr, std::numbers::pi / 4}}}}});
  const Json angles = curves_of(log)["angles"];
  BOOST_TEST(angles["names"].dump() == R"(["theta","blocks.0.attn.theta[0]","blocks.0.attn.theta[1]"])");
  BOOST_TEST(angles["theta"][1].dump() == "[0.0,null]");
  BOOST_TEST(angles["kappa"][0][0] == -1.0);
  BOOST_TEST(std::abs(angles["kappa"][2][1].get<double>()) < 1e-12);
}

BOOST_AUTO_TEST_CASE(malformed_confusion_matrices_are_left_out) {
  RunLog log;
  log.lines.push_back({{"step", 1}, {"confusion", {{3, 1}, {0, 0}}}});
  for (const Json& odd : {Json(5), Json::parse("[[1,2],[3]]"), Json::parse("[[1,-2],[3,4]]")})
    log.lines.push_back({{"step", 2}, {"confusion", odd}});
  const Json page = curves_of(log);
  BOOST_TEST(page["confusion"].dump() == R"({"step":1,"counts":[[3,1],[0,0]]})");
  BOOST_TEST(page["class_accuracy"].dump() == R"([{"x":[1],"y":[0.75]},{"x":[1],"y":[null]}])");
}

BOOST_AUTO_TEST_CASE(phases_are_counted_in_sectors_around_multiples_of_15_degrees) {
  std::vector<std::int64_t> counts(phase_bins);
  for (const double degrees : {-180.0, 180.0, 176.0, -176.0, 0.0, 7.0, -7.0, 8.0, 90.0})
    count_phase(std::polar(2.0, degrees * std::numbers::pi / 180), counts);
  count_phase({-1.0, -0.0}, counts);
  count_phase({0.0, 0.0}, counts);
  BOOST_TEST(counts[12] == 5);
  BOOST_TEST(counts[0] == 3);
  BOOST_TEST(counts[1] == 1);
  BOOST_TEST(counts[6] == 1);
}

BOOST_AUTO_TEST_CASE(embedded_data_cannot_break_out_of_their_element) {
  const std::string page = make_page({{"word", "</script><b>&\xff"}, {"number", std::nan("")}});
  const std::size_t from = page.find("id=\"data\">") + 10, to = page.find("</script>", from);
  const std::string json = page.substr(from, to - from);
  BOOST_TEST(json == "{\"word\":\"\\u003c/script>\\u003cb>&\xEF\xBF\xBD\",\"number\":null}");
  BOOST_TEST(page.find("Chart.js v3.") != std::string::npos);
  BOOST_TEST(page.starts_with("<!doctype html>"));
  BOOST_TEST(page.ends_with("</html>\n"));
  BOOST_CHECK_EXCEPTION(make_page(std::string(6'000'000, 'x')), Error, [](const Error& error) {
    return std::string(error.what()) == "report: the page would be 6.3 MB, but at most 5 MB are allowed; report fewer runs";
  });
}

BOOST_AUTO_TEST_CASE(kept_checkpoints_are_found_by_their_steps) {
  const TemporaryDirectory scratch;
  for (const char* name : {"step-10.safetensors", "step-9.safetensors", "step--1.safetensors", "step-.safetensors",
                           "step-1x.safetensors", "step-7.safetensors.tmp-1", "last.safetensors"})
    scratch.file(name, "");
  BOOST_TEST(RunFolder(scratch / "").kept_steps() == (std::vector<std::int64_t>{9, 10}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
