#pragma once
/// The files in a run's folder, and protection against accidentally overwriting results.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/tokens/tokenizer.h"

namespace argand {

/// Locks a run's folder: while the lock exists, no other process or thread can train there.
class RunLock {
 public:
  RunLock() = default;
  /// Throws Error if the folder cannot be opened or if another process holds the lock.
  explicit RunLock(const std::string& folder);
  /// A descriptor of the folder, valid even after it is moved; -1 if there is no lock.
  int descriptor() const { return descriptor_ ? *descriptor_ : -1; }

 private:
  std::shared_ptr<const int> descriptor_;  ///< the deleter closes the descriptor and thus releases the lock, as does process exit
};

/// RUN/last.safetensors         the newest checkpoint, with the optimiser's state, from which a run resumes
/// RUN/best.safetensors         the parameters with the best validation result so far
/// RUN/step-N.safetensors       intermediate checkpoints
/// RUN/log.jsonl                one JSON object per line
/// RUN/config.toml, config.json the configuration; RUN/vocab.txt: one word or character per line, in the
///                              order of ids; or RUN/tokens.model: pieces in SentencePiece's format; or
///                              RUN/tokenizer.json in Hugging Face's format
/// RUN/classes.txt              for a classifier: the names of the labels, one per line
/// RUN/nan-trace.json           if the run stopped at a non-finite value: the op, values and batch
/// RUN/written.json, positions.json  if `argand ablate` has probed the run: generated texts, and the loss by position
/// RUN/exchanged.json, audit.json  for models with retrieval: the loss with exchanged passages, and the audit
/// RUN/latency.json             if `argand ablate --cost` has measured a language model: the time per generated token
/// RUN/as-learnt.json, with-NAME=VALUE.json  the run's loss, and its loss with a parameter set to a value
class RunFolder {
 public:
  explicit RunFolder(std::string path) : path_(path), at_(std::move(path)) {}

  /// Creates and locks the folder of a new run. If the folder already contains a run, removes its files if `overwrite` is set and
  /// otherwise throws Error. Throws Error if another process is training in it.
  [[nodiscard]] RunLock create(bool overwrite) const;
  /// This folder with paths that go through the lock and are valid as long as the lock exists: if the folder is moved, files are
  /// still written to it and never to another folder that takes its name. (Plain paths on systems without /proc/self/fd.)
  RunFolder held_by(const RunLock& lock) const;
  /// Replaces the path through the lock by the folder's usual path in an error message.
  std::string readable(std::string text) const;

  /// Removes incomplete files left by a killed process. Call only while the folder is locked.
  void remove_leftovers() const;
  bool holds_a_run() const;
  /// Steps of the intermediate checkpoints, in ascending order.
  std::vector<std::int64_t> kept_steps() const;
  /// Removes the intermediate checkpoint of this step.
  void remove_step(std::int64_t step) const;
  /// Throws Error if the folder contains a run.
  void require_free() const;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return at_ + "/" + name; }
  std::string last() const { return file("last.safetensors"); }
  std::string best() const { return file("best.safetensors"); }
  std::string at_step(std::int64_t step) const { return file("step-" + std::to_string(step) + ".safetensors"); }
  std::string log() const { return file("log.jsonl"); }
  std::string vocabulary() const { return file("vocab.txt"); }
  std::string tokens(const std::string& kind) const { return file(token_file(kind)); }
  std::string classes() const { return file("classes.txt"); }
  std::string nan_trace() const { return file("nan-trace.json"); }
  std::string written() const { return file("written.json"); }
  std::string positions() const { return file("positions.json"); }
  std::string exchanged() const { return file("exchanged.json"); }
  std::string audit() const { return file("audit.json"); }
  std::string latency() const { return file("latency.json"); }
  std::string as_learnt() const { return file("as-learnt.json"); }
  std::string with(const std::string& settings) const { return file("with-" + settings + ".json"); }

 private:
  std::string path_, at_;
};

}  // namespace argand
