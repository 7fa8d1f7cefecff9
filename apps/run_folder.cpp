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
  static constexpr std::array<std::string_view, 6> names = {"last.safetensors", "best.safetensors", "log.jsonl",
                                                            "config.toml",      "config.json",      "vocab.txt"};
  return std::find(names.begin(), names.end(), name) != names.end() || is_step_file(name);
}

std::vector<fs::path> files_of_a_run(const std::string& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (is_ours(it->path().filename().string())) found.push_back(it->path());
  return found;
}

}  // namespace

bool RunFolder::holds_a_run() const { return !files_of_a_run(path_).empty(); }

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
  for (const fs::path& file : files_of_a_run(path_)) {
    fs::remove(file, error);
    require(!error, "train", "cannot remove {}: {}", file.string(), error.message());
  }
}

}  // namespace argand
