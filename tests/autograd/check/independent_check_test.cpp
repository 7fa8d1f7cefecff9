#include "autograd/check/independent/independent_check.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "autograd/check/independent/taylor.h"
#include "autograd/check/op_report.h"
#include "autograd/ops.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(independent_check)

using C = std::complex<double>;

namespace {

TaylorRemainder remainder_of(const std::function<double(double)>& f, double slope) {
  return taylor_remainder([&](double t) { return Change{f(t) - f(0), 1e-16 * std::abs(f(t))}; }, slope, 1e-12);
}

/// L = Σ f(x_k) for real x with the claimed gradient `slope`; `extended` is f on complex numbers, if it is defined there.
DifferentiableFunction sum_of(const std::function<double(double)>& f, const std::function<double(double)>& slope,
                              const std::function<C(C)>& extended = nullptr) {
  DifferentiableFunction function;
  function.value = [f](const std::vector<AnyTensor>& x) {
    double sum = 0;
    for (const double t : std::get<Tensor<double>>(x[0])) sum += f(t);
    return AnyTensor(Tensor<double>::scalar(sum));
  };
  function.gradients = [slope](const std::vector<AnyTensor>& x, std::span<const C> W) {
    ComplexValues g;
    for (const double t : std::get<Tensor<double>>(x[0])) g.push_back(slope(t) * W[0]);
    return std::vector<ComplexValues>{g};
  };
  if (extended)
    function.extended = [extended](const std::vector<AnyTensor>& z) {
      C sum = 0;
      for (const C t : std::get<Tensor<C>>(z[0])) sum += extended(t);
      return AnyTensor(Tensor<C>::scalar(sum));
    };
  return function;
}

/// The verdicts of the three independent checks at these points: adjoint, Taylor, complex step.
std::vector<IndependentCheck> opinions_of(const DifferentiableFunction& f, std::vector<double> x = {0.5, -1.25, 2.0}) {
  const auto n = static_cast<std::int64_t>(x.size());
  return independent_checks(ScalarProjection(f, {Tensor<double>({n}, x)}), 1e-8, 1);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_remainder_of_a_right_slope_is_of_second_order_and_that_of_a_wrong_one_of_first) {
  const auto f = [](double t) { return std::exp(t); };
  const FittedOrder right = remainder_of(f, 1).remainder;
  BOOST_TEST(std::abs(right.order - 2) < 0.01);
  BOOST_TEST(right.smallest < 1e-5);
  for (const double error : {1e-6, 1e-3, 1.0, -2.0}) {
    const FittedOrder wrong = remainder_of(f, 1 + error).remainder;
    BOOST_TEST(std::abs(wrong.order - 1) < 0.2, error << ": order " << wrong.order);
  }
  // Sin has no second-order term at 0.
  BOOST_TEST(std::abs(remainder_of([](double t) { return std::sin(t); }, 1).remainder.order - 3) < 0.01);
}

BOOST_AUTO_TEST_CASE(noise_is_measured_and_not_taken_for_a_remainder) {
  const auto noisy = [](double t) { return static_cast<double>(std::exp(static_cast<float>(1 + t))); };
  const TaylorRemainder r = remainder_of(noisy, std::exp(1.0));
  BOOST_TEST(r.noise > 1e-8);
  BOOST_TEST(r.noise < 1e-5);
  BOOST_TEST(r.remainder.steps >= 3);
  BOOST_TEST(std::abs(r.remainder.order - 2) < 0.1);
  BOOST_TEST(r.remainder.smallest > 1e-4);
}

BOOST_AUTO_TEST_CASE(at_a_kink_the_function_itself_has_a_first_order_remainder) {
  const TaylorRemainder r = remainder_of([](double t) { return std::abs(t); }, 0);
  BOOST_TEST(std::abs(r.bend.order - 1) < 0.01);
  const IndependentCheck taylor = opinions_of(sum_of([](double x) { return std::abs(x); }, [](double) { return 0.0; }), {0.0})[1];
  BOOST_TEST((taylor.opinion == Opinion::Silent));
  BOOST_TEST(taylor.finding == "the remainder grows like t^1.0, not t²");
}

BOOST_AUTO_TEST_CASE(checks_of_a_right_gradient_agree_and_of_a_wrong_one_do_not) {
  const auto f = [](double x) { return std::sin(x); };
  const auto of_complex = [](C z) { return std::sin(z); };
  const std::vector<IndependentCheck> right = opinions_of(sum_of(
      f, [](double x) { return std::cos(x); }, of_complex));
  BOOST_TEST((right[0].opinion == Opinion::Silent));
  BOOST_TEST(right[0].finding == "there is no forward derivative");
  for (const std::size_t k : {1U, 2U}) BOOST_TEST((right[k].opinion == Opinion::Agrees), right[k].str());
  for (const double factor : {1.0001, -1.0, 0.0, 2.0}) {
    const std::vector<IndependentCheck> wrong = opinions_of(sum_of(
        f, [factor](double x) { return factor * std::cos(x); }, of_complex));
    for (const std::size_t k : {1U, 2U}) BOOST_TEST((wrong[k].opinion == Opinion::Disagrees), factor << ": " << wrong[k].str());
    BOOST_TEST(any_disagrees(wrong));
  }
}

BOOST_AUTO_TEST_CASE(the_complex_step_speaks_for_analytic_functions_only) {
  const auto finding = [](const std::function<C(C)>& extended) {
    const IndependentCheck w = opinions_of(sum_of([](double x) { return x * x; }, [](double x) { return 2 * x; }, extended))[2];
    BOOST_TEST((w.opinion == Opinion::Silent), w.str());
    return w.finding;
  };
  BOOST_TEST(finding(nullptr) == "f takes real numbers only");
  BOOST_TEST(finding([](C z) { return std::conj(z) * std::conj(z); }).starts_with("f is not analytic within 0.01"));
  BOOST_TEST(finding([](C z) { return z * z + 1.0; }) == "f of complex numbers disagrees with f of real numbers");
  BOOST_TEST(finding([](C) -> C { throw Error("no complex numbers here"); }) == "no complex numbers here");
  const DifferentiableFunction complex{[](const std::vector<AnyTensor>& z) {
                                         return AnyTensor(Tensor<double>::scalar(std::norm(std::get<Tensor<C>>(z[0]).item())));
                                       },
                                       [](const std::vector<AnyTensor>& z, std::span<const C>) {
                                         return std::vector<ComplexValues>{{2.0 * std::get<Tensor<C>>(z[0]).item()}};
                                       }};
  BOOST_TEST(independent_checks(ScalarProjection(complex, {Tensor<C>::scalar({1, 2})}), 1e-8, 1)[2].finding ==
             "an input is complex already");
}

BOOST_AUTO_TEST_CASE(a_linear_function_leaves_no_remainder) {
  const IndependentCheck taylor = opinions_of(sum_of([](double x) { return 3 * x; }, [](double) { return 3.0; }))[1];
  BOOST_TEST((taylor.opinion == Opinion::Agrees));
  BOOST_TEST(taylor.finding == "no remainder at steps up to 0.1: f is linear there");
}

BOOST_AUTO_TEST_CASE(every_check_of_a_function_includes_all_six) {
  const Report result = gradcheck([](auto z) { return exp(z); }, Tensor<C>({2}, {C(1, 2), C(0.5, -1)}));
  BOOST_TEST(result.ok());
  BOOST_TEST_REQUIRE(result.independent.size() == 6U);
  BOOST_TEST(result.independent[0].name == "differences");
  for (const std::size_t k : {0U, 1U, 2U})
    BOOST_TEST((result.independent[k].opinion == Opinion::Agrees), result.independent[k].str());
}

BOOST_AUTO_TEST_CASE(differences_alone_do_not_pass_a_gradient_that_an_independent_check_contradicts) {
  const auto checked = [](double factor) {
    DifferentiableFunction f = sum_of([](double x) { return std::sin(x); }, [](double x) { return std::cos(x); });
    f.tangent = [factor](const std::vector<AnyTensor>& x, const std::vector<AnyTensor>& v) {
      return AnyTensor(
          Tensor<double>::scalar(factor * std::cos(std::get<Tensor<double>>(x[0]).item()) * std::get<Tensor<double>>(v[0]).item()));
    };
    return gradcheck(ScalarProjection(f, {Tensor<double>::scalar(0.5)}), {.name = "sine"});
  };
  BOOST_TEST(checked(1).ok(), report_text(checked(1)));
  const Report result = checked(1.001);
  BOOST_TEST(result.count(Verdict::Pass) == 1);
  BOOST_TEST(!result.ok());
  const std::string text = report_text(result);
  BOOST_TEST(text.starts_with("sine: inconclusive, the independent checks contradict each other\n"), text);
  BOOST_TEST(text.find("\n  against it: adjoint (relative error 1e-03)\n") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(holomorphic_ops_are_stepped_through_the_complex_plane_at_real_numbers) {
  const Report report = check_op_gradients(*Op::find("exp"));
  const IndependentCheck& step = report.independent[3];
  BOOST_TEST_REQUIRE(step.of == "real");
  BOOST_TEST((step.opinion == Opinion::Agrees), step.str());
}

BOOST_AUTO_TEST_CASE(findings_take_one_line_per_opinion) {
  Report report;
  report.independent = {{"differences", Opinion::Agrees, "relative error 1e-14"},
                        {"taylor", Opinion::Agrees, "order 2.00"},
                        {"adjoint", Opinion::Silent, "there is no forward derivative"}};
  BOOST_TEST(
      report_text(report).ends_with("\n  for it: differences (relative error 1e-14), taylor (order 2.00)\n"
                                    "  silent: adjoint (there is no forward derivative)\n"));
}

BOOST_AUTO_TEST_SUITE_END()
