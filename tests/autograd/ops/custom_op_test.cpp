#include "autograd/ops/custom_op.h"

#include <boost/test/unit_test.hpp>

#include "autograd/check/report.h"
#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/rows/reduction.h"
#include "core/kernels/elementwise.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(custom_ops)

using C = std::complex<double>;

namespace {

/// L = Σ |z_k|², dz = 2 z dL.
Tensor<double> energy(const Tensor<C>& z) {
  double sum = 0;
  for (const C v : z) sum += std::norm(v);
  return Tensor<double>::scalar(sum);
}
Tensor<C> energy_gradient(const Tensor<double>& dL, const Tensor<C>& z) {
  return map([g = dL.item()](C v) { return 2 * g * v; }, z);
}
Tensor<double> energy_tangent(const Tensor<C>& along, const Tensor<C>& z) {
  double sum = 0;
  for (std::int64_t k = 0; k < z.size(); ++k) sum += 2 * (std::conj(z.data()[k]) * along.data()[k]).real();
  return Tensor<double>::scalar(sum);
}
const auto total_energy = custom_op("total_energy", energy, energy_gradient, energy_tangent);

/// w_k = r_k z_k, whose two inputs have different scalar types: dr = Re(conj(z) dw), dz = r dw.
const auto stretch = custom_op(
    "stretch", [](const Tensor<double>& r, const Tensor<C>& z) { return map([](double a, C v) { return a * v; }, r, z); },
    [](const Tensor<C>& dw, const Tensor<double>& r, const Tensor<C>& z) {
      return std::tuple(map([](C g, C v) { return (std::conj(v) * g).real(); }, dw, z),
                        map([](double a, C g) { return a * g; }, r, dw));
    });

/// w = e^z, whose gradient needs only the output: dz = conj(w) dw.
const auto exponential = custom_op(
    "exponential", [](const Tensor<C>& z) { return map([](C v) { return std::exp(v); }, z); },
    [](const Tensor<C>& dw, const Tensor<C>&, const Tensor<C>& w) {
      return map([](C v, C g) { return std::conj(v) * g; }, w, dw);
    });

const Tensor<C> two({2}, {C(1, 2), C(0, -3)});

}  // namespace

BOOST_AUTO_TEST_CASE(its_vjp_is_the_gradient) {
  const Complex z = variable(two);
  const Real L = total_energy(z);
  BOOST_TEST(L.value().item() == 14);
  backward(L);
  BOOST_TEST((z.grad()(0) == C(2, 4)));
  BOOST_TEST((z.grad()(1) == C(0, -6)));
}

BOOST_AUTO_TEST_CASE(several_inputs_of_unlike_scalars_and_one_that_is_constant) {
  const Tensor<double> r({2}, {0.5, -2});
  BOOST_TEST(check(stretch, r, two).ok());
  const Complex z = variable(two);
  backward(sum(abs2(stretch(Real(r), z))));
  BOOST_TEST((z.grad()(1) == C(0, -24)));  // 2 r² z
  BOOST_TEST(Tape::current().entries().empty());
}

BOOST_AUTO_TEST_CASE(a_vjp_may_read_the_output) { BOOST_TEST(check(exponential, two).ok()); }

BOOST_AUTO_TEST_CASE(check_takes_variables_and_tensors_and_finds_what_is_wrong) {
  BOOST_TEST(check(total_energy, variable(two)).ok());
  const auto wrong = custom_op("wrong_energy", energy, [](const Tensor<double>& dL, const Tensor<C>& z) {
    return map([](C v) { return std::conj(v); }, energy_gradient(dL, z));
  });
  const Report report = check(wrong, two);
  BOOST_TEST(!report.ok());
  BOOST_TEST(report.diagnosis() == "the gradient looks conjugated");
  BOOST_TEST(report.blamed.empty());  // no built-in op is at fault
}

BOOST_AUTO_TEST_CASE(a_report_names_the_op_and_calls_a_gradient_with_nan_not_finite) {
  BOOST_TEST(report_text(check(exponential, two)).starts_with("exponential: pass"));
  const auto broken = custom_op(
      "broken", [](const Tensor<C>& z) { return map([](C v) { return v * v; }, z); },
      [](const Tensor<C>& dw, const Tensor<C>& z) {
        Tensor<C> dz = map([](C g, C v) { return 2.0 * std::conj(v) * g; }, dw, z);
        dz.data()[1] = std::nan("");  // one element is NaN, all others are correct
        return dz;
      });
  const std::string text = report_text(check(broken, two));
  BOOST_TEST(text.find("not finite") != std::string::npos, text);
  for (const char* guess : {"conjugated", "multiplied", "zero"}) BOOST_TEST(text.find(guess) == std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(the_check_finds_a_wrong_jvp_and_one_that_is_missing_is_no_fault) {
  const auto wrong = custom_op("wrong_tangent", energy, energy_gradient, [](const Tensor<C>& along, const Tensor<C>& z) {
    return map([](double v) { return 2 * v; }, energy_tangent(along, z));
  });
  BOOST_TEST(!check(wrong, two).ok());
  const auto none = custom_op("no_tangent", energy, energy_gradient);
  BOOST_TEST(check(none, two).ok());
  BOOST_TEST(error_of([&] { jvp(none, along(two, two)); }) ==
             "no_tangent: has no forward mode; give custom_op() a jvp as the fourth argument");
}

BOOST_AUTO_TEST_CASE(gradients_and_tangents_of_another_shape_are_refused) {
  const auto ones = [](const auto&, const Tensor<C>&) { return Tensor<C>::ones({3}); };
  const auto wrong =
      custom_op("wrong_shape", energy, ones, [](const Tensor<C>&, const Tensor<C>&) { return Tensor<double>::ones({3}); });
  const Complex z = variable(Tensor<C>::ones({4}));
  const Real L = wrong(z);
  BOOST_TEST(error_of([&] { backward(L); }) == "wrong_shape: the gradient of input 0 has shape [3], but the input has shape [4]");
  BOOST_TEST(Tape::current().entries().empty());  // the next loss starts with an empty tape
  backward(abs2(sum(z, 0)));
  BOOST_TEST(z.grad().data()[0] == C(8, 0));
  BOOST_TEST(error_of([&] { jvp(wrong, along(two, two)); }) == "wrong_shape: the jvp has shape [3], but the value has shape []");
}

BOOST_AUTO_TEST_CASE(its_jvp_is_the_derivative_along_a_direction) {
  const Tensor<C> v({2}, {C(0.5, -1), C(2, 1)});
  BOOST_TEST(jvp(total_energy, along(two, v)).item() == 2 * 0.5 + 4 * -1 + 0 * 2 - 6 * 1);
}

BOOST_AUTO_TEST_CASE(no_second_derivative_is_made_up) {
  const Complex z = variable(two);
  BOOST_TEST(error_of([&] {
               hvp<double>([&] { return total_energy(z); }, {{"z", z}}, {two});
             }) ==
             "total_energy: has no second derivative: its vjp and jvp are not recorded. To compute only the tangent, use NoGrad, "
             "as jvp() does");
  // Factors without a tangent count as constants: for L = 14 |s|², H = 28.
  const Complex s = variable(Tensor<C>::scalar(C(0.5, 1)));
  const auto product = hvp<double>([&] { return total_energy(z) * abs2(s); }, {{"s", s}}, {Tensor<C>::scalar(C(1, 2))});
  BOOST_TEST((std::get<Tensor<C>>(product[0]).item() == C(28, 56)));
}

BOOST_AUTO_TEST_CASE(built_in_names_are_refused_and_custom_ones_may_be_reused) {
  BOOST_TEST(error_of([] { custom_op("exp", energy, energy_gradient); }) == "custom_op: exp is a built-in op; choose another name");
  const auto again = custom_op("total_energy", energy, energy_gradient);
  BOOST_TEST(again(Complex(two)).value().item() == 14);
  // Custom ops are not among those that `argand explain` lists and gradcheck checks.
  BOOST_TEST(Op::find("total_energy") == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
