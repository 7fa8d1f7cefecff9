#include <boost/test/unit_test.hpp>

#include "autograd/tape.h"
#include "nn/families/crope/attention.h"
#include "nn/families/crope/config.h"
#include "nn/model.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(crope_model)

namespace {

ModelConfig crope(CropeMode mode) {
  ModelConfig config = ModelConfig::defaults("crope");
  config.own<CropeConfig>().mode = mode;
  config.vocab_size = 50;
  return config;
}

/// The number of real degrees of freedom in the attention projections of all layers.
std::int64_t projection_parameters(const ModelConfig& config) {
  std::int64_t n = 0;
  const auto model = make_model<float>(config, 0);
  for (const auto& p : model->parameters())
    for (const char* projection : {"q", "k", "v", "o"})
      if (p.name.ends_with(std::string("attn.") + projection + ".weight")) n += p.degrees_of_freedom();
  return n;
}

}  // namespace

BOOST_AUTO_TEST_CASE(savings_are_exactly_25_and_37_5_and_50_percent_of_the_attention) {
  const std::int64_t dense = projection_parameters(crope(CropeMode::None));
  BOOST_TEST(dense == 2 * 4 * 128 * 128);
  BOOST_TEST(1000 * (dense - projection_parameters(crope(CropeMode::Qk))) == 250 * dense);
  BOOST_TEST(1000 * (dense - projection_parameters(crope(CropeMode::Qkv))) == 375 * dense);
  BOOST_TEST(1000 * (dense - projection_parameters(crope(CropeMode::All))) == 500 * dense);
  BOOST_TEST(projection_parameters(crope(CropeMode::HalfQk)) == projection_parameters(crope(CropeMode::Qk)));
  BOOST_TEST(projection_parameters(crope(CropeMode::HalfAll)) == projection_parameters(crope(CropeMode::All)));
}

BOOST_AUTO_TEST_CASE(the_papers_width_counts_what_its_layers_hold) {
  ModelConfig config = crope(CropeMode::All);
  config.d_model = config.d_ff = 1024, config.n_heads = 8, config.n_layers = 1;
  const auto model = make_model<float>(config, 0);
  const std::int64_t d = 1024, attention = 4 * d * d / 2 + 2 * (d / 8), ffn = 3 * d * d, norms = 2 * d;
  BOOST_TEST(count_parameters(model->parameters()) == 50 * d + attention + ffn + norms + d);
}

BOOST_AUTO_TEST_CASE(a_complex_linear_projection_commutes_with_a_rotation_of_all_phases) {
  // Complex-linear means that W(e^{iα} x) = e^{iα} W x. Queries and keys turned by the same α have the same scores, hence the same
  // attention, and v and o carry the phase through: the whole layer is equivariant. A dense layer is not.
  const auto turned_by_half_pi = [](Tensor<double> x) {
    Tensor<double> y(x.shape());
    for (std::int64_t i = 0; i < x.size(); i += 2) y.data()[i] = -x.data()[i + 1], y.data()[i + 1] = x.data()[i];
    return y;
  };
  const NoGrad none;
  for (const bool complex : {true, false}) {
    ModelConfig config = crope(complex ? CropeMode::All : CropeMode::None);
    config.d_model = 16, config.own<CropeConfig>().qk_norm = false;
    Init init(3);
    const DotAttention<double> attention(init, crope_attention(config));
    const Tensor<double> x = randn<double>({2, 5, 16}, Random(8));
    ForwardPass pass({}, 0);
    const auto layer = [&](const Tensor<double>& input) {
      return attention(Var(input), AttentionPass<double>{.forward = pass}).value();
    };
    const Tensor<double> a = layer(turned_by_half_pi(x)), b = turned_by_half_pi(layer(x));
    double worst = 0;
    for (std::int64_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a.data()[i] - b.data()[i]));
    BOOST_TEST((complex ? worst < 1e-14 : worst > 1e-2), worst);
  }
}

BOOST_AUTO_TEST_SUITE_END()
