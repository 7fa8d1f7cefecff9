#include "train/evaluation/travel.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <fstream>
#include <limits>

#include "nn/decoder_config.h"
#include "optim/adamw.h"
#include "tests/data/temporary_directory.h"
#include "tests/error_text.h"
#include "train/evaluation/attention_figures.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(travel)

namespace {

/// How far Adam moves a parameter in each step at learning rate 1, given these gradients.
std::vector<double> ways(const std::vector<double>& gradients, double beta1, double beta2) {
  Var<double> p = variable(Tensor<double>({1}, {0.0}));
  AdamW<double> adam({{"p", p}}, {.beta1 = beta1, .beta2 = beta2, .eps = 1e-300, .weight_decay = 0});
  std::vector<double> found;
  for (const double g : gradients) {
    const double before = p.value().item();
    p.set_grad(Tensor<double>({1}, {g}));
    adam.step(1);
    found.push_back(std::abs(p.value().item() - before));
  }
  return found;
}

/// A language model with a vocabulary of 13, "trained" for two logged steps, after which its parameters have the given values.
struct Fixture {
  TemporaryDirectory scratch;
  RunConfig config;
  std::unique_ptr<Model<double>> model;
  std::string path = scratch / "last.safetensors";
  EvaluationSet set;

  explicit Fixture(const std::string& family = "complexformer") {
    config.model = ModelConfig::defaults(family);
    ModelConfig& m = config.model;
    m.vocab_size = 13, m.max_seq_len = 8, m.d_model = 8, m.n_heads = 2, m.d_ff = 8;
    config.training.precision = "float64", config.training.length = 8, config.training.batch = 2, config.training.steps = 5;
    config.training.warmup = "1";
    model = make_model<double>(m, 0);
    parameters = model->parameters();
    Ids text(Shape{65});
    for (std::int64_t i = 0; i < text.size(); ++i)
      text[i] = static_cast<std::int32_t>(Random(3).below(static_cast<std::uint64_t>(i), 13));
    set = evaluation_set(text, {.batch = 2, .length = 8});
  }
  TrainedRun run(const std::string& log) {
    std::ofstream(scratch / "log.jsonl") << log;
    save_checkpoint<double>(path, config, {.step = 5}, model->parameters(), nullptr);
    return {Checkpoint(path), nullptr, {}};
  }
  /// The values of the parameter with this name.
  Tensor<double>& numbers(const std::string& name) {
    for (Parameter<double>& p : parameters)
      if (p.name == name) return std::get<Var<double>>(p.var).value();
    throw std::runtime_error(name);
  }
  ParameterList<double> parameters;
};

const std::string rates = R"({"step":1,"lr":0.5}
{"step":3,"lr":0.25}
{"step":5,"lr":0.125,"loss":1}
{"step":5,"valid_loss":1}
{"step":6,"lr":100}
)";

}  // namespace

BOOST_AUTO_TEST_CASE(no_gradients_move_a_number_further_than_the_longest_step) {
  for (const auto& [beta1, beta2] : {std::pair{0.9, 0.98}, {0.9, 0.999}, {0.0, 0.9}, {0.8, 0.7}}) {
    const double longest = longest_adam_step(beta1, beta2);
    std::vector<double> steady(300, -2.0), growing, noise;
    for (std::uint64_t i = 0; i < 300; ++i) {
      growing.push_back(std::pow(beta1 > 0 ? beta2 / beta1 : 3, static_cast<double>(i)));
      noise.push_back(Random(1).normal(i) * std::exp(3 * Random(2).normal(i)));
    }
    for (const double way : ways(steady, beta1, beta2)) BOOST_TEST(std::abs(way - 1) < 1e-9);
    for (const auto& gradients : {noise, growing})
      for (const double way : ways(gradients, beta1, beta2)) BOOST_TEST(way <= longest * (1 + 1e-9));
    if (beta2 == 0.98)  // with slower averages, 300 steps do not get near the bound
      BOOST_TEST(std::abs(ways(growing, beta1, beta2).back() / longest - 1) < 0.01);
  }
  BOOST_TEST(std::abs(longest_adam_step(0.9, 0.98) - 1.698) < 1e-3);
  BOOST_TEST(longest_adam_step(0.9, 0.81) == std::numeric_limits<double>::infinity());
}

BOOST_AUTO_TEST_CASE(rates_add_up_to_the_checkpoint_and_a_line_stands_for_the_steps_before_it) {
  Fixture fixture;
  BOOST_TEST(sum_of_rates(fixture.run(rates).checkpoint) == 0.5 + 2 * 0.25 + 2 * 0.125);
  const std::string without = error_of([&] { sum_of_rates(fixture.run("").checkpoint); });
  BOOST_TEST(without.find("contains no learning rates") != std::string::npos, without);
}

BOOST_AUTO_TEST_CASE(distances_are_from_the_start_and_setting_back_undoes_them) {
  Fixture fixture;
  const double at_start = evaluate<double>(*fixture.model, fixture.set).loss;
  Tensor<double>& bias = fixture.numbers("blocks.1.attn.phase_bias");
  bias.data()[0] += 3, bias.data()[3] -= 4;
  const double as_learnt = evaluate<double>(*fixture.model, fixture.set).loss;
  const TrainedRun run = fixture.run(rates);
  const auto model = load_model<double>(run.checkpoint);
  const Travel travel = travel_of<double>(run, *model, fixture.set, nullptr, nullptr);
  BOOST_TEST(travel.reach == 1.25);
  BOOST_TEST(travel.loss == as_learnt);
  bool found = false;
  for (const TravelledPart& part : travel.parts) {
    const bool moved = part.name == "attn.phase_bias";
    BOOST_TEST(part.longest == (moved ? 4 : 0), part.name);
    BOOST_TEST(part.set_back == (moved ? at_start : as_learnt), part.name);
    BOOST_TEST(part.decays == (part.name.ends_with(".weight") && !part.name.starts_with("norm")), part.name);
    if (!moved) continue;
    found = true;
    BOOST_TEST(part.numbers == 2 * 4);  // two layers with two heads of two frequencies each
    BOOST_TEST(std::abs(part.rms - 5 / std::sqrt(8.0)) < 1e-12);
  }
  BOOST_TEST(found);
  BOOST_TEST(as_learnt != at_start);
  BOOST_TEST(evaluate<double>(*model, fixture.set).loss == as_learnt);  // all parameters have their learnt values again
}

BOOST_AUTO_TEST_CASE(invariances_are_tried_on_the_run_itself) {
  for (const char* family : {"complexformer", "crope", "crat", "qic", "transformer"}) {
    Fixture fixture(family);
    const auto effects = effects_of_invariances(fixture.run(rates).checkpoint, fixture.set.at(0), {});
    BOOST_TEST(effects.size() >= 2U);
    for (const InvarianceEffect& effect : effects) BOOST_TEST(std::abs(effect.change) < 1e-10, effect.invariance.name);
  }
}

BOOST_AUTO_TEST_CASE(equal_weights_have_entropy_1_and_one_phase_has_resultant_1) {
  Fixture fixture;
  for (const char* block : {"blocks.0.", "blocks.1."})
    for (const char* layer : {"attn.q.weight", "attn.k.weight"}) fixture.numbers(block + std::string(layer)).fill(0);
  for (const HeadFigures& head : attention_figures<double>(*fixture.model, fixture.set)) {
    BOOST_TEST(std::abs(head.entropy - 1) < 1e-12);
    // At position t, each of the t + 1 equal weights is 1/(t + 1); the mean is over the seven positions that see more than one key.
    BOOST_TEST(std::abs(head.largest - (1 / 2.0 + 1 / 3.0 + 1 / 4.0 + 1 / 5.0 + 1 / 6.0 + 1 / 7.0 + 1 / 8.0) / 7) < 1e-12);
    BOOST_TEST(*head.phases_of_q == 0);  // zeros have no phase
  }
  // Gives all keys phase 0: LayerNorms with gain 0 and bias 1 return ones, which the even rows of the key matrix sum and the odd
  // rows ignore.
  for (const char* block : {"blocks.0.", "blocks.1."}) {
    fixture.numbers(block + std::string("norm1.weight")).fill(0);
    fixture.numbers(block + std::string("norm1.bias")).fill(1);
    Tensor<double>& k = fixture.numbers(block + std::string("attn.k.weight"));
    for (std::int64_t i = 0; i < k.size(); ++i) k.data()[i] = i / 8 % 2 == 0 ? 1 : 0;
  }
  const auto heads = attention_figures<double>(*fixture.model, fixture.set);
  BOOST_TEST(heads.size() == 4U);
  for (const HeadFigures& head : heads) BOOST_TEST(std::abs(*head.phases_of_k - 1) < 1e-12);
}

BOOST_AUTO_TEST_CASE(scores_that_choose_make_weights_sharp_and_padding_does_not_count) {
  Fixture fixture("transformer");
  for (const HeadFigures& head : attention_figures<double>(*fixture.model, fixture.set)) {
    BOOST_TEST(!head.phases_of_q);
    BOOST_TEST(head.entropy > 0.5);
  }
  for (const char* block : {"blocks.0.", "blocks.1."})
    for (double& w : fixture.numbers(block + std::string("attn.q.weight")).span()) w *= 1e6;
  for (const HeadFigures& head : attention_figures<double>(*fixture.model, fixture.set)) {
    BOOST_TEST(head.entropy < 0.01);
    BOOST_TEST(head.largest > 0.99);
  }
  ModelConfig config = ModelConfig::defaults("complexformer");
  config.task = TextTask::Classify, config.vocab_size = 13, config.max_seq_len = 9, config.d_model = 8, config.n_heads = 2,
  config.d_ff = 8;
  const auto classifier = make_model<double>(config, 1);
  const auto figures = [&](std::vector<std::int32_t> ids) {
    const auto T = static_cast<std::int64_t>(ids.size());
    return attention_figures<double>(*classifier,
                                     {1, [=](std::int64_t) {
                                        return Batch{.tokens = Ids({1, T}, ids), .targets = Ids(Shape{1}, {0}), .places = {}};
                                      }});
  };
  const auto plain = figures({3, 4, 5, 6}), with_padding = figures({3, 4, 5, 6, 0, 0});
  for (std::size_t i = 0; i < plain.size(); ++i) {
    BOOST_TEST(std::abs(plain[i].entropy - with_padding[i].entropy) < 1e-12);
    BOOST_TEST(std::abs(*plain[i].phases_of_k - *with_padding[i].phases_of_k) < 1e-12);
  }
}

BOOST_AUTO_TEST_SUITE_END()
