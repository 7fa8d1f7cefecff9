#include "apps/run_files.h"

#include <filesystem>

namespace argand {

TrainedRun open_run(const std::string& run) {
  const std::string path = find_checkpoint(run);
  const std::string words = (std::filesystem::path(path).parent_path() / "vocab.txt").string();
  TrainedRun found{Checkpoint(path), Vocabulary::load(words)};
  const std::int64_t size = found.checkpoint.config().model.vocab_size;
  require(found.vocabulary.size() <= size, "checkpoint", "{} has {} words, the model of {} only {} ids", words,
          found.vocabulary.size(), path, size);
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
