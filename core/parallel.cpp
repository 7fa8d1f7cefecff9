#include "core/parallel.h"

#include <omp.h>

#include <algorithm>
#include <exception>

#include "core/error.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace argand {

int num_threads() { return omp_get_max_threads(); }

void set_num_threads(int n) {
  require(n >= 1, "threads", "at least one is needed, got {}", n);
  omp_set_num_threads(n);
}

void detail::parallel_for(std::int64_t n, std::int64_t grain, RangeFunction f) {
  if (n <= 0) return;
  const std::int64_t blocks = (n + grain - 1) / grain;
  const int threads = static_cast<int>(std::min<std::int64_t>(blocks, omp_get_max_threads()));
  if (threads <= 1 || omp_in_parallel()) return f(0, n);
  std::exception_ptr failure;
#pragma omp parallel num_threads(threads)
  {
    const std::int64_t i = omp_get_thread_num(), p = omp_get_num_threads();
    const std::int64_t begin = blocks * i / p * grain, end = std::min(n, blocks * (i + 1) / p * grain);
    try {
      if (begin < end) f(begin, end);
    } catch (...) {
#pragma omp critical(argand_parallel_failure)
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

void flush_subnormals_to_zero(bool on) {
#if defined(__SSE2__)
  const auto set = [on] {
    _MM_SET_FLUSH_ZERO_MODE(on ? _MM_FLUSH_ZERO_ON : _MM_FLUSH_ZERO_OFF);
    _mm_setcsr(on ? (_mm_getcsr() | 0x0040u) : (_mm_getcsr() & ~0x0040u));  // DAZ: subnormal inputs count as zero
  };
  set();  // Clang's OpenMP gives a team the settings of its first thread, and takes back what is changed inside a region
#pragma omp parallel
  set();
#else
  (void)on;
#endif
}

}  // namespace argand
