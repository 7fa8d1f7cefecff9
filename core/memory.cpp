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

class OwnBlocks;

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

  void add(const OwnBlocks* thread) {
    const std::lock_guard lock(mutex_);
    threads_.push_back(thread);
  }
  void remove(const OwnBlocks* thread) {
    const std::lock_guard lock(mutex_);
    std::erase(threads_, thread);
  }
  MemoryStats stats();

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> waiting_;
  std::vector<const OwnBlocks*> threads_;
  MemoryStats stats_;
};

/// Never destroyed: tensors in static variables may be destroyed in any order.
Pool& pool() {
  static Pool* const instance = new Pool;
  return *instance;
}

/// One thread's free lists of small blocks: the elements of scalars, and what the tape keeps for an op. No other thread uses them,
/// so taking a block needs neither a lock nor a search.
class OwnBlocks {
 public:
  static constexpr std::size_t largest = 1024;

  OwnBlocks() { pool().add(this); }
  ~OwnBlocks() {
    give_all_back();
    pool().remove(this);
  }
  OwnBlocks(const OwnBlocks&) = delete;
  OwnBlocks& operator=(const OwnBlocks&) = delete;

  void* take(std::size_t bytes) {
    const std::size_t k = index(bytes), size = (k + 1) * alignment;
    if (first_[k] == nullptr) return pool().take(size);
    count(-static_cast<std::int64_t>(size));
    return std::exchange(first_[k], first_[k]->next);
  }
  void give_back(void* block, std::size_t bytes) noexcept {
    const std::size_t k = index(bytes), size = (k + 1) * alignment;
    if (waiting() >= most) return pool().give_back(block, size);
    first_[k] = ::new (block) Waiting{first_[k]};
    count(static_cast<std::int64_t>(size));
  }
  void give_all_back() noexcept {
    for (std::size_t k = 0; k < first_.size(); ++k)
      while (first_[k] != nullptr) pool().give_back(std::exchange(first_[k], first_[k]->next), (k + 1) * alignment);
    bytes_ = 0;
  }
  /// In bytes. Other threads may call it.
  std::int64_t waiting() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct Waiting {
    Waiting* next;
  };
  static constexpr std::int64_t most = 1 << 20;
  /// Up to `largest` every size class is a multiple of the alignment.
  static std::size_t index(std::size_t bytes) { return bytes == 0 ? 0 : (bytes - 1) / alignment; }
  void count(std::int64_t bytes) { bytes_.store(waiting() + bytes, std::memory_order_relaxed); }

  std::array<Waiting*, largest / alignment> first_{};
  std::atomic<std::int64_t> bytes_ = 0;
};

MemoryStats Pool::stats() {
  const std::lock_guard lock(mutex_);
  MemoryStats now = stats_;
  for (const OwnBlocks* thread : threads_) now.in_use -= thread->waiting();
  return now;
}

thread_local constinit OwnBlocks* blocks_here = nullptr;
thread_local constinit bool blocks_gone = false;  // the thread has returned its blocks and is ending; only destructors still run

/// Null when this thread is ending.
[[gnu::noinline]] OwnBlocks* first_own_blocks() {
  struct Guard {
    OwnBlocks blocks;
    Guard() { blocks_here = &blocks; }
    ~Guard() {
      blocks_here = nullptr;
      blocks_gone = true;
    }
  };
  if (!blocks_gone) {
    thread_local Guard guard;
  }
  return blocks_here;
}
OwnBlocks* own_blocks() { return blocks_here != nullptr ? blocks_here : first_own_blocks(); }

}  // namespace

void* take_block(std::size_t bytes) {
  if (bytes <= OwnBlocks::largest)
    if (OwnBlocks* const mine = own_blocks()) return mine->take(bytes);
  return pool().take(size_class(bytes));
}

void give_block_back(void* block, std::size_t bytes) noexcept {
  if (bytes <= OwnBlocks::largest)
    if (OwnBlocks* const mine = own_blocks()) return mine->give_back(block, bytes);
  pool().give_back(block, size_class(bytes));
}

namespace {

/// Puts what counts the owners of a small block behind its numbers: one block for both, which goes back when nobody counts any
/// more.
template <class Count>
struct BehindNumbers {
  using value_type = Count;

  BehindNumbers(std::byte* b, std::size_t n) : block(b), bytes(n) {}
  template <class Other>
  BehindNumbers(const BehindNumbers<Other>& other) : block(other.block), bytes(other.bytes) {}

  Count* allocate(std::size_t) {
    static_assert(sizeof(Count) <= room_for_count && alignof(Count) <= alignof(std::max_align_t));
    return reinterpret_cast<Count*>(block + bytes);
  }
  void deallocate(Count*, std::size_t) noexcept { give_block_back(block, bytes + room_for_count); }

  static constexpr std::size_t room_for_count = 48;
  std::byte* block;
  std::size_t bytes;  ///< of the numbers
};

}  // namespace

std::shared_ptr<void> allocate(std::size_t bytes) {
  using Count = BehindNumbers<std::byte>;
  const std::size_t numbers = (bytes + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) * alignof(std::max_align_t);
  if (bytes < OwnBlocks::largest && numbers + Count::room_for_count <= OwnBlocks::largest) {
    auto* const block = static_cast<std::byte*>(take_block(numbers + Count::room_for_count));
    return {static_cast<void*>(block), [](void*) {}, Count(block, numbers)};
  }
  return {take_block(bytes), [bytes](void* block) { give_block_back(block, bytes); }, PoolAllocator<std::byte>()};
}

MemoryStats memory_stats() { return pool().stats(); }

void trim_memory() {
  if (OwnBlocks* const mine = own_blocks()) mine->give_all_back();
  pool().trim();
}

}  // namespace argand
