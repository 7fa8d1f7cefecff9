#pragma once
/// What a family of models tells the rest of the house. Everything else about it is in its room, nn/families/NAME/; programs read
/// what they need to know of it here, and name no family.

#include <deque>
#include <functional>
#include <optional>
#include <utility>

#include "autograd/parameter.h"
#include "nn/config.h"

namespace argand {

struct LayerCheck;
template <RealScalar R>
class Model;

/// Keys and their values as one writes them on a command line.
using KeyTexts = std::vector<std::pair<std::string, std::string>>;

/// Sizes and a recipe to start from, such as those of the family's paper. Others of that name, the common ones too, it replaces.
struct Preset {
  std::string name;
  std::string task;  ///< "lm" or "classify"
  KeyTexts settings;
  bool for_every_family = false;  ///< other families have it too, to compare with this one
};

/// A model to compare with others of its family, as a few settings on top of a preset.
struct Variant {
  std::string name;    ///< of its folder: "without-pcl"
  std::string what;    ///< for the table
  KeyTexts settings;   ///< the family itself where no other is named
  bool extra = false;  ///< trained only when it is asked for by name
};

/// The settings of a row that is a transformer with `position` learned, sinusoidal or rope. Positions that are added to the words
/// drown them, unless the words are scaled, as they are here: after 300 steps, seed 0, learned positions had the perplexity 545 so
/// and 661 without, sinusoids 577 and 876.
KeyTexts transformer_row(const std::string& position);

/// What `argand ablate FAMILY` compares. Experiments with a paper's figures and claims are files
/// (train/ablation/experiment_file.h).
struct Variants {
  std::string task;  ///< "lm" or "classify"
  std::string preset;
  std::vector<Variant> rows;  ///< the first is what the others are compared with
  /// "NAME=VALUE,..." of `argand eval --set`: what is learnt, put at a number, by --probe.
  std::vector<std::string> interventions = {};
};

/// Values that are checked together.
struct JointSettings {
  std::string name;  ///< "states=real"
  std::string task;
  KeyTexts settings;
};

/// How `argand gradcheck` checks a family's gradients, besides every word and flag of its configuration, one at a time.
struct GradientChecks {
  KeyTexts sizes{};  ///< on top of the common small ones
  /// Other values of keys that are numbers or lists, tried one at a time.
  std::vector<std::pair<std::string, std::vector<std::string>>> values{};
  std::vector<JointSettings> joint{};
  /// Makes parameters that were moved at random fit for a check.
  std::function<void(const ParameterList<double>&, const ModelConfig&)> prepare{};
  std::function<std::vector<LayerCheck>()> layers{};  ///< of the family's own (nn/layer_check.h)
};

/// What the page of `argand report` shows of a family besides what it shows of all.
struct ReportParts {
  std::string panel{};  ///< in apps/report: "angles", "heads", "offsets", "gains"
  std::string phases = "Phases of the pairs that RoPE turns, before it does.";  ///< what those of queries and keys are
  std::vector<std::string> history{};  ///< endings of the names of parameters that are followed through training
  bool weight_phases = false;          ///< also the phases of complex weights
};

/// A real parameter's name and numbers.
struct NamedNumbers {
  std::string name;
  Tensor<double> numbers;
};

/// Whether the last part of a parameter's name is `called`: "blocks.0.attn.theta" is called "theta", and "attn.theta".
bool name_ends_with(std::string_view name, std::string_view called);

/// Real parameters that are few and mean something by themselves. A run's log has them at every step, `argand inspect` prints them.
struct DiagnosticParameters {
  std::vector<std::string> values{};   ///< what those are called whose numbers are logged, under that name
  std::vector<std::string> spreads{};  ///< of which mean and standard deviation over all layers are: "delta_mean", "delta_std"
  std::string heading{};               ///< of the table
  /// A line a parameter, or none where they are missing.
  std::function<std::vector<std::string>(const std::vector<NamedNumbers>&)> table{};
};

/// One of the models that `argand demo` trains side by side.
struct DemoModel {
  std::string label, folder;
  KeyTexts settings;
};

struct Family {
  std::string name;                                              ///< that of its room
  std::string title;                                             ///< what is complex in it, in one line
  std::function<std::unique_ptr<FamilyConfig>()> configuration;  ///< of its defaults
  /// With initial parameters that are a pure function of (config, seed).
  std::function<std::unique_ptr<Model<float>>(const ModelConfig& config, std::uint64_t seed)> make_float;
  std::function<std::unique_ptr<Model<double>>(const ModelConfig& config, std::uint64_t seed)> make_double;
  bool uses_retrieval = false;  ///< FamilyConfig::windows may name layers: runs have the keys of a knowledge base
  std::vector<Preset> presets{};
  std::optional<Variants> variants{};
  GradientChecks checks{};
  DiagnosticParameters diagnostics{};
  ReportParts report{};
  std::vector<DemoModel> demo{};  ///< two, of the default family
};

/// All of them, in the order in which they are shown. A family stays where it is.
const std::deque<Family>& families();
/// Throws for a name that there is not, with a suggestion.
const Family& family_named(const std::string& name);
/// What a configuration is of where no family is named.
const Family& default_family();
/// The names, joined by '|'.
const std::string& family_choices();

/// Brings a family of the program's own, before anything else is done. Throws when it has no name, configuration or model, or the
/// name of one that is there.
void add_family(Family family);

}  // namespace argand
