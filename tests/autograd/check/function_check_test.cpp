#include "autograd/check/function/function_check.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "autograd/check/function/part.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(function_check)

using C = std::complex<double>;

namespace {

/// L = Σ |z_k|² with the claimed gradient `gradient(z_k)`; `calls` counts evaluations of L.
DifferentiableFunction energy_with(const std::function<C(C)>& gradient, int* calls = nullptr) {
  const auto value = [calls](const std::vector<AnyTensor>& x) {
    if (calls != nullptr) ++*calls;
    double sum = 0;
    for (const C z : std::get<Tensor<C>>(x[0])) sum += std::norm(z);
    return AnyTensor(Tensor<double>::scalar(sum));
  };
  const auto gradients = [gradient](const std::vector<AnyTensor>& x, std::span<const C> W) {
    ComplexValues g;
    for (const C z : std::get<Tensor<C>>(x[0])) g.push_back(gradient(z) * W[0].real());
    return std::vector<ComplexValues>{g};
  };
  return {value, gradients};
}

Tensor<C> spiral(std::int64_t n) {
  Tensor<C> z({n});
  for (std::int64_t k = 0; k < n; ++k) z.data()[k] = std::polar(1.0 + 0.001 * static_cast<double>(k), static_cast<double>(k));
  return z;
}

/// L = Σ max(x, 0) with the gradient `slope_at_zero` wherever x is 0.
DifferentiableFunction relu_with(double slope_at_zero) {
  const auto value = [](const std::vector<AnyTensor>& x) {
    double sum = 0;
    for (const double t : std::get<Tensor<double>>(x[0])) sum += std::max(t, 0.0);
    return AnyTensor(Tensor<double>::scalar(sum));
  };
  const auto gradients = [slope_at_zero](const std::vector<AnyTensor>& x, std::span<const C> W) {
    ComplexValues g;
    for (const double t : std::get<Tensor<double>>(x[0])) g.push_back((t == 0 ? slope_at_zero : t > 0 ? 1.0 : 0.0) * W[0]);
    return std::vector<ComplexValues>{g};
  };
  return {value, gradients};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_right_gradient_costs_two_directions_however_many_elements_there_are) {
  int few = 0, many = 0;
  BOOST_TEST((check_function(energy_with([](C z) { return 2.0 * z; }, &few), {spiral(3)}).verdict() == Verdict::Pass));
  const Report report = check_function(energy_with([](C z) { return 2.0 * z; }, &many), {spiral(3000)});
  BOOST_TEST((report.verdict() == Verdict::Pass));
  BOOST_TEST(report.directions.size() == 2U);
  BOOST_TEST(report.rows[0].elements.empty());
  BOOST_TEST((report.worst() == nullptr));
  BOOST_TEST(few < 200);
  BOOST_TEST(many < 200);
}

BOOST_AUTO_TEST_CASE(every_element_when_that_is_asked_for) {
  FunctionCheckOptions options;
  options.every_element = true;
  const Report report = check_function(energy_with([](C z) { return 2.0 * z; }), {spiral(5)}, options);
  BOOST_TEST((report.verdict() == Verdict::Pass));
  BOOST_TEST(report.rows[0].elements.size() == 5U);
}

BOOST_AUTO_TEST_CASE(a_conjugated_gradient_is_recognised_as_another_convention) {
  const auto plain = [](C z) { return 2.0 * std::conj(z); };
  FunctionCheckOptions jax;
  jax.convention = Convention::Plain;
  BOOST_TEST(check_function(energy_with(plain), {spiral(3)}).diagnosis() == "conjugated: this is the convention of JAX");
  BOOST_TEST((check_function(energy_with(plain), {spiral(3)}, jax).verdict() == Verdict::Pass));
  BOOST_TEST(check_function(energy_with([](C z) { return 2.0 * z; }), {spiral(3)}, jax).diagnosis() ==
             "conjugated: this is the convention of PyTorch and TensorFlow");
}

BOOST_AUTO_TEST_CASE(the_one_wrong_element_of_thousands_is_found) {
  const Tensor<C> z = spiral(3000);
  const C wrong = z(1234);
  const Report report = check_function(energy_with([wrong](C v) { return v == wrong ? 3.0 * v : 2.0 * v; }), {z});
  BOOST_TEST((report.verdict() == Verdict::Fail));
  BOOST_TEST_REQUIRE((report.worst() != nullptr));
  BOOST_TEST(report.worst()->element == 1234);
  BOOST_TEST(std::abs(report.worst()->values.numerical - 2.0 * wrong) <= report.worst()->values.error);
  BOOST_TEST(report.rows[0].elements.size() <= 16U);
  BOOST_TEST(report.diagnosis() == "where it differs, the gradient looks multiplied by 1.5");
}

BOOST_AUTO_TEST_CASE(at_a_kink_only_slopes_outside_the_one_sided_ones_fail) {
  const std::vector<AnyTensor> zero = {Tensor<double>::scalar(0)};
  for (const double slope : {0.0, 0.5, 1.0})
    BOOST_TEST((check_function(relu_with(slope), zero).verdict() == Verdict::Inconclusive));
  for (const double slope : {-0.5, 1.5, std::nan("")}) {
    const Report report = check_function(relu_with(slope), zero);
    BOOST_TEST((report.verdict() == Verdict::Fail));
    BOOST_TEST((report.worst() != nullptr));
    const Report beside = check_function(relu_with(slope), {Tensor<double>({3}, {0, 1, -2})});
    BOOST_TEST((beside.verdict() == Verdict::Fail));
  }
  for (const double slope : {0.0, 0.5, 1.0}) {
    const Report beside = check_function(relu_with(slope), {Tensor<double>({3}, {0, 1, -2})});
    BOOST_TEST(beside.ok());
    BOOST_TEST(beside.notes.size() == 1U);
  }
  BOOST_TEST(check_function(relu_with(1.5), zero).diagnosis() ==
             "a kink, and the gradient is not between its one-sided derivatives, 0 and 1");
}

BOOST_AUTO_TEST_CASE(a_nan_gradient_is_reported_as_nan) {
  const Report report = check_function(energy_with([](C) { return C(std::nan(""), 0); }), {spiral(2)});
  BOOST_TEST((report.verdict() == Verdict::Fail));
  BOOST_TEST(report.diagnosis() == "the gradient is not finite");
}

BOOST_AUTO_TEST_CASE(randomness_and_invalid_tolerances_are_refused) {
  int calls = 0;
  const DifferentiableFunction random = energy_with([&calls](C z) { return z * static_cast<double>(++calls); });
  BOOST_TEST(error_of([&] {
               check_function(random, {spiral(2)});
             }).starts_with("gradcheck: two calls of the gradient at the same inputs differ by "));
  FunctionCheckOptions options;
  options.tolerance = 0;
  BOOST_TEST(error_of([&] { check_function(energy_with([](C z) { return z; }), {spiral(2)}, options); }) ==
             "gradcheck: the tolerance must be positive, got 0");
}

BOOST_AUTO_TEST_CASE(a_part_of_an_input_is_a_function_of_its_own) {
  const std::vector<AnyTensor> z = {spiral(5)};
  const DifferentiableFunction f = energy_with([](C v) { return 2.0 * v; }), part = part_of(f, z, 0, 1, 2);
  const AnyTensor some = part_of(z[0], 1, 2);
  BOOST_TEST(std::get<Tensor<C>>(some)(0) == spiral(5)(1));
  BOOST_TEST(std::get<Tensor<double>>(part.value({some})).item() == std::get<Tensor<double>>(f.value(z)).item());
  const std::vector<C> one = {1};
  const auto gradients = part.gradients({some}, one);
  BOOST_TEST_REQUIRE(gradients[0].size() == 2U);
  BOOST_TEST((gradients[0][1] == 2.0 * spiral(5)(2)));
}

BOOST_AUTO_TEST_SUITE_END()
