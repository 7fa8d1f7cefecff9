/// gradcheck() on user-written functions: verdicts, messages and diagnoses.

#include "autograd/gradcheck.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>

#include "autograd/check/planted_fault.h"
#include "autograd/ops/elementwise/activation.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/exponential.h"
#include "autograd/ops/products/matmul.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/tape.h"
#include "core/kernels/elementwise.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(gradcheck_functions)

namespace {

using C = std::complex<double>;

Tensor<C> complex_numbers(const Shape& shape) { return OpCheck().complex(shape); }
Tensor<double> real_numbers(const Shape& shape) { return OpCheck().real(shape); }

/// A function whose value and gradient the test chooses, recorded on the tape as exp.
template <Scalar Out, Scalar In, class Backward>
Var<Out> with_gradient(const Var<In>& x, Tensor<Out> y, Backward backward) {
  return record(
      *Op::find("exp"), std::move(y), [backward, dx = accumulator(x)](const Tensor<Out>& dy) { dx.add(backward(dy)); },
      [](auto w) -> decltype(w) { throw Error("this test needs no tangent"); }, x);
}

GradcheckOptions named(std::string name) {
  GradcheckOptions options;
  options.name = std::move(name);
  return options;
}

/// w = z² with dz = wrong(z, dw).
template <class Wrong>
Report check_square(const Wrong& wrong, const Shape& shape = {2, 3}) {
  const auto f = [wrong](const Var<C>& z) {
    return with_gradient(z, map([](C v) { return mul(v, v); }, z.value()),
                         [wrong, x = z.value()](const Tensor<C>& dw) { return map(wrong, x, dw); });
  };
  return gradcheck(named("square"), f, complex_numbers(shape));
}

/// The diagnoses of the inputs that fail.
std::vector<std::string> diagnoses(const Report& result) {
  std::vector<std::string> all;
  for (const ReportRow& row : result.rows)
    if (row.verdict == Verdict::Fail) all.push_back(row.diagnosis);
  return all;
}

/// Whether the report's text has this line.
bool says(const Report& result, const std::string& line) {
  return ("\n" + report_text(result)).find("\n" + line + "\n") != std::string::npos;
}

std::string only_diagnosis(const Report& result) {
  const std::vector<std::string> all = diagnoses(result);
  BOOST_TEST_REQUIRE(all.size() == 1U);
  return all[0];
}

}  // namespace

BOOST_AUTO_TEST_CASE(sound_functions_pass) {
  const auto product = [](auto z, auto w) { return matmul(exp(z), w); };
  const Report complex = gradcheck(product, complex_numbers({2, 3}), complex_numbers({3, 2}));
  BOOST_TEST(complex.ok());
  BOOST_TEST(complex.headline() == "function: pass");
  BOOST_TEST(complex.elements().size() == 12U);
  BOOST_TEST(complex.worst_error() < 1e-11);
  BOOST_TEST(gradcheck(product, real_numbers({2, 3}), real_numbers({3, 2})).ok());
  BOOST_TEST(gradcheck([](auto z) { return sum(abs2(z)); }, complex_numbers({4})).ok());
  BOOST_TEST(gradcheck([](auto z, auto x) { return mul(z, x); }, complex_numbers({4}), real_numbers({4})).ok());
}

BOOST_AUTO_TEST_CASE(inputs_that_do_not_matter_pass) {
  const auto first = [](auto x, auto) { return exp(x); };
  BOOST_TEST(gradcheck(first, real_numbers({3}), real_numbers({2})).ok());
  // A gradient that is 0 up to rounding.
  const auto constant = [](auto x) { return sub(exp(x), exp(x)); };
  BOOST_TEST(gradcheck(constant, real_numbers({3})).ok());
}

BOOST_AUTO_TEST_CASE(the_message_names_function_element_both_gradients_and_the_resemblance) {
  const auto f = [](const Var<C>& z) {
    return with_gradient(z, z.value().clone(), [](const Tensor<C>& dw) { return map([](C g) { return std::conj(g); }, dw); });
  };
  GradcheckOptions options = named("mine");
  options.projections = 1;
  const Report result = gradcheck(options, f, Tensor<C>({1, 2}, {C(1, 2), C(3, 4)}));
  BOOST_TEST(!result.ok());
  const std::string text = report_text(result);
  BOOST_TEST(text.starts_with("mine: FAIL, the gradient looks conjugated\n"), text);
  const ComplexValues W =
      ScalarProjection(erase_types<double, C>(f), {Tensor<C>({1, 2}, {C(1, 2), C(3, 4)})}).random_weights(options.seed, 0);
  const std::size_t k = std::abs(W[0].imag()) > std::abs(W[1].imag()) ? 0 : 1;
  const std::string expected = fmt::format("\n  worst: input 0, element [0, {}]: gradient {}, numerical {} ± ", k,
                                           number_name(std::conj(W[k]), true), number_name(W[k], true));
  BOOST_TEST(text.find(expected) != std::string::npos, text << "\n" << expected);
}

BOOST_AUTO_TEST_CASE(wrong_factors_are_named) {
  const auto right = [](C z, C dw) { return mul(std::conj(2.0 * z), dw); };
  const auto times = [&](C c) { return only_diagnosis(check_square([=](C z, C dw) { return mul(c, right(z, dw)); })); };
  BOOST_TEST(check_square(right).ok());
  BOOST_TEST(times(2) == "the gradient looks twice the correct one");
  BOOST_TEST(times(0.5) == "the gradient looks half the correct one");
  BOOST_TEST(times(-1) == "the gradient looks negated");
  BOOST_TEST(times(0.25) == "the gradient looks multiplied by 0.25");
  BOOST_TEST(times(C(0, 1)) == "the gradient looks multiplied by i");
  BOOST_TEST(times(C(0, -1)) == "the gradient looks multiplied by -i");
  BOOST_TEST(times(C(1, 2)) == "the gradient looks multiplied by 1+2i");
  BOOST_TEST(times(0) == "the gradient looks zero");
}

BOOST_AUTO_TEST_CASE(wrong_conjugations_are_told_apart) {
  const auto say = [](auto wrong) { return only_diagnosis(check_square(wrong)); };
  BOOST_TEST(say([](C z, C dw) { return std::conj(mul(std::conj(2.0 * z), dw)); }) == "the gradient looks conjugated");
  BOOST_TEST(say([](C z, C dw) { return mul(2.0 * z, dw); }) == "the gradient looks as if ∂w/∂z were not conjugated");
  BOOST_TEST(say([](C z, C dw) { return mul(std::conj(2.0 * z), std::conj(dw)); }) ==
             "the gradient looks as if ∂w/∂z and ∂w/∂z̄ were swapped");
  BOOST_TEST(say([](C z, C dw) { return -std::conj(mul(std::conj(2.0 * z), dw)); }) == "the gradient looks conjugated and negated");
  BOOST_TEST(say([](C z, C dw) { return C(mul(std::conj(2.0 * z), dw).real(), 0); }) ==
             "the gradient looks as if the imaginary part were lost");
  BOOST_TEST(say([](C z, C dw) { return C(0, mul(std::conj(2.0 * z), dw).imag()); }) ==
             "the gradient looks as if the real part were lost");
  BOOST_TEST(say([](C z, C dw) { return std::exp(mul(z, dw)); }) == "the gradient matches no common mistake");
}

BOOST_AUTO_TEST_CASE(wirtinger_terms_that_are_swapped_or_missing_are_named) {
  // w = a z + b z̄, with different a and b at each element, has the gradient dz = conj(a) dw + b conj(dw).
  const Tensor<C> a = complex_numbers({2, 3}), b = map([](C v) { return mul(v, C(0.3, 0.8)); }, complex_numbers({2, 3}));
  const auto say = [&](auto gradient) {
    const auto f = [=](const Var<C>& z) {
      return with_gradient(z, map([](C p, C q, C v) { return mul(p, v) + mul(q, std::conj(v)); }, a, b, z.value()),
                           [=](const Tensor<C>& dw) { return map(gradient, a, b, dw); });
    };
    const Report result = gradcheck(named("affine"), f, complex_numbers({2, 3}));
    return result.ok() ? "pass" : only_diagnosis(result);
  };
  BOOST_TEST(say([](C p, C q, C dw) { return mul(std::conj(p), dw) + mul(q, std::conj(dw)); }) == "pass");
  BOOST_TEST(say([](C p, C q, C dw) { return mul(q, dw) + mul(std::conj(p), std::conj(dw)); }) ==
             "the gradient looks as if ∂w/∂z and ∂w/∂z̄ were swapped");
  BOOST_TEST(say([](C p, C, C dw) { return mul(std::conj(p), dw); }) == "the gradient looks as if only the ∂w/∂z term were there");
  BOOST_TEST(say([](C, C q, C dw) { return mul(q, std::conj(dw)); }) == "the gradient looks as if only the ∂w/∂z̄ term were there");
  BOOST_TEST(say([](C p, C q, C dw) { return mul(p, dw) + mul(q, std::conj(dw)); }) ==
             "the gradient looks as if ∂w/∂z were not conjugated");
  BOOST_TEST(say([](C p, C q, C dw) { return mul(std::conj(p), dw) + mul(q, dw); }) ==
             "the gradient looks as if g_w were not conjugated in the ∂w/∂z̄ term");
}

BOOST_AUTO_TEST_CASE(transposed_and_unsummed_gradients_are_named) {
  const auto pour = [](const Tensor<double>& g) {
    Tensor<double> t(g.shape());
    const std::int64_t rows = g.dim(0), columns = g.dim(1);
    for (std::int64_t k = 0; k < g.size(); ++k) t.data()[k] = g.data()[k % rows * columns + k / rows];
    return t;
  };
  for (const Shape& shape : {Shape{3, 3}, Shape{2, 4}}) {
    const auto f = [&](const Var<double>& x) { return with_gradient(x, x.value().clone(), pour); };
    BOOST_TEST(only_diagnosis(gradcheck(f, real_numbers(shape))) == "the gradient looks transposed");
  }
  // y[i, j] = x[0, j] for i < 4, whose gradient is the sum over i.
  const auto slice = [](std::int64_t row) {
    return [row](const Var<double>& x) {
      Tensor<double> y({4, 3});
      for (std::int64_t k = 0; k < 12; ++k) y.data()[k] = x.value().data()[k % 3];
      return with_gradient(x, y, [row](const Tensor<double>& dy) {
        Tensor<double> dx({1, 3});
        for (std::int64_t j = 0; j < 3; ++j) dx.data()[j] = dy.data()[row * 3 + j];
        return dx;
      });
    };
  };
  BOOST_TEST(only_diagnosis(gradcheck(slice(0), real_numbers({1, 3}))) ==
             "the gradient looks as if the sum over broadcast axes were missing (first slice only)");
  BOOST_TEST(only_diagnosis(gradcheck(slice(3), real_numbers({1, 3}))) ==
             "the gradient looks as if the sum over broadcast axes were missing (last slice only)");
}

BOOST_AUTO_TEST_CASE(exchanged_gradients_of_two_inputs_are_named) {
  // y = x a with its two gradients swapped.
  const auto f = [](const Var<double>& x, const Var<double>& a) {
    return record(
        *Op::find("exp"), map([](double u, double v) { return u * v; }, x.value(), a.value()),
        [X = x.value(), A = a.value(), dx = accumulator(x), da = accumulator(a)](const Tensor<double>& dy) {
          dx.add(map([](double u, double g) { return u * g; }, X, dy));
          da.add(map([](double u, double g) { return u * g; }, A, dy));
        },
        [](auto w) -> decltype(w) { throw Error("this test needs no tangent"); }, x, a);
  };
  const Report result = gradcheck(f, real_numbers({3}), map([](double v) { return v * v + 1; }, real_numbers({3})));
  BOOST_TEST_REQUIRE(diagnoses(result).size() == 2U);
  BOOST_TEST(diagnoses(result)[0] == "the gradient looks like that of input 1");
  BOOST_TEST(diagnoses(result)[1] == "the gradient looks like that of input 0");
}

BOOST_AUTO_TEST_CASE(errors_at_some_elements_only_are_reported_as_such) {
  const auto f = [](const Var<double>& x) {
    return with_gradient(x, map([](double v) { return v * v; }, x.value()), [x = x.value()](const Tensor<double>& dy) {
      return map([](double v, double g) { return (v < 0 ? -2 : 2) * v * g; }, x, dy);
    });
  };
  const Report result = gradcheck(f, Tensor<double>({4}, {-1, 2, -3, 4}));
  BOOST_TEST(only_diagnosis(result) == "where it differs, the gradient looks negated");
  BOOST_TEST(result.count(Verdict::Fail) == 2);
  BOOST_TEST(result.count(Verdict::Pass) == 2);
}

BOOST_AUTO_TEST_CASE(small_errors_are_found) {
  const auto off_by = [](double relative) {
    return check_square([relative](C z, C dw) { return (1 + relative) * mul(std::conj(2.0 * z), dw); });
  };
  BOOST_TEST(off_by(1e-10).ok());
  BOOST_TEST(off_by(1e-7).count(Verdict::Fail) > 0);
}

BOOST_AUTO_TEST_CASE(a_singular_element_does_not_excuse_the_others) {
  // sqrt on its cut, where difference quotients grow without bound, next to an element with a slightly wrong gradient.
  const auto f = [](const Var<C>& z) {
    return with_gradient(z, map([](C v) { return std::sqrt(v); }, z.value()), [z = z.value()](const Tensor<C>& dw) {
      return map([](C v, C g) { return (1 + 1e-7) * g / std::conj(2.0 * std::sqrt(v)); }, z, dw);
    });
  };
  const Report result = gradcheck(f, Tensor<C>({3}, {C(-1, 0), C(1, 1), C(2, -1)}));
  BOOST_TEST(result.count(Verdict::BranchCut) == 1);
  BOOST_TEST(result.count(Verdict::Fail) == 2);
}

BOOST_AUTO_TEST_CASE(a_gradient_that_is_not_a_number_fails) {
  const Report result = check_square([](C, C) { return C(NAN, 0); });
  BOOST_TEST(result.count(Verdict::Fail) == 6);
  BOOST_TEST(std::isinf(result.worst_error()));
}

BOOST_AUTO_TEST_CASE(noise_is_inconclusive_even_when_the_gradient_is_right) {
  for (const double noise : {1e-8, 1e-4}) {
    const auto f = [noise](const Var<double>& x) {
      const auto value = [noise](double v) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &v, sizeof bits);
        return std::sin(v) + noise * (2 * Random(3).uniform(bits) - 1);
      };
      return with_gradient(x, map(value, x.value()), [x = x.value()](const Tensor<double>& dy) {
        return map([](double v, double g) { return std::cos(v) * g; }, x, dy);
      });
    };
    const Report result = gradcheck(named("noisy"), f, real_numbers({20}));
    BOOST_TEST(!result.ok());
    BOOST_TEST(result.count(Verdict::Inconclusive) == 20);
    BOOST_TEST(result.headline() == "noisy: inconclusive, the error bar is too wide");
  }
}

BOOST_AUTO_TEST_CASE(single_precision_inside_is_inconclusive) {
  const auto f = [](const Var<double>& x) {
    return with_gradient(
        x, map([](double v) { return static_cast<double>(std::sin(static_cast<float>(v))); }, x.value()),
        [x = x.value()](const Tensor<double>& dy) { return map([](double v, double g) { return std::cos(v) * g; }, x, dy); });
  };
  const Report result = gradcheck(f, real_numbers({20}));
  BOOST_TEST(result.count(Verdict::Pass) == 0);
  BOOST_TEST(result.count(Verdict::Fail) == 0);
}

BOOST_AUTO_TEST_CASE(kinks_are_reported_with_both_slopes) {
  const Report relu_at_0 = gradcheck(
      named("relu"), [](auto x) { return sum(relu(x)); }, Tensor<double>({3}, {-1, 0, 1}));
  BOOST_TEST(relu_at_0.count(Verdict::Kink) == 1);
  BOOST_TEST(relu_at_0.count(Verdict::Pass) == 2);
  BOOST_TEST(relu_at_0.elements()[1].values.kink);
  BOOST_TEST(relu_at_0.headline() == "relu: pass, except for 1 element at a kink");
  const Report nothing_else = gradcheck(
      named("relu"), [](auto x) { return sum(relu(x)); }, Tensor<double>::scalar(0));
  BOOST_TEST(nothing_else.headline() == "relu: inconclusive, there is a kink");
  BOOST_TEST(report_text(nothing_else).find("worst: input 0: a kink: the derivative is ") != std::string::npos);

  GradcheckOptions options = named("abs");
  options.full_jacobian = true;
  const auto modulus = [](auto z) { return abs(z); };
  const Report real_abs = gradcheck(options, modulus, Tensor<double>({2}, {0, 2}));
  BOOST_TEST(real_abs.count(Verdict::Kink) == 1);
  BOOST_TEST(says(real_abs,
                  "  worst: input 0, element [0], output [0]: a kink: the derivative is -1 from the left and 1 from the right; "
                  "gradient 0"));
  const Report complex_abs = gradcheck(options, modulus, Tensor<C>({2}, {C(0, 0), C(1, 1)}));
  BOOST_TEST(complex_abs.count(Verdict::Kink) == 1);
  BOOST_TEST(says(complex_abs,
                  "  worst: input 0, element [0], output [0]: a kink along the real axis: the derivative is -1 from the left "
                  "and 1 from the right; gradient 0+0i"));
}

BOOST_AUTO_TEST_CASE(branch_cuts_are_reported_with_the_jump) {
  GradcheckOptions options = named("angle");
  options.full_jacobian = true;
  const Report arg = gradcheck(
      options, [](auto z) { return angle(z); }, Tensor<C>({2}, {C(-1, 0), C(1, 0)}));
  BOOST_TEST(arg.count(Verdict::BranchCut) == 1);
  BOOST_TEST(says(arg,
                  "  worst: input 0, element [0], output [0]: a cut along the imaginary axis: the value jumps by 6.28319; gradient "
                  "0-1i"));
  const Report root = gradcheck([](auto z) { return sqrt(z); }, Tensor<C>({2}, {C(-1, 0), C(-1, 1e-3)}));
  BOOST_TEST(root.count(Verdict::BranchCut) == 1);
  BOOST_TEST(root.count(Verdict::Pass) == 1);  // the point next to the cut passes, although the first steps cross the cut
}

BOOST_AUTO_TEST_CASE(the_full_jacobian_names_the_output) {
  GradcheckOptions options = named("square");
  options.full_jacobian = true;
  const auto f = [](const Var<C>& z) {
    return with_gradient(z, map([](C v) { return mul(v, v); }, z.value()), [z = z.value()](const Tensor<C>& dw) {
      Tensor<C> dz = map([](C v, C g) { return mul(std::conj(2.0 * v), g); }, z, dw);
      dz.data()[2] += dw.data()[0].imag();  // a mistake in output 0's imaginary part only, which affects element 2 only
      return dz;
    });
  };
  const Report result = gradcheck(options, f, complex_numbers({3}));
  BOOST_TEST(result.elements().size() == 18U);
  BOOST_TEST(result.count(Verdict::Fail) == 1);
  BOOST_TEST(
      report_text(result).find("worst: input 0, element [2], imaginary part of output [0]: gradient 1+0i, ") != std::string::npos,
      report_text(result));
  BOOST_TEST(gradcheck(
                 options, [](auto z, auto w) { return matmul(z, w); }, complex_numbers({2, 3}), complex_numbers({3, 2}))
                 .ok());
}

BOOST_AUTO_TEST_CASE(an_op_with_a_wrong_gradient_is_blamed) {
  const auto f = [](auto z) { return sum(mul(exp(z), z)); };
  BOOST_TEST(gradcheck(f, complex_numbers({3})).ok());
  const PlantedFault planted("exp", Fault::Conjugate);
  const Report result = gradcheck(f, complex_numbers({3}));
  BOOST_TEST(result.blamed == std::vector<std::string>{"exp"}, boost::test_tools::per_element());
  BOOST_TEST(says(result, "  the check of exp fails as well"), report_text(result));
}

BOOST_AUTO_TEST_CASE(impure_functions_are_refused) {
  const auto message_of = [](auto f) -> std::string {
    try {
      gradcheck(f, real_numbers({2}));
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  int calls = 0;
  BOOST_TEST(message_of([&calls](auto x) { return Var<double>(map([&](double v) { return v + calls; }, exp(x).value())); }) ==
             "no error");
  BOOST_TEST(message_of([&calls](auto x) {
               ++calls;
               return Var<double>(map([&](double v) { return v + calls; }, exp(x).value()));
             }) == "gradcheck: two calls at the same inputs differ at output element 0; fix the function's random seed");
  BOOST_TEST(message_of([](auto x) { return recording() ? exp(x) : exp(exp(x)); }) ==
             "gradcheck: output element 0 differs between a recorded call and one inside no_grad");
}

BOOST_AUTO_TEST_SUITE_END()
