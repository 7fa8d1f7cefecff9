#pragma once
/// The declaration of a model family. Everything else about a family is in nn/families/NAME/; programs access families through this
/// header and never name a specific one.

#include <deque>
#include <functional>
#include <optional>
#include <utility>

#include "autograd/parameter.h"
#include "nn/config.h"

namespace argand {

struct Invariance;
struct LayerCheck;
template <RealScalar R>
class Model;

/// Keys and values in the form used on the command line.
using KeyTexts = std::vector<std::pair<std::string, std::string>>;

/// Starting sizes and a recipe, such as those of the family's paper. Overrides any other preset of the same name, including the
/// common ones.
struct Preset {
  std::string name;
  std::string task;  ///< "lm" or "classify"
  KeyTexts settings;
  bool for_every_family = false;  ///< also available to other families, for comparison
};

/// A model to compare with others of its family: a preset with a few changed settings.
struct Variant {
  std::string name;    ///< folder name: "without-pcl"
  std::string what;    ///< description in the table
  KeyTexts settings;   ///< for this family unless they name another
  bool extra = false;  ///< trained only when requested by name
};

/// The settings of a transformer row whose `position` is learned, sinusoidal or rope. They scale the token embeddings, which are
/// otherwise small compared with the positions added to them: after 300 steps, seed 0, learned positions reached perplexity 545
/// with scaling and 661 without, sinusoids 577 and 876.
KeyTexts transformer_row(const std::string& position);

/// The models that `argand ablate FAMILY` compares. Experiments that reproduce a paper's results and claims are defined in
/// files instead (train/ablation/experiment_file.h).
struct Variants {
  std::string task;  ///< "lm" or "classify"
  std::string preset;
  std::vector<Variant> rows;  ///< the first is the reference that the others are compared with
  /// For --probe: "NAME=VALUE,..." as in `argand eval --set`, which fixes learned parameters at given values.
  std::vector<std::string> interventions = {};
};

/// Settings that are applied together in one check.
struct JointSettings {
  std::string name;  ///< "states=real"
  std::string task;
  KeyTexts settings;
};

/// How `argand gradcheck` checks a family's gradients, besides trying every option and flag of its configuration one at a time.
struct GradientChecks {
  KeyTexts sizes{};  ///< override the default small sizes
  /// Additional values of numeric and list keys, tried one at a time.
  std::vector<std::pair<std::string, std::vector<std::string>>> values{};
  std::vector<JointSettings> joint{};
  /// Prepares randomly perturbed parameters for a check.
  std::function<void(const ParameterList<double>&, const ModelConfig&)> prepare{};
  std::function<std::vector<LayerCheck>()> layers{};  ///< checks of the family's own layers (nn/layer_check.h)
};

/// The family-specific parts of the page written by `argand report`.
struct ReportParts {
  std::string panel{};  ///< the panel of apps/report: "angles", "heads", "offsets", "gains"
  std::string phases =
      "Phases of the pairs that RoPE rotates, before the rotation.";  ///< description of the phases of queries and keys
  std::vector<std::string> history{};  ///< suffixes of names of parameters to follow through training
  bool weight_phases = false;          ///< also show the phases of complex weights
};

/// The name and values of a real parameter.
struct NamedNumbers {
  std::string name;
  Tensor<double> numbers;
};

/// Whether a parameter's name ends in the dotted components `called`: "blocks.0.attn.theta" ends in "theta" and in "attn.theta".
bool name_ends_with(std::string_view name, std::string_view called);

/// The few real parameters that are meaningful individually. Every step of a run logs them, and `argand inspect` prints them.
struct DiagnosticParameters {
  std::vector<std::string> values{};   ///< names of parameters whose values are logged under the same name
  std::vector<std::string> spreads{};  ///< names; logs mean and std over all layers: "delta_mean", "delta_std"
  std::string heading{};               ///< heading of the table
  /// One line per parameter; empty if the model has no such parameter.
  std::function<std::vector<std::string>(const std::vector<NamedNumbers>&)> table{};
};

/// One of the models that `argand demo` trains side by side.
struct DemoModel {
  std::string label, folder;
  KeyTexts settings;
};

struct Family {
  std::string name;                                              ///< name of the family's folder
  std::string title;                                             ///< one line that states what is complex in the model
  std::function<std::unique_ptr<FamilyConfig>()> configuration;  ///< creates a configuration with default values
  /// Initial parameters are a pure function of (config, seed).
  std::function<std::unique_ptr<Model<float>>(const ModelConfig& config, std::uint64_t seed)> make_float;
  std::function<std::unique_ptr<Model<double>>(const ModelConfig& config, std::uint64_t seed)> make_double;
  bool uses_retrieval = false;  ///< FamilyConfig::windows may list layers, so runs have the knowledge base keys
  std::vector<Preset> presets{};
  std::optional<Variants> variants{};
  GradientChecks checks{};
  /// Transformations of the parameters that leave the outputs unchanged (nn/invariance.h).
  std::function<std::vector<Invariance>(const ModelConfig&)> invariances{};
  DiagnosticParameters diagnostics{};
  ReportParts report{};
  std::vector<DemoModel> demo{};  ///< the default family has two
};

/// All families, in display order. References to them remain valid.
const std::deque<Family>& families();
/// Throws for an unknown name, with a suggestion.
const Family& family_named(const std::string& name);
/// The family used if a configuration names none.
const Family& default_family();
/// The names of all families, joined by '|'.
const std::string& family_choices();

/// Registers a family defined by the program. Call this before anything else. Throws if the family lacks a name, configuration or
/// model, or if its name is already used.
void add_family(Family family);

}  // namespace argand
