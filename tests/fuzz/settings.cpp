/// Fuzzes configuration files: settings written by toml_line() are read back unchanged, and so is the file of a configuration that
/// resolves.

#include "tests/fuzz/fuzz.h"
#include "train/config/run_config.h"

using namespace argand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MemoryFile file;
  file.contents(text_of(data, size));
  Settings settings;
  if (!accepts([&] { settings = read_settings(file.path()); })) return 0;
  std::string text;
  for (const Setting& s : settings) text += toml_line(s.key, s.text) + "\n";
  file.contents(text);
  const Settings again = read_settings(file.path());
  expect(again.size() == settings.size(), "rereading gives as many settings");
  for (std::size_t i = 0; i < again.size(); ++i)
    expect(again[i].key == settings[i].key && again[i].text == settings[i].text, "rereading gives the same keys and texts");
  RunConfig config;
  if (!accepts([&] { config = RunConfig::resolve(settings, {}); })) return 0;
  file.contents(config.to_toml());
  expect(RunConfig::resolve(read_settings(file.path()), {}).to_json() == config.to_json(),
         "a written configuration is read back unchanged");
  return 0;
}
