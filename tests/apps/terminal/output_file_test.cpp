#include "apps/terminal/output_file.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/apps/program.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(output_file)

BOOST_AUTO_TEST_CASE(a_dash_is_standard_output_and_messages_go_to_standard_error) {
  const TemporaryDirectory scratch;
  const std::string sizes =
      " --n-layers 1 --d-model 16 --n-heads 2 --d-ff 24 --batch 4 --steps 2 --warmup 1 --threads 1 --overwrite --out ";
  const std::string lm = scratch / "lm", labels = scratch / "labels";
  BOOST_TEST_REQUIRE(run_argand(scratch, "train lm --length 16 --eval-batches 1" + sizes + lm).code == 0);
  BOOST_TEST_REQUIRE(run_argand(scratch, "train classify --train-articles 40 --test-articles 8" + sizes + labels).code == 0);
  scratch.file("table.csv", "text,id\nthe owl,1\nthe cat,2\n");
  // Runs in a separate folder, where a file named "-" would be noticed.
  const auto run = [&](const std::string& arguments) {
    Program program(scratch, arguments, [&] { (void)chdir(lm.c_str()); });
    const int code = program.wait();
    BOOST_TEST(!std::filesystem::exists(lm + "/-"), arguments);
    return Finished{code, program.out(), program.err()};
  };
  const Finished figures = run("eval " + lm + " --batch 1 --json -");
  BOOST_TEST(figures.code == 0);
  BOOST_TEST(nlohmann::json::parse(figures.out)["step"] == 2);
  BOOST_TEST(figures.err.find(" tokens") != figures.err.npos, figures.err);
  const Finished windows = run("eval " + lm + " --batch 1 --each --json -");
  BOOST_TEST(windows.code == 0, windows.err);
  const nlohmann::json each = nlohmann::json::parse(windows.out);
  double sum = 0;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < each["each"]["loss"].size(); ++i) {
    sum += each["each"]["loss"][i].get<double>() * each["each"]["count"][i].get<double>();
    count += each["each"]["count"][i].get<std::int64_t>();
  }
  BOOST_TEST(count == each["count"].get<std::int64_t>());
  BOOST_TEST(sum / static_cast<double>(count) == each["loss"].get<double>(), boost::test_tools::tolerance(1e-12));
  BOOST_TEST(run("eval " + lm + " --each").code == 2);
  BOOST_TEST(run("eval " + lm + " --each --positions 8 --json -").code == 2);
  BOOST_TEST(run("export " + lm + " --log -").out.starts_with("step,"));
  BOOST_TEST(run("report " + lm + " --out -").out.starts_with("<!doctype html>"));
  BOOST_TEST(nlohmann::json::parse(run("inspect " + lm + " --attention --json -").out).contains("attention"));
  BOOST_TEST(run("classify " + labels + " --table " + scratch / "table.csv" + " --out -").out.starts_with("text,id,predicted,"));
  BOOST_TEST(run("graph z^2 --out -").out.starts_with("digraph "));

  const Finished refused = run("export " + lm + " --npz -");
  BOOST_TEST(refused.code == 1);
  BOOST_TEST(refused.err == "argand: save: cannot write to standard output; give a file name (./- for a file named -)\n");
  BOOST_TEST(run("portrait z --out -").code == 2);
  // A full disk is reported even when writing to standard output.
  Program full(scratch, "export " + lm + " --log -", [] { dup2(open("/dev/full", O_WRONLY), 1); });
  BOOST_TEST(full.wait() == 1);
  BOOST_TEST(full.err().starts_with("argand: save: cannot write to standard output: "), full.err());
}

BOOST_AUTO_TEST_SUITE_END()
