#include "core/memory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

#include "core/error.h"
#include "core/machine/threads.h"

namespace argand {
namespace {

constexpr std::size_t alignment = 64;

/// Sizes are rounded up to a multiple of an eighth of their power of two, and of 64 bytes, so that nearly equal requests share
/// blocks. Above 512 bytes, at most an eighth is wasted.
std::size_t size_class(std::size_t bytes) {
  if (bytes <= alignment) return alignment;
  const std::size_t step = std::max(alignment, std::bit_floor(bytes - 1) / 8);
  return (bytes + step - 1) / step * step;
}

class ThreadCache;

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

  void release(void* block, std::size_t bytes) noexcept {
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

  void add(const ThreadCache* thread) {
    const std::lock_guard lock(mutex_);
    threads_.push_back(thread);
  }
  void remove(const ThreadCache* thread) {
    const std::lock_guard lock(mutex_);
    std::erase(threads_, thread);
  }
  MemoryStats stats();

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> waiting_;
  std::vector<const ThreadCache*> threads_;
  MemoryStats stats_;
};

/// Never destroyed: tensors in static variables may be destroyed in any order.
Pool& pool() {
  static Pool* const instance = new Pool;
  return *instance;
}

/// One thread's free lists of small blocks: the elements of scalars, and what the tape keeps for an op. No other thread uses them,
/// so taking a block needs neither a lock nor a search.
class ThreadCache {
 public:
  static constexpr std::size_t largest = 1024;

  ThreadCache() { pool().add(this); }
  ~ThreadCache() {
    release_all();
    pool().remove(this);
  }
  ThreadCache(const ThreadCache&) = delete;
  ThreadCache& operator=(const ThreadCache&) = delete;

  void* take(std::size_t bytes) {
    const std::size_t k = index(bytes), size = (k + 1) * alignment;
    if (first_[k] == nullptr) return pool().take(size);
    count(-static_cast<std::int64_t>(size));
    return std::exchange(first_[k], first_[k]->next);
  }
  void release(void* block, std::size_t bytes) noexcept {
    const std::size_t k = index(bytes), size = (k + 1) * alignment;
    if (free_bytes() >= most) return pool().release(block, size);
    first_[k] = ::new (block) FreeBlock{first_[k]};
    count(static_cast<std::int64_t>(size));
  }
  void release_all() noexcept {
    for (std::size_t k = 0; k < first_.size(); ++k)
      while (first_[k] != nullptr) pool().release(std::exchange(first_[k], first_[k]->next), (k + 1) * alignment);
    bytes_ = 0;
  }
  /// The size of the free blocks, in bytes. Safe to call from other threads.
  std::int64_t free_bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct FreeBlock {
    FreeBlock* next;
  };
  static constexpr std::int64_t most = 1 << 20;
  /// Up to `largest` every size class is a multiple of the alignment.
  static std::size_t index(std::size_t bytes) { return bytes == 0 ? 0 : (bytes - 1) / alignment; }
  void count(std::int64_t bytes) { bytes_.store(free_bytes() + bytes, std::memory_order_relaxed); }

  std::array<FreeBlock*, largest / alignment> first_{};
  std::atomic<std::int64_t> bytes_ = 0;
};

MemoryStats Pool::stats() {
  const std::lock_guard lock(mutex_);
  MemoryStats now = stats_;
  for (const ThreadCache* thread : threads_) now.in_use -= thread->free_bytes();
  return now;
}

ARGAND_NEAR_THREAD thread_local constinit ThreadCache* current_cache = nullptr;
ARGAND_NEAR_THREAD thread_local constinit bool cache_destroyed =
    false;  // the thread has returned its blocks and is ending; only destructors still run

/// Null when this thread is ending.
[[gnu::noinline]] ThreadCache* make_thread_cache() {
  struct Guard {
    ThreadCache blocks;
    Guard() { current_cache = &blocks; }
    ~Guard() {
      current_cache = nullptr;
      cache_destroyed = true;
    }
  };
  if (!cache_destroyed) {
    thread_local Guard guard;
  }
  return current_cache;
}
ThreadCache* thread_cache() { return current_cache != nullptr ? current_cache : make_thread_cache(); }

}  // namespace

void* allocate_block(std::size_t bytes) {
  if (bytes <= ThreadCache::largest)
    if (ThreadCache* const mine = thread_cache()) return mine->take(bytes);
  return pool().take(size_class(bytes));
}

void free_block(void* block, std::size_t bytes) noexcept {
  if (bytes <= ThreadCache::largest)
    if (ThreadCache* const mine = thread_cache()) return mine->release(block, bytes);
  pool().release(block, size_class(bytes));
}

namespace {

/// Stores the owner count of a small block after its data: both share one block, which is returned when the count is
/// released.
template <class Count>
struct ControlBlockAllocator {
  using value_type = Count;

  ControlBlockAllocator(std::byte* b, std::size_t n) : block(b), bytes(n) {}
  template <class Other>
  ControlBlockAllocator(const ControlBlockAllocator<Other>& other) : block(other.block), bytes(other.bytes) {}

  Count* allocate(std::size_t) {
    static_assert(sizeof(Count) <= control_block_bytes && alignof(Count) <= alignof(std::max_align_t));
    return reinterpret_cast<Count*>(block + bytes);
  }
  void deallocate(Count*, std::size_t) noexcept { free_block(block, bytes + control_block_bytes); }

  static constexpr std::size_t control_block_bytes = 48;
  std::byte* block;
  std::size_t bytes;  ///< size of the data
};

}  // namespace

std::shared_ptr<void> allocate(std::size_t bytes) {
  using Count = ControlBlockAllocator<std::byte>;
  const std::size_t numbers = (bytes + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) * alignof(std::max_align_t);
  if (bytes < ThreadCache::largest && numbers + Count::control_block_bytes <= ThreadCache::largest) {
    auto* const block = static_cast<std::byte*>(allocate_block(numbers + Count::control_block_bytes));
    return {static_cast<void*>(block), [](void*) {}, Count(block, numbers)};
  }
  return {allocate_block(bytes), [bytes](void* block) { free_block(block, bytes); }, PoolAllocator<std::byte>()};
}

MemoryStats memory_stats() { return pool().stats(); }

void trim_memory() {
  if (ThreadCache* const mine = thread_cache()) mine->release_all();
  pool().trim();
}

}  // namespace argand
