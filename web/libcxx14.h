#pragma once
/// Included before everything else when Emscripten compiles: two functions of C++20 and C++17 that its libc++ 14 lacks.

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

namespace std {

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

/// Of a number in decimal: 2, 1.5e-3, .5. What strtod would take beyond that (hexadecimal, "inf") ends before it.
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  const auto digits = [last](const char* at) {
    while (at != last && *at >= '0' && *at <= '9') ++at;
    return at;
  };
  const char* end = digits(first);
  bool any = end != first;
  if (end != last && *end == '.') {
    const char* fraction = digits(end + 1);
    any = any || fraction != end + 1;
    end = fraction;
  }
  if (!any) return {first, errc::invalid_argument};
  if (end != last && (*end == 'e' || *end == 'E')) {
    const char* power = end + 1;
    if (power != last && (*power == '+' || *power == '-')) ++power;
    if (digits(power) != power) end = digits(power);
  }
  errno = 0;
  const double read = strtod(string(first, end).c_str(), nullptr);
  if (errno == ERANGE && (isinf(read) || read == 0)) return {end, errc::result_out_of_range};
  value = read;
  return {end, errc()};
}

}  // namespace std
