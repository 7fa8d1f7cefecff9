#include "apps/runs/run_files.h"

#include <filesystem>

#include "data/files/checksum.h"
#include "data/labelled_texts.h"

namespace argand {

TrainedRun open_run(const std::string& run) {
  const std::string path = find_checkpoint(run);
  const auto beside = [&](const char* name) { return (std::filesystem::path(path).parent_path() / name).string(); };
  const std::string words = beside("vocab.txt"), names = beside("classes.txt");
  TrainedRun found{Checkpoint(path), Vocabulary::load(words), {}};
  const ModelConfig& model = found.checkpoint.config().model;
  const Fingerprints& made_from = found.checkpoint.state().made_from;
  require(made_from.vocabulary.empty() || made_from.vocabulary == checksum_of(found.vocabulary.text()), "checkpoint",
          "{} is not the vocabulary that {} was trained with: its checksum is another", words, path);
  require(found.vocabulary.size() <= model.vocab_size, "checkpoint", "{} has {} words, the model of {} only {} ids", words,
          found.vocabulary.size(), path, model.vocab_size);
  if (model.task != TextTask::Classify) return found;
  found.classes = load_classes("checkpoint", names);
  require(static_cast<std::int64_t>(found.classes.size()) == model.n_classes, "checkpoint",
          "{} names {} classes, the model of {} has {}", names, found.classes.size(), path, model.n_classes);
  require(made_from.classes.empty() || made_from.classes == checksum_of(classes_text(found.classes)), "checkpoint",
          "{} does not name the classes that {} was trained with: its checksum is another", names, path);
  require(found.vocabulary.find("<pad>") == pad_id && found.vocabulary.find("<unk>") == unknown_id, "checkpoint",
          "{} does not begin with <pad> and <unk>", words);
  return found;
}

Ids translate(const Ids& ids, const Vocabulary& from, const Vocabulary& to) {
  if (from == to) return ids;
  std::vector<Vocabulary::Id> table;
  for (const std::string& word : from.words()) table.push_back(to.id(word));
  Ids translated(ids.shape());
  for (std::int64_t i = 0; i < ids.size(); ++i) translated[i] = table[static_cast<std::size_t>(ids[i])];
  return translated;
}

}  // namespace argand
