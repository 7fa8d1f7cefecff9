#include "lab/portrait/domain_colouring.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <numbers>

using namespace argand;

BOOST_AUTO_TEST_SUITE(domain_colouring)

using C = std::complex<double>;

namespace {

/// The angle in (-π, π].
double wrapped(double angle) { return std::remainder(angle, 2 * std::numbers::pi); }

double hue(C w) { return to_oklch(domain_colour(w)).hue; }
double lightness(C w) { return to_oklch(domain_colour(w)).lightness; }

}  // namespace

BOOST_AUTO_TEST_CASE(known_colours) {
  BOOST_TEST((to_rgb({0, 0, 0}) == Rgb{0, 0, 0}));
  BOOST_TEST((to_rgb({1, 0, 0}) == Rgb{255, 255, 255}));
  // The primaries of sRGB in Oklch, from Ottosson's page.
  BOOST_TEST((to_rgb({0.62796, 0.25768, 29.2339 * std::numbers::pi / 180}) == Rgb{255, 0, 0}));
  for (const Rgb& rgb : {Rgb{255, 0, 0}, Rgb{12, 200, 99}, Rgb{1, 2, 250}, Rgb{77, 77, 78}}) {
    const Rgb again = to_rgb(to_oklch(rgb));
    for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(std::abs(again[i] - rgb[i]) <= 1);
  }
}

BOOST_AUTO_TEST_CASE(hue_is_the_argument) {
  const double red = to_oklch({255, 0, 0}).hue;
  for (double modulus : {0.3, 1.0, 1.7, 9.0})
    for (int k = -17; k <= 18; ++k) {
      const double phi = k * std::numbers::pi / 18;
      BOOST_TEST(std::abs(wrapped(hue(std::polar(modulus, phi)) - red - phi)) < 0.06);
    }
  const Rgb positive = domain_colour(1);
  BOOST_TEST(positive[0] > positive[1] + 50);
  BOOST_TEST(positive[0] > positive[2] + 50);
  // Colours are continuous across the cut of arg.
  const Rgb above = domain_colour(C(-1, 1e-9)), below = domain_colour(C(-1, -1e-9));
  BOOST_TEST((above == below));
}

BOOST_AUTO_TEST_CASE(lightness_does_not_depend_on_the_argument) {
  for (double modulus : {0.2, 1.0, 3.0})
    for (int k = 0; k < 36; ++k)
      BOOST_TEST(std::abs(lightness(std::polar(modulus, k * std::numbers::pi / 18)) - lightness(modulus)) < 0.006);
}

BOOST_AUTO_TEST_CASE(lightness_is_the_modulus_with_a_ring_at_every_power_of_two) {
  for (int k = -4; k <= 4; ++k) {
    const double ring = std::exp2(k);
    BOOST_TEST(lightness(ring * 0.999) > lightness(ring * 1.001) + 0.03);
    double before = 0;
    for (double octave = 0.01; octave < 1; octave += 0.07) {  // the lightness increases between two rings
      BOOST_TEST(lightness(ring * std::exp2(octave)) >= before - 0.004);
      before = lightness(ring * std::exp2(octave));
    }
    BOOST_TEST(lightness(C(0, ring * 2 * 1.001)) > lightness(C(0, ring * 1.001)) + 0.02);  // and it increases from ring to ring
  }
}

BOOST_AUTO_TEST_CASE(the_ends_of_the_plane) {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  BOOST_TEST((domain_colour(0) == Rgb{0, 0, 0}));
  BOOST_TEST((domain_colour(C(inf, 1)) == Rgb{255, 255, 255}));
  BOOST_TEST((domain_colour(C(0, -inf)) == Rgb{255, 255, 255}));
  BOOST_TEST((domain_colour(C(nan, 1)) == Rgb{128, 128, 128}));
  BOOST_TEST(lightness(1e-9) < 0.1);
  BOOST_TEST(lightness(1e9) > 0.98);
  BOOST_TEST(domain_colour(C(1e308, 1e308))[1] > 250);  // the modulus overflows, but the number is finite
}

BOOST_AUTO_TEST_SUITE_END()
