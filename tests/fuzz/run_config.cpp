/// Fuzzes the JSON configuration in a checkpoint's metadata: an accepted one is unchanged by writing and rereading.

#include "train/config/run_config.h"
#include "tests/fuzz/fuzz.h"

using namespace argand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  accepts([&] {
    const RunConfig config = RunConfig::from_json(std::string(text_of(data, size)));
    const std::string json = config.to_json();
    expect(RunConfig::from_json(json).to_json() == json, "a written configuration is read back unchanged");
  });
  return 0;
}
