#pragma once
/// Initial weights from another run or from any file. They are matched by name: a tensor is loaded into the parameter with the same
/// name and shape.

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "data/files/npz.h"
#include "train/checkpoints/trained_run.h"

namespace argand {

/// Which parameters matched and which did not.
struct FittedWeights {
  std::string path;                               ///< of the file
  std::int64_t tensors = 0;                       ///< loaded fully, or partly for rows that belong to words
  std::int64_t numbers = 0;                       ///< loaded; a complex one counts twice
  std::int64_t all_tensors = 0;                   ///< in the model
  std::int64_t all_numbers = 0;                   ///< in the model
  std::vector<std::string> missing{};             ///< parameters that the file does not have
  std::vector<std::string> own{};                 ///< output layer parameters, when the file's has other classes or another task
  std::vector<std::string> extra{};               ///< tensors that the model does not have
  std::optional<std::int64_t> words_in_common{};  ///< when the words are not those of the file's run
  std::int64_t words = 0;                         ///< in the model's vocabulary
  std::string called = "words";                   ///< what to call them
  bool same_pieces = false;                       ///< the pieces are exactly those of the file's run
};

class InitialWeights {
 public:
  /// A run's folder (its best checkpoint), a checkpoint with the words beside it, or any safetensors or .npz file. Throws Error.
  explicit InitialWeights(const std::string& source);

  /// The run's model as settings of a file: family and sizes, but not what the data determine. Empty unless the file is a
  /// checkpoint.
  Settings model_settings() const;
  /// The run, if it is a language model's; otherwise null.
  const TrainedRun* language_model() const;
  /// The checksum of the file's bytes, for the new run to record.
  std::string checksum() const;

  /// Fills those parameters of a model with these words and classes that the file has. If the words differ from the run's, the ones
  /// in common keep their rows. A classifier's output layer is loaded when the classes are the same. Throws Error for the first
  /// tensor with another shape, before changing anything, and when nothing fits.
  template <RealScalar R>
  FittedWeights load(Model<R>& model, const Tokenizer& words, const std::vector<std::string>& classes) const;

 private:
  using File = std::variant<SafetensorsFile, NpzFile>;
  static File open(const std::string& path);

  std::string source_, path_;
  File file_;
  std::unique_ptr<const TrainedRun> run_;  ///< null for a file that is not a checkpoint
};

}  // namespace argand
