#include "core/machine/address_space.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

namespace argand {

// Also called before any library is initialised (apps/terminal/start.cpp), so it must not allocate.
std::optional<AddressSpace> address_space() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  AddressSpace space{.limit = static_cast<std::int64_t>(limit.rlim_cur)};
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return space;
  char text[64] = {};
  if (read(file, text, sizeof text - 1) > 0) space.used = std::strtoll(text, nullptr, 10) * sysconf(_SC_PAGESIZE);
  close(file);
  return space;
}

bool can_map(std::int64_t bytes) {
  void* const place = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return false;
  munmap(place, static_cast<std::size_t>(bytes));
  return true;
}

}  // namespace argand
