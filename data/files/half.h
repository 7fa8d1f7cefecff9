#pragma once
/// Two-byte floating-point formats used in files.

#include <bit>
#include <cstdint>

namespace argand {

/// Converts IEEE half precision to single precision.
inline float from_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16, exponent = half >> 10 & 0x1FU, fraction = half & 0x3FFU;
  if (exponent == 0) {  // zero or subnormal: fraction · 2^-24
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 0x1F ? 0xFF : exponent + (127 - 15);
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

/// bfloat16 is the upper half of a float.
inline float from_bfloat(std::uint16_t b) { return std::bit_cast<float>(std::uint32_t{b} << 16); }

}  // namespace argand
