#pragma once
/// Pooled memory: freed blocks are kept by size and reused. A training step uses the same sizes every time, so after the first step
/// it requests no memory from the system: no page faults and no trimming, which cost PyTorch's allocator a third of the step on
/// large temporaries.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace argand {

/// An uninitialised block of at least `bytes`, aligned to 64 bytes. It returns to the pool when its last owner is destroyed.
/// Thread-safe. Throws Error when the system has no memory left.
std::shared_ptr<void> allocate(std::size_t bytes);

/// An uninitialised block without an owner: every block taken must be returned, with the same size.
void* allocate_block(std::size_t bytes);
void free_block(void* block, std::size_t bytes) noexcept;

struct MemoryStats {
  std::int64_t in_use = 0;              ///< bytes handed out and not yet returned
  std::int64_t held = 0;                ///< bytes taken from the system: in use or waiting in the pool
  std::int64_t peak_held = 0;           ///< largest `held` so far
  std::int64_t system_allocations = 0;  ///< number of requests to the system
};
MemoryStats memory_stats();

/// The pool as an allocator, for the buffers of kernels. They are allocated and freed on every call; with malloc() this took five
/// times as long as the computation itself in QIC's gradient at tiny sizes, because the heap grew and shrank each time.
template <class T>
struct PoolAllocator {
  using value_type = T;
  PoolAllocator() = default;
  template <class U>
  PoolAllocator(const PoolAllocator<U>&) {}

  T* allocate(std::size_t n) { return static_cast<T*>(allocate_block(n * sizeof(T))); }
  void deallocate(T* block, std::size_t n) noexcept { free_block(block, n * sizeof(T)); }
  template <class U>
  void construct(U* p) {
    ::new (static_cast<void*>(p)) U;  // not U(): leaves elements uninitialised
  }
  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
  }
  friend bool operator==(const PoolAllocator&, const PoolAllocator&) { return true; }
};
/// Scratch<double> x(n) holds n uninitialised elements; Scratch<double> x(n, 0.0) holds zeros.
template <class T>
using Scratch = std::vector<T, PoolAllocator<T>>;

/// Returns all unused blocks to the system, except small ones in the free lists of other threads, at most a megabyte per thread.
void trim_memory();

}  // namespace argand
