#pragma once
/// std::from_chars for all numbers: libc++ supports floating point only since version 20.

#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

namespace argand {

/// std::from_chars, implemented with strtod: finds where the number ends (strtod also accepts blanks, plus signs and hexadecimal)
/// and lets the C library compute the value, in the C locale.
template <std::floating_point T>
std::from_chars_result decimal_from(const char* first, const char* last, T& value) {
  const auto digits = [last](const char* at) {
    while (at != last && *at >= '0' && *at <= '9') ++at;
    return at;
  };
  const auto word = [last](const char* at, std::string_view lower) {
    for (const char letter : lower)
      if (at == last || std::tolower(static_cast<unsigned char>(*at++)) != letter) return false;
    return true;
  };
  const bool negative = first != last && *first == '-';
  const char* const begin = first + (negative ? 1 : 0);
  if (word(begin, "nan")) {
    value = negative ? -std::numeric_limits<T>::quiet_NaN() : std::numeric_limits<T>::quiet_NaN();
    return {begin + 3, std::errc()};
  }
  if (word(begin, "inf")) {
    value = negative ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
    return {begin + (word(begin, "infinity") ? 8 : 3), std::errc()};
  }
  const char* end = digits(begin);
  bool any = end != begin;
  if (end != last && *end == '.') {
    const char* fraction = digits(end + 1);
    any = any || fraction != end + 1;
    if (any) end = fraction;
  }
  if (!any) return {first, std::errc::invalid_argument};
  if (end != last && (*end == 'e' || *end == 'E')) {
    const char* power = end + 1;
    if (power != last && (*power == '+' || *power == '-')) ++power;
    if (digits(power) != power) end = digits(power);
  }
  const std::string text(first, end);
  errno = 0;
  T read;
  if constexpr (sizeof(T) == sizeof(float))
    read = std::strtof(text.c_str(), nullptr);
  else
    read = static_cast<T>(std::strtod(text.c_str(), nullptr));
  if (errno == ERANGE && (std::isinf(read) || read == 0)) return {end, std::errc::result_out_of_range};
  value = read;
  return {end, std::errc()};
}

/// Reads the number at the beginning of [first, last) as std::from_chars does.
template <class T>
std::from_chars_result number_from(const char* first, const char* last, T& value) {
#if defined(_LIBCPP_VERSION) && (_LIBCPP_VERSION < 200000 || defined(__APPLE__))  // a Mac's library may be older than its headers
  if constexpr (std::floating_point<T>)
    return decimal_from(first, last, value);
  else
#endif
    return std::from_chars(first, last, value);
}

}  // namespace argand
