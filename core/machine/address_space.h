#pragma once
/// How much memory the process may still map. Classroom machines limit this (`ulimit -v`), and OpenBLAS retries forever when it
/// gets no memory.

#include <cstdint>
#include <optional>

namespace argand {

struct AddressSpace {
  std::int64_t limit = 0;  ///< in bytes, for the whole process
  std::int64_t used = 0;   ///< bytes in use, including programs and libraries
  std::int64_t left() const { return limit > used ? limit - used : 0; }
};

/// Empty if there is no limit.
std::optional<AddressSpace> address_space();

/// Whether `bytes` more could be mapped now.
bool can_map(std::int64_t bytes);

}  // namespace argand
