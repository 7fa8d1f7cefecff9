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

/// A summary of which parameters were loaded.
struct FittedWeights {
  std::string path;                               ///< path of the file
  std::int64_t tensors = 0;                       ///< loaded fully, or partly if their rows belong to words
  std::int64_t numbers = 0;                       ///< loaded elements; a complex one counts twice
  std::int64_t all_tensors = 0;                   ///< parameters in the model
  std::int64_t all_numbers = 0;                   ///< elements in the model
  std::vector<std::string> missing{};             ///< parameters that are not in the file
  std::vector<std::string> own{};                 ///< output-layer parameters not loaded because the classes or the task differ
  std::vector<std::string> extra{};               ///< tensors in the file that the model does not have
  std::optional<std::int64_t> words_in_common{};  ///< set if the words differ from those of the file's run
  std::int64_t words = 0;                         ///< size of the model's vocabulary
  std::string called = "words";                   ///< what the words are called in messages
  bool same_pieces = false;                       ///< the pieces are exactly those of the file's run
};

class InitialWeights {
 public:
  /// Accepts a run's folder (its best checkpoint), a checkpoint with its vocabulary in the same folder, or any safetensors or .npz
  /// file. Throws Error.
  explicit InitialWeights(const std::string& source);

  /// The run's model settings (family and sizes), except those that follow from the data. Empty unless the file is a
  /// checkpoint.
  Settings model_settings() const;
  /// The run that wrote the file, if it trained a language model; otherwise null.
  const TrainedRun* language_model() const;
  /// The checksum of the file, to be recorded in the new run.
  std::string checksum() const;

  /// Fills the parameters that are in the file; the model has these words and classes. If the vocabularies differ, shared words
  /// keep their rows. A classifier's output layer is loaded if the classes are the same. Throws Error, before changing anything,
  /// for the first tensor with a different shape, or if nothing fits.
  template <RealScalar R>
  FittedWeights load(Model<R>& model, const Tokenizer& words, const std::vector<std::string>& classes) const;

 private:
  using File = std::variant<SafetensorsFile, NpzFile>;
  static File open(const std::string& path);

  std::string source_, path_;
  File file_;
  std::unique_ptr<const TrainedRun> run_;  ///< null if the file is not a checkpoint
};

}  // namespace argand
