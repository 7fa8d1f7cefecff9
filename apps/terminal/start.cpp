#include "apps/terminal/start.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/error.h"
#include "core/machine/address_space.h"
#include "core/machine/level.h"
#include "core/machine/openblas_kernels.h"
#include "core/machine/process.h"

namespace argand {
namespace {

/// The GLIBC_TUNABLES setting that makes glibc's loader and mathematical functions treat the processor as one of this level.
std::string_view hidden_features(Level level) {
  if (level == Level::Baseline) return "-AVX512F,-AVX2,-FMA";
  return level == Level::V3 ? "-AVX512F" : "";
}

void restart_at_level(const char* name, char** argv) {
  const std::optional<Level> wanted = level_named(name);
  require(wanted.has_value(), "ARGAND_LEVEL", "'{}' is not a valid level; use baseline, v3 or v4", name);
  require(*wanted <= processor_level(), "ARGAND_LEVEL", "{} was requested, but this processor supports at most {}", name,
          level_name(processor_level()));
  if (library_level() == *wanted) return;
  const char* before = std::getenv("GLIBC_TUNABLES");
  std::string tunables = before != nullptr ? before : "";
  const std::string ours = "glibc.cpu.hwcaps=" + std::string(hidden_features(*wanted));
  require(tunables.find(ours) == std::string::npos && *wanted < library_level(), "ARGAND_LEVEL",
          "{} was requested, but argand was built for {}; build with -Dlevel=all", name, level_name(library_level()));
  tunables += (tunables.empty() ? "" : ":") + ours;
  setenv("GLIBC_TUNABLES", tunables.c_str(), 1);
  execv(current_program().c_str(), argv);
  fail("ARGAND_LEVEL", "cannot restart the program at level {}", name);
}

/// GNU's OpenMP reads its settings when it is loaded. By default a waiting thread spins for milliseconds, which takes processor
/// time from other processes on a busy machine. Alongside four compilers, `generate` took 5.6 s with two threads that way, 1.9 s
/// with this setting, and 1.5 s with one thread; on an idle machine, threads that sleep at once are slow to start the next loop.
/// Returns whether the setting is new: neither the user nor an earlier start has made a choice.
bool limit_spinning() {
  for (const char* choice : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"})
    if (std::getenv(choice) != nullptr) return false;
  return setenv("GOMP_SPINCOUNT", "5000", 1) == 0;
}

/// OpenBLAS allocates a buffer for each thread when it is loaded, and retries forever if it gets none, which would
/// hang a script. So this runs before any library is initialised, and uses neither fmt nor anything from argand except its memory
/// mapping and its processor count.
void require_address_space(int, char**, char**) {
  constexpr std::int64_t megabyte = 1 << 20, rest = 48 * megabyte;
  const char* asked = std::getenv("OMP_NUM_THREADS");
  int threads = asked != nullptr ? std::atoi(asked) : 0;
  if (threads < 1) threads = std::max(1, processors_of(0));
  const std::int64_t needed = threads * 128 * megabyte + rest;
  const std::optional<AddressSpace> space = address_space();
  if (!space || can_map(needed)) return;
  char text[200];
  const int size =
      std::snprintf(text, sizeof text,
                    "argand: memory: the program needs %lld MB of address space to start, and the limit (ulimit -v) is "
                    "%lld MB\n",
                    static_cast<long long>((space->used + needed) / megabyte + 1), static_cast<long long>(space->limit / megabyte));
  if (size > 0 && write(STDERR_FILENO, text, static_cast<std::size_t>(size)) < 0) _exit(1);
  _exit(1);
}

#if defined(__linux__)
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_the_libraries)(int, char**, char**) = require_address_space;
#endif

}  // namespace

const std::string& current_program() {
  static const std::string path = [] {
    const char* launcher = std::getenv("ARGAND_LAUNCHER");
    const std::string named = launcher != nullptr ? launcher : program_path();
    unsetenv("ARGAND_LAUNCHER");
    return named;
  }();
  return path;
}

void restart_with_coretype(const std::string& coretype, char** argv) {
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) return;
  setenv("OPENBLAS_CORETYPE", coretype.c_str(), 1);
  execv(current_program().c_str(), argv);
  unsetenv("OPENBLAS_CORETYPE");  // exec failed: continue with slow kernels, which blas_advice reports
}

void ensure_fast_kernels(char** argv) {
  current_program();
  for (char** argument = argv; *argument != nullptr; ++argument)
    if (std::string_view(*argument) == "--help" || std::string_view(*argument) == "-h") return;
  if (const char* level = std::getenv("ARGAND_LEVEL"); level != nullptr && *level != '\0') restart_at_level(level, argv);
  const bool restart = limit_spinning();
  if (const std::string wanted = blas_kernels().wanted; !wanted.empty()) restart_with_coretype(wanted, argv);
  if (restart) execv(current_program().c_str(), argv);  // if exec fails, threads wait as by default
  fmt::print(stderr, "{}", blas_advice());
}

}  // namespace argand
