#include "data/tokens/normalization.h"

#include <fmt/format.h>

#include <boost/test/unit_test.hpp>
#include <cstdint>

#include "data/files/utf8.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(normalization)

namespace {

std::string nfc(std::string_view text) { return NfcText(text).text(); }

}  // namespace

BOOST_AUTO_TEST_CASE(letters_and_their_marks_become_one_character) {
  BOOST_TEST(nfc("") == "");
  BOOST_TEST(nfc("plain text\n") == "plain text\n");
  BOOST_TEST(nfc("cafe\u0301s") == "caf\u00E9s");
  BOOST_TEST(nfc("A\u030A \u212B") == "\u00C5 \u00C5");
  BOOST_TEST(nfc("o\u0302\u0323") == "\u1ED9");         // two marks in the wrong order
  BOOST_TEST(nfc("q\u0307\u0323") == "q\u0323\u0307");  // reordered, although nothing composes
  BOOST_TEST(nfc("a\u0301\u0301") == "\u00E1\u0301");   // nothing blocks the second mark, but the pair has no composite
  BOOST_TEST(nfc("\u0915\u093C") == "\u0915\u093C");    // this pair is excluded from composition
  BOOST_TEST(nfc("\u0958") == "\u0915\u093C");
  BOOST_TEST(nfc("\uF900") == "\u8C48");
  BOOST_TEST(nfc("\u1112\u1161\u11AB") == "\uD55C");
  BOOST_TEST(nfc("\uAC00\u11A8") == "\uAC01");
  BOOST_TEST(nfc("\u0301x") == "\u0301x");  // a mark without a base character
  BOOST_TEST(nfc("\U00011099\U000110BA") == "\U0001109A");
}

BOOST_AUTO_TEST_CASE(every_character_is_normal_after_one_pass_and_all_bytes_are_accounted_for) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c == 0xD800) c = 0xE000;
    const std::string text = "x" + utf8_of(c) + "\u0323\u0301";
    const NfcText once(text);
    bool fine =
        nfc(once.text()) == once.text() && once.original_bytes(0) == 0 && once.original_bytes(once.text().size()) == text.size();
    for (std::size_t i = 1; i <= once.text().size(); ++i) fine = fine && once.original_bytes(i) >= once.original_bytes(i - 1);
    if (!fine) BOOST_TEST(fine, fmt::format("U+{:04X}", static_cast<std::uint32_t>(c)));
  }
}

BOOST_AUTO_TEST_CASE(hostile_texts_end_soon_and_keep_their_bytes) {
  std::string marks = "e";
  for (int i = 0; i < 200'000; ++i) marks += i % 2 == 0 ? "\u0301" : "\u0323";
  const NfcText many(marks);
  BOOST_TEST(many.text().starts_with("\u1EB9"));
  BOOST_TEST(many.original_bytes(many.text().size()) == marks.size());
  BOOST_TEST(nfc("\xFF\xC3(\xE2\x82") == "\xFF\xC3(\xE2\x82");  // invalid UTF-8 is left unchanged
}

BOOST_AUTO_TEST_SUITE_END()
