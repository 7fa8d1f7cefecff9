/// Parameters as seen by models, optimisers and counters.

#include "nn/module.h"

#include <boost/test/unit_test.hpp>
#include <set>
#include <type_traits>

#include "autograd/ops/products/matmul.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/tape.h"
#include "nn/config.h"
#include "nn/layers.h"
#include "nn/model.h"
#include "optim/clip.h"
#include "optim/optimizer.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(module)

namespace {

/// A module that uses one matrix twice, y = x W Wᵀ, as an autoencoder does.
struct Tied final : Module<double> {
  Var<double> weight = variable(Tensor<double>::ones({2, 2}));
  void visit(const Visit<double>& f) const override {
    f("encoder.weight", weight);
    f("decoder.weight", weight);
  }
};

}  // namespace

static_assert(!std::is_copy_constructible_v<Linear<double>> && !std::is_copy_assignable_v<Linear<double>>,
              "std::vector<Linear>(3, l) would silently tie three layers");
static_assert(std::is_nothrow_move_constructible_v<Linear<double>>);

BOOST_AUTO_TEST_CASE(a_tied_variable_is_one_parameter) {
  const Tied net;
  const ParameterList<double> list = parameters_of(net);
  BOOST_TEST_REQUIRE(list.size() == 1U);
  BOOST_TEST(list[0].name == "encoder.weight");
  BOOST_TEST(list[0].slot()->name() == "encoder.weight");
  BOOST_TEST(list[0].slot()->info->aliases == std::vector<std::string>{"decoder.weight"}, boost::test_tools::per_element());
  BOOST_TEST(count_parameters(list) == 4);
  auto weight = net.weight;
  weight.set_grad(Tensor<double>::ones({2, 2}));
  BOOST_TEST(grad_norm(list) == 2.0);
  make_optimizer<double>({.weight_decay = 0}, list)->step(0.1);
  BOOST_TEST(net.weight.value()(0, 0) == 0.9, boost::test_tools::tolerance(1e-8));
}

BOOST_AUTO_TEST_CASE(an_assigned_value_reaches_the_optimiser) {
  Linear<double> layer = [] {
    Init init(1);
    return Linear<double>(init, 2, 1, false);
  }();
  const auto optimizer = make_optimizer<double>({.weight_decay = 0}, parameters_of<double>(layer));
  layer.weight.value() = Tensor<double>({1, 2}, {3, 4});
  backward(sum(layer(Var<double>(Tensor<double>::ones({1, 2})))));
  optimizer->step(0.5);
  BOOST_TEST(layer.weight.value()(0, 0) == 2.5, boost::test_tools::tolerance(1e-8));
}

BOOST_AUTO_TEST_CASE(decay_is_for_matrices_and_tables) {
  ModelConfig config = ModelConfig::defaults("qic");
  config.vocab_size = 7;
  config.n_layers = 1;
  const auto model = make_model<double>(config, 1);
  const ParameterList<double> parameters = model->parameters();
  std::vector<AnyTensorOf<double>> before;
  for (auto p : parameters) {
    std::visit([](auto& v) { v.value().fill(1); }, p.var);
  }
  make_optimizer<double>({.weight_decay = 0.5}, parameters)->step(0.1);  // no gradients, so only the decay acts
  std::set<Role> seen;
  for (const auto& p : parameters) {
    const bool decays = p.role() == Role::Matrix || p.role() == Role::Embedding || p.role() == Role::Output;
    seen.insert(p.role());
    std::visit([&](const auto& v) { BOOST_TEST(std::abs(v.value().data()[0]) == (decays ? 0.95 : 1.0), p.name); }, p.var);
  }
  for (const Role role : {Role::Matrix, Role::Embedding, Role::Output, Role::Bias, Role::Gain, Role::Angle})
    BOOST_TEST((seen.count(role) == 1), static_cast<int>(role));
  make_optimizer<double>({.weight_decay = 0.5, .decay = "all"}, parameters)->step(0.1);
  for (const auto& p : parameters)
    if (p.role() == Role::Angle)
      std::visit([&](const auto& v) { BOOST_TEST(std::abs(v.value().data()[0]) == 0.95, p.name); }, p.var);
}

BOOST_AUTO_TEST_CASE(weight_decay_means_one_thing) {
  const auto shrinks_to = [](const OptimizerConfig& config) {
    auto w = variable(Tensor<double>::ones({2, 2}));
    w.set_grad(Tensor<double>::zeros({2, 2}));
    make_optimizer<double>(config, {{"w", w}})->step(0.1);
    return w.value()(0, 0);
  };
  BOOST_TEST(shrinks_to({.weight_decay = 0.01}) == 0.999, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(shrinks_to({.name = "muon", .weight_decay = 0.01}) == 0.999, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(shrinks_to({.name = "muon", .weight_decay = 0.01, .decay = "all"}) == 0.98, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(every_parameter_of_every_family_has_a_role) {
  for (const std::string family : {"transformer", "complexformer", "crope", "crat", "qic"}) {
    ModelConfig config = ModelConfig::defaults(family);
    config.vocab_size = 7;
    config.n_layers = 1;
    for (const auto& p : make_model<double>(config, 1)->parameters())
      BOOST_TEST((p.role() != Role::Other), family << " " << p.name);
  }
}

BOOST_AUTO_TEST_SUITE_END()
