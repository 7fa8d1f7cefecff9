/// Singular points and subnormal or huge numbers in float32 give the value a user would expect, the gradient 0 where the op
/// declares it, and never NaN.

#include <boost/test/unit_test.hpp>
#include <functional>
#include <limits>

#include "autograd/ops.h"
#include "autograd/ops/products/projection.h"
#include "autograd/tape.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(singular_points)

using C = std::complex<float>;

namespace {

constexpr float smallest = std::numeric_limits<float>::denorm_min(), largest = std::numeric_limits<float>::max();

/// The gradient of Re Σ f at z.
template <class F>
C gradient(const F& f, C z) {
  auto x = variable(Tensor<C>({1}, {z}));
  const auto w = f(x);
  if constexpr (ComplexScalar<typename decltype(f(x))::value_type>)
    backward(sum(real(w)));
  else
    backward(sum(w));
  return x.grad()(0);
}

bool finite(C z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

/// A function with its gradient and its derivative along 1 + i.
struct Named {
  std::string name;
  std::function<C(C)> gradient, tangent;
};
template <class F>
Named named(std::string name, F f) {
  return {std::move(name), [f](C z) { return gradient(f, z); },
          [f](C z) { return C(jvp(f, along(Tensor<C>({1}, {z}), Tensor<C>({1}, {C(1, 1)})))(0)); }};
}

}  // namespace

BOOST_AUTO_TEST_CASE(gradients_at_every_zero) {
  const auto bias = [](float c) { return constant(Tensor<float>::scalar(c)); };
  const std::vector<Named> functions = {
      named("abs", [](auto z) { return abs(z); }),
      named("angle", [](auto z) { return angle(z); }),
      named("sqrt", [](auto z) { return sqrt(z); }),
      named("unit_phasor", [](auto z) { return unit_phasor(z); }),
      named("modrelu", [&](auto z) { return modrelu(z, bias(0.5f)); }),
      named("cardioid", [](auto z) { return cardioid(z); }),
      named("zrelu", [](auto z) { return zrelu(z); }),
      named("crelu", [](auto z) { return crelu(z); }),
      named("pow 0.5", [](auto z) { return pow(z, 0.5f); }),
  };
  for (const Named& f : functions)
    for (const C z : {C(0.f, 0.f), C(-0.f, 0.f), C(0.f, -0.f), C(-0.f, -0.f)}) {
      BOOST_TEST(f.gradient(z) == C(0), f.name);
      BOOST_TEST(f.tangent(z) == C(0), f.name << ", tangent");
    }
}

BOOST_AUTO_TEST_CASE(no_gradient_and_no_tangent_is_ever_nan) {
  const auto bias = [](float c) { return constant(Tensor<float>::scalar(c)); };
  const std::vector<Named> functions = {
      named("abs", [](auto z) { return abs(z); }),
      named("angle", [](auto z) { return angle(z); }),
      named("unit_phasor", [](auto z) { return unit_phasor(z); }),
      named("modrelu +", [&](auto z) { return modrelu(z, bias(0.5f)); }),
      named("modrelu -", [&](auto z) { return modrelu(z, bias(-0.5f)); }),
      named("cardioid", [](auto z) { return cardioid(z); }),
      named("zrelu", [](auto z) { return zrelu(z); }),
      named("crelu", [](auto z) { return crelu(z); }),
      named("cgelu", [](auto z) { return cgelu(z); }),
      named("tanh", [](auto z) { return tanh(z); }),
      named("sigmoid", [](auto z) { return sigmoid(z); }),
      named("1/z", [](auto z) { return 1 / z; }),
      named("pow 0.5", [](auto z) { return pow(z, 0.5f); }),
  };
  const float sizes[] = {0.f, -0.f, smallest, -smallest, 1e-40f, 1e-38f, -1e-30f, 1.f, -1.f, 1e20f, -1e30f, 2e38f};
  for (const Named& f : functions)
    for (const float x : sizes)
      for (const float y : sizes) {
        const C z(x, y);
        if (f.name == "1/z" && std::abs(z) < 1e-18f) continue;  // the gradient 1/z² itself is beyond float32
        BOOST_TEST(finite(f.gradient(z)), f.name << " at " << z << ": " << f.gradient(z));
        if (f.name == "tanh" && std::abs(y) > 1e38f) continue;  // tanh's tangent needs sin 2y, and 2y overflows
        BOOST_TEST(finite(f.tangent(z)), f.name << " at " << z << ", tangent: " << f.tangent(z));
      }
}

BOOST_AUTO_TEST_CASE(modulus_and_phase_of_huge_and_tiny_numbers) {
  const auto modulus = [](C z) { return abs(number(z)).value().item(); };
  BOOST_TEST(modulus({3e30f, 4e30f}) == 5e30f, boost::test_tools::tolerance(1e-6f));
  BOOST_TEST(modulus({-3e-30f, 4e-30f}) == 5e-30f, boost::test_tools::tolerance(1e-6f));
  BOOST_TEST(modulus({0, smallest}) == smallest);
  BOOST_TEST(modulus({largest, 0}) == largest);
  for (const float size : {1e-44f, 1e-38f, 1e-20f, 1.f, 1e30f, 2e38f}) {
    const C u = unit_phasor(number(C(size, size))).value().item();
    BOOST_TEST(u.real() == std::sqrt(0.5f), boost::test_tools::tolerance(1e-6f));
    BOOST_TEST(u.imag() == std::sqrt(0.5f), boost::test_tools::tolerance(1e-6f));
  }
  // d arg z = i z/|z|², where |z|² alone would be infinite or zero.
  const auto f = [](auto z) { return angle(z); };
  BOOST_TEST(gradient(f, {1e30f, 0}).imag() == 1e-30f, boost::test_tools::tolerance(1e-6f));
  BOOST_TEST(gradient(f, {1e-30f, 0}).imag() == 1e30f, boost::test_tools::tolerance(1e-6f));
}

BOOST_AUTO_TEST_CASE(the_branch_cut_takes_the_sign_of_the_imaginary_zero) {
  const float pi = std::acos(-1.f);
  BOOST_TEST(angle(number(C(-1, 0.f))).value().item() == pi);
  BOOST_TEST(angle(number(C(-1, -0.f))).value().item() == -pi);
  const auto f = [](auto z) { return angle(z); };
  BOOST_TEST(gradient(f, {-1, 0.f}) == C(0, -1));
  BOOST_TEST(gradient(f, {-1, -0.f}) == C(0, -1));
}

BOOST_AUTO_TEST_CASE(saturated_complex_tanh_and_sigmoid) {
  BOOST_TEST(std::abs(tanh(number(C(1e30f, 1))).value().item() - C(1)) < 1e-6f);
  BOOST_TEST(std::abs(tanh(number(C(-200, 3))).value().item() + C(1)) < 1e-6f);
  BOOST_TEST(std::abs(sigmoid(number(C(1e30f, 1))).value().item() - C(1)) < 1e-6f);
  BOOST_TEST(std::abs(sigmoid(number(C(-200, 3))).value().item()) < 1e-6f);
}

BOOST_AUTO_TEST_CASE(limits_at_infinity) {
  const float infinity = std::numeric_limits<float>::infinity();
  const auto at = [](const auto& f, float x) {
    const auto v = variable(Tensor<float>::scalar(x));
    const auto y = f(v);
    backward(y);
    return std::pair(y.value().item(), v.grad().item());
  };
  using Pair = std::pair<float, float>;
  for (const auto& f : {+[](const Var<float>& x) { return gelu(x); }, +[](const Var<float>& x) { return silu(x); }}) {
    BOOST_TEST((at(f, infinity) == Pair(infinity, 1)));
    BOOST_TEST((at(f, -infinity) == Pair(0, 0)));
  }
  BOOST_TEST((at([](const auto& x) { return tanh(x); }, -infinity) == Pair(-1, 0)));
  BOOST_TEST((at([](const auto& x) { return sigmoid(x); }, infinity) == Pair(1, 0)));
  BOOST_TEST((at([](const auto& x) { return sigmoid(x); }, -infinity) == Pair(0, 0)));
  BOOST_TEST((at([](const auto& x) { return erf(x); }, infinity) == Pair(1, 0)));
  BOOST_TEST(div(number(C(1, 1)), number(C(infinity, 0))).value().item() == C(0));
  BOOST_TEST(div(number(std::complex<double>(1, 1)), number(std::complex<double>(0, infinity))).value().item() ==
             std::complex<double>(0));
  const C root = pow(number(C(largest, largest)), 0.5f).value().item();  // |z| itself is beyond the range of the type
  BOOST_TEST(root.real() == 2.0267144e19f, boost::test_tools::tolerance(1e-6f));
  BOOST_TEST(root.imag() == 8.3949259e18f, boost::test_tools::tolerance(1e-6f));
}

/// A normalisation does not depend on the scale of its row, as long as eps is negligible.
template <Scalar T>
void norms_of_rows_times(RealOf<T> size) {
  using R = RealOf<T>;
  const Var<R> gain(Tensor<R>({4}, {1, R(-0.5), 2, R(0.25)}));
  const Var<T> bias(Tensor<T>::zeros({4}));
  const auto of_row = [&](const auto& norm, R factor) {
    Tensor<T> row({1, 4}, {T(1), T(-3), T(R(0.25)), T(2)});
    if constexpr (ComplexScalar<T>) row(0, 1) = T(-3, R(0.5));
    for (T& v : row) v *= factor;
    const Var<T> x = variable(row);
    const Var<T> y = norm(x);
    Tensor<T> W(y.shape(), {T(1), T(-1), T(2), T(R(0.5))});
    backward(projection(y, W));
    Tensor<T> both({2, 4});
    for (int j = 0; j < 4; ++j) {
      both(0, j) = y.value()(0, j);
      both(1, j) = x.grad()(0, j) * factor;
    }
    return both;
  };
  const auto layer = [&](const Var<T>& x) { return layer_norm(x, gain, bias); };
  const auto rms = [&](const Var<T>& x) { return rms_norm(x, gain); };
  const auto compare = [&](const char* name, const auto& norm) {
    const Tensor<T> small = of_row(norm, R(1 << 20)), large = of_row(norm, size);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j)
        BOOST_TEST(std::abs(large(i, j) - small(i, j)) < 1e-5, name << " of rows times " << size << ", " << i << ", " << j);
  };
  compare("layer_norm", layer);
  compare("rms_norm", rms);
  if constexpr (RealScalar<T>) {
    const Measure<R> by_angle{2, Magnitude::Algebraic, Var<R>(Tensor<R>({1}, {R(0.4)}))};
    const Var<R> two(Tensor<R>({2}, {1, R(-0.5)}));
    compare("magnitude_layer_norm", [&](const Var<T>& x) { return magnitude_layer_norm(x, two, by_angle); });
    compare("magnitude_rms_norm", [&](const Var<T>& x) { return magnitude_rms_norm(x, two, by_angle); });
    const Measure<R> of_quaternions{4, Magnitude::Euclidean, by_angle.theta};
    const Var<R> one(Tensor<R>({1}, {2}));
    compare("magnitude_rms_norm, quaternions", [&](const Var<T>& x) { return magnitude_rms_norm(x, one, of_quaternions); });
  }
}

BOOST_AUTO_TEST_CASE(norms_of_huge_rows) {
  norms_of_rows_times<float>(1e20f);
  norms_of_rows_times<float>(1e30f);
  norms_of_rows_times<double>(1e200);
  norms_of_rows_times<double>(1e300);
  norms_of_rows_times<C>(1e20f);
  norms_of_rows_times<std::complex<double>>(1e200);
}

BOOST_AUTO_TEST_CASE(magnitude_norms_of_ordinary_rows_beside_huge_ones) {
  // The ordinary row's bits must not depend on its neighbour, nor on the positions of zeros and small numbers.
  const std::vector<double> ordinary = {1, -2, 0, 0.5}, huge = {1e200, 0, 1e-3, -3e200};
  const Measure<double> measure{2, Magnitude::Algebraic, Var<double>(Tensor<double>({1}, {0.4}))};
  const auto run = [&](const Tensor<double>& rows) {
    const Var<double> x = variable(rows);
    const Var<double> y = magnitude_layer_norm(x, Var<double>(Tensor<double>({2}, {1, 3})), measure);
    Tensor<double> W(y.shape());
    for (std::int64_t i = 0; i < W.size(); ++i) W.data()[i] = 1 + 0.5 * static_cast<double>(i % 4);
    backward(projection(y, W));
    return std::pair(y.value().clone(), x.grad().clone());
  };
  Tensor<double> both({2, 4});
  std::copy(ordinary.begin(), ordinary.end(), both.begin());
  std::copy(huge.begin(), huge.end(), both.begin() + 4);
  const auto [y, dx] = run(both);
  const auto [y_alone, dx_alone] = run(Tensor<double>({1, 4}, std::span<const double>(ordinary)));
  for (int i = 0; i < 4; ++i) {
    BOOST_TEST(y.data()[i] == y_alone.data()[i]);
    BOOST_TEST(dx.data()[i] == dx_alone.data()[i]);
    BOOST_TEST(std::isfinite(y.data()[4 + i]));
    BOOST_TEST(std::isfinite(dx.data()[4 + i]));
  }
}

BOOST_AUTO_TEST_CASE(small_powers_of_gaussian_integers_are_exact) {
  using D = std::complex<double>;
  const auto power = [](D z, double p) { return pow(number(z), p).value().item(); };
  BOOST_TEST(power({1, 1}, 2) == D(0, 2));
  BOOST_TEST(power({1, 1}, 3) == D(-2, 2));
  BOOST_TEST(power({0, 1}, -1) == D(0, -1));
  BOOST_TEST(power({-3, 4}, 1) == D(-3, 4));
}

BOOST_AUTO_TEST_CASE(nan_propagates) {
  // The ops must not swallow a NaN either, since the NaN tracer looks for it.
  const float nan = std::numeric_limits<float>::quiet_NaN();
  BOOST_TEST(std::isnan(relu(number(nan)).value().item()));
  BOOST_TEST(std::isnan(max(constant(Tensor<float>({3}, {1, nan, 2})), 0).value().item()));
  BOOST_TEST(std::isnan(abs(number(C(nan, 0))).value().item()));
  BOOST_TEST(!finite(unit_phasor(number(C(0, nan))).value().item()));
  BOOST_TEST(!finite(modrelu(number(C(0, nan)), number(0.1f)).value().item()));
  BOOST_TEST(!finite(zrelu(number(C(nan, 1))).value().item()));
  for (const C& z : {C(nan, 0), C(0, nan)}) {
    const auto x = variable(Tensor<C>({1, 1}, {z}));
    const auto delta = variable(Tensor<float>({1}, {0.5f})), beta = variable(Tensor<float>({1}, {0.1f}));
    backward(sum(real(phase_rotation(x, delta, beta))));
    BOOST_TEST(!finite(x.grad()(0, 0)));
    BOOST_TEST(std::isnan(beta.grad()(0)));
  }
  BOOST_TEST(!finite(crelu(number(C(nan, 1))).value().item()));
}

BOOST_AUTO_TEST_SUITE_END()
