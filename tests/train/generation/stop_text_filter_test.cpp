#include <boost/test/unit_test.hpp>

#include "train/generation/generation.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(stop_text_filter)

namespace {

/// The text shown after each piece, separated by |, then the rest shown at the end, and ! if a stop text was found.
std::string shown(std::vector<std::string> stops, const std::vector<std::string>& pieces) {
  StopTextFilter end(std::move(stops));
  std::string text;
  for (const std::string& piece : pieces) text += end.next(piece) + "|";
  return text + end.rest() + (end.stopped() ? "!" : "");
}

}  // namespace

BOOST_AUTO_TEST_CASE(nothing_of_the_stop_is_shown) {
  BOOST_TEST(shown({"\n\n"}, {"a\n", "b\n", "\nc"}) == "a|\nb||!");
  BOOST_TEST(shown({"END"}, {"the E", "N", "d E", "ND of"}) == "the ||ENd ||!");
  BOOST_TEST(shown({"aab"}, {"a", "a", "a", "b"}) == "||a||!");  // the end of the held-back text may start another match
  BOOST_TEST(shown({"xyz", "b"}, {"axy", "b", "more"}) == "a|xy||!");
}

BOOST_AUTO_TEST_CASE(what_was_held_back_comes_at_the_end) {
  BOOST_TEST(shown({"END"}, {"the E", "N"}) == "the ||EN");
  BOOST_TEST(shown({}, {"a", "b"}) == "a|b|");
}

BOOST_AUTO_TEST_SUITE_END()
