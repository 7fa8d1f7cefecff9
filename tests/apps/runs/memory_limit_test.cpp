/// Under any memory limit the program either trains or reports in one line what it needs. It never hangs, although OpenBLAS on its
/// own would retry forever.

#include <chrono>
#include <thread>

#include "tests/apps/program.h"
#include "tests/sanitized.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(memory_limit)

namespace {

/// Runs the program in `megabytes` MB of address space; the exit code is 9999 if it does not end within a minute.
Finished run_with_memory_limit(const TemporaryDirectory& scratch, const std::string& arguments, std::int64_t megabytes) {
  Program program(scratch, arguments, [=] {
    const rlimit limit{static_cast<rlim_t>(megabytes) << 20, static_cast<rlim_t>(megabytes) << 20};
    setrlimit(RLIMIT_AS, &limit);
  });
  for (int k = 0; k < 3000 && program.running(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (program.running()) return {9999, program.out(), program.err()};
  const int code = program.wait();
  return {code, program.out(), program.err()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(it_trains_or_names_what_it_needs) {
  if (sanitized) return;  // sanitizers map more than any of the limits
  const TemporaryDirectory scratch;
  const std::string sizes =
      "train lm --n-layers 1 --d-model 16 --n-heads 2 --d-ff 24 --length 32 --batch 16 --warmup 1 --steps 3 --threads 2 "
      "--overwrite --out " +
      scratch / "run";
  std::int64_t trained_at = 0;
  bool refused = false;
  for (std::int64_t megabytes = 100; megabytes <= 1000 && trained_at == 0; megabytes += 50) {
    const Finished done = run_with_memory_limit(scratch, sizes, megabytes);
    BOOST_TEST_INFO(megabytes << " MB: " << done.code << ", " << done.err);
    BOOST_TEST((done.code == 0 || done.code == 1 || done.code == 2));
    if (done.code == 0) trained_at = megabytes;
    if (done.code == 0 || done.code == 9999) continue;
    BOOST_TEST(std::count(done.err.begin(), done.err.end(), '\n') == 1);
    refused = refused || done.err.find("MB of address space") != done.err.npos;
  }
  BOOST_TEST(trained_at > 0);
  BOOST_TEST(refused);
}

BOOST_AUTO_TEST_CASE(a_model_that_is_too_large_for_the_limit_is_refused_before_it_begins) {
  if (sanitized) return;
  const TemporaryDirectory scratch;
  const Finished done =
      run_with_memory_limit(scratch, "train lm --d-model 4096 --n-heads 2 --steps 3 --out " + scratch / "run", 1500);
  BOOST_TEST(done.code == 2);
  BOOST_TEST(done.err.starts_with("argand: config: these sizes need about "), done.err);
  BOOST_TEST(done.err.find(" MB of address space, but the limit (ulimit -v) of 1500 MB leaves ") != done.err.npos, done.err);
}

BOOST_AUTO_TEST_SUITE_END()
