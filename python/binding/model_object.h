#pragma once
/// A model as an object for Python: its configuration, and its parameters as tensors.

#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "python/binding/tensor_object.h"
#include "train/checkpoints/trained_run.h"
#include "train/data/retriever.h"

namespace argand::python {

/// Settings passed from Python: keys and values as text.
using KeyedTexts = std::vector<std::pair<std::string, std::string>>;
Settings settings_of(const KeyedTexts& texts);

/// A tokenizer, wrapped because pybind11 cannot hold pointers to const.
struct TokensObject {
  TokenizerPtr tokens;
};

class ModelObject {
 public:
  /// A run's model.
  explicit ModelObject(TrainedRun run);
  /// A model with freshly initialised parameters; `tokens` and `classes` are optional.
  ModelObject(RunConfig config, TokenizerPtr tokens, std::vector<std::string> classes);

  const RunConfig& config() const { return config_; }
  const RunState& state() const { return state_; }
  const TokenizerPtr& tokens() const { return tokens_; }
  const std::vector<std::string>& classes() const { return classes_; }
  /// [(name, Tensor)], in the order of the checkpoint.
  const py::list& parameters() const { return parameters_; }

  /// Calls f(model) -> AnyVar as an op on the tape whose inputs are the parameters.
  template <class F>
  PyObject* call(const F& f) {
    return run_single_op(config_.model.family().name, operands_,
                         [&] { return std::visit([&](auto& model) -> AnyVar { return f(*model); }, model_); });
  }
  /// Evaluates f(model) without recording.
  template <class F>
  auto with_model(const F& f) {
    return std::visit([&](auto& model) { return f(*model); }, model_);
  }
  /// The context of a pass, with the knowledge base opened if the model retrieves.
  ForwardContext context(bool training, std::uint64_t seed, std::uint64_t step);
  const Tokenizer& require_tokens(std::string_view whom) const;

  /// Writes a checkpoint, with tokens and classes next to it, if path ends in .safetensors; otherwise a folder with all of these.
  void save(const std::string& path, bool overwrite) const;

 private:
  void list_parameters();
  std::string checksum() const;

  RunConfig config_;
  RunState state_;
  TokenizerPtr tokens_;
  std::vector<std::string> classes_;
  std::optional<TrainedRun> run_;
  std::variant<std::unique_ptr<Model<float>>, std::unique_ptr<Model<double>>> model_;
  py::list parameters_;
  std::vector<TensorObject*> operands_;  ///< the same tensors, kept alive by the list
  std::string loaded_;                   ///< checksum of the parameters when they were read
  std::optional<OpenRetriever> retriever_;
};

}  // namespace argand::python
