#pragma once
/// Pooled memory: freed blocks are kept by size and handed out again.
/// A training step uses the same sizes every time, so after the first step it asks the system for nothing:
/// no page faults and no trimming, which cost PyTorch's allocator a third of the step on large temporaries.

#include <cstddef>
#include <cstdint>
#include <memory>

namespace argand {

/// A block of at least `bytes`, aligned to 64 bytes, uninitialised. It returns to the pool with its last owner.
/// Thread-safe. Throws Error when the system has no memory left.
std::shared_ptr<void> allocate(std::size_t bytes);

struct MemoryStats {
  std::int64_t in_use = 0;              ///< bytes handed out and not yet returned
  std::int64_t held = 0;                ///< bytes taken from the system: in use or waiting in the pool
  std::int64_t peak_held = 0;           ///< largest `held` so far
  std::int64_t system_allocations = 0;  ///< how often the system was asked
};
MemoryStats memory_stats();

/// Gives every waiting block back to the system.
void trim_memory();

}  // namespace argand
