#pragma once
/// The files in a run's folder, and protection against overwriting work by accident.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/tokens/tokenizer.h"

namespace argand {

/// While this lives, nobody else trains in the folder, neither this program nor another.
class RunLock {
 public:
  RunLock() = default;
  /// Throws Error when the folder cannot be opened or another process holds it.
  explicit RunLock(const std::string& folder);
  /// A handle of the folder, even after it is moved; -1 without one.
  int descriptor() const { return descriptor_ ? *descriptor_ : -1; }

 private:
  std::shared_ptr<const int> descriptor_;  ///< closes it at the end; locks end with their descriptor, however a process ends
};

/// RUN/last.safetensors         the newest checkpoint, with the optimiser's memory: what a run resumes from
/// RUN/best.safetensors         the parameters with the best validation so far
/// RUN/step-N.safetensors       checkpoints kept on the way
/// RUN/log.jsonl                one JSON object a line
/// RUN/config.toml, config.json what was asked for; RUN/vocab.txt: one word or character a line, in the
///                              order of ids; or RUN/tokens.model: the pieces, as SentencePiece has them; or
///                              RUN/tokenizer.json, as Hugging Face has them
/// RUN/classes.txt              of a classifier: the names of the labels, one a line
/// RUN/nan-trace.json           of a run that its first number that is not finite stopped: op, numbers and batch
/// RUN/written.json, positions.json  of a run that `argand ablate` has probed: its texts, and its loss by position
/// RUN/exchanged.json, audit.json  where it looks things up: its loss with other passages than those found, and the audit
/// RUN/latency.json             of a language model whose costs `argand ablate --cost` has measured: the time of a token it writes
/// RUN/as-learnt.json, with-NAME=VALUE.json  its loss, and that with a parameter put at a number
class RunFolder {
 public:
  explicit RunFolder(std::string path) : path_(path), at_(std::move(path)) {}

  /// Makes the folder for a new run and locks it. Throws Error when another process trains in it, and when there is a run in it
  /// already, unless `overwrite`: then its files go.
  [[nodiscard]] RunLock create(bool overwrite) const;
  /// The folder that is locked, to be used while the lock lives: its files are reached through the lock, so that a folder that is
  /// moved takes the run along, and another one that takes its name is not written to. (By path where a system has no
  /// /proc/self/fd.)
  RunFolder held_by(const RunLock& lock) const;
  /// An error's text with the folder's path as the user knows it.
  std::string readable(std::string text) const;

  /// Removes half-written files of a killed process. Call only while the folder is locked.
  void remove_leftovers() const;
  bool holds_a_run() const;
  /// Steps of the intermediate checkpoints, ascending.
  std::vector<std::int64_t> kept_steps() const;
  /// Removes the checkpoint of that step.
  void remove_step(std::int64_t step) const;
  /// Throws Error when it does.
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
