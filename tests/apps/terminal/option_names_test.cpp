#include "apps/terminal/option_names.h"

#include <boost/test/unit_test.hpp>

#include "apps/terminal/command_line.h"
#include "tests/error_text.h"
#include "train/config/run_config.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(option_names)

namespace {

/// The program's error for invalid settings given as options.
std::string said(std::initializer_list<std::pair<const char*, const char*>> pairs) {
  Settings settings;
  for (const auto& [key, text] : pairs) settings.push_back({key, text, option_name(key)});
  try {
    RunConfig::resolve({}, settings);
  } catch (const ConfigError& error) {
    return in_options(error);
  }
  return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(fields_are_written_as_options) {
  BOOST_TEST(option_name("d_model") == "--d-model");
  BOOST_TEST(in_options("raise `max_seq_len`, or lower `length`") == "raise --max-seq-len, or lower --length");
  BOOST_TEST(in_options("`lr`") == "--lr");
  BOOST_TEST(in_options("") == "");
}

BOOST_AUTO_TEST_CASE(other_words_stay_unchanged) {
  for (const char* text :
       {"expected `key = value`", "`argand train lm --resume a` goes on", "``", "a ` b", "`<unk>` is a word", "`A`"})
    BOOST_TEST(in_options(text) == text);
  BOOST_TEST(in_options("`argand eval` does; `seed` says how") == "`argand eval` does; --seed says how");
  BOOST_TEST(in_options("one ` and `seed` more") == "one ` and `seed` more");
}

BOOST_AUTO_TEST_CASE(the_field_that_an_error_begins_with_is_an_option) {
  BOOST_TEST(said({{"steps", "0"}}) == "--steps: must be at least 1, got 0");
  BOOST_TEST(said({{"steps", "x"}}) == "--steps: \"x\" is not a whole number");
  BOOST_TEST(said({{"steps", "5"}, {"epochs", "5"}}) == "--epochs: --steps also sets how long to train; drop one of them");
  BOOST_TEST(in_options(ConfigError("a.toml:3: steps", "\"x\" is not a number", "steps")) ==
             "a.toml:3: steps: \"x\" is not a number");
  BOOST_TEST(in_options(Error("steps: no field of a configuration")) == "steps: no field of a configuration");
}

BOOST_AUTO_TEST_CASE(a_key_and_its_value) {
  const Setting s = key_and_value("--set", "d_model=64");
  BOOST_TEST(s.key == "d_model");
  BOOST_TEST(s.text == "64");
  BOOST_TEST(s.place == "--set d_model=64");
  BOOST_TEST(key_and_value("--set", "a=b=c").text == "b=c");
  for (const char* wrong : {"", "lr", "=3"}) BOOST_CHECK_THROW(key_and_value("--set", wrong), InputError);
}

BOOST_AUTO_TEST_SUITE_END()
