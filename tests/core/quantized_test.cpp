#include "core/kernels/quantized.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

#include "core/gemm.h"
#include "core/parallel.h"
#include "core/random.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(quantized)

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> some(std::int64_t n, std::uint64_t stream) {
  const auto x = randn<float>({n}, Random(23, stream));
  return {x.begin(), x.end()};
}

/// alpha x Wᵀ + beta y in double, for the rows of W from `first` on.
std::vector<double> expected(const QuantizedMatrix& W, const std::vector<float>& x, const std::vector<float>& y, std::int64_t M,
                             std::int64_t N, std::int64_t K, std::int64_t first, float alpha, float beta) {
  std::vector<double> sums;
  for (std::int64_t i = 0; i < M; ++i)
    for (std::int64_t j = 0; j < N; ++j) {
      const std::vector<float> row = W.row(first + j);
      double sum = 0;
      for (std::int64_t k = 0; k < K; ++k)
        sum += double{x[static_cast<std::size_t>(i * K + k)]} * double{row[static_cast<std::size_t>(k)]};
      sums.push_back(double{alpha} * sum + (beta == 0 ? 0 : double{beta} * double{y[static_cast<std::size_t>(i * N + j)]}));
    }
  return sums;
}

void check(WeightFormat format, std::int64_t M, std::int64_t N, std::int64_t K, std::int64_t first, float alpha, float beta) {
  const std::int64_t rows = first + N + 2;
  const auto W = some(rows * K, 1), x = some(M * K, 2);
  auto y = some(M * N, 3);
  const QuantizedMatrix copy(format, W.data(), rows, K);
  const std::vector<double> should = expected(copy, x, y, M, N, K, first, alpha, beta);
  if (beta == 0) y.assign(y.size(), nan);  // must be ignored
  QuantizedWeights weights(format);
  weights.add(W.data(), rows, K);
  gemm<float>(Transpose::No, Transpose::Yes, M, N, K, alpha, x.data(), K, W.data() + first * K, K, beta, y.data(), N);
  std::int64_t wrong = 0;  // a NaN counts as wrong
  for (std::size_t i = 0; i < y.size(); ++i) wrong += !(std::abs(double{y[i]} - should[i]) <= 1e-6 * static_cast<double>(K + 2));
  BOOST_TEST(wrong == 0, "M " << M << ", N " << N << ", K " << K << ": " << wrong << " wrong numbers");
}

}  // namespace

BOOST_AUTO_TEST_CASE(products_are_those_of_the_rounded_matrix) {
  for (const WeightFormat format : {WeightFormat::bf16, WeightFormat::int8}) {
    for (std::int64_t K = 1; K <= 70; ++K) check(format, 1 + K % 6, 9, K, K % 3, 1, static_cast<float>(K % 2));
    for (std::int64_t M = 1; M <= 9; ++M) check(format, M, 300, 33, 5, -0.5F, 0.25F);
    for (const std::int64_t M : {15, 16, 17, 70})  // many rows go panel by panel; beta may be any number
      for (const float beta : {0.0F, 1.0F, 0.25F}) check(format, M, 300, 33, 5, -0.5F, beta);
  }
}

BOOST_AUTO_TEST_CASE(errors_of_rounding_are_within_their_bounds) {
  constexpr std::int64_t rows = 40, columns = 100;
  const auto W = some(rows * columns, 4);
  const QuantizedMatrix half(WeightFormat::bf16, W.data(), rows, columns), byte(WeightFormat::int8, W.data(), rows, columns);
  for (std::int64_t i = 0; i < rows; ++i) {
    float largest = 0;
    for (std::int64_t k = 0; k < columns; ++k) largest = std::max(largest, std::abs(W[static_cast<std::size_t>(i * columns + k)]));
    for (std::int64_t k = 0; k < columns; ++k) {
      const float w = W[static_cast<std::size_t>(i * columns + k)];
      BOOST_TEST(std::abs(half.row(i)[static_cast<std::size_t>(k)] - w) <= std::abs(w) / 256);
      BOOST_TEST(std::abs(byte.row(i)[static_cast<std::size_t>(k)] - w) <= largest / 254 * 1.0001F);
    }
  }
}

BOOST_AUTO_TEST_CASE(special_numbers_keep_their_meaning) {
  const std::vector<float> W = {1.00390625F, 1.01171875F, infinity, -infinity,
                                nan,         -0.0F,       1e-41F,   std::numeric_limits<float>::max()};
  const std::vector<float> row = QuantizedMatrix(WeightFormat::bf16, W.data(), 1, 8).row(0);
  BOOST_TEST(row[0] == 1.0F);  // ties go to even
  BOOST_TEST(row[1] == 1.015625F);
  BOOST_TEST(row[2] == infinity);
  BOOST_TEST(row[3] == -infinity);
  BOOST_TEST(std::isnan(row[4]));
  BOOST_TEST((row[5] == 0 && std::signbit(row[5])));
  BOOST_TEST(std::abs(row[6] - 1e-41F) <= 0x1p-134F);
  BOOST_TEST(row[7] == infinity);
  const std::uint32_t nan_with_low_bits = 0x7F800001;  // rounding must not make an infinity of it
  const float x = std::bit_cast<float>(nan_with_low_bits);
  BOOST_TEST(std::isnan(QuantizedMatrix(WeightFormat::bf16, &x, 1, 1).row(0)[0]));
}

BOOST_AUTO_TEST_CASE(int8_takes_rows_of_zeros_and_of_tiny_numbers_and_refuses_what_is_not_finite) {
  const std::vector<float> W = {0, 0, -0.0F, 1e-44F, -1e-44F, 0, 127, -127, 1};
  const QuantizedMatrix copy(WeightFormat::int8, W.data(), 3, 3);
  BOOST_TEST(copy.row(0) == std::vector<float>(3, 0.0F), boost::test_tools::per_element());
  for (const float w : copy.row(1)) BOOST_TEST(std::abs(w) <= 1.1e-44F);
  BOOST_TEST(copy.row(2) == (std::vector<float>{127, -127, 1}), boost::test_tools::per_element());
  for (const float bad : {infinity, -infinity, nan}) {
    const std::vector<float> with = {1, 2, 3, bad};
    BOOST_TEST(error_of([&] { QuantizedMatrix(WeightFormat::int8, with.data(), 2, 2); }) ==
               "int8 weights: row 1 of a matrix [2, 2] has a number that is not finite; use bf16 or f32");
  }
}

BOOST_AUTO_TEST_CASE(the_bits_are_the_same_for_any_number_of_threads_and_rows) {
  constexpr std::int64_t M = 7, N = 5000, K = 77;
  const auto W = some(N * K, 5), x = some(M * K, 6);
  for (const WeightFormat format : {WeightFormat::bf16, WeightFormat::int8}) {
    QuantizedWeights weights(format);
    weights.add(W.data(), N, K);
    const auto product = [&](int threads, std::int64_t first, std::int64_t rows) {
      const int before = num_threads();
      set_num_threads(threads);
      std::vector<float> y(static_cast<std::size_t>(rows * N));
      gemm<float>(Transpose::No, Transpose::Yes, rows, N, K, 1, x.data() + first * K, K, W.data(), K, 0, y.data(), N);
      set_num_threads(before);
      return y;
    };
    const std::vector<float> one = product(1, 0, M);
    BOOST_TEST((product(2, 0, M) == one));
    BOOST_TEST((product(3, 0, M) == one));
    for (std::int64_t i = 0; i < M; ++i) {
      const std::vector<float> row = product(2, i, 1);
      BOOST_TEST(std::equal(row.begin(), row.end(), one.begin() + i * N));
    }
  }
}

BOOST_AUTO_TEST_CASE(only_products_with_whole_rows_of_a_copied_matrix_read_the_copy) {
  constexpr std::int64_t N = 20, K = 16;
  const auto W = some((N + 1) * K, 7), x = some(N * K, 8);
  const auto product = [&](Transpose a_is, Transpose b_is, const float* B, std::int64_t n, std::int64_t k, std::int64_t ldb) {
    std::vector<float> y(static_cast<std::size_t>(2 * n));
    gemm<float>(a_is, b_is, 2, n, k, 1, x.data(), K, B, ldb, 0, y.data(), n);
    return y;
  };
  const auto all = [&] {
    return std::vector{product(Transpose::No, Transpose::Yes, W.data(), N, K, K),
                       product(Transpose::No, Transpose::Conjugate, W.data() + K, N - 1, K, K),
                       product(Transpose::No, Transpose::Yes, W.data() + K, N, K, K),  // one row too many
                       product(Transpose::No, Transpose::Yes, W.data() + 1, N - 1, K, K),
                       product(Transpose::No, Transpose::Yes, W.data(), N, K - 1, K),
                       product(Transpose::No, Transpose::Yes, W.data(), N / 2, K, 2 * K),
                       product(Transpose::No, Transpose::No, W.data(), K, K, K),
                       product(Transpose::Yes, Transpose::Yes, W.data(), N, K, K)};
  };
  const auto before = all();
  {
    QuantizedWeights weights(WeightFormat::int8);
    weights.add(W.data(), N, K);
    const auto during = all();
    for (std::size_t i = 0; i < before.size(); ++i) BOOST_TEST((during[i] != before[i]) == (i < 2), "product " << i);
  }
  BOOST_TEST((all() == before));
  QuantizedWeights nothing(WeightFormat::f32);
  nothing.add(W.data(), N, K);
  BOOST_TEST((all() == before));
  BOOST_TEST(nothing.bytes_saved() == 0);
}

BOOST_AUTO_TEST_CASE(copies_belong_to_the_thread_that_made_them) {
  constexpr std::int64_t N = 8, K = 32;
  const auto W = some(N * K, 10), x = some(K, 11);
  const auto product = [&] {
    std::vector<float> y(N);
    gemm<float>(Transpose::No, Transpose::Yes, 1, N, K, 1, x.data(), K, W.data(), K, 0, y.data(), N);
    return y;
  };
  const std::vector<float> exact = product();
  QuantizedWeights outer(WeightFormat::bf16);
  outer.add(W.data(), N, K);
  const std::vector<float> rounded = product();
  BOOST_TEST((rounded != exact));
  // Each thread makes and destroys its own copies while the others multiply.
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<float> own;
      for (int i = 0; i < 200; ++i) {
        std::optional<QuantizedWeights> inner;
        if (t % 2 == 0) inner.emplace(WeightFormat::int8).add(W.data(), N, K);
        const std::vector<float> y = product();
        if (own.empty()) own = y;
        wrong += t % 2 == 0 ? y == exact || y == rounded || y != own : y != exact;
      }
    });
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(wrong == 0);
  {
    QuantizedWeights inner(WeightFormat::int8);
    inner.add(W.data(), N, K);
    BOOST_TEST((product() != rounded));  // the innermost counts
  }
  BOOST_TEST((product() == rounded));
}

BOOST_AUTO_TEST_CASE(bytes_saved_are_those_of_the_format) {
  const auto W = some(6 * 10, 9);
  for (const auto& [format, saved] : {std::pair(WeightFormat::bf16, 120), std::pair(WeightFormat::int8, 240 - 60 - 24)}) {
    QuantizedWeights weights(format);
    weights.add(W.data(), 6, 10);
    weights.add(W.data(), 0, 10);
    BOOST_TEST((weights.numbers() == 0 && weights.bytes_saved() == 0));  // nothing has been read
    std::vector<float> y(6);
    gemm<float>(Transpose::No, Transpose::Yes, 1, 6, 10, 1, W.data(), 10, W.data(), 10, 0, y.data(), 6);
    BOOST_TEST((weights.numbers() == 60 && weights.bytes_saved() == saved));
  }
}

BOOST_AUTO_TEST_CASE(formats_have_names) {
  BOOST_TEST((weight_format("f32") == WeightFormat::f32 && weight_format("bf16") == WeightFormat::bf16));
  BOOST_TEST((weight_format("int8") == WeightFormat::int8));
  BOOST_TEST(error_of([] { weight_format("int4"); }) == "weights: \"int4\" is not a format of weights; use f32, bf16 or int8");
}

BOOST_AUTO_TEST_SUITE_END()
