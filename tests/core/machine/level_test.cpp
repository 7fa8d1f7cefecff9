#include "core/machine/level.h"

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>

using namespace argand;

BOOST_AUTO_TEST_SUITE(level)

BOOST_AUTO_TEST_CASE(names_and_levels_correspond) {
  for (const Level level : {Level::Baseline, Level::V3, Level::V4}) BOOST_TEST((level_named(level_name(level)) == level));
  BOOST_TEST(!level_named("v5").has_value());
  BOOST_TEST(!level_named("").has_value());
}

BOOST_AUTO_TEST_CASE(the_library_runs_at_a_level_that_the_processor_has) {
  BOOST_TEST_MESSAGE("library " << level_name(library_level()) << ", processor " << level_name(processor_level()));
  BOOST_TEST((library_level() <= processor_level()));
  // `./dev levels` says for which level it runs the tests: if its library were missing, the loader would take another in silence.
  if (const char* const expected = std::getenv("ARGAND_EXPECTED_LEVEL")) BOOST_TEST(level_name(library_level()) == expected);
}

BOOST_AUTO_TEST_SUITE_END()
