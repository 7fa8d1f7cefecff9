#include "core/machine/number.h"

#include <fmt/format.h>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <random>
#include <string>

using namespace argand;

BOOST_AUTO_TEST_SUITE(number)

namespace {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// Both readers must agree on the bits of the value, on where it ends, and on the error. Compares nothing where the standard
/// library has no reader (libc++ before 20).
template <class T>
void compare(const std::string& text) {
  T ours = T(-7), theirs = T(-7);
  const char *first = text.data(), *last = first + text.size();
  const auto a = decimal_from(first, last, ours);
  if constexpr (requires { std::from_chars(first, last, theirs); }) {
    const auto b = std::from_chars(first, last, theirs);
    BOOST_TEST((a.ec == b.ec && a.ptr == b.ptr), "'" << text << "': the readers differ in the end or the error");
    BOOST_TEST(std::bit_cast<Bits<T>>(ours) == std::bit_cast<Bits<T>>(theirs), "'" << text << "': " << ours << " and " << theirs);
  }
}

/// The text of a number must be read back as the same bits.
template <class T>
void read_back(T x, const std::string& text) {
  T read = T(-7);
  const auto result = decimal_from(text.data(), text.data() + text.size(), read);
  BOOST_TEST((result.ec == std::errc() && result.ptr == text.data() + text.size()), "'" << text << "' is not read to its end");
  BOOST_TEST(std::bit_cast<Bits<T>>(read) == std::bit_cast<Bits<T>>(x), "'" << text << "' is read as " << read);
  compare<T>(text);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_reader_for_old_libraries_agrees_with_the_standard_one) {
  for (const char* text : {"",        "-",
                           ".",       "-.",
                           "e5",      "0",
                           "-0",      "1",
                           "1.",      ".5",
                           "-.5",     "1.5e",
                           "1.5e+",   "1.5e-3x",
                           "1e5i",    "1e400",
                           "-1e400",  "1e-400",
                           "1e-310",  "+1",
                           " 1",      "0x10",
                           "1,5",     "inf",
                           "-inf",    "INFINITY",
                           "infinit", "in",
                           "nan",     "-nan",
                           "NaN7",    "1e99999999999",
                           "--1",     "123456789012345678901234567890",
                           "0.1",     "3.4028236e38",
                           "1e-46",   "2.2250738585072011e-308",
                           "1..2",    "1.e3"}) {
    compare<double>(text);
    compare<float>(text);
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const double x = std::bit_cast<double>(random());
    if (x == x) read_back(x, fmt::format("{}", x));
    const float y = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (y == y) read_back(y, fmt::format("{:.9g}", y));
    std::string text;  // random text made of characters that occur in numbers
    for (auto bits = random(); bits != 0 && text.size() < 9; bits >>= 4) text += "0123456789.-+eEi"[bits & 15];
    compare<double>(text);
  }
}

BOOST_AUTO_TEST_SUITE_END()
