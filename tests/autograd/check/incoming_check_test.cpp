/// A backward pass must be linear in the incoming gradient and must add to existing gradients. These tests plant mistakes that no
/// other check can detect.

#include "autograd/check/independent/incoming_check.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "autograd/check/function/function_check.h"
#include "autograd/check/parameter_check.h"
#include "autograd/check/planted_fault.h"
#include "autograd/ops.h"
#include "autograd/tape.h"
#include "core/kernels/elementwise.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(incoming_check)

namespace {

using C = std::complex<double>;
using Bend = std::function<C(C)>;  // a distortion of the incoming gradient

const Tensor<C> z({3}, {C(1, 2), C(-0.5, 0.25), C(0.75, -1)});

/// w = z² with dz = conj(2z) bend(dw), on the tape.
Report on_the_tape(const Bend& bend) {
  const auto f = [bend](const Var<C>& x) {
    return record(
        *Op::find("exp"), map([](C v) { return mul(v, v); }, x.value()),
        [bend, v = x.value(), dx = accumulator(x)](const Tensor<C>& dw) {
          dx.add(map([&](C a, C g) { return mul(std::conj(2.0 * a), bend(g)); }, v, dw));
        },
        [](auto w) -> decltype(w) { throw Error("this test needs no tangent"); }, x);
  };
  return gradcheck(GradcheckOptions{.name = "square", .blame_ops = false}, f, z);
}

/// The same w = z², as an external function that supplies its own gradient.
Report as_a_function(const Bend& bend) {
  const auto value = [](const std::vector<AnyTensor>& x) {
    return AnyTensor(map([](C v) { return mul(v, v); }, std::get<Tensor<C>>(x[0])));
  };
  const auto gradients = [bend](const std::vector<AnyTensor>& x, std::span<const C> W) {
    ComplexValues g;
    for (std::size_t k = 0; k < W.size(); ++k) g.push_back(mul(std::conj(2.0 * std::get<Tensor<C>>(x[0]).data()[k]), bend(W[k])));
    return std::vector<ComplexValues>{g};
  };
  return check_function({value, gradients}, {z});
}

const IndependentCheck& named(const Report& report, const std::string& name) {
  for (const IndependentCheck& c : report.independent)
    if (c.name == name) return c;
  throw Error("there is no check called " + name);
}

bool differences_pass(const Report& report) { return named(report, "differences").opinion == Opinion::Agrees; }

struct Mistake {
  std::string name;
  Bend bend;
  bool differences_see_it;
};
const std::vector<Mistake> mistakes{
    {"doubled above 2", [](C g) { return std::abs(g) > 2 ? 2.0 * g : g; }, false},
    {"one per cent off above 100", [](C g) { return std::abs(g) > 100 ? 1.01 * g : g; }, false},
    {"clipped", [](C g) { return std::abs(g) > 5 ? 5.0 * g / std::abs(g) : g; }, false},
    {"lost below 1/10", [](C g) { return std::abs(g) < 0.1 ? C(0) : g; }, false},
    {"wrong for values that only a sum reaches", [](C g) { return std::abs(g) > 1.5 && std::abs(g) < 4 ? 0.5 * g : g; }, false},
    {"squashed", [](C g) { return g / (1 + std::abs(g)); }, true},
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_linear_pass_that_adds_passes) {
  const auto right = [](C g) { return g; };
  for (const Report& report : {on_the_tape(right), as_a_function(right)}) {
    BOOST_TEST(report.ok(), report_text(report));
    BOOST_TEST((named(report, "linear").opinion == Opinion::Agrees));
  }
  BOOST_TEST((named(on_the_tape(right), "adds").opinion == Opinion::Agrees));
  // Tiny and huge gradients pass, and so does one that is 0.
  BOOST_TEST(gradcheck([](auto x) { return scale(exp(x), 1e-200); }, Tensor<double>({2}, {0.5, 1.0})).ok());
  BOOST_TEST(gradcheck([](auto x) { return scale(exp(x), 1e200); }, Tensor<double>({2}, {0.5, 1.0})).ok());
  BOOST_TEST(gradcheck([](auto x) { return sub(exp(x), exp(x)); }, Tensor<double>({2}, {0.5, 1.0})).ok());
}

BOOST_AUTO_TEST_CASE(a_pass_that_is_not_linear_in_the_incoming_gradient_fails_although_differences_pass) {
  for (const Mistake& m : mistakes)
    for (const Report& report : {on_the_tape(m.bend), as_a_function(m.bend)}) {
      BOOST_TEST((report.verdict() == Verdict::Fail), m.name << ":\n" << report_text(report));
      BOOST_TEST((named(report, "linear").opinion == Opinion::Disagrees), m.name);
      if (m.differences_see_it) continue;
      BOOST_TEST(differences_pass(report), m.name << ":\n" << report_text(report));
      BOOST_TEST(report.diagnosis().starts_with("not linear in the incoming gradient: "), report.diagnosis());
    }
}

BOOST_AUTO_TEST_CASE(rounding_in_half_precision_is_not_a_mistake) {
  // With the eight bits of bfloat16, the pass is as linear as that precision allows.
  const auto coarse = [](double x) {
    int exponent = 0;
    const double mantissa = std::frexp(x, &exponent);
    return std::ldexp(std::round(mantissa * 256) / 256, exponent);
  };
  const Report report = as_a_function([&](C g) { return C(coarse(g.real()), coarse(g.imag())); });
  BOOST_TEST((named(report, "linear").opinion == Opinion::Silent), named(report, "linear").str());
}

BOOST_AUTO_TEST_CASE(a_pass_that_overwrites_fails) {
  const auto f = [](auto x) { return exp(x); };
  for (const Fault fault : {Fault::Overwriting, Fault::Adding}) {
    const PlantedFault planted("exp", fault);
    const Report report = gradcheck(GradcheckOptions{.name = "f", .blame_ops = false}, f, z);
    BOOST_TEST((report.verdict() == Verdict::Fail), report_text(report));
    BOOST_TEST(differences_pass(report));
    BOOST_TEST(report.diagnosis().starts_with("the gradient is not accumulated into an existing one: "), report.diagnosis());
  }
}

BOOST_AUTO_TEST_CASE(parameters_are_checked_likewise) {
  const Var<C> w = variable(z);
  const auto loss = [&] { return mean(abs2(exp(w))); };
  const ParameterList<double> parameters{{"w", w}};
  const GradcheckOptions quietly{.name = "loss", .blame_ops = false};
  const Report right = gradcheck_parameters(loss, parameters, 3, quietly);
  BOOST_TEST(right.ok(), report_text(right));
  BOOST_TEST((named(right, "linear").opinion == Opinion::Agrees));
  BOOST_TEST((named(right, "adds").opinion == Opinion::Agrees));
  {
    const PlantedFault planted("abs2", Fault::LargeGradient);
    const Report wrong = gradcheck_parameters(loss, parameters, 3, quietly);
    BOOST_TEST((wrong.verdict() == Verdict::Fail), report_text(wrong));
    BOOST_TEST((named(wrong, "linear").opinion == Opinion::Disagrees), report_text(wrong));
  }
  const PlantedFault planted("exp", Fault::Overwriting);
  const Report wrong = gradcheck_parameters(loss, parameters, 3, quietly);
  BOOST_TEST((named(wrong, "adds").opinion == Opinion::Disagrees), report_text(wrong));
}

BOOST_AUTO_TEST_SUITE_END()
