#include "train/config/settings.h"

#include "apps/terminal/command_line.h"
#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(settings)

namespace {

std::string read_error(const TemporaryDirectory& scratch, const std::string& text) {
  const std::string path = scratch.file("a.toml", text);
  std::string message = error_of([&] { read_settings(path); });
  const auto at = message.find(path);
  return at == std::string::npos ? message : message.replace(at, path.size(), "a.toml");
}

template <class T>
std::string assign_error(const std::string& text, const char* choices = "") {
  T value{};
  return error_of([&] { assign({"key", text, "--key"}, choices, value); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_file_of_every_kind_of_value) {
  const TemporaryDirectory scratch;
  const Settings settings = read_settings(scratch.file("a.toml",
                                                       "# sizes\n"
                                                       "d_model = 64   # real numbers\n"
                                                       "\n"
                                                       "  d-ff=128\r\n"
                                                       "data = \"C:\\\\my \\\"data\\\" # 1\" # a comment\n"
                                                       "out = 'no \\escapes'\n"
                                                       "irw_layers = [1, 2]\n"
                                                       "qk_norm = true"));
  BOOST_TEST_REQUIRE(settings.size() == 6);
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"d_model", "64"},       {"d_ff", "128"},        {"data", "C:\\my \"data\" # 1"},
      {"out", "no \\escapes"}, {"irw_layers", "1, 2"}, {"qk_norm", "true"}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    BOOST_TEST(settings[i].key == expected[i].first);
    BOOST_TEST(settings[i].text == expected[i].second);
  }
  BOOST_TEST(settings[1].place == scratch / "a.toml" + ":4: d_ff");
}

BOOST_AUTO_TEST_CASE(what_is_written_is_read) {
  const TemporaryDirectory scratch;
  const std::string odd = "a \"b\" \\ # c\td\ne";
  const Settings settings = read_settings(scratch.file(
      "a.toml", toml_line("text", odd) + "\n" + toml_line("whole", std::int64_t{-7}) + "\n" + toml_line("number", 0.1) + "\n" +
                    toml_line("flag", false) + "\n" + toml_line("list", std::vector<std::int64_t>{3, 5}) + "\n"));
  std::string text;
  std::int64_t whole = 0;
  double number = 0;
  bool flag = true;
  std::vector<std::int64_t> list;
  assign(settings.at(0), "", text);
  assign(settings.at(1), "", whole);
  assign(settings.at(2), "", number);
  assign(settings.at(3), "", flag);
  assign(settings.at(4), "", list);
  BOOST_TEST(text == odd);
  BOOST_TEST(whole == -7);
  BOOST_TEST(number == 0.1);
  BOOST_TEST(!flag);
  BOOST_TEST(list == (std::vector<std::int64_t>{3, 5}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(faults_are_named_with_their_line) {
  const TemporaryDirectory scratch;
  BOOST_TEST(read_error(scratch, "steps = 1\n[model]\n") == "a.toml:2: tables are not supported here, only `key = value` lines");
  BOOST_TEST(read_error(scratch, "steps\n") == "a.toml:1: expected `key = value`");
  BOOST_TEST(read_error(scratch, "\nsteps = # none\n") == "a.toml:2: the value is missing");
  BOOST_TEST(read_error(scratch, "data = \"x\n") == "a.toml:1: the string has no closing quotation mark");
  BOOST_TEST(read_error(scratch, "data = \"\\q\"\n") == "a.toml:1: unknown escape \\q");
  BOOST_TEST(read_error(scratch, "l = [1,\n2]\n") == "a.toml:1: the list is not closed on this line");
  BOOST_TEST(read_error(scratch, "data = \"x\" y\n") == "a.toml:1: unexpected text after the value of data");
  BOOST_TEST(read_error(scratch, "d-ff = 1\nd_ff = 2\n") == "a.toml:2: d_ff is set twice");
  BOOST_TEST(error_of([&] { read_settings(scratch / "none"); }) == "config: cannot read " + scratch / "none");
  BOOST_TEST(error_of([&] { read_settings(scratch.path()); }) == "config: cannot read " + scratch.path());
}

BOOST_AUTO_TEST_CASE(values_of_the_wrong_kind) {
  BOOST_TEST(assign_error<std::int64_t>("many") == "--key: \"many\" is not a whole number");
  BOOST_TEST(assign_error<std::int64_t>("1.5") == "--key: \"1.5\" is not a whole number");
  BOOST_TEST(assign_error<std::int64_t>("99999999999999999999") == "--key: \"99999999999999999999\" is not a whole number");
  BOOST_TEST(assign_error<double>("") == "--key: \"\" is not a number");
  BOOST_TEST(assign_error<double>("1e-3x") == "--key: \"1e-3x\" is not a number");
  BOOST_TEST(assign_error<double>("nan") == "--key: \"nan\" is not a number");
  BOOST_TEST(assign_error<double>("inf") == "--key: \"inf\" is not a number");
  BOOST_TEST(assign_error<bool>("yes") == "--key: \"yes\" is neither true nor false");
  BOOST_TEST(assign_error<std::string>("adamv", "adamw|muon") == "--key: \"adamv\" is not one of adamw|muon; did you mean adamw?");
  BOOST_TEST(assign_error<std::vector<std::int64_t>>("1,,2") == "--key: \"1,,2\" is not a list of whole numbers");
}

BOOST_AUTO_TEST_SUITE_END()
