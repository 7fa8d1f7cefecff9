#include "nn/families/complexformer/phase_attention.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/rotation.h"
#include "autograd/ops/elementwise/trigonometric.h"
#include "autograd/ops/products/matmul.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/rows/softmax.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"
#include "nn/decoder.h"
#include "nn/decoder_config.h"
#include "nn/families/complexformer/config.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(phase_attention)

namespace {

ModelConfig small(const std::string& family) {
  ModelConfig config = ModelConfig::defaults(family);
  config.vocab_size = 11, config.max_seq_len = 9, config.d_model = 16, config.n_heads = 2, config.d_ff = 12;
  return config;
}

struct Parts {
  Var<double> q, k, v, o, delta, bias;
};

Parts random_parts(const Shape& delta_shape) {
  const auto weight = [](std::uint64_t stream) { return variable(randn<double>({16, 16}, Random(3, stream), 0.3)); };
  return {weight(0),
          weight(1),
          weight(2),
          weight(3),
          variable(randn<double>(delta_shape, Random(3, 4), 0.7)),
          variable(randn<double>(delta_shape, Random(3, 5), 0.5))};
}

/// The paper's score computed literally, cosine by cosine over all pairs of positions, in O(T²·d): the reference for the factored
/// form.
Var<double> literal_attention(const Var<double>& x, const Parts& p, std::int64_t H, double base, double exponent) {
  const std::int64_t B = x.dim(0), T = x.dim(1), n = x.dim(2) / H / 2;
  const auto heads = [&](const Var<double>& w) {  // complex [B, H, T, n]
    return permute(reshape(view_as_complex(linear(x, w)), {B, T, H, n}), {0, 2, 1, 3});
  };
  const Var<std::complex<double>> zq = heads(p.q), zk = heads(p.k);
  const Shape per_query{B, H, T, 1, n}, per_key{B, H, 1, T, n};
  const auto lq = reshape(abs(zq), per_query), lk = reshape(abs(zk), per_key);
  const auto tq = reshape(angle(zq), per_query), tk = reshape(angle(zk), per_key);
  const Shape per_head = p.delta.rank() == 2 ? Shape{H, 1, 1, n} : Shape{1, 1, 1, n};
  Tensor<double> relative({T, T, n}), mask({T, T});
  for (std::int64_t i = 0; i < T; ++i)
    for (std::int64_t j = 0; j < T; ++j) {
      mask(i, j) = j <= i ? 0 : -1e300;
      for (std::int64_t c = 0; c < n; ++c)
        relative(i, j, c) = static_cast<double>(i - j) * std::pow(base, -exponent * static_cast<double>(c));
    }
  const auto phase = reshape(p.delta, per_head) * (tq - tk) + reshape(p.bias, per_head) + Var<double>(relative);
  const auto scores = scale(sum(lq * lk * cos(phase), -1), 1 / std::sqrt(static_cast<double>(2 * n)));
  const auto weights = softmax(scores + Var<double>(mask));
  const auto values = permute(reshape(linear(x, p.v), {B, T, H, 2 * n}), {0, 2, 1, 3});
  return linear(reshape(permute(matmul(weights, values), {0, 2, 1, 3}), {B, T, x.dim(2)}), p.o);
}

void load(const Module<double>& module, const Parts& p) {
  for (auto& parameter : parameters_of(module)) {
    Var<double> to = std::get<Var<double>>(parameter.var);
    const Var<double>& from = parameter.name[0] == 'q'    ? p.q
                              : parameter.name[0] == 'k'  ? p.k
                              : parameter.name[0] == 'v'  ? p.v
                              : parameter.name[0] == 'o'  ? p.o
                              : parameter.name == "delta" ? p.delta
                                                          : p.bias;
    BOOST_REQUIRE(to.shape() == from.shape());
    std::copy(from.value().begin(), from.value().end(), to.value().begin());
  }
}

double largest_difference(const Tensor<double>& a, const Tensor<double>& b) {
  BOOST_REQUIRE(a.shape() == b.shape());
  double worst = 0, size = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(a.data()[i] - b.data()[i]));
    size = std::max(size, std::abs(b.data()[i]));
  }
  return worst / size;
}

Var<double> run(const SelfAttention<double>& layer, const Var<double>& x) {
  ForwardPass pass({}, 0);
  return layer(x, AttentionPass<double>{.forward = pass});
}

/// A loss that gives every output a different weight.
Var<double> projected(const Var<double>& y) { return sum(y * Var<double>(randn<double>(y.shape(), Random(9)))); }

/// Checks that two layers have the same output, and the same gradients within a tolerance.
void check_alike(const SelfAttention<double>& one, const SelfAttention<double>& other, double gradients) {
  const Var<double> x = variable(randn<double>({2, 9, 16}, Random(5))), y = variable(x.value().clone());
  const Var<double> a = run(one, x);
  backward(projected(a));
  const Var<double> b = run(other, y);
  backward(projected(b));
  BOOST_TEST(largest_difference(a.value(), b.value()) < 1e-14);
  BOOST_TEST(largest_difference(x.grad(), y.grad()) < gradients);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_factored_score_is_the_papers) {
  for (const Adaptation adaptation : {Adaptation::PerHead, Adaptation::Shared})
    for (const FrequencyLaw law : every<FrequencyLaw>()) {
      ModelConfig config = small("complexformer");
      config.own<ComplexFormerConfig>().adaptation = adaptation, config.own<ComplexFormerConfig>().frequencies = law;
      Init init(1);
      const PhaseAttention<double> layer(init, config);
      const Parts p = random_parts(adaptation == Adaptation::PerHead ? Shape{2, 4} : Shape{4});
      load(layer, p);
      const Tensor<double> input = randn<double>({2, 7, 16}, Random(5));
      const Var<double> x = variable(input), y = variable(input);
      const Var<double> ours = run(layer, x);
      backward(projected(ours));
      const Var<double> theirs = literal_attention(y, p, 2, 10000, law == FrequencyLaw::Paper ? 0.5 : 0.25);
      backward(projected(theirs));
      BOOST_TEST(largest_difference(ours.value(), theirs.value()) < 1e-13);
      BOOST_TEST(largest_difference(x.grad(), y.grad()) < 1e-12);
      for (const auto& parameter : parameters_of(layer)) {
        const Var<double>& own = parameter.name == "delta" ? p.delta : parameter.name == "phase_bias" ? p.bias : p.q;
        if (parameter.name != "delta" && parameter.name != "phase_bias" && parameter.name != "q.weight") continue;
        BOOST_TEST(largest_difference(std::get<Var<double>>(parameter.var).grad(), own.grad()) < 1e-12, parameter.name);
      }
    }
}

BOOST_AUTO_TEST_CASE(fixed_adaptation_with_ropes_frequencies_is_rope) {
  ModelConfig ours = small("complexformer"), rope = small("transformer");
  ours.own<ComplexFormerConfig>().adaptation = Adaptation::Fixed, ours.own<ComplexFormerConfig>().frequencies = FrequencyLaw::Rope;
  rope.own<DecoderConfig>().position = PositionKind::Rope, rope.own<DecoderConfig>().attn_bias = false;
  Init init(1);
  const PhaseAttention<double> phase(init, ours);
  const DotAttention<double> dot(init, dot_attention_options(rope));
  const Parts p = random_parts({4});
  load(phase, p);
  load(dot, p);
  check_alike(phase, dot, 1e-14);
}

BOOST_AUTO_TEST_CASE(moduli_and_the_bias_are_what_delta_0_leaves) {
  for (const bool biased : {false, true}) {
    ModelConfig ours = small("complexformer"), learnt = small("complexformer");
    ours.own<ComplexFormerConfig>().adaptation = biased ? Adaptation::Bias : Adaptation::Magnitudes;
    Init init(1);
    const PhaseAttention<double> magnitudes(init, ours), zero(init, learnt);
    BOOST_TEST(parameters_of(magnitudes).size() == (biased ? 5U : 4U));
    Parts p = random_parts({2, 4});
    p.delta = variable(Tensor<double>::zeros({2, 4}));
    if (!biased) p.bias = variable(Tensor<double>::zeros({2, 4}));
    load(magnitudes, p);
    load(zero, p);
    check_alike(magnitudes, zero, 1e-13);
  }
}

BOOST_AUTO_TEST_CASE(a_phase_rotation_with_delta_1_is_a_rotary_embedding) {
  using C = std::complex<double>;
  const Rotary<double> positions{rotary_frequencies<double>(4, 10000, 0.25), 3};
  const Tensor<C> input = randn<C>({2, 7, 2, 4}, Random(8));
  const Var<C> x = variable(input), y = variable(input);
  const Var<double> one = variable(Tensor<double>::ones({2, 4})), zero = variable(Tensor<double>::zeros({2, 4}));
  const Var<double> weights(randn<double>({2, 7, 2, 8}, Random(9)));
  const Var<C> a = phase_rotation(x, one, zero, positions);
  backward(sum(view_as_real(a) * weights));
  const Var<C> b = rotary(y, positions);
  backward(sum(view_as_real(b) * weights));
  BOOST_TEST(largest_difference(as_real(a.value()), as_real(b.value())) < 1e-14);
  BOOST_TEST(largest_difference(as_real(x.grad()), as_real(y.grad())) < 1e-14);
}

BOOST_AUTO_TEST_SUITE_END()
