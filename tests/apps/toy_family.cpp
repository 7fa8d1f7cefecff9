#include "tests/apps/toy_family.h"

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "nn/text_model.h"

namespace argand {
namespace {

enum class Turn { Learned, None };
constexpr const char* words_of(Turn) { return "learned|none"; }

struct ToyConfig final : ConfigOf<ToyConfig> {
  Turn turn = Turn::Learned;
  double turn_init = 0.5;

  void visit(KeyVisitor& f) override {
    f("turn", turn, "who turns the queries");
    if (turn == Turn::Learned) f("turn_init", turn_init, "first phase of every component [radians]");
  }
  void validate(const ModelConfig& config) const override {
    require(config.d_model / config.n_heads % 2 == 0, "config", "toys need pairs: d_model {} / n_heads {}", config.d_model,
            config.n_heads);
  }
};

template <RealScalar R>
class Toy final : public TextModel<R> {
 public:
  Toy(const ModelConfig& config, std::uint64_t seed)
      : TextModel<R>(config),
        init_(seed),
        embedding_(init_, config.vocab_size, config.d_model / 2, 0.5),
        head_(init_, config.d_model, config.task == TextTask::Lm ? config.vocab_size : config.n_classes, true, Role::Output) {
    const auto& own = config.own<ToyConfig>();
    for (std::int64_t i = 0; i < config.n_layers; ++i) {
      maps_.emplace_back(init_, config.d_model / 2, config.d_model / 2);
      if (own.turn == Turn::Learned) phases_.push_back(init_.full<R>(Role::Angle, {config.d_model / 2}, own.turn_init));
    }
  }

  void visit(const Visit<R>& f) const override {
    f("embedding", embedding_);
    for (std::size_t i = 0; i < maps_.size(); ++i) {
      f(fmt::format("blocks.{}.map", i), maps_[i]);
      if (!phases_.empty()) f(fmt::format("blocks.{}.phase", i), phases_[i]);
    }
    f("head", head_);
  }

 protected:
  Var<R> hidden(const Ids& tokens, AttentionPass<R> pass, typename TextModel<R>::LayerCaches* caches) const override {
    Var<std::complex<R>> z = embedding_(tokens);
    this->for_each_layer(pass, caches, [&](std::size_t i, const AttentionPass<R>& layer) {
      const std::int64_t heads = this->config_.n_heads;
      const Var<R> keys = view_as_real(z);
      const auto q = phases_.empty() ? z : z * polar(Var<R>(Tensor<R>::ones(phases_[i].shape())), phases_[i]);
      layer.show(q.value(), z.value(), heads);
      z = z + layer.drop(maps_[i](view_as_complex(layer.attend(view_as_real(q), keys, keys, heads))));
    });
    return view_as_real(z);
  }
  OutputLayer<R> output() const override { return {.weight = head_.weight, .bias = &*head_.bias}; }

 private:
  Init init_;
  Embedding<std::complex<R>> embedding_;
  std::vector<Linear<std::complex<R>>> maps_;
  std::vector<Var<R>> phases_;
  Linear<R> head_;
};

template <RealScalar R>
std::unique_ptr<Model<R>> make(const ModelConfig& config, std::uint64_t seed) {
  return std::make_unique<Toy<R>>(config, seed);
}

}  // namespace

Family toy_family() {
  return {
      .name = "toy",
      .title = "states are complex, and queries are turned by learnt phases",
      .configuration = [] { return std::make_unique<ToyConfig>(); },
      .make_float = make<float>,
      .make_double = make<double>,
      .presets = {{"toy-box", "lm", {{"n_layers", "1"}, {"d_model", "12"}, {"n_heads", "3"}, {"length", "24"}, {"steps", "30"}}}},
      .variants =
          Variants{
              .task = "lm", .preset = "toy-box", .rows = {{"turned", "with phases", {}}, {"still", "without", {{"turn", "none"}}}}},
      .checks = {.sizes = {{"n_layers", "1"}},
                 .values = {{"turn_init", {"1.2"}}},
                 .joint = {{"wide", "classify", {{"d_model", "12"}, {"n_heads", "3"}}}}},
      .report = {.phases = "Phases of toys.", .history = {".phase"}}};
}

}  // namespace argand
