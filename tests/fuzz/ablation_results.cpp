/// Fuzzes an ablation's results file: accepted results are unchanged by writing and rereading, and have tables.

#include "apps/ablation/result_tables.h"
#include "tests/fuzz/fuzz.h"
#include "train/ablation/result_file.h"

using namespace argand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(text_of(data, size));
  ResultTable runs;
  if (!accepts([&] { runs = parse_results(text, "results.json"); })) return 0;
  const std::string written = result_text(runs);
  expect(result_text(parse_results(written, "results.json")) == written, "written results are read back unchanged");
  expect(!json_of(runs).empty(), "the tables are not empty");
  return 0;
}
