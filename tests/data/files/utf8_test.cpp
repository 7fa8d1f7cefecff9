#include "data/files/utf8.h"

#include <boost/test/unit_test.hpp>

using namespace argand;

BOOST_AUTO_TEST_SUITE(utf8)

BOOST_AUTO_TEST_CASE(on_one_line_removes_line_ends) {
  BOOST_TEST(on_one_line("") == "");
  BOOST_TEST(on_one_line("f(z) = z²·ℂ 𝛿") == "f(z) = z²·ℂ 𝛿");
  BOOST_TEST(on_one_line("a\nb\r\nc\td\ve\ff") == "a b  c d e f");
  BOOST_TEST(on_one_line(std::string("\0\x1b\x7f", 3)) == "   ");
  BOOST_TEST(on_one_line("a\u0085\u009f\u00a0b") == "a  \u00a0b");
  BOOST_TEST(on_one_line("a\u2028b\u2029c") == "a b c");
  BOOST_TEST(on_one_line("\xff\xc0\xaf\xe2\x80") == "\ufffd\ufffd\ufffd\ufffd\ufffd");
}

BOOST_AUTO_TEST_CASE(in_quotes_escapes_what_is_invisible) {
  BOOST_TEST(in_quotes("z = é·ℂ") == "\"z = é·ℂ\"");
  BOOST_TEST(in_quotes("a\nb\x7f") == "\"a\\x0ab\\x7f\"");
  BOOST_TEST(in_quotes("a\u202eb\u2067\u200e\u2028") == "\"a\\xe2\\x80\\xaeb\\xe2\\x81\\xa7\\xe2\\x80\\x8e\\xe2\\x80\\xa8\"");
  BOOST_TEST(in_quotes("\xff") == "\"\\xff\"");
  BOOST_TEST(in_quotes(std::string(64, 'x')) == '"' + std::string(64, 'x') + '"');
  BOOST_TEST(in_quotes(std::string(65, 'x')) == '"' + std::string(64, 'x') + "…\"");
}

BOOST_AUTO_TEST_SUITE_END()
