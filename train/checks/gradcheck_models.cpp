/// The models that `argand gradcheck` checks: every family in every task, with every choice its configuration accepts.

#include <algorithm>

#include "core/error.h"
#include "core/parallel.h"
#include "data/batches.h"
#include "data/knowledge/frozen_search.h"
#include "nn/family.h"
#include "nn/model.h"
#include "train/checks/gradcheck_subjects.h"
#include "train/config/settings.h"

namespace argand {
namespace {

/// A copy of the configuration with these keys changed.
ModelConfig with(ModelConfig config, const KeyTexts& settings) {
  for (const auto& [wanted, text] : settings) {
    bool found = false;
    config.visit([&, &wanted = wanted, &text = text](const char* key, auto& value, const char* choices, const char*) {
      if (key != wanted) return;
      assign({wanted, text, "gradcheck: " + wanted}, choices, value);
      found = true;
    });
    require(found, "gradcheck", "the family {} has no key \"{}\"", config.family().name, wanted);
  }
  return config;
}

ModelConfig small(const Family& family, const std::string& task) {
  const KeyTexts common = {{"task", task},   {"vocab_size", "6"}, {"max_seq_len", "6"}, {"n_layers", "2"},
                           {"d_model", "8"}, {"n_heads", "2"},    {"d_ff", "8"}};
  ModelConfig config = with(ModelConfig(family), common);
  config.n_classes = 3;
  return with(config, family.checks.sizes);
}

/// A model, named after the settings that differ from the family's default.
struct ModelVariant {
  std::string name;
  ModelConfig config;
};

/// Other values to try for a key: the remaining choices, the opposite of a bool, and any that the family lists.
template <class T>
std::vector<std::string> alternative_values(const Family& family, const std::string& key, const T& value,
                                            const std::string& choices) {
  std::vector<std::string> others;
  if constexpr (std::same_as<T, std::string>) {
    others = split_choices(choices);
    std::erase(others, value);
  } else if constexpr (std::same_as<T, bool>) {
    others = {value ? "false" : "true"};
  }
  for (const auto& [name, texts] : family.checks.values)
    if (name == key) others.insert(others.end(), texts.begin(), texts.end());
  return others;
}

/// Every family in both tasks, language models that differ in one key, and variants that a family adds.
std::vector<ModelVariant> all_variants() {
  std::vector<ModelVariant> variants;
  for (const Family& family : families()) {
    for (const TextTask task : every<TextTask>())
      variants.push_back({family.name + " " + word_of(task), small(family, word_of(task))});
    const ModelConfig base = small(family, "lm");
    ModelConfig keys = base;
    keys.visit([&](const std::string& key, auto& value, const std::string& choices, const std::string&) {
      if (key == "family" || key == "task") return;
      for (const std::string& other : alternative_values(family, key, value, choices)) {
        const ModelConfig changed = with(base, {{key, other}});
        try {
          changed.validate();
        } catch (const Error&) {  // incompatible choices, such as sizes that no longer fit
          continue;
        }
        variants.push_back({fmt::format("{} lm {}={}", family.name, key, other), changed});
      }
    });
    for (const JointSettings& joint : family.checks.joint)
      variants.push_back(
          {fmt::format("{} {} {}", family.name, joint.task, joint.name), with(small(family, joint.task), joint.settings)});
  }
  return variants;
}

Report check_model(const ModelVariant& variant, GradcheckOptions options) {
  const std::unique_ptr<Model<double>> model = make_model<double>(variant.config, 1);
  const ParameterList<double> parameters = model->parameters();
  perturb(parameters, 0x5A4E);
  if (const auto& prepare = variant.config.family().checks.prepare) prepare(parameters, variant.config);
  const bool lm = variant.config.task == TextTask::Lm;
  // Tokens are repeated, because some losses depend on repetition; the classifier's second text ends with two padding positions.
  const Ids tokens = lm ? Ids({2, 5}, {1, 3, 1, 4, 3, 2, 2, 5, 1, 5}) : Ids({2, 5}, {1, 3, 1, 4, 3, 2, 5, 2, 0, 0});
  const Ids targets = lm ? Ids({2, 5}, {3, 1, 4, 3, 2, 2, 5, 1, 5, 4}) : Ids({2}, {2, 0});
  options.name = variant.name;
  const Ids passages({5, 3}, {1, 2, 3, 4, 5, 1, 2, 2, 4, 3, 5, 5, 1, 1, 4});
  const Knowledge knowledge{.passages = &passages, .search = FrozenSearch(passages, chunk_length(passages))};
  const ForwardContext context{.knowledge = &knowledge, .excluded = {{0, 1}, {3, 5}}};
  const auto loss = [&] { return model->loss(tokens, targets, context).total; };
  return check_parameters(loss, parameters, 3, options);
}

}  // namespace

std::vector<GradcheckSubject> model_subjects() {
  std::vector<GradcheckSubject> subjects;
  for (const ModelVariant& variant : all_variants())
    subjects.push_back({"model", variant.name, "parameters",
                        [variant](const GradcheckOptions& options) { return check_model(variant, options); }});
  return subjects;
}

Report check_model_of(const RunConfig& config, const Corpus& corpus) {
  const int threads = num_threads();
  set_num_threads(1);  // a forward pass over twelve tokens is too small to share among threads
  ModelConfig sized = config.model;
  sized.vocab_size = corpus.tokens->size();
  const auto model = make_model<double>(sized, static_cast<std::uint64_t>(config.training.seed));
  const LmBatch batch = LmBatches(corpus.train, 1, 12, 0).at(0);
  GradcheckOptions options;
  options.name = config.model.family().name;
  Report report =
      gradcheck_parameters([&] { return model->loss(batch.tokens, batch.targets).total; }, model->parameters(), 2, options);
  set_num_threads(threads);
  return report;
}

}  // namespace argand
