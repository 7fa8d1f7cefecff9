#pragma once
/// Parallel loops: the only code that decides how work is divided among threads. core/machine/threads.h provides the threads.

#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>

namespace argand {

int num_threads();
/// Applies to the calling thread and to threads started later. Throws Error unless 1 <= n <= 4096.
void set_num_threads(int n);

namespace detail {
/// A reference to a callable: allocates nothing and is valid for the duration of the call.
class RangeFunction {
 public:
  template <class F>
  RangeFunction(const F& f)
      : object_(&f), call_([](const void* o, std::int64_t b, std::int64_t e) { (*static_cast<const F*>(o))(b, e); }) {}
  void operator()(std::int64_t begin, std::int64_t end) const { call_(object_, begin, end); }

 private:
  const void* object_;
  void (*call_)(const void*, std::int64_t, std::int64_t);
};
void parallel_for(std::int64_t n, std::int64_t grain, RangeFunction f);
}  // namespace detail

/// Calls f(begin, end) on disjoint ranges that cover [0, n), in parallel. Ranges start at multiples of `grain`, so the position of
/// an element within a loop over packs, and hence the rounding of sums, is the same for any number of threads. Runs inline when n
/// <= grain or inside another parallel region. Rethrows the first exception of a range.
template <class F>
void parallel_for(std::int64_t n, std::int64_t grain, const F& f) {
  detail::parallel_for(n, grain, detail::RangeFunction(f));
}

/// Calls f(i) for every i in [0, n), started in this order, on num_threads() independent threads. Each job is limited to one
/// thread, a limit that f may change. For long jobs that use threads themselves, as checks do, or whose own loops are too short to
/// share. Thread-local state (autograd/context.h) is new in all but the calling thread. Rethrows the first exception.
void parallel_jobs(std::int64_t n, const std::function<void(std::int64_t)>& f);

/// Elements per task for loops that do a few operations on each: a multiple of every vector width.
inline constexpr std::int64_t elementwise_grain = 4096;

/// Flushes subnormal numbers to zero in every worker thread. The tail of a softmax is full of them, and each costs about a hundred
/// cycles (18 times slower overall). For training programs; gradient checks keep IEEE arithmetic.
void flush_subnormals_to_zero(bool on);

}  // namespace argand
