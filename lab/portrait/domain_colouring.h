#pragma once
/// Domain colouring: a colour for every complex number, so that a picture of f shows its value at every point. (Wegert, "Visual
/// Complex Functions", 2012.) Colours are chosen in OKLCH, whose hue, chroma and lightness match perception (Ottosson, "A
/// perceptual color space for image processing", 2020), so no argument looks brighter than another.

#include <array>
#include <complex>
#include <cstdint>

namespace argand {

using Rgb = std::array<std::uint8_t, 3>;

/// OKLCH: lightness in [0, 1], chroma, hue in radians.
struct Oklch {
  double lightness, chroma, hue;
};

/// The hue shows arg w: positive numbers are red, and colours follow the rainbow as the argument grows. The lightness shows |w|:
/// black at 0, white at infinity, 2/3 of the way up at |w| = 1; in addition it rises slightly from each power of two to the next
/// and drops back, which draws the rings |w| = 2^k. NaN is grey.
Rgb domain_colour(std::complex<double> w);

/// Converts to sRGB, reducing the chroma to what sRGB can show at that lightness and hue.
Rgb to_rgb(const Oklch& colour);
/// The inverse conversion, for tests and for measuring pictures.
Oklch to_oklch(const Rgb& colour);

}  // namespace argand
