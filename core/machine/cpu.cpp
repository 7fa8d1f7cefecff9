#include "core/machine/cpu.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace argand {
namespace {

/// ARM's own cores (implementer 0x41), and Apple's under Linux, by the part number in MIDR_EL1.
struct ArmPart {
  unsigned long implementer, part;
  const char* name;
};
constexpr ArmPart arm_parts[] = {
    {0x41, 0xd03, "Cortex-A53"},  {0x41, 0xd05, "Cortex-A55"},  {0x41, 0xd07, "Cortex-A57"},  {0x41, 0xd08, "Cortex-A72"},
    {0x41, 0xd09, "Cortex-A73"},  {0x41, 0xd0a, "Cortex-A75"},  {0x41, 0xd0b, "Cortex-A76"},  {0x41, 0xd0c, "Neoverse-N1"},
    {0x41, 0xd0d, "Cortex-A77"},  {0x41, 0xd40, "Neoverse-V1"}, {0x41, 0xd41, "Cortex-A78"},  {0x41, 0xd44, "Cortex-X1"},
    {0x41, 0xd46, "Cortex-A510"}, {0x41, 0xd47, "Cortex-A710"}, {0x41, 0xd49, "Neoverse-N2"}, {0x41, 0xd4f, "Neoverse-V2"},
    {0x61, 0x022, "Apple M1"},    {0x61, 0x023, "Apple M1"},    {0x61, 0x032, "Apple M2"},    {0x61, 0x033, "Apple M2"},
};

/// The text after the colon of "key : value", or "".
std::string value_of(const std::string& line) {
  const auto begin = line.find_first_not_of(" \t", line.find(':') + 1);
  return begin == std::string::npos ? "" : line.substr(begin);
}

}  // namespace

std::string processor_name_in(std::istream& cpuinfo) {
  std::string implementer, part;
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.find(':') == std::string::npos) continue;
    if (line.starts_with("model name") || line.starts_with("Model Name")) return value_of(line);
    if (line.starts_with("CPU implementer")) implementer = value_of(line);
    if (line.starts_with("CPU part")) part = value_of(line);  // the last core's: with cores of two sizes, the large ones come last
  }
  if (implementer.empty() || part.empty()) return "";
  const unsigned long maker = std::strtoul(implementer.c_str(), nullptr, 16), number = std::strtoul(part.c_str(), nullptr, 16);
  for (const ArmPart& known : arm_parts)
    if (known.implementer == maker && known.part == number) return known.name;
  return fmt::format("ARM implementer {}, part {}", implementer, part);
}

std::string processor_name() {
#if defined(__APPLE__)
  char name[256];
  std::size_t size = sizeof name;
  return sysctlbyname("machdep.cpu.brand_string", name, &size, nullptr, 0) == 0 ? name : "";
#else
  std::ifstream file("/proc/cpuinfo");
  return processor_name_in(file);
#endif
}

CpuFeatures cpu_features() {
  CpuFeatures cpu;
#if defined(__x86_64__)
  cpu.intel = __builtin_cpu_is("intel");
  cpu.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  cpu.avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
  cpu.bf16 = cpu.avx512 && __builtin_cpu_supports("avx512bf16");
#endif
  return cpu;
}

}  // namespace argand
