#include "optim/muon.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "core/random.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(muon)

namespace {

using C = std::complex<double>;

/// The real matrix of twice the size in which each entry is replaced by [[Re, -Im], [Im, Re]].
Tensor<double> expand(const Tensor<C>& z) {
  Tensor<double> x(Shape{2 * z.dim(0), 2 * z.dim(1)});
  for (std::int64_t i = 0; i < z.dim(0); ++i)
    for (std::int64_t j = 0; j < z.dim(1); ++j) {
      const C w = z(i, j);
      x(2 * i, 2 * j) = w.real(), x(2 * i, 2 * j + 1) = -w.imag();
      x(2 * i + 1, 2 * j) = w.imag(), x(2 * i + 1, 2 * j + 1) = w.real();
    }
  return x;
}

double largest_difference(const Tensor<double>& a, const Tensor<double>& b) {
  BOOST_REQUIRE(a.shape() == b.shape());
  double worst = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a.data()[i] - b.data()[i]));
  return worst;
}

}  // namespace

BOOST_AUTO_TEST_CASE(singular_values_come_close_to_one) {
  for (const Shape& shape : {Shape{6, 9}, Shape{9, 6}, Shape{5, 5}}) {
    const Tensor<C> x = newton_schulz(randn<C>(shape, Random(2)));
    // If X has the singular values s, the square of its Frobenius norm is Σ s²; five steps bring every s into about [0.7, 1.2].
    double square = 0;
    for (const C& v : x.span()) square += std::norm(v);
    const double k = static_cast<double>(std::min(shape[0], shape[1]));
    BOOST_TEST(square > 0.5 * k);
    BOOST_TEST(square < 1.45 * k);
  }
}

/// The norm must neither overflow nor underflow, and the 1e-7 added to it must still take effect.
template <Scalar T>
void scale_does_not_matter(RealOf<T> huge) {
  const Tensor<T> u = randn<T>({5, 4}, Random(4));
  Tensor<T> large = u;
  for (T& v : large) v *= huge;
  const Tensor<T> x = newton_schulz(u), y = newton_schulz(large);
  for (std::int64_t i = 0; i < x.size(); ++i) BOOST_TEST(std::abs(x.data()[i] - y.data()[i]) < 1e-3);
}
BOOST_AUTO_TEST_CASE(huge_matrices_are_normalised) {
  scale_does_not_matter<float>(1e30F);
  scale_does_not_matter<float>(1e37F);
  scale_does_not_matter<double>(1e200);
  scale_does_not_matter<std::complex<float>>(1e30F);
  scale_does_not_matter<C>(1e307);
  Tensor<float> I = Tensor<float>::zeros({3, 3});
  for (int i = 0; i < 3; ++i) I(i, i) = 1e30F;
  BOOST_TEST(newton_schulz(I)(0, 0) > 0.6F);
}

BOOST_AUTO_TEST_CASE(complex_muon_is_real_muon_on_the_block_expansion) {
  for (const Shape& shape : {Shape{4, 7}, Shape{7, 4}, Shape{5, 5}}) {
    Var<C> z = variable(randn<C>(shape, Random(1)));
    Var<double> x = variable(expand(z.value()));
    Muon<double> complex_muon({{"z.weight", z}}, {}), real_muon({{"x.weight", x}}, {});
    for (std::uint64_t step = 0; step < 4; ++step) {
      const Tensor<C> g = randn<C>(shape, Random(3, step));
      z.set_grad(g);
      x.set_grad(expand(g));
      complex_muon.step(0.02, 0.7);
      real_muon.step(0.02, 0.7);
      BOOST_TEST(largest_difference(expand(z.value()), x.value()) < 1e-12);
    }
  }
}

BOOST_AUTO_TEST_CASE(one_step_of_a_scaled_rotation_is_known) {
  // The polar factor of c·Q is Q; the iteration changes only the singular value, s <- a s + b s³ + c s⁵, starting from s = 1/√2.
  const double angle = 0.3;
  Var<double> p = variable(Tensor<double>::zeros({2, 2}));
  p.set_grad(Tensor<double>({2, 2}, {5 * std::cos(angle), -5 * std::sin(angle), 5 * std::sin(angle), 5 * std::cos(angle)}));
  Muon<double>({{"p.weight", p}}, {.momentum = 0.95, .weight_decay = 0}).step(0.1);
  double s = 1 / std::sqrt(2.0);
  for (int i = 0; i < 5; ++i) s = 3.4445 * s - 4.7750 * s * s * s + 2.0315 * std::pow(s, 5);
  BOOST_TEST(p.value()(0, 0) == -0.1 * s * std::cos(angle), boost::test_tools::tolerance(1e-6));
  BOOST_TEST(p.value()(1, 0) == -0.1 * s * std::sin(angle), boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(muon_takes_the_hidden_matrices_and_adamw_the_rest) {
  BOOST_TEST(is_muon_parameter(Role::Matrix, {4, 4}));
  BOOST_TEST(!is_muon_parameter(Role::Matrix, {4, 4, 4}));
  for (const Role role : {Role::Embedding, Role::Output, Role::Bias, Role::Gain, Role::Angle, Role::Other})
    BOOST_TEST(!is_muon_parameter(role, {4, 4}));

  Var<float> hidden = variable(randn<float>({3, 4}, Random(1))), gain = variable(Tensor<float>::ones({4}));
  const auto both = make_optimizer<float>({.name = "muon"}, {{"a.weight", hidden}, {"a.bias", gain}});
  hidden.set_grad(randn<float>({3, 4}, Random(2)));
  gain.set_grad(randn<float>({4}, Random(3)));
  both->step(0.01);
  std::vector<std::string> names;
  for (const auto& entry : both->state().tensors) names.push_back(entry.name);
  BOOST_TEST((names == std::vector<std::string>{"buf.a.weight", "m.a.bias", "v.a.bias"}));

  // Training that resumes from a saved state continues as if it had never stopped.
  OptimizerState<float> saved = both->state();
  for (auto& entry : saved.tensors) std::visit([](auto& x) { x = x.clone(); }, entry.value);
  const Tensor<float> hidden_then = hidden.value().clone(), gain_then = gain.value().clone();
  both->step(0.01);
  const Tensor<float> expected_hidden = hidden.value().clone(), expected_gain = gain.value().clone();
  std::copy(hidden_then.begin(), hidden_then.end(), hidden.value().begin());
  std::copy(gain_then.begin(), gain_then.end(), gain.value().begin());
  const auto again = make_optimizer<float>({.name = "muon"}, {{"a.weight", hidden}, {"a.bias", gain}});
  again->load_state(saved);
  again->step(0.01);
  BOOST_TEST(std::equal(expected_hidden.begin(), expected_hidden.end(), hidden.value().begin()));
  BOOST_TEST(std::equal(expected_gain.begin(), expected_gain.end(), gain.value().begin()));
}

BOOST_AUTO_TEST_SUITE_END()
