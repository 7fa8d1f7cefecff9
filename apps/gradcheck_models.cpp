/// The models that `argand gradcheck` checks: every family in every task, and every word its configuration accepts.

#include <algorithm>
#include <numbers>

#include "apps/gradcheck_rows.h"
#include "core/error.h"
#include "nn/model.h"

namespace argand {
namespace {

std::vector<std::string> choices_of(ModelConfig config, const std::string& wanted) {
  std::vector<std::string> result;
  config.visit([&](const std::string& key, auto&, const std::string& choices, const std::string&) {
    if (key == wanted) result = split_choices(choices);
  });
  return result;
}

ModelConfig small(const std::string& family, const std::string& task) {
  ModelConfig config = ModelConfig::defaults(family);
  config.task = task;
  config.n_classes = 3;
  config.vocab_size = 6;
  config.max_seq_len = 6;
  config.n_layers = 2;
  config.d_model = 8;
  config.n_heads = 2;
  config.d_ff = 8;
  if (family == "qic") config.d_model = 16;  // four quaternions: the magnitudes of fewer may differ too little to be divided by
  if (family == "crat") config.irw_layers = {1}, config.irw_dim = 3, config.irw_top_k = 2;
  return config;
}

/// One model, its name says in what it differs from its family's default.
struct Variant {
  std::string name;
  ModelConfig config;
};

/// Sets one key to something else than it is and keeps the result if it is a valid configuration.
void add_variant(std::vector<Variant>& variants, const std::string& base, ModelConfig changed, const std::string& key,
                 const std::string& value) {
  try {
    changed.validate();
  } catch (const Error&) {  // words that do not go together, such as sizes that no longer fit
    return;
  }
  variants.push_back({base + " " + key + "=" + value, std::move(changed)});
}

template <class T>
void vary(std::vector<Variant>& variants, const Variant& base, const std::string& key, const std::string& choices) {
  const auto changed = [&](const T& value) {
    ModelConfig config = base.config;
    config.visit([&](const std::string& k, auto& v, const std::string&, const std::string&) {
      if constexpr (std::same_as<std::remove_reference_t<decltype(v)>, T>)
        if (k == key) v = value;
    });
    return config;
  };
  const auto current = [&] {
    T found{};
    ModelConfig config = base.config;
    config.visit([&](const std::string& k, auto& v, const std::string&, const std::string&) {
      if constexpr (std::same_as<std::remove_reference_t<decltype(v)>, T>)
        if (k == key) found = v;
    });
    return found;
  }();
  if constexpr (std::same_as<T, bool>) {
    add_variant(variants, base.name, changed(!current), key, current ? "false" : "true");
  } else if constexpr (std::same_as<T, std::string>) {
    if (key == "family" || key == "task" || choices.empty()) return;
    for (const std::string& word : split_choices(choices))
      if (word != current) add_variant(variants, base.name, changed(word), key, word);
  } else if constexpr (std::same_as<T, double>) {
    if (key == "pcl_weight") add_variant(variants, base.name, changed(0.5), key, "0.5");
    if (key == "irw_temperature") add_variant(variants, base.name, changed(0.3), key, "0.3");
  } else if constexpr (std::same_as<T, std::vector<std::int64_t>>) {
    add_variant(variants, base.name, changed({}), key, "[]");
    add_variant(variants, base.name, changed({0, 1}), key, "[0, 1]");
  }
}

/// QIC at the angles where its algebra or the gradient of θ is special, in both tasks. (At π/4 the algebraic magnitude is |a|,
/// whose kinks numerical differentiation straddles somewhere in a model; the checks of the ops have it.)
void add_angle_variants(std::vector<Variant>& variants) {
  constexpr double pi = std::numbers::pi;
  for (const std::string task : {"lm", "classify"})
    for (const auto& [label, angle] : {std::pair{"0", 0.0}, std::pair{"pi/4", pi / 4}, std::pair{"pi/2", pi / 2}})
      for (const std::string magnitude : {"euclidean", "author"}) {
        ModelConfig config = small("qic", task);
        config.theta_init = angle;
        config.magnitude = magnitude;
        add_variant(variants, "qic " + task + " " + magnitude, config, "theta_init", label);
      }
}

/// Words that are valid only together.
void add_joint_variants(std::vector<Variant>& variants, const Variant& base) {
  if (base.config.family == "qic") return add_angle_variants(variants);
  if (base.config.family != "crat") return;
  ModelConfig real = base.config;
  real.states = "real", real.attention = "dot";
  add_variant(variants, base.name, real, "states", "real");
}

std::vector<Variant> all_variants() {
  std::vector<Variant> variants;
  for (const std::string& family : choices_of(ModelConfig(), "family")) {
    for (const std::string& task : choices_of(ModelConfig(), "task"))
      variants.push_back({family + " " + task, small(family, task)});
    const Variant base{family + " lm", small(family, "lm")};
    ModelConfig keys = base.config;
    keys.visit([&](const std::string& key, auto& value, const std::string& choices, const std::string&) {
      vary<std::remove_reference_t<decltype(value)>>(variants, base, key, choices);
    });
    add_joint_variants(variants, base);
  }
  return variants;
}

/// Shaken parameters, made fit for a check: magnitudes of products grow large, and a softmax that has chosen one key has no
/// gradients; an angle other than the default is the one to be checked.
void prepare_qic(const ParameterList<double>& parameters, const ModelConfig& config) {
  for (const Parameter<double>& p : parameters)
    std::visit(
        [&]<class T>(Var<T> v) {
          if (p.name.find(".attn.q.") != std::string::npos)
            for (T& x : v.value()) x *= 0.2;
          if constexpr (RealScalar<T>)
            if (p.name.ends_with("theta") && config.theta_init != ModelConfig::defaults("qic").theta_init)
              v.value().fill(config.theta_init);
        },
        p.var);
}

GradcheckRow check_model(const Variant& variant, GradcheckOptions options, bool every_element) {
  const std::unique_ptr<Model<double>> model = make_model<double>(variant.config, 1);
  const ParameterList<double> parameters = model->parameters();
  shake(parameters, 0x5A4E);
  if (variant.config.family == "qic") prepare_qic(parameters, variant.config);
  const bool lm = variant.config.task == "lm";
  // Repeated tokens, for losses that look for them; two positions of padding in what is classified.
  const Ids tokens = lm ? Ids({2, 5}, {1, 3, 1, 4, 3, 2, 2, 5, 1, 5}) : Ids({2, 5}, {1, 3, 1, 4, 3, 2, 5, 2, 0, 0});
  const Ids targets = lm ? Ids({2, 5}, {3, 1, 4, 3, 2, 2, 5, 1, 5, 4}) : Ids({2}, {2, 0});
  options.name = variant.name;
  const Ids passages({5, 3}, {1, 2, 3, 4, 5, 1, 2, 2, 4, 3, 5, 5, 1, 1, 4});
  const Knowledge knowledge{.passages = &passages};
  const ForwardContext context{.knowledge = &knowledge, .excluded = {{0, 1}, {3, 5}}};
  const auto loss = [&] { return model->loss(tokens, targets, context).total; };
  return row_of(gradcheck_parameters(loss, parameters, 3, options), "parameters", static_cast<std::int64_t>(parameters.size()),
                every_element);
}

}  // namespace

std::vector<GradcheckSubject> model_subjects() {
  std::vector<GradcheckSubject> subjects;
  for (const Variant& variant : all_variants())
    subjects.push_back({"model", variant.name, [variant](const GradcheckOptions& options, bool every_element) {
                          return check_model(variant, options, every_element);
                        }});
  return subjects;
}

}  // namespace argand
