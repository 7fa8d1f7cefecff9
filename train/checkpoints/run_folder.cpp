#include "train/checkpoints/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "data/files/text_file.h"
#include "train/checkpoints/jsonl.h"

namespace argand {
namespace {

namespace fs = std::filesystem;

/// The N in step-N.safetensors; empty for other names.
std::optional<std::int64_t> step_of(std::string_view name) {
  constexpr std::string_view before = "step-", after = ".safetensors";
  if (!name.starts_with(before) || !name.ends_with(after)) return std::nullopt;
  const char *first = name.data() + before.size(), *last = name.data() + name.size() - after.size();
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(first, last, step);
  if (first >= last || *first == '-' || error != std::errc() || end != last) return std::nullopt;
  return step;
}

template <std::size_t n>
bool contains(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Whether training writes a file with this name.
bool is_training_file(std::string_view name) {
  static constexpr std::array<std::string_view, 10> names = {
      "last.safetensors", "best.safetensors", "log.jsonl",      "config.toml",  "config.json",
      "vocab.txt",        "classes.txt",      "nan-trace.json", "tokens.model", "tokenizer.json"};
  return contains(names, name) || step_of(name);
}

/// Whether training or an evaluation writes a file with this name.
bool is_run_file(std::string_view name) {
  static constexpr std::array<std::string_view, 6> names = {"written.json", "positions.json", "exchanged.json",
                                                            "audit.json",   "latency.json",   "as-learnt.json"};
  const bool of_eval_set = name.starts_with("with-") && name.ends_with(".json") && name.find('=') != name.npos;
  return is_training_file(name) || contains(names, name) || of_eval_set;
}

/// Whether a sweep or an ablation writes a file with this name into the folder that contains the folders of its runs.
bool is_multi_run_file(std::string_view name) {
  static constexpr std::array<std::string_view, 5> names = {"sweep.json", "ablation.json", "table.md", "table.json", "probes.md"};
  return contains(names, name);
}

/// Whether this is a temporary file of an AtomicFile, left behind when the process was killed while writing.
bool is_leftover(std::string_view name) {
  const auto at = name.find(".tmp-");
  return at != name.npos && (is_run_file(name.substr(0, at)) || is_multi_run_file(name.substr(0, at)));
}

template <class Wanted>
std::vector<fs::path> files_of(const std::string& folder, const Wanted& wanted) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (wanted(it->path().filename().string())) found.push_back(it->path());
  return found;
}

void remove_files(const std::vector<fs::path>& files) {
  std::error_code error;
  for (const fs::path& file : files) {
    fs::remove(file, error);
    require(!error, "train", "cannot remove {}: {}", file.string(), error.message());
  }
}

}  // namespace

/// Locks the folder itself, because two processes could remove and recreate a file in it at the same time. On file systems without
/// folder locks (NFS), only the lock on the log protects the run.
RunLock::RunLock(const std::string& folder) {
  require_name("train", folder);
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  require(descriptor >= 0, "train", "cannot open the folder {}: {}", folder, std::strerror(errno));
  descriptor_ = std::shared_ptr<const int>(new int(descriptor), [](const int* d) { ::close(*d), delete d; });
  require(::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK, "train",
          "{} is in use: another process is training in that folder", folder);
}

RunFolder RunFolder::held_by(const RunLock& lock) const {
  RunFolder held = *this;
  const std::string through = fmt::format("/proc/self/fd/{}", lock.descriptor());
  std::error_code error;
  if (lock.descriptor() >= 0 && fs::is_directory(through + "/.", error)) held.at_ = through;
  return held;
}

std::string RunFolder::readable(std::string text) const {
  if (at_ == path_) return text;
  for (std::size_t at = text.find(at_); at != text.npos; at = text.find(at_, at + path_.size()))
    text.replace(at, at_.size(), path_);
  return text;
}

bool RunFolder::holds_a_run() const { return !files_of(at_, is_training_file).empty(); }

std::vector<std::int64_t> RunFolder::kept_steps() const {
  std::vector<std::int64_t> steps;
  for (const fs::path& file : files_of(at_, [](std::string_view name) { return step_of(name); }))
    steps.push_back(*step_of(file.filename().string()));
  std::sort(steps.begin(), steps.end());
  return steps;
}

void RunFolder::remove_step(std::int64_t step) const { remove_files({at_step(step)}); }

void RunFolder::require_free() const {
  require(!holds_a_run(), "train", "{} already contains a run; `resume` {} continues it, `overwrite` replaces it", path_, path_);
}

RunLock RunFolder::create(bool overwrite) const {
  require_name("train", path_);
  std::error_code error;
  fs::create_directories(path_, error);
  require(!error && fs::is_directory(path_), "train", "cannot create the folder {}: {}", path_,
          error ? error.message() : "a file with that name exists");
  if (!overwrite) require_free();  // a clearer message than "the folder is in use"
  RunLock lock(path_);
  if (!overwrite) require_free();
  if (fs::exists(log(), error)) const JsonLines unused(log(), -1);
  remove_files(files_of(at_, is_run_file));
  remove_leftovers();
  return lock;
}

void RunFolder::remove_leftovers() const { remove_files(files_of(at_, is_leftover)); }

}  // namespace argand
