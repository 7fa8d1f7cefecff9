#pragma once
/// How much memory the process may still map. Teaching machines set such limits (`ulimit -v`), and OpenBLAS asks again for ever
/// where it gets none.

#include <cstdint>
#include <optional>

namespace argand {

struct AddressSpace {
  std::int64_t limit = 0;  ///< in bytes, of the whole process
  std::int64_t used = 0;   ///< of that, so far: programs and libraries count as well
  std::int64_t left() const { return limit > used ? limit - used : 0; }
};

/// Nothing where there is no limit.
std::optional<AddressSpace> address_space();

/// Whether that many bytes more could be mapped now.
bool can_map(std::int64_t bytes);

}  // namespace argand
