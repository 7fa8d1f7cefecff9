#include "core/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "core/error.h"
#include "core/machine/threads.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace argand {

int num_threads() { return threads::limit(); }

void set_num_threads(int n) {
  require(n >= 1, "threads", "must be at least 1, got {}", n);
  require(n <= 4096, "threads", "must be at most 4096, got {}", n);
  threads::set_limit(n);
}

void detail::parallel_for(std::int64_t n, std::int64_t grain, RangeFunction f) {
  if (n <= 0) return;
  if (n <= grain) return f(0, n);
  const std::int64_t blocks = (n + grain - 1) / grain;
  const int wanted = static_cast<int>(std::min<std::int64_t>(blocks, threads::limit()));
  if (wanted <= 1 || threads::in_team()) return f(0, n);
  std::exception_ptr failure;
  std::mutex failing;
  threads::team(wanted, [&](std::int64_t i, std::int64_t p) {
    const std::int64_t begin = blocks * i / p * grain, end = std::min(n, blocks * (i + 1) / p * grain);
    try {
      if (begin < end) f(begin, end);
    } catch (...) {
      const std::lock_guard lock(failing);
      if (!failure) failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

void parallel_jobs(std::int64_t n, const std::function<void(std::int64_t)>& f) {
  std::atomic<std::int64_t> next = 0;
  std::exception_ptr failure;
  std::mutex failing;
  threads::run_independently(static_cast<int>(std::clamp<std::int64_t>(n, 1, threads::limit())), [&](int, int) {
    const threads::Limit one(1);
    try {
      for (std::int64_t i = next++; i < n; i = next++) f(i);
    } catch (...) {
      next = n;
      const std::lock_guard lock(failing);
      if (!failure) failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

void flush_subnormals_to_zero(bool on) {
#if defined(__SSE2__)
  const auto set = [on](int = 0, int = 1) {
    _MM_SET_FLUSH_ZERO_MODE(on ? _MM_FLUSH_ZERO_ON : _MM_FLUSH_ZERO_OFF);
    _mm_setcsr(on ? (_mm_getcsr() | 0x0040u) : (_mm_getcsr() & ~0x0040u));  // DAZ: subnormal inputs count as zero
  };
  set();  // Clang's OpenMP gives a team the settings of its first thread, and restores them after a region
  threads::team(threads::limit(), set);
#elif defined(__aarch64__)
  const auto set = [on](int = 0, int = 1) {
    constexpr std::uint64_t flush = std::uint64_t{1} << 24;  // FPCR.FZ: subnormal inputs and results count as zero
    std::uint64_t control;
    asm volatile("mrs %0, fpcr" : "=r"(control));
    control = on ? control | flush : control & ~flush;
    asm volatile("msr fpcr, %0" : : "r"(control));
  };
  set();
  threads::team(threads::limit(), set);
#else
  (void)on;
#endif
}

}  // namespace argand
