/// Fuzzes the log of a run: a report can draw every readable part, and resuming the run drops only later steps.

#include "apps/report/log.h"
#include "tests/fuzz/fuzz.h"
#include "train/checkpoints/jsonl.h"

using namespace argand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MemoryFile file;
  const std::string text(text_of(data, size));
  file.contents(text);
  const RunLog log = read_log(file.path());
  const auto lines = std::count(text.begin(), text.end(), '\n');
  expect(static_cast<std::ptrdiff_t>(log.lines.size()) + log.unreadable == lines, "every whole line is counted");
  curves_of(log).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);

  constexpr std::int64_t last_step = 3;
  const auto kept_lines = [&](const RunLog& l) {
    std::vector<nlohmann::ordered_json> kept;
    for (const auto& line : l.lines)
      if (line["step"].get<std::int64_t>() <= last_step) kept.push_back(line);
    return kept;
  };
  { const JsonLines opened(file.path(), last_step); }
  const std::string kept = file.contents();
  expect(text.starts_with(kept), "the kept text is the beginning of the log");
  expect(kept.empty() || kept.ends_with('\n'), "the kept text ends with a whole line");
  expect(kept_lines(read_log(file.path())) == kept_lines(log), "no line up to the step is dropped");
  { const JsonLines opened(file.path(), last_step); }
  expect(file.contents() == kept, "a second truncation changes nothing");
  return 0;
}
