/// Fuzzes sweep.json: a file is either rejected or unchanged by writing and rereading.

#include "train/sweep/sweep_file.h"

#include <cstdlib>
#include <filesystem>

#include "core/machine/json.h"
#include "tests/fuzz/fuzz.h"

using namespace argand;

namespace {

namespace fs = std::filesystem;

/// A folder whose sweep.json stays in memory until it is written to.
class SweepFolder {
 public:
  SweepFolder() {
    path_ = (fs::temp_directory_path() / "argand-fuzz-XXXXXX").string();
    expect(mkdtemp(path_.data()) != nullptr, "mkdtemp makes a folder");
  }
  ~SweepFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  void contents(std::string_view bytes) {
    file_.contents(bytes);
    fs::remove(path_ + "/sweep.json");
    fs::create_symlink(file_.path(), path_ + "/sweep.json");
  }
  const std::string& path() const { return path_; }

 private:
  MemoryFile file_;
  std::string path_;
};

bool same(const SweepOutcome& a, const SweepOutcome& b) {
  return a.loss == b.loss && a.metric == b.metric && a.bits_per_byte == b.bits_per_byte && a.diverged == b.diverged;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static SweepFolder folder;
  const std::string_view text = text_of(data, size);
  folder.contents(text);
  // Opens the file for another sweep: the error must be able to name the differences.
  accepts([&] { SweepFile(folder.path(), {{"steps", "100"}, {"varies", {"lr"}}}); });
  const auto json = try_parse_json<nlohmann::json>(text);
  const auto identity = json.is_object() ? json.value("sweep", nlohmann::json()) : nlohmann::json();
  accepts([&] {
    const SweepFile file(folder.path(), identity);
    file.write();
    const SweepFile again(folder.path(), identity);
    expect(again.outcomes().size() == file.outcomes().size(), "rereading gives as many runs");
    for (const auto& [name, outcome] : file.outcomes()) {
      const auto found = again.outcomes().find(name);
      expect(found != again.outcomes().end() && same(found->second, outcome), "a written result is read back unchanged");
      score_of(outcome, TextTask::Lm);
      score_of(outcome, TextTask::Classify);
    }
  });
  return 0;
}
