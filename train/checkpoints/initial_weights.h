#pragma once
/// Weights to begin a run with: those of another run, or of a file from anywhere. They are fitted by name: a tensor goes
/// where the model has a parameter of that name and shape.

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
  std::string path;                    ///< of the file
  std::int64_t tensors = 0;            ///< taken, in whole or, of rows that belong to words, in part
  std::int64_t numbers = 0;            ///< taken; a complex one counts twice
  std::int64_t all_tensors = 0;        ///< that the model has
  std::int64_t all_numbers = 0;        ///< likewise
  std::vector<std::string> missing{};  ///< parameters that the file does not have
  std::vector<std::string> own{};      ///< parameters of the output layer where the file's is of other classes or another task
  std::vector<std::string> extra{};    ///< tensors that the model does not have
  std::optional<std::int64_t> words_in_common{};  ///< where the words are not those of the file's run
  std::int64_t words = 0;                         ///< that the model knows
  std::string called = "words";                   ///< what they are
  bool same_pieces = false;                       ///< they are the very pieces of the file's run
};

class InitialWeights {
 public:
  /// A run's folder (its best checkpoint), a checkpoint with the words beside it, or any safetensors or .npz file. Throws Error.
  explicit InitialWeights(const std::string& source);

  /// The run's model by its keys, as if given in a file: family and sizes, but not what the data decide. Empty for a file that is
  /// no checkpoint.
  Settings model_settings() const;
  /// The run, if it is one of a language model; null for any other file.
  const TrainedRun* language_model() const;
  /// Of the file's bytes, for the new run to remember.
  std::string checksum() const;

  /// Fills those parameters of a model with these words and classes that the file has. Where the words are not those of the run,
  /// the ones in common keep their rows. The output layer of a classifier is taken when the classes are the same.
  /// Throws Error for the first tensor of another shape, before anything is changed, and when nothing fits.
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
