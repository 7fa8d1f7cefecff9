#include "core/memory.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

#include "core/error.h"

namespace argand {
namespace {

constexpr std::size_t alignment = 64;

/// Sizes are rounded up to a multiple of an eighth of their power of two, so that nearly equal requests share blocks and at most an
/// eighth is wasted.
std::size_t size_class(std::size_t bytes) {
  if (bytes <= alignment) return alignment;
  const std::size_t step = std::max(alignment, std::bit_floor(bytes - 1) / 8);
  return (bytes + step - 1) / step * step;
}

class Pool {
 public:
  void* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    auto& waiting = waiting_[bytes];
    void* block = nullptr;
    if (!waiting.empty()) {
      block = waiting.back();
      waiting.pop_back();
    } else {
      block = std::aligned_alloc(alignment, bytes);
      if (block == nullptr) fail("memory", "cannot allocate {} bytes; try a smaller batch or model", bytes);
      ++stats_.system_allocations;
      stats_.held += static_cast<std::int64_t>(bytes);
      stats_.peak_held = std::max(stats_.peak_held, stats_.held);
    }
    stats_.in_use += static_cast<std::int64_t>(bytes);
    return block;
  }

  void give_back(void* block, std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    stats_.in_use -= static_cast<std::int64_t>(bytes);
    try {
      waiting_[bytes].push_back(block);
    } catch (...) {
      std::free(block);
      stats_.held -= static_cast<std::int64_t>(bytes);
    }
  }

  void trim() {
    const std::lock_guard lock(mutex_);
    for (auto& [bytes, blocks] : waiting_) {
      for (void* block : blocks) std::free(block);
      stats_.held -= static_cast<std::int64_t>(bytes * blocks.size());
      blocks.clear();
    }
  }

  MemoryStats stats() {
    const std::lock_guard lock(mutex_);
    return stats_;
  }

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> waiting_;
  MemoryStats stats_;
};

/// Never destroyed: tensors in static variables may be destroyed in any order.
Pool& pool() {
  static Pool* const instance = new Pool;
  return *instance;
}

}  // namespace

void* take_block(std::size_t bytes) { return pool().take(size_class(bytes)); }
void give_block_back(void* block, std::size_t bytes) noexcept { pool().give_back(block, size_class(bytes)); }

std::shared_ptr<void> allocate(std::size_t bytes) {
  return {take_block(bytes), [bytes](void* block) { give_block_back(block, bytes); }};
}

MemoryStats memory_stats() { return pool().stats(); }
void trim_memory() { pool().trim(); }

}  // namespace argand
