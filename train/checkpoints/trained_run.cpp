#include "train/checkpoints/trained_run.h"

#include <filesystem>

#include "data/files/checksum.h"
#include "data/files/text_file.h"
#include "data/labelled_texts.h"
#include "data/tokens/word_tokens.h"

namespace argand {

const Vocabulary& TrainedRun::words() const {
  const auto* found = dynamic_cast<const WordTokens*>(tokens.get());
  require(found != nullptr, "checkpoint", "the tokens of {} are not words", checkpoint.file().path());
  return found->words();
}

TrainedRun open_run(const std::string& run) {
  const std::string path = find_checkpoint(run);
  const auto beside = [&](const std::string& name) { return (std::filesystem::path(path).parent_path() / name).string(); };
  TrainedRun found{Checkpoint(path), nullptr, {}};
  const ModelConfig& model = found.checkpoint.config().model;
  const Fingerprints& made_from = found.checkpoint.state().made_from;
  const std::string kind = model.task == TextTask::Lm ? found.checkpoint.config().training.tokens : "words";
  const std::string tokens = beside(token_file(kind)), names = beside("classes.txt");
  const auto require_beside = [&](const std::string& file) {
    std::error_code ignored;
    require(std::filesystem::exists(file, ignored), "checkpoint", "{} needs the {} of its run in the same folder; there is no {}",
            path, std::filesystem::path(file).filename().string(), file);
  };
  if (!token_file(kind).empty()) require_beside(tokens);
  const std::string& then = kind == "words" || kind == "char" ? made_from.vocabulary : made_from.pieces;
  const auto require_same = [&](const std::string& file) {
    require(then.empty() || then == checksum_of(file), "checkpoint",
            "{} is not the vocabulary that {} was trained with: its checksum differs", tokens, path);
  };
  try {
    found.tokens = load_tokens(kind, tokens);
  } catch (const Error&) {
    // The file may be unreadable because it belongs to another model; if so, report that instead.
    require_same(read_bytes("checkpoint", tokens));
    throw;
  }
  require_same(found.tokens->file());
  require(found.tokens->size() <= model.vocab_size, "checkpoint",
          "{} has {} tokens, but the model in {} has a vocabulary of only {}", tokens, found.tokens->size(), path,
          model.vocab_size);
  if (model.task != TextTask::Classify) return found;
  require_beside(names);
  found.classes = load_classes("checkpoint", names);
  require(static_cast<std::int64_t>(found.classes.size()) == model.n_classes, "checkpoint",
          "{} lists {} classes, but the model in {} has {}", names, found.classes.size(), path, model.n_classes);
  require(made_from.classes.empty() || made_from.classes == checksum_of(classes_text(found.classes)), "checkpoint",
          "{} does not list the classes that {} was trained with: its checksum differs", names, path);
  require(found.words().find("<pad>") == pad_id && found.words().find("<unk>") == unknown_id, "checkpoint",
          "{} does not begin with <pad> and <unk>", tokens);
  return found;
}

}  // namespace argand
