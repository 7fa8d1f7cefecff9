#include "lab/portrait/portrait_field.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numbers>

#include "tests/apps/program.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(portrait_field_marks)

using C = std::complex<double>;

namespace {

/// Whether the marks of f are exactly these, in any order.
bool marked(const std::string& f, double half, const std::vector<Mark>& expected) {
  const std::vector<Mark> found = portrait_marks(Expression(f), -half, half);
  bool all = found.size() == expected.size();
  for (const Mark& one : expected)
    all = all && std::any_of(found.begin(), found.end(),
                             [&](const Mark& other) { return other.kind == one.kind && std::abs(other.at - one.at) < 1e-5; });
  if (!all)
    for (const Mark& mark : found) BOOST_TEST_MESSAGE(f << ": kind " << static_cast<int>(mark.kind) << " at " << mark.at);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(zeros_poles_and_critical_points_are_found) {
  const C i(0, 1);
  using enum MarkKind;
  BOOST_TEST(marked("abs2(z^2 + 1)", 2, {{Zero, i}, {Zero, -i}, {Minimum, i}, {Minimum, -i}, {Saddle, 0}}));
  BOOST_TEST(marked("z^3 - 3*z", 2.2, {{Zero, 0}, {Zero, std::sqrt(3)}, {Zero, -std::sqrt(3)}, {Saddle, 1}, {Saddle, -1}}));
  BOOST_TEST(marked("1/z", 2, {{Pole, 0}}));
  BOOST_TEST(marked("tanh(z)", 2, {{Zero, 0}, {Pole, std::numbers::pi / 2 * i}, {Pole, -std::numbers::pi / 2 * i}}));
  BOOST_TEST(marked("-abs2(z - 0.3)", 1, {{Zero, 0.3}, {Maximum, 0.3}}));
  BOOST_TEST(marked("z^3", 1, {{Zero, 0}, {Saddle, 0}}));  // a saddle with three ways down
  BOOST_TEST(marked("|z|", 1, {{Zero, 0}}));               // the tip of a cone has no gradient
  BOOST_TEST(marked("sqrt(z)", 1, {{Zero, 0}}));
  BOOST_TEST(marked("z̄", 1, {{Zero, 0}}));
}

BOOST_AUTO_TEST_CASE(curves_and_areas_of_zeros_are_not_marked_as_points) {
  BOOST_TEST(marked("abs2(z) - 1", 2, {{MarkKind::Minimum, 0}}));  // no mark on the circle of zeros
  for (const char* f : {"re(z)", "zrelu(z)", "relu(re(z)) + 0*z", "0*z", "exp(z)", "3"}) BOOST_TEST(marked(f, 2, {}), f);
}

BOOST_AUTO_TEST_CASE(a_path_takes_the_steps_of_its_framework) {
  const Expression f("abs2(z)");  // its gradient is 2 z
  const std::vector<C> down = portrait_path(f, {1, 2}, 0.25, false, 3), beside = portrait_path(f, {1, 2}, 0.25, true, 3);
  BOOST_TEST((down == std::vector<C>{{1, 2}, {0.5, 1}, {0.25, 0.5}, {0.125, 0.25}}));
  BOOST_TEST((beside == std::vector<C>{{1, 2}, {0.5, 3}, {0.25, 4.5}, {0.125, 6.75}}));
  // The path stops at once, since the value overflows.
  BOOST_TEST(portrait_path(Expression("z*1e300"), 1, 1e300, false, 9).size() == 1U);
}

BOOST_AUTO_TEST_CASE(values_are_scaled_by_a_power_of_two_where_most_of_them_are_large_or_small) {
  BOOST_TEST(colour_scale({1, C(0, 2), -3}) == 1);
  BOOST_TEST(colour_scale({C(0, 100), 130, 1e9}) == 128);
  BOOST_TEST(colour_scale({0.01, 0.01, INFINITY, INFINITY}) == 1.0 / 128);
  BOOST_TEST(colour_scale({0, 0, 0, 1}) == 1);
}

BOOST_AUTO_TEST_CASE(a_wrong_path_is_one_line) {
  const TemporaryDirectory scratch;
  const auto error = [&](const std::string& path) {
    const Finished done = run_argand(scratch, "portrait abs2(z) --path " + path + " --out p.png");
    BOOST_TEST(done.code == 2);
    return done.err;
  };
  const std::string should = " must have the form Z,RATE[,argand|pytorch|tensorflow|jax], such as 1+0.5i,0.02,jax\n";
  BOOST_TEST(error("1+i") == "argand: --path: \"1+i\"" + should);
  BOOST_TEST(error("1,fast") == "argand: --path: \"1,fast\"" + should);
  BOOST_TEST(error("1,-0.1") == "argand: --path: requires a positive learning rate, got -0.1\n");
  BOOST_TEST(error("1,0.1,theano") == "argand: --path: requires argand, pytorch, tensorflow or jax, got \"theano\"\n");
}

BOOST_AUTO_TEST_SUITE_END()
