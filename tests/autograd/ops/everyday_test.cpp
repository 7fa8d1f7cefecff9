/// The everyday ops: their values, including at the edges of their domains, and their error messages. Gradients are checked
/// together with those of every op (gradcheck_ops_test.cpp); only functions composed of several ops have theirs checked here.

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numbers>

#include "autograd/gradcheck.h"
#include "autograd/op_check.h"
#include "autograd/ops.h"
#include "autograd/tape.h"
#include "tests/error_text.h"

BOOST_AUTO_TEST_SUITE(everyday_ops)

using namespace argand;
using C = std::complex<double>;

namespace {

Var<double> reals(const Shape& shape, std::initializer_list<double> values) { return variable(Tensor<double>(shape, values)); }
Var<double> counted(const Shape& shape) {
  Tensor<double> x(shape);
  for (std::int64_t k = 0; k < x.size(); ++k) x.data()[k] = static_cast<double>(k);
  return variable(x);
}
template <Scalar T>
void same_numbers(const Var<T>& x, const Shape& shape, std::initializer_list<T> values) {
  BOOST_TEST(x.shape().str() == shape.str());
  BOOST_TEST(std::vector<T>(x.value().begin(), x.value().end()) == std::vector<T>(values), boost::test_tools::per_element());
}

/// Checks the gradient of a function composed of several ops against finite differences.
template <class F, class... In>
void passes(const char* name, const F& f, const In&... inputs) {
  const Report result = gradcheck(GradcheckOptions{.name = name}, f, inputs...);
  BOOST_TEST(result.ok(), report_text(result));
  BOOST_TEST(result.worst_error() < 1e-8);
}

}  // namespace

BOOST_AUTO_TEST_CASE(masks) {
  const Tensor<double> x({2, 2}, {1, -1, 0, NAN});
  const Mask positive = gt(x, Tensor<double>::scalar(0));
  BOOST_TEST(positive.count() == 1);
  BOOST_TEST(positive[0]);
  BOOST_TEST((!positive).count() == 3);
  BOOST_TEST(isnan(x).count() == 1);
  BOOST_TEST((positive | isnan(x)).count() == 2);
  BOOST_TEST((ge(x, Tensor<double>::scalar(0)) & le(x, Tensor<double>::scalar(0))).count() == 1);
  BOOST_TEST(Mask({2, 1}, {1, 0}).expand({2, 3}).count() == 3);
  BOOST_TEST(error_of([] { Mask({2}, {1, 0, 1}); }) == "mask: got 3 values for shape [2]");
  BOOST_TEST(error_of([] { Mask({2}, {1, 0}).expand({3}); }) == "mask: shapes cannot be broadcast together: [2] and [3]");
  BOOST_TEST(error_of([] { return Mask({2}, {1, 0}) & Mask({1}, {1}); }) == "&: masks must have the same shape, got [2] and [1]");
}

BOOST_AUTO_TEST_CASE(where_ignores_what_it_does_not_choose) {
  const Var<double> x = reals({3}, {4, 0, 1});
  const Var<double> y = where(gt(x.value(), Tensor<double>::scalar(0)), sqrt(x), number(-1.0));
  same_numbers(y, {3}, {2.0, -1.0, 1.0});
  backward(sum(y));
  same_numbers(constant(x.grad()), {3}, {0.25, 0.0, 0.5});
  same_numbers(masked_fill(counted({3}), Mask({3}, {0, 1, 0}), 9.0), {3}, {0.0, 9.0, 2.0});
  same_numbers(where(Mask({2}, {1, 0}), number(1.0), number(C(0, 1))), {2}, {C(1, 0), C(0, 1)});
  BOOST_TEST(error_of([] {
               where(Mask({2}, {1, 0}), counted({3}), counted({3}));
             }) == "where: shapes cannot be broadcast together: [2] and [3]");
}

BOOST_AUTO_TEST_CASE(maximum_minimum_and_clamp) {
  const Var<double> a = reals({4}, {1, 5, 2, NAN}), b = reals({4}, {3, 5, -2, 0});
  const Var<double> most = maximum(a, b), least = minimum(b, a);
  BOOST_TEST(most.value()(0) == 3);
  BOOST_TEST(least.value()(2) == -2);
  BOOST_TEST(std::isnan(most.value()(3)));
  BOOST_TEST(std::isnan(least.value()(3)));
  backward(sum(slice(most, 0, 0, 3)));
  // Where a and b are equal, a gets the gradient.
  same_numbers(constant(slice(constant(a.grad()), 0, 0, 3).value()), {3}, {0.0, 1.0, 1.0});
  same_numbers(clamp(reals({3}, {-2, 0.5, 2}), -1.0, 1.0), {3}, {-1.0, 0.5, 1.0});
  BOOST_TEST(error_of([] { clamp(counted({1}), 2.0, 1.0); }) == "clamp: low 2 is above high 1");
}

BOOST_AUTO_TEST_CASE(rearrangements) {
  const Var<double> x = counted({2, 3});
  same_numbers(flip(x, {0, -1}), {2, 3}, {5.0, 4.0, 3.0, 2.0, 1.0, 0.0});
  same_numbers(roll(x, 1, 1), {2, 3}, {2.0, 0.0, 1.0, 5.0, 3.0, 4.0});
  same_numbers(roll(x, -7, 1), {2, 3}, {1.0, 2.0, 0.0, 4.0, 5.0, 3.0});
  same_numbers(stack(std::vector{x, x}, -1), {2, 3, 2}, {0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 5.0, 5.0});
  BOOST_TEST(stack(std::vector{x, x}).shape().str() == "[2, 2, 3]");
  const auto parts = split(x, 2, 1);
  BOOST_TEST(parts.size() == 2U);
  same_numbers(parts[1], {2, 1}, {2.0, 5.0});
  same_numbers(split(x, {1, 2}, -1)[1], {2, 2}, {1.0, 2.0, 4.0, 5.0});
  same_numbers(diagonal(x), {2}, {0.0, 4.0});
  same_numbers(diagonal(x, 1), {2}, {1.0, 5.0});
  same_numbers(diagonal(x, -1), {1}, {3.0});
  BOOST_TEST(diagonal(x, 5).size() == 0);
  same_numbers(diagonal(counted({2, 2, 2}), 0, 0, 2), {2, 2}, {0.0, 5.0, 2.0, 7.0});
  same_numbers(diag_embed(counted({2}) + 1.0), {2, 2}, {1.0, 0.0, 0.0, 2.0});
  same_numbers(diag_embed(counted({2}) + 1.0, 1), {3, 3}, {0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0});
  same_numbers(diag_embed(counted({2}) + 1.0, -1), {3, 3}, {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0});
  same_numbers(trace(counted({2, 2, 2})), {2}, {3.0, 11.0});
  same_numbers(outer(reals({2}, {1, 2}), reals({2}, {3, 4})), {2, 2}, {3.0, 4.0, 6.0, 8.0});
  same_numbers(kron(reals({1, 2}, {1, 2}), reals({2, 1}, {3, 4})), {2, 2}, {3.0, 6.0, 4.0, 8.0});
  same_numbers(expand(reals({2, 1}, {1, 2}), {2, 2, 2}), {2, 2, 2}, {1.0, 1.0, 2.0, 2.0, 1.0, 1.0, 2.0, 2.0});
}

BOOST_AUTO_TEST_CASE(padding) {
  const Var<double> x = counted({3});
  same_numbers(pad(x, {1, 2}, PadMode::Constant, 9.0), {6}, {9.0, 0.0, 1.0, 2.0, 9.0, 9.0});
  same_numbers(pad(x, {-1, 1}), {3}, {1.0, 2.0, 0.0});
  same_numbers(pad(x, {2, 1}, PadMode::Reflect), {6}, {2.0, 1.0, 0.0, 1.0, 2.0, 1.0});
  same_numbers(pad(x, {2, 1}, PadMode::Replicate), {6}, {0.0, 0.0, 0.0, 1.0, 2.0, 2.0});
  same_numbers(pad(x, {2, 1}, PadMode::Circular), {6}, {1.0, 2.0, 0.0, 1.0, 2.0, 0.0});
  same_numbers(pad(counted({1, 2}), {0, 0, 1, 0}), {2, 2}, {0.0, 0.0, 0.0, 1.0});
}

BOOST_AUTO_TEST_CASE(scans_and_zeros_among_factors) {
  same_numbers(cumsum(counted({2, 3}), 0), {2, 3}, {0.0, 1.0, 2.0, 3.0, 5.0, 7.0});
  same_numbers(cumprod(reals({4}, {1, 2, 3, 4}), 0), {4}, {1.0, 2.0, 6.0, 24.0});
  BOOST_TEST(prod(reals({2, 2}, {1, 2, 3, 4})).value().item() == 24);
  same_numbers(prod(reals({2, 2}, {1, 2, 3, 4}), 0, true), {1, 2}, {3.0, 8.0});
  BOOST_TEST(prod(counted({0})).value().item() == 1);
  same_numbers(linear_recurrence(reals({3}, {9, 2, 3}), reals({3}, {1, 1, 1}), 0), {3}, {1.0, 3.0, 10.0});

  const Var<double> one = reals({4}, {2, 0, 3, -1}), two = reals({4}, {2, 0, 3, 0});
  backward(prod(one) + prod(two));
  same_numbers(constant(one.grad()), {4}, {0.0, -6.0, 0.0, 0.0});
  same_numbers(constant(two.grad()), {4}, {0.0, 0.0, 0.0, 0.0});
  const auto f = [](const auto& x) { return cumprod(x, 0); };
  passes("one zero", f, Tensor<double>({4}, {2, 0, 3, -1}));
  passes("two zeros", f, Tensor<double>({5}, {2, 0, 3, 0, 1}));
  passes("a complex zero", f, Tensor<C>({4}, {{1, 2}, {0, 0}, {0, -1}, {3, 1}}));
}

BOOST_AUTO_TEST_CASE(norms) {
  const Var<C> z = variable(Tensor<C>({2}, {{3, 4}, {0, 12}}));
  BOOST_TEST(vector_norm(z).value().item() == 13, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(vector_norm(z, 1.0, 0).value().item() == 17, boost::test_tools::tolerance(1e-15));
  const double infinity = std::numeric_limits<double>::infinity();
  BOOST_TEST(vector_norm(z, infinity).value().item() == 12);
  BOOST_TEST(vector_norm(reals({3}, {1, 8, 27}), 1.0 / 3).value().item() == 216, boost::test_tools::tolerance(1e-13));
  BOOST_TEST(vector_norm(reals({2}, {3e200, 4e200})).value().item() == 5e200, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(vector_norm(reals({2}, {3e-200, 4e-200}), 3.0).value().item() > 4e-200);
  BOOST_TEST(std::isnan(vector_norm(reals({2}, {NAN, infinity})).value().item()));
  // The quotient of the two elements is beyond the range of the type, but the root of the quotient is not.
  const Var<double> ends = variable(Tensor<double>({2}, {1e-300, 1e300}));
  backward(vector_norm(ends, 0.5));
  BOOST_TEST(ends.grad()(0) == 1e300, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(ends.grad()(1) == 1);
  BOOST_TEST(error_of([&] { vector_norm(z, -1.0); }) == "vector_norm: p must be -inf or at least 0, got -1");
}

BOOST_AUTO_TEST_CASE(extremes_and_log_softmax) {
  BOOST_TEST(max(counted({2, 3})).value().item() == 5);
  same_numbers(min(reals({2, 2}, {3, 1, 0, 2}), 1), {2}, {1.0, 0.0});
  BOOST_TEST(error_of([] { min(counted({0})); }) == "min: axis 0 of [0] is empty");
  const Var<double> y = log_softmax(reals({2}, {0, 1000}));
  same_numbers(y, {2}, {-1000.0, 0.0});
  const double infinity = std::numeric_limits<double>::infinity();
  same_numbers(log_softmax(reals({2}, {-infinity, -infinity})), {2}, {-infinity, -infinity});
}

BOOST_AUTO_TEST_CASE(functions_on_their_cuts) {
  const auto at = [](auto f, C z) { return f(Var<C>(Tensor<C>::scalar(z))).value().item(); };
  const auto asin_of = [](const Var<C>& z) { return asin(z); };
  const auto acosh_of = [](const Var<C>& z) { return acosh(z); };
  BOOST_TEST(at(asin_of, {2, 0.0}).imag() == std::acosh(2.0), boost::test_tools::tolerance(1e-15));
  BOOST_TEST(at(asin_of, {2, -0.0}).imag() == -std::acosh(2.0), boost::test_tools::tolerance(1e-15));
  BOOST_TEST(at(acosh_of, {-2, 0.0}).imag() == std::numbers::pi, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(std::isnan(asin(number(2.0)).value().item()));
  // On the branch cut, the gradient belongs to the same side as the value.
  for (const double side : {0.0, -0.0}) {
    const Var<C> z = variable(Tensor<C>::scalar({2, side}));
    backward(imag(asin(z)));
    BOOST_TEST(z.grad().item().real() == (std::signbit(side) ? -1 : 1) / std::sqrt(3.0), boost::test_tools::tolerance(1e-14));
  }
}

BOOST_AUTO_TEST_CASE(the_product_of_nothing_has_a_gradient) {
  for (const Shape& shape : {Shape{0}, Shape{0, 3}, Shape{3, 0}}) {
    const auto x = variable(Tensor<double>::zeros(shape));
    const auto y = prod(x);
    BOOST_TEST(y.value().item() == 1);
    backward(y);
    BOOST_TEST(x.grad().shape() == shape);
    backward(sum(prod(x, 0)));
    BOOST_TEST(x.grad().shape() == shape);
  }
  const auto z = variable(Tensor<std::complex<float>>::zeros({2, 0}));
  const auto w = prod(z, -1, true);
  BOOST_TEST(w.shape() == Shape({2, 1}));
  backward(sum(real(w)));
  BOOST_TEST(z.grad().size() == 0);
}

BOOST_AUTO_TEST_CASE(sinc_far_from_zero) {
  constexpr double pi = std::numbers::pi, eps = std::numeric_limits<double>::epsilon();
  // Halfway between whole numbers cos πz is 0, so sinc' = -sinc/z; at whole numbers sin πz is 0, so sinc' = ±1/z.
  for (const double n : {5.0, 170.0, 1e6, 1e15}) {
    const auto x = variable(Tensor<double>({3}, {n - 0.5, n, n + 1}));
    const auto y = sinc(x);
    backward(sum(y));
    const double half = n - 0.5, sign = std::fmod(n, 2) == 0 ? 1 : -1;
    BOOST_TEST(std::abs(y.value()(0) * -sign * pi * half - 1) < 4 * eps);
    BOOST_TEST(std::abs(x.grad()(0) * sign * pi * half * half - 1) < 4 * eps);
    BOOST_TEST(y.value()(1) == 0);
    BOOST_TEST(std::abs(x.grad()(1) * sign * n - 1) < 4 * eps);
    BOOST_TEST(std::abs(x.grad()(2) * -sign * (n + 1) - 1) < 4 * eps);
  }
  // sinc(iy) = sinh(πy)/(πy); e^πy loses as many digits as πy has before the decimal point.
  const auto z = variable(Tensor<std::complex<double>>({1}, {{0, 100}}));
  const auto w = sinc(z);
  BOOST_TEST(w.value()(0).imag() == 0);
  BOOST_TEST(std::abs(w.value()(0).real() / 4.3596890603041887e133 - 1) < 8 * eps);
}

BOOST_AUTO_TEST_CASE(sinc_at_zero_has_all_its_derivatives) {
  BOOST_TEST(sinc(number(0.0)).value().item() == 1);
  BOOST_TEST(std::abs(sinc(number(3.0)).value().item()) < 1e-16);
  // The second derivative, by forward mode over backward mode.
  const Var<double> x = variable(Tensor<double>::scalar(0));
  const ParameterList<double> parameters = {{"x", x}};
  const auto product = hvp<double>([&] { return sinc(x); }, parameters, {Tensor<double>::scalar(1)});
  BOOST_TEST(std::get<Tensor<double>>(product[0]).item() == -std::numbers::pi * std::numbers::pi / 3,
             boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(powers_of_two_variables) {
  BOOST_TEST(std::abs(pow(number(C(0, 1)), number(C(0, 1))).value().item() - std::exp(-std::numbers::pi / 2)) < 1e-16);
  BOOST_TEST(pow(number(2.0), number(0.5)).value().item() == std::sqrt(2.0));
  const Var<double> z = variable(Tensor<double>({3}, {0, 0, -2})), p = variable(Tensor<double>({3}, {2, 1, 3}));
  backward(sum(pow(z, p)));
  same_numbers(constant(z.grad()), {3}, {0.0, 1.0, 12.0});
  BOOST_TEST(p.grad()(0) == 0);
  BOOST_TEST(std::isnan(p.grad()(2)));  // (-2)^p is defined for whole p only
  BOOST_TEST(error_of([&] { pow(z, number(1.0) + counted({2})); }) == "pow: shapes cannot be broadcast together: [3] and [2]");
}

BOOST_AUTO_TEST_CASE(gamma_functions) {
  BOOST_TEST(lgamma(number(5.0)).value().item() == std::log(24.0), boost::test_tools::tolerance(1e-15));
  BOOST_TEST(digamma(number(1.0)).value().item() == -std::numbers::egamma, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(polygamma(1, number(1.0)).value().item() == std::numbers::pi * std::numbers::pi / 6,
             boost::test_tools::tolerance(1e-14));
  const Var<double> pole = variable(Tensor<double>({2}, {0, -3}));
  const Var<double> y = lgamma(pole);
  BOOST_TEST(std::isinf(y.value()(1)));
  backward(sum(y));
  same_numbers(constant(pole.grad()), {2}, {0.0, 0.0});
  BOOST_TEST(erfc(number(10.0)).value().item() > 2e-45);
  BOOST_TEST(error_of([] { polygamma(-1, number(1.0)); }) == "polygamma: the order must be at least 0, got -1");
}

BOOST_AUTO_TEST_CASE(gradients_of_functions_composed_of_ops) {
  OpCheck x;
  passes(
      "stack",
      [](auto a, auto b) {
        return stack(std::vector{a, b}, 1);
      },
      x.complex({2, 3}), x.complex({2, 3}));
  passes(
      "split", [](auto a) { return split(a, 2, 1)[1]; }, x.complex({2, 5}));
  passes(
      "diagonal", [](auto a) { return diagonal(a, 1, 0, -1); }, x.complex({3, 2, 4}));
  passes(
      "diag_embed", [](auto a) { return diag_embed(a, -2); }, x.complex({2, 3}));
  passes(
      "trace", [](auto a) { return trace(a); }, x.complex({2, 3, 3}));
  passes(
      "outer", [](auto a, auto b) { return outer(a, b); }, x.real({3}), x.complex({2}));
  passes(
      "kron", [](auto a, auto b) { return kron(a, b); }, x.complex({2, 3}), x.complex({3, 2}));
  passes(
      "flip",
      [](auto a) {
        return flip(a, {0, 1});
      },
      x.complex({2, 3}));
  passes(
      "roll", [](auto a) { return roll(a, 2, 1); }, x.complex({2, 5}));
  for (const PadMode mode : {PadMode::Constant, PadMode::Reflect, PadMode::Replicate, PadMode::Circular})
    passes(
        "pad",
        [mode](auto a) {
          return pad(a, {2, 1, 1, 0}, mode);
        },
        x.complex({2, 3}));
  passes(
      "prod", [](auto a) { return prod(a, 0); }, x.complex({3, 2}));
  passes(
      "maximum", [](auto a, auto b) { return maximum(a, b); }, x.real({5}), x.real({5}));
  passes(
      "vector_norm, p = ∞", [](auto a) { return vector_norm(a, INFINITY, 0); }, x.complex({3, 2}));
}

BOOST_AUTO_TEST_CASE(invalid_arguments_are_reported_in_one_line) {
  const Var<double> x = counted({2, 3});
  BOOST_TEST(error_of([&] { expand(x, {4}); }) == "expand: [2, 3] cannot be expanded to [4]");
  BOOST_TEST(error_of([&] { index_select(x, 1, {0, 3}); }) == "index_select: index 3 is out of range for axis 1 of [2, 3]");
  BOOST_TEST(error_of([&] { pad(x, {1}); }) ==
             "pad: got 1 sizes for [2, 3]; give {before, after} pairs, starting from the last axis");
  BOOST_TEST(error_of([&] {
               pad(x, {3, 0}, PadMode::Reflect);
             }) == "pad: padding 3 and 0 is out of range for axis 1 of [2, 3]; this mode allows at most 2");
  BOOST_TEST(error_of([&] { pad(x, {-2, -2}); }) == "pad: padding -2 and -2 removes more elements than axis 1 of [2, 3] has");
  BOOST_TEST(error_of([&] { stack(std::vector{x, counted({2})}); }) == "stack: shapes do not match: [2, 3] and [2]");
  BOOST_TEST(error_of([&] { stack(std::vector{x}, 3); }) == "stack: new axis 3 is out of range for a result with 3 axes");
  BOOST_TEST(error_of([&] { split(x, {1, 1}, 1); }) == "split: sizes add up to 2, which does not match axis 1 of [2, 3]");
  BOOST_TEST(error_of([&] { split(x, 0, 1); }) == "split: parts must have a size of at least 1, got 0");
  BOOST_TEST(error_of([&] { diagonal(x, 0, 1, -1); }) == "diagonal: needs two different axes, got axis 1 of [2, 3] twice");
  BOOST_TEST(error_of([&] { trace(counted({2})); }) == "trace: expects a matrix, got [2]");
  BOOST_TEST(error_of([&] { outer(x, x); }) == "outer: expects vectors, got [2, 3] and [2, 3]");
  BOOST_TEST(error_of([&] { kron(x, counted({2})); }) == "kron: expects tensors of equal rank, at most 4, got [2, 3] and [2]");
  BOOST_TEST(error_of([&] { linear_recurrence(x, counted({2}), 0); }) ==
             "linear_recurrence: a and b must have the same shape, got [2, 3] and [2]");
}

BOOST_AUTO_TEST_SUITE_END()
