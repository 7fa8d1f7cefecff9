/// Tests every invariance of every family (a change that leaves the model's output unchanged) for every choice of configuration,
/// and changes that merely look like invariances.

#include "nn/invariance.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "autograd/tape.h"
#include "nn/decoder_config.h"
#include "nn/families/complexformer/config.h"
#include "nn/families/qic/config.h"
#include "nn/family.h"
#include "tests/nn/language_models.h"
#include "train/config/settings.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(invariance)

namespace {

using C = std::complex<double>;

ModelConfig small(const Family& family, TextTask task) {
  ModelConfig config(family);
  config.task = task, config.vocab_size = 13, config.max_seq_len = 8, config.n_layers = 2, config.d_model = 16, config.n_heads = 2;
  config.d_ff = 12, config.n_classes = 3;
  return config;
}

/// The family's configurations for both tasks: the default, and one for each alternative value or flag that is compatible with the
/// rest.
std::vector<ModelConfig> choices_of(const Family& family) {
  std::vector<ModelConfig> all;
  for (const TextTask task : every<TextTask>()) {
    const ModelConfig base = small(family, task);
    all.push_back(base);
    ModelConfig keys = base;
    keys.visit([&](const std::string& key, auto& value, const std::string& choices, const std::string&) {
      if (key == "family" || key == "task") return;
      std::vector<std::string> others;
      if constexpr (std::same_as<std::remove_cvref_t<decltype(value)>, std::string>) others = split_choices(choices);
      if constexpr (std::same_as<std::remove_cvref_t<decltype(value)>, bool>) others = {value ? "false" : "true"};
      for (const std::string& other : others) {
        ModelConfig changed = base;
        changed.visit([&](const std::string& name, auto& number, const char* words, const char*) {
          if (name == key) assign({name, other, ""}, words, number);
        });
        try {
          changed.validate();
          all.push_back(changed);
        } catch (const Error&) {  // incompatible with the other settings
        }
      }
    });
  }
  return all;
}

/// A model whose parameters are perturbed, as if by training, so that none has a special value.
std::unique_ptr<Model<double>> perturbed_model(const ModelConfig& config) {
  auto model = make_model<double>(config, 1);
  std::uint64_t stream = 0;
  for (Parameter<double>& p : model->parameters())
    std::visit(
        [&]<Scalar T>(Var<T>& v) {
          const Tensor<T> noise = randn<T>(v.shape(), Random(7, stream++), 0.3);
          for (std::int64_t i = 0; i < v.size(); ++i) v.value().data()[i] += noise.data()[i];
        },
        p.var);
  return model;
}

/// The log softmax of the logits of two texts, concatenated over all positions or texts.
std::vector<double> log_probabilities(Model<double>& model) {
  const NoGrad none;
  const Tensor<double> logits = model.logits(random_ids({2, 7})).value();
  std::vector<double> all(logits.begin(), logits.end());
  const std::int64_t V = logits.shape().back();
  for (std::int64_t row = 0; row < logits.size() / V; ++row) {
    double* x = all.data() + row * V;
    double total = 0;
    for (std::int64_t v = 0; v < V; ++v) total += std::exp(x[v]);
    for (std::int64_t v = 0; v < V; ++v) x[v] -= std::log(total);
  }
  return all;
}

double apart(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

/// The largest change of any element of the parameters.
double moved(const ParameterList<double>& parameters, const ParameterList<double>& before) {
  double most = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    std::visit(
        [&]<Scalar T>(const Var<T>& v) {
          for (std::int64_t j = 0; j < v.size(); ++j)
            most = std::max<double>(most, std::abs(v.value().data()[j] - std::get<Var<T>>(before[i].var).value().data()[j]));
        },
        parameters[i].var);
  return most;
}

/// How much a transformation of the parameters changes the log probabilities.
template <class F>
double effect(const ModelConfig& config, const F& change) {
  const auto model = perturbed_model(config);
  const std::vector<double> before = log_probabilities(*model);
  const ParameterList<double> parameters = model->parameters();
  change(Weights(parameters));
  return apart(log_probabilities(*model), before);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_invariance_moves_parameters_and_no_probability) {
  std::size_t models = 0, changes = 0;
  for (const Family& family : families()) {
    if (!family.invariances) continue;
    for (const ModelConfig& config : choices_of(family)) {
      ++models;
      for (const Invariance& invariance : family.invariances(config)) {
        BOOST_TEST_CONTEXT(config.to_json() << "\n" << invariance.name) {
          const auto model = perturbed_model(config), still = perturbed_model(config);
          const ParameterList<double> parameters = model->parameters();
          const std::vector<double> before = log_probabilities(*model);
          invariance.apply(Weights(parameters), Amounts(Random(3)));
          BOOST_TEST(moved(parameters, still->parameters()) > 0.1);
          BOOST_TEST(apart(log_probabilities(*model), before) < 1e-9);
          ++changes;
        }
      }
    }
  }
  BOOST_TEST(models > 60U);
  BOOST_TEST(changes > 300U);
}

BOOST_AUTO_TEST_CASE(a_family_of_the_library_has_some) {
  for (const char* name : {"transformer", "complexformer", "crope", "crat", "qic"})
    BOOST_TEST(family_named(name).invariances(small(family_named(name), TextTask::Lm)).size() >= 2U, name);
}

// Near misses: changes that are invariances of one model but not of another.

BOOST_AUTO_TEST_CASE(rotary_positions_see_the_bias_of_keys) {
  ModelConfig config = small(family_named("transformer"), TextTask::Lm);
  const auto change = [](const Weights& w) {
    for (double& b : w.real("blocks.0.attn.k.bias").span()) b += 1;
  };
  BOOST_TEST(effect(config, change) < 1e-12);
  config.own<DecoderConfig>().position = PositionKind::Rope;
  BOOST_TEST(effect(config, change) > 1e-3);
}

BOOST_AUTO_TEST_CASE(a_common_phase_of_queries_and_keys_is_free_with_delta_1_and_not_across_the_cut) {
  ModelConfig config = small(family_named("complexformer"), TextTask::Lm);
  const auto change = [](const Weights& w) {
    for (const char* layer : {"blocks.0.attn.q", "blocks.0.attn.k"}) w.scale_output(layer, 0, std::polar(1.0, 1.3));
  };
  BOOST_TEST(effect(config, change) > 1e-4);
  config.own<ComplexFormerConfig>().adaptation = Adaptation::Fixed;
  BOOST_TEST(effect(config, change) < 1e-12);
}

BOOST_AUTO_TEST_CASE(the_sign_of_one_delta_alone_is_not_free) {
  const ModelConfig config = small(family_named("complexformer"), TextTask::Lm);
  const auto change = [](const Weights& w) { w.real("blocks.0.attn.delta").data()[0] *= -1; };
  BOOST_TEST(effect(config, change) > 1e-4);
}

BOOST_AUTO_TEST_CASE(a_unit_of_queries_is_free_only_where_magnitudes_are_multiplicative) {
  ModelConfig config = small(family_named("qic"), TextTask::Lm);
  const auto change = [](const Weights& w) {
    for (std::int64_t j = 0; j < 4; ++j) w.scale_output("blocks.0.attn.q", j, std::polar(1.0, 1.3));
  };
  BOOST_TEST(effect(config, change) > 1e-3);
  config.own<QicConfig>().algebra = Algebra::Complex;
  BOOST_TEST(effect(config, change) < 1e-12);
}

BOOST_AUTO_TEST_CASE(dot_products_see_moduli_that_angular_scores_do_not) {
  ModelConfig config = small(family_named("crat"), TextTask::Lm);
  const auto change = [](const Weights& w) { w.scale_output("blocks.0.attn.q", 0, 2); };
  BOOST_TEST(effect(config, change) < 1e-12);
  config.visit([&](const std::string& name, auto& value, const char* words, const char*) {
    if (name == "attention") assign({name, "dot", ""}, words, value);
  });
  BOOST_TEST(effect(config, change) > 1e-3);
}

BOOST_AUTO_TEST_SUITE_END()
