/// Every reader of JSON from outside must survive 200 kB of nested brackets.

#include <boost/test/unit_test.hpp>

#include "core/machine/json.h"
#include "data/files/table.h"
#include "lab/lab_page.h"
#include "tests/data/temporary_directory.h"
#include "tests/error_text.h"
#include "train/checkpoints/jsonl.h"
#include "train/config/run_config.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(deep_json)

namespace {

const std::string brackets = std::string(100'000, '[') + std::string(100'000, ']');

}  // namespace

BOOST_AUTO_TEST_CASE(brackets_in_strings_do_not_count) {
  const std::string shallow = R"({"a\"b": [")" + brackets + R"(", {"c": "\\"}, ["]"]]})";
  BOOST_TEST(!nested_too_deeply(shallow));
  for (const int depth : {63, 64, 65})
    BOOST_TEST(nested_too_deeply(std::string(depth, '[') + std::string(depth, ']')) == (depth == 65));
  BOOST_TEST(!nested_too_deeply(std::string(300, ']')));
  BOOST_TEST(nested_too_deeply(R"({"a":)" + brackets + "}"));
}

BOOST_AUTO_TEST_CASE(every_reader_refuses_it) {
  const std::string deep = R"({"model": )" + brackets + "}";
  BOOST_TEST(error_of([&] { RunConfig::from_json(deep); }) == "config: damaged: nested more than 64 levels deep");
  BOOST_TEST(error_of([&] { ModelConfig::from_json(deep); }) == "config: nested more than 64 levels deep");
  BOOST_TEST(lab_page(deep) == R"({"error":"lab: nested more than 64 levels deep"})");

  const TemporaryDirectory directory;
  const std::string table =
      directory.file("t.jsonl", "{\"text\": \"a\", \"label\": 1}\n{\"text\": " + brackets + ", \"label\": 2}\n");
  BOOST_TEST(error_of([&] { read_table("table", table); }).find("nested more than 64 levels deep") != std::string::npos);
  std::size_t whole = 0, damaged = 0;
  for_each_line(directory.file("log.jsonl", "{\"step\": 1}\n{\"step\": 2, \"deep\": " + brackets + "}\n{\"step\": 3}\n"),
                [&](const nlohmann::ordered_json& line, std::int64_t) { ++(line.is_null() ? damaged : whole); });
  BOOST_TEST(whole == 2U);
  BOOST_TEST(damaged == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
