#include "lab/portrait/domain_colouring.h"

#include <algorithm>
#include <cmath>

namespace argand {
namespace {

using Linear = std::array<double, 3>;

constexpr double red_hue = 0.51;  // the OKLCH hue of sRGB's red, 29 degrees

/// Linear sRGB, possibly outside [0, 1]. The matrices are Ottosson's.
Linear linear_rgb(const Oklch& colour) {
  const double a = colour.chroma * std::cos(colour.hue), b = colour.chroma * std::sin(colour.hue);
  const double l = std::pow(colour.lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(colour.lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(colour.lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

/// Whether sRGB can show the colour, with a tolerance of about one step of eight bits, so that the corners of the gamut pass.
bool is_in_gamut(const Linear& rgb) {
  return std::all_of(rgb.begin(), rgb.end(), [](double c) { return c >= -1e-4 && c <= 1.002; });
}

std::uint8_t encoded(double c) {
  const double v = c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(v, 0.0, 1.0)));
}

double decoded(std::uint8_t c) {
  const double v = c / 255.0;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

}  // namespace

Rgb to_rgb(const Oklch& colour) {
  double low = 0, high = 0.4;  // no colour of sRGB has more chroma
  for (int i = 0; i < 14; ++i) {
    const double middle = (low + high) / 2;
    (is_in_gamut(linear_rgb({colour.lightness, middle, colour.hue})) ? low : high) = middle;
  }
  const Linear rgb = linear_rgb({colour.lightness, std::min(colour.chroma, low), colour.hue});
  return {encoded(rgb[0]), encoded(rgb[1]), encoded(rgb[2])};
}

Oklch to_oklch(const Rgb& colour) {
  const double r = decoded(colour[0]), g = decoded(colour[1]), b = decoded(colour[2]);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const double along_a = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
  const double along_b = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s, std::hypot(along_a, along_b), std::atan2(along_b, along_a)};
}

Rgb domain_colour(std::complex<double> w) {
  if (std::isnan(w.real()) || std::isnan(w.imag())) return {128, 128, 128};
  if (std::isinf(w.real()) || std::isinf(w.imag())) return {255, 255, 255};
  const double modulus = std::abs(w);
  if (modulus == 0) return {0, 0, 0};
  if (std::isinf(modulus)) return {255, 255, 255};
  // Slightly more than log2: a value that should be a power of two but is rounded down, such as |z/|z||, must not end up on the
  // other side of the ring.
  const double octaves = std::log2(modulus) + 1e-9, ring = octaves - std::floor(octaves) - 0.5;  // from -1/2 to 1/2
  // From 0 to 1 as |w| goes from 0 to infinity, 2/3 at |w| = 1; near |w| = 1 roughly linear in log |w|.
  const double level = 2 / (2 + std::pow(modulus, -0.6));
  const double lightness = std::clamp(level + 0.10 * ring * 4 * level * (1 - level), 0.0, 1.0);
  // The largest chroma available to every hue at this lightness; with more, some arguments would look more vivid than others.
  return to_rgb({lightness, std::min(0.169 * lightness, 0.5 * (1 - lightness)), red_hue + std::arg(w)});
}

}  // namespace argand
