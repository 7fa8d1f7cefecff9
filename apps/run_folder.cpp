#include "apps/run_folder.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

#include "apps/jsonl.h"
#include "core/error.h"

namespace argand {
namespace {

namespace fs = std::filesystem;

/// step-N.safetensors with a number N.
bool is_step_file(std::string_view name) {
  constexpr std::string_view before = "step-", after = ".safetensors";
  if (name.size() <= before.size() + after.size() || !name.starts_with(before) || !name.ends_with(after)) return false;
  name = name.substr(before.size(), name.size() - before.size() - after.size());
  return std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_ours(std::string_view name) {
  static constexpr std::array<std::string_view, 7> names = {"last.safetensors", "best.safetensors", "log.jsonl",  "config.toml",
                                                            "config.json",      "vocab.txt",        "classes.txt"};
  return std::find(names.begin(), names.end(), name) != names.end() || is_step_file(name);
}

/// What an AtomicFile of ours leaves behind when the process is killed while it writes.
bool is_leftover(std::string_view name) {
  const auto at = name.find(".tmp-");
  return at != name.npos && is_ours(name.substr(0, at));
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

bool RunFolder::holds_a_run() const { return !files_of(path_, is_ours).empty(); }

void RunFolder::require_free() const {
  require(!holds_a_run(), "train", "{} holds a run already; --resume {} goes on with it, --overwrite starts anew", path_, path_);
}

void RunFolder::create(bool overwrite) const {
  std::error_code error;
  fs::create_directories(path_, error);
  require(!error && fs::is_directory(path_), "train", "cannot make the folder {}: {}", path_,
          error ? error.message() : "there is a file of that name");
  if (!overwrite) require_free();
  if (fs::exists(log())) const JsonLines in_nobodys_use(log(), -1);
  remove_files(files_of(path_, is_ours));
  remove_leftovers();
}

void RunFolder::remove_leftovers() const { remove_files(files_of(path_, is_leftover)); }

}  // namespace argand
