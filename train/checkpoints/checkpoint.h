#pragma once
/// Checkpoints: a safetensors file with the parameters under their names, so that any reader of the format can open them, the
/// optimiser's state under `optimizer.ROLE.NAME`, and in the metadata everything else needed to resume. Nothing in it depends on
/// the clock or the machine's load: equal runs write identical bytes.

#include <limits>
#include <optional>
#include <string>

#include "data/files/safetensors.h"
#include "nn/model.h"
#include "optim/optimizer.h"
#include "train/checkpoints/stored_state.h"
#include "train/config/bits_per_byte.h"
#include "train/config/run_config.h"

namespace argand {

/// Checksums of a run's inputs (data/files/checksum.h). Empty for runs started before checksums were introduced.
struct Fingerprints {
  std::string vocabulary;  ///< of vocab.txt
  std::string pieces;      ///< of tokens.model, if SentencePiece makes the tokens
  std::string classes;     ///< of classes.txt; empty for a language model
  std::string data;        ///< of the training data: fingerprint_of()
  std::string init;        ///< of the file with the initial weights; empty if they were random

  bool any() const { return !data.empty(); }
};

/// The state of a run besides its tensors.
struct RunState {
  std::int64_t step = 0;  ///< steps taken; also the position in the data, which is a function of (seed, step)
  double best_valid = std::numeric_limits<double>::infinity();  ///< Evaluation::objective(): nats per token, or a fraction
  double best_loss = std::numeric_limits<double>::quiet_NaN();  ///< loss of that validation; NaN: unknown
  std::optional<double> best_accuracy{};                        ///< accuracy of that validation, for a classifier
  std::int64_t best_step = 0;                                   ///< step of that validation; 0: not validated yet
  std::int64_t since_best = 0;                                  ///< validations since then
  BitsPerByte in_bits{};                                        ///< for a language model's validation text
  std::string validated_on{};  ///< what a classifier was validated on: "validation" or "test" articles; empty if unknown
  Fingerprints made_from{};

  /// A language model's best loss in bits per byte; empty if unknown.
  std::optional<double> best_bits_per_byte() const;
  /// The accuracy at a classifier's best validation. (Older runs, which had no choice of criterion, ranked by accuracy.)
  double accuracy_of_best() const { return best_accuracy.value_or(1 - best_valid); }
};

/// Whether a run has taken all its steps, or stopped early.
bool has_ended(const RunConfig& config, const RunState& state);
bool stopped_early(const RunConfig& config, const RunState& state);

/// `optimizer` may be null if the file is not for resuming. `encodings` are those of the passages in the approximate index.
template <RealScalar R>
void save_checkpoint(const std::string& path, const RunConfig& config, const RunState& state, const ParameterList<R>& parameters,
                     const Optimizer<R>* optimizer, const std::vector<Tensor<float>>& encodings = {});

/// An open checkpoint whose metadata has been read and checked. Throws Error for files that are damaged or not checkpoints.
class Checkpoint {
 public:
  explicit Checkpoint(const std::string& path);

  const RunConfig& config() const { return config_; }
  const RunState& state() const { return state_; }
  const SafetensorsFile& file() const { return file_; }

  /// Fills the parameters. Throws Error, before changing any, unless the file has exactly these names with these shapes.
  template <RealScalar R>
  void load(const ParameterList<R>& parameters) const;
  /// Loads the optimiser's state. Throws Error, changing nothing, if the file has no state that fits.
  template <RealScalar R>
  void load(Optimizer<R>& optimizer) const;
  /// The saved encodings; none if the run searches exactly.
  std::vector<Tensor<float>> encodings() const;

 private:
  SafetensorsFile file_;
  RunConfig config_;
  RunState state_;
};

/// Whether the file's metadata mark it as a checkpoint.
bool is_checkpoint(const SafetensorsFile& file);
/// The checkpoint to use for RUN: RUN itself if it is a file; in a folder, best.safetensors, or last.safetensors if there has been
/// no validation. Throws Error if there is none.
std::string find_checkpoint(const std::string& run);

/// Calls f with a value of the type named by the configuration's `precision`.
template <class F>
auto with_precision(const RunConfig& config, const F& f) {
  return config.training.precision == "float64" ? f(double()) : f(float());
}

/// A model and its parameters, restored from a checkpoint.
template <RealScalar R>
std::unique_ptr<Model<R>> load_model(const Checkpoint& checkpoint);

}  // namespace argand
