#include "autograd/ops/attention/angular_attention.h"

#include <boost/test/unit_test.hpp>

#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/tape.h"
#include "core/parallel.h"
#include "tests/autograd/same.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(angular_attention_test)

using C = std::complex<double>;

namespace {

Tensor<C> numbers(const Shape& shape, std::uint64_t seed) { return randn<C>(shape, Random(seed)); }

/// The paper's formula, written out with arguments and cosines. Q, K, V are [B, T, n].
Tensor<C> by_the_formula(const Tensor<C>& Q, const Tensor<C>& K, const Tensor<C>& V, std::int64_t H, double scale, bool causal) {
  const std::int64_t B = Q.dim(0), T = Q.dim(1), n = Q.dim(2), d = n / H;
  Tensor<C> out = Tensor<C>::zeros(Q.shape());
  for (std::int64_t b = 0; b < B; ++b)
    for (std::int64_t h = 0; h < H; ++h)
      for (std::int64_t t = 0; t < T; ++t) {
        std::vector<double> weights;
        double total = 0;
        for (std::int64_t s = 0; s < (causal ? t + 1 : T); ++s) {
          double score = 0;
          for (std::int64_t j = h * d; j < (h + 1) * d; ++j) score += std::cos(std::arg(Q(b, t, j)) - std::arg(K(b, s, j)));
          weights.push_back(std::exp(scale * score));
          total += weights.back();
        }
        for (std::size_t s = 0; s < weights.size(); ++s)
          for (std::int64_t j = h * d; j < (h + 1) * d; ++j)
            out(b, t, j) += weights[s] / total * V(b, static_cast<std::int64_t>(s), j);
      }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(is_the_softmax_of_sums_of_cosines) {
  // 70 rows need more than one tile.
  const Tensor<C> Q = numbers({2, 70, 6}, 1), K = numbers({2, 70, 6}, 2), V = numbers({2, 70, 6}, 3);
  for (const bool causal : {false, true}) {
    AttentionOptions options;
    options.n_heads = 2, options.scale = 0.8, options.causal = causal;
    const Tensor<C> ours = angular_attention(constant(Q), constant(K), constant(V), options).value();
    const Tensor<C> expected = by_the_formula(Q, K, V, 2, 0.8, causal);
    for (std::int64_t i = 0; i < ours.size(); ++i) BOOST_TEST(std::abs(ours.data()[i] - expected.data()[i]) < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(moduli_do_not_matter_and_get_no_gradient) {
  AttentionOptions options;
  options.scale = 0.8;
  const Var<C> Q = variable(numbers({1, 5, 4}, 1)), K = variable(numbers({1, 5, 4}, 2));
  const auto V = constant(numbers({1, 5, 4}, 3));
  const Var<C> out = angular_attention(Q, K, V, options);
  Tensor<C> longer = Q.value().clone();
  for (std::int64_t i = 0; i < longer.size(); ++i) longer.data()[i] *= 0.1 + static_cast<double>(i);
  const Tensor<C> same_phases = angular_attention(constant(longer), K, V, options).value();
  for (std::int64_t i = 0; i < longer.size(); ++i) BOOST_TEST(std::abs(out.value().data()[i] - same_phases.data()[i]) < 1e-14);
  backward(sum(abs2(out)));
  for (const Var<C>& z : {Q, K}) {
    double largest = 0;
    for (std::int64_t i = 0; i < z.size(); ++i) {
      const C g = z.grad().data()[i];
      largest = std::max(largest, std::abs(g));
      // The gradient is orthogonal to z: it turns z and does not stretch it.
      BOOST_TEST(std::abs(real_of(conj_mul(z.value().data()[i], g))) < 1e-14);
    }
    BOOST_TEST(largest > 0.01);
  }
}

BOOST_AUTO_TEST_CASE(the_same_bits_for_any_number_of_threads) {
  const int threads = num_threads();
  std::vector<Tensor<C>> gradients;
  for (const int n : {1, 3}) {
    set_num_threads(n);
    AttentionOptions options;
    options.n_heads = 2, options.causal = true, options.dropout = 0.2;
    const Var<C> z = variable(numbers({3, 40, 8}, 1));
    backward(sum(abs2(angular_attention(z, z, z, options))));
    gradients.push_back(z.grad());
  }
  set_num_threads(threads);
  same(gradients[0], gradients[1]);
}

BOOST_AUTO_TEST_CASE(errors) {
  const auto z = [](std::initializer_list<std::int64_t> shape) { return constant(Tensor<C>::zeros(Shape(shape))); };
  AttentionOptions options;
  options.n_heads = 2;
  BOOST_TEST(
      error_of([&] {
        angular_attention(z({1, 2, 4}), z({1, 2, 6}), z({1, 2, 4}), options);
      }) == "angular_attention: expects q [B, Tq, H d_k], k [B, Tk, H d_k], v [B, Tk, H d_v], got [1, 2, 4], [1, 2, 6], [1, 2, 4]");
  BOOST_TEST(error_of([&] {
               angular_attention(z({1, 2, 3}), z({1, 2, 3}), z({1, 2, 4}), options);
             }) == "angular_attention: 2 heads do not evenly divide the last axes of [1, 2, 3] and [1, 2, 4]");
}

BOOST_AUTO_TEST_SUITE_END()
