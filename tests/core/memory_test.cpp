#include "core/memory.h"

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <thread>
#include <vector>

#include "core/parallel.h"
#include "core/tensor.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(memory)

BOOST_AUTO_TEST_CASE(a_returned_block_is_handed_out_again) {
  trim_memory();
  auto block = allocate(100000);
  const void* address = block.get();
  const MemoryStats with = memory_stats();
  block.reset();
  const MemoryStats without = memory_stats();
  BOOST_TEST(with.in_use - without.in_use >= 100000);
  BOOST_TEST(without.held == with.held);
  block = allocate(100000);
  BOOST_TEST(block.get() == address);
  BOOST_TEST(memory_stats().system_allocations == with.system_allocations);
}

BOOST_AUTO_TEST_CASE(a_repeated_computation_asks_the_system_for_nothing) {
  const auto step = [] {
    Tensor<float> sum = Tensor<float>::zeros({300, 70});
    for (int i = 0; i < 5; ++i) {
      const Tensor<float> x = Tensor<float>::ones({300, 70});
      sum.add(x.clone());
    }
  };
  step();
  const MemoryStats first = memory_stats();
  for (int i = 0; i < 10; ++i) step();
  BOOST_TEST(memory_stats().system_allocations == first.system_allocations);
  BOOST_TEST(memory_stats().peak_held == first.peak_held);
}

BOOST_AUTO_TEST_CASE(blocks_are_aligned_and_waste_at_most_an_eighth) {
  for (const std::size_t bytes : {0UL, 1UL, 63UL, 64UL, 65UL, 1000UL, 4097UL, 1000000UL, 16777217UL}) {
    const std::int64_t before = memory_stats().in_use;
    const auto block = allocate(bytes);
    BOOST_TEST(reinterpret_cast<std::uintptr_t>(block.get()) % 64 == 0U);
    std::memset(block.get(), 1, bytes);
    const auto taken = memory_stats().in_use - before;
    BOOST_TEST(taken >= static_cast<std::int64_t>(bytes));
    const std::size_t owners = 64;  // their counts take a separate block
    BOOST_TEST(taken <= static_cast<std::int64_t>(bytes + std::max<std::size_t>(64, bytes / 8) + owners));
  }
}

BOOST_AUTO_TEST_CASE(trimming_gives_waiting_blocks_back) {
  auto kept = allocate(5000);
  allocate(70'000'000).reset();
  for (int i = 0; i < 100; ++i) allocate(100).reset();
  trim_memory();
  const MemoryStats stats = memory_stats();
  BOOST_TEST(stats.held - stats.in_use <= num_threads() * (1 << 20));  // blocks that other threads keep
  BOOST_TEST(stats.peak_held >= stats.held + 60'000'000);
}

namespace {
std::vector<std::shared_ptr<void>> small_blocks(int n, std::size_t bytes) {
  std::vector<std::shared_ptr<void>> blocks;
  for (int i = 0; i < n; ++i) blocks.push_back(allocate(bytes));
  return blocks;
}
}  // namespace

BOOST_AUTO_TEST_CASE(small_blocks_wait_for_their_thread_and_pass_to_others_at_its_end) {
  const std::int64_t before = memory_stats().in_use;
  std::thread([] { small_blocks(300, 200); }).join();
  BOOST_TEST(memory_stats().in_use == before);
  const std::int64_t asked = memory_stats().system_allocations;
  std::vector<std::shared_ptr<void>> blocks = small_blocks(300, 200);
  BOOST_TEST(memory_stats().system_allocations == asked);
  BOOST_TEST(memory_stats().in_use >= before + 300 * 256);
  std::thread([theirs = std::move(blocks)]() mutable {
    theirs.clear();
  }).join();  // freed by a thread other than the one that allocated them
  BOOST_TEST(memory_stats().in_use == before);
}

BOOST_AUTO_TEST_CASE(a_thread_keeps_a_megabyte_at_most) {
  small_blocks(4000, 1000);
  const std::int64_t asked = memory_stats().system_allocations;
  std::thread([] { small_blocks(2500, 1000); }).join();
  BOOST_TEST(memory_stats().system_allocations == asked);
}

BOOST_AUTO_TEST_CASE(many_threads_share_the_pool) {
  const std::int64_t before = memory_stats().in_use;
  parallel_for(64, 1, [](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      for (int k = 0; k < 50; ++k) {
        const auto a = allocate(256), b = allocate(static_cast<std::size_t>(100 * (i + 1)));
        std::memset(a.get(), static_cast<int>(i), 256);
        std::memset(b.get(), 0, static_cast<std::size_t>(100 * (i + 1)));
        const auto* bytes = static_cast<const unsigned char*>(a.get());
        require(bytes[0] == i && bytes[255] == i, "test", "two owners of one block");
      }
  });
  BOOST_TEST(memory_stats().in_use == before);
}

BOOST_AUTO_TEST_CASE(running_out_is_an_error_that_says_so) {
  const std::size_t bytes = std::size_t{1} << 60;
  BOOST_TEST(error_of([&] { allocate(bytes); }) ==
             "memory: cannot allocate 1152921504606846976 bytes; try a smaller batch or model");
}

BOOST_AUTO_TEST_CASE(scratch_comes_from_the_pool_and_goes_back_to_it) {
  trim_memory();
  const MemoryStats before = memory_stats();
  const double* block = nullptr;
  {
    Scratch<double> x(1000);
    block = x.data();
    BOOST_TEST(memory_stats().in_use >= before.in_use + 8000);
    std::fill(x.begin(), x.end(), 7.0);
  }
  BOOST_TEST(memory_stats().in_use == before.in_use);
  const std::int64_t asked = memory_stats().system_allocations;
  const Scratch<double> again(1000), zeros(500, 0.0);
  BOOST_TEST(again.data() == block);  // the same block
  BOOST_TEST(again[999] == 7.0);      // and not cleared
  BOOST_TEST(memory_stats().system_allocations == asked + 1);
  BOOST_TEST(zeros[499] == 0.0);
}

BOOST_AUTO_TEST_SUITE_END()
