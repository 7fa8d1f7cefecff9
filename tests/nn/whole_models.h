#pragma once
/// Small whole models of every family, with all the variants that `argand gradcheck` tries.

#include <nlohmann/json.hpp>

#include "autograd/forward.h"
#include "data/knowledge/frozen_search.h"
#include "nn/family.h"
#include "tests/nn/language_models.h"

namespace argand {

using Vectors = std::vector<AnyTensorOf<double>>;

inline void set_keys(ModelConfig& config, const KeyTexts& settings) {
  for (const auto& [wanted, text] : settings)
    config.visit([&, &wanted = wanted, &text = text](const std::string& key, auto& value, const std::string&, const std::string&) {
      using T = std::remove_reference_t<decltype(value)>;
      if (key != wanted) return;
      if constexpr (std::is_same_v<T, std::string>)
        value = text;
      else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>)
        value = nlohmann::json::parse(text.starts_with('[') ? text : "[" + text + "]").get<T>();
      else
        value = nlohmann::json::parse(text).get<T>();
    });
}

/// A model and its loss on some texts as a function of its parameters, which are perturbed so that none is 0 or 1.
struct Subject {
  std::string name;
  std::unique_ptr<Model<double>> model;
  Ids tokens, targets, passages = random_ids({5, 3}, 9);
  Knowledge knowledge{.passages = &passages, .search = FrozenSearch(passages, chunk_length(passages))};

  Subject(std::string what, const ModelConfig& config, std::int64_t B, std::int64_t T)
      : name(std::move(what)), model(make_model<double>(config, 1)), tokens(random_ids({B, T})), targets(random_ids({B, T}, 5)) {
    if (config.task == TextTask::Classify) {
      targets = Ids(Shape{B});
      for (std::int64_t b = 0; b < B; ++b) targets[b] = static_cast<std::int32_t>(b % config.n_classes);
      tokens[B * T - 1] = 0;  // padding
    }
    const ParameterList<double> all = parameters();
    for (std::size_t i = 0; i < all.size(); ++i)
      std::visit([&]<class V>(Var<V> p) { p.value().add(randn<V>(p.shape(), Random(0xF0, i), 0.2)); }, all[i].var);
    if (const auto& prepare = config.family().checks.prepare) prepare(all, config);
  }
  Subject(const Subject&) = delete;

  ParameterList<double> parameters() const { return model->parameters(); }
  std::function<Real()> loss() const {
    return [this] {
      ForwardContext context{.knowledge = &knowledge};
      context.excluded.resize(static_cast<std::size_t>(tokens.shape()[0]));
      return model->loss(tokens, targets, context).total;
    };
  }
  Vectors gradient() const {
    const ParameterList<double> all = parameters();
    Tape tape;
    zero_grad(all);
    tape.backward(loss()());
    Vectors gradients;
    for (const auto& p : all) gradients.push_back(std::visit([](const auto& v) -> AnyTensorOf<double> { return v.grad(); }, p.var));
    zero_grad(all);
    return gradients;
  }
  Vectors hessian_times(const Vectors& v) const { return hvp<double>(loss(), parameters(), v); }
  Vectors random_direction(std::uint64_t seed) const {
    Vectors v;
    for (const auto& p : parameters())
      std::visit([&]<class V>(const Var<V>& x) { v.emplace_back(randn<V>(x.shape(), Random(seed, v.size()))); }, p.var);
    return v;
  }
  /// Adds t v to the parameters.
  void move(double t, const Vectors& v) const {
    const ParameterList<double> all = parameters();
    for (std::size_t i = 0; i < all.size(); ++i)
      std::visit(
          [&]<class V>(Var<V> p) {
            const Tensor<V>& direction = std::get<Tensor<V>>(v[i]);
            for (std::int64_t k = 0; k < p.size(); ++k) p.value().data()[k] += t * direction.data()[k];
          },
          all[i].var);
  }
};

inline ModelConfig small_model(const Family& family, const std::string& task) {
  ModelConfig config(family);
  set_keys(config, {{"task", task}, {"max_seq_len", "8"}, {"d_model", "8"}, {"n_heads", "2"}, {"d_ff", "12"}});
  config.vocab_size = 13;
  config.n_classes = 3;
  set_keys(config, family.checks.sizes);
  return config;
}

/// Calls f(subject) for every family in both tasks, and for the other variants that the family lists for checks.
template <class F>
void for_each_subject(const F& f) {
  for (const Family& family : families()) {
    for (const TextTask task : every<TextTask>())
      f(Subject(family.name + " " + word_of(task), small_model(family, word_of(task)), 2, 6));
    for (const JointSettings& joint : family.checks.joint) {
      ModelConfig config = small_model(family, joint.task);
      set_keys(config, joint.settings);
      f(Subject(family.name + " " + joint.task + " " + joint.name, config, 2, 6));
    }
  }
}

}  // namespace argand
