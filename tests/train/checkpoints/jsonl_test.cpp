#include "train/checkpoints/jsonl.h"

#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(jsonl)

BOOST_AUTO_TEST_CASE(writes_lines_and_keeps_those_up_to_a_step) {
  const TemporaryDirectory scratch;
  const std::string path = scratch / "log.jsonl";
  {
    JsonLines log(path, -1);
    for (int step = 1; step <= 3; ++step) log.write({{"step", step}, {"loss", 0.5 * step}});
    log.write({{"step", 3}, {"valid_loss", 2}});
    log.write({{"step", 4}, {"loss", 9}});
  }
  {
    JsonLines log(path, 3);
    log.write({{"step", 4}, {"loss", 2.0}});
  }
  BOOST_TEST(contents_of(path) ==
             "{\"step\":1,\"loss\":0.5}\n{\"step\":2,\"loss\":1.0}\n{\"step\":3,\"loss\":1.5}\n{\"step\":3,\"valid_loss\":2}\n"
             "{\"step\":4,\"loss\":2.0}\n");
  { const JsonLines log(path, -1); }
  BOOST_TEST(contents_of(path) == "");
}

BOOST_AUTO_TEST_CASE(drops_what_a_killed_process_left_half_written) {
  const TemporaryDirectory scratch;
  for (const char* rest : {"{\"step\":2,\"lo", "{\"step\":2}", "[2]", "{\"step\":10}\n", "{\"step\":10}\nnot json\n"}) {
    const std::string path = scratch.file("log.jsonl", std::string("{\"step\":1}\n") + rest);
    const JsonLines log(path, 9);
    BOOST_TEST(contents_of(path) == "{\"step\":1}\n");
    BOOST_TEST(log.damaged() == 0);
  }
}

BOOST_AUTO_TEST_CASE(keeps_damaged_lines_and_all_around_them) {
  const TemporaryDirectory scratch;
  // In the middle of the log, a step larger than the last one counts as damaged too, because steps only increase.
  for (const std::string odd : {"not json\n", "{\"loss\":2}\n", "[2]\n", "{\"step\":\"2\"}\n", "\n", "{\"step\":820}\n"}) {
    const std::string kept = "{\"step\":1}\n" + odd + "{\"step\":3}\n";
    const std::string path = scratch.file("log.jsonl", kept + "{\"step\":4}\n{\"step\":5}\n{\"st");
    const JsonLines log(path, 3);
    BOOST_TEST(contents_of(path) == kept);
    BOOST_TEST(log.damaged() == 1);
  }
  // At the end, a damaged line may belong to the last step or to the next one, so it is kept.
  const std::string path = scratch.file("log.jsonl", "{\"step\":3}\n{\"st\n{\"step\":4}\n");
  const JsonLines log(path, 3);
  BOOST_TEST(contents_of(path) == "{\"step\":3}\n{\"st\n");
  BOOST_TEST(log.damaged() == 1);
}

BOOST_AUTO_TEST_CASE(one_process_at_a_time) {
  const TemporaryDirectory scratch;
  const std::string path = scratch / "log.jsonl";
  JsonLines log(path, -1);
  log.write({{"step", 1}});
  BOOST_TEST(error_of([&] { JsonLines(path, -1); }) == "log: " + path + " is in use: another process is training in its folder");
  BOOST_TEST(contents_of(path) == "{\"step\":1}\n");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_opened_or_written) {
  const TemporaryDirectory scratch;
  BOOST_TEST(error_of([&] { JsonLines(scratch / "no/log", -1); }) ==
             "log: cannot open " + scratch / "no/log" + ": No such file or directory");
}

BOOST_AUTO_TEST_SUITE_END()
