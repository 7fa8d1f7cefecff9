#include "core/parallel.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(parallel)

namespace {
/// Sets the number of threads for one scope.
struct Threads {
  explicit Threads(int n) : before(num_threads()) { set_num_threads(n); }
  ~Threads() { set_num_threads(before); }
  int before;
};
}  // namespace

BOOST_AUTO_TEST_CASE(every_index_is_visited_once_and_ranges_start_at_the_grain) {
  for (const int threads : {1, 2, 3, 7}) {
    const Threads scope(threads);
    for (const std::int64_t n : {0, 1, 9, 10, 11, 64, 1000}) {
      std::vector<int> visits(static_cast<std::size_t>(n));
      std::mutex mutex;
      bool aligned = true;
      parallel_for(n, 10, [&](std::int64_t begin, std::int64_t end) {
        const std::lock_guard lock(mutex);
        aligned = aligned && begin % 10 == 0 && begin < end && end <= n;
        for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
      });
      BOOST_TEST(aligned);
      for (const int v : visits) BOOST_REQUIRE_EQUAL(v, 1);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_exception_reaches_the_caller_and_leaves_the_pool_usable) {
  const Threads scope(4);
  const auto throwing = [](std::int64_t begin, std::int64_t) { fail("range", "starting at {}", begin); };
  const std::string text = error_of([&] { parallel_for(400, 1, throwing); });
  BOOST_TEST((text == "range: starting at 0" || text == "range: starting at 100" || text == "range: starting at 200" ||
              text == "range: starting at 300"));
  const auto last_throws = [](std::int64_t, std::int64_t end) { require(end < 400, "range", "the last one"); };
  BOOST_TEST(error_of([&] { parallel_for(400, 1, last_throws); }) == "range: the last one");
  std::vector<int> visits(400);
  parallel_for(400, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
  });
  for (const int v : visits) BOOST_REQUIRE_EQUAL(v, 1);
}

BOOST_AUTO_TEST_CASE(parallel_jobs_run_once_each_and_independently) {
  for (const int threads : {1, 3}) {
    const Threads scope(threads);
    std::vector<std::atomic<int>> visits(50), limits(50), asked(50), team(50);
    parallel_jobs(50, [&](std::int64_t i) {
      const auto k = static_cast<std::size_t>(i);
      ++visits[k];
      limits[k] = num_threads();
      const Threads more(2);  // the number of threads belongs to the job
      asked[k] = num_threads();
      std::mutex mutex;
      std::set<std::thread::id> seen;
      parallel_for(8, 1, [&](std::int64_t, std::int64_t) {
        const std::lock_guard lock(mutex);
        seen.insert(std::this_thread::get_id());
      });
      team[k] = static_cast<int>(seen.size());
    });
    for (std::size_t k = 0; k < 50; ++k) {
      BOOST_TEST(visits[k] == 1);
      BOOST_TEST(limits[k] == 1);
      BOOST_TEST(team[k] == asked[k]);  // in a build without threads it is 1
    }
    BOOST_TEST(num_threads() == threads);
    BOOST_TEST(error_of([] { parallel_jobs(9, [](std::int64_t i) { require(i != 4, "job", "number {}", i); }); }) ==
               "job: number 4");
    parallel_jobs(0, [](std::int64_t) { fail("job", "there is none"); });
  }
}

BOOST_AUTO_TEST_CASE(a_loop_inside_a_loop_runs_inline) {
  const Threads scope(2);
  std::vector<int> calls(8), visits(8 * 100);
  parallel_for(8, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      parallel_for(100, 1, [&](std::int64_t b, std::int64_t e) {
        ++calls[static_cast<std::size_t>(i)];
        for (std::int64_t k = b; k < e; ++k) ++visits[static_cast<std::size_t>(i * 100 + k)];
      });
  });
  for (const int c : calls) BOOST_TEST(c == 1);
  for (const int v : visits) BOOST_REQUIRE_EQUAL(v, 1);
}

BOOST_AUTO_TEST_CASE(at_least_one_thread) {
  const int before = num_threads();
  BOOST_TEST(error_of([] { set_num_threads(0); }) == "threads: must be at least 1, got 0");
  BOOST_TEST(num_threads() == before);
}

BOOST_AUTO_TEST_CASE(subnormals_are_flushed_in_every_thread_on_request) {
  const Threads scope(3);
  const auto survivors = [] {
    std::vector<int> alive(3);
    parallel_for(3, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        volatile float tiny = std::numeric_limits<float>::min();
        const volatile float half = tiny * 0.5F;
        alive[static_cast<std::size_t>(i)] = half > 0.F;
      }
    });
    return alive[0] + alive[1] + alive[2];
  };
  flush_subnormals_to_zero(true);
  const int flushed = survivors();
  flush_subnormals_to_zero(false);
#if defined(__SSE2__) || defined(__aarch64__)
  BOOST_TEST(flushed == 0);
#endif
  BOOST_TEST(survivors() == 3);
}

BOOST_AUTO_TEST_SUITE_END()
