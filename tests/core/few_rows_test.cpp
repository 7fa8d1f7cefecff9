#include "core/kernels/few_rows.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "core/gemm.h"
#include "core/kernels/pack.h"
#include "core/parallel.h"
#include "core/random.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(few_rows)

namespace {

template <class R>
std::vector<R> some(std::int64_t n, std::uint64_t stream) {
  const auto x = randn<R>({n}, Random(22, stream));
  return {x.begin(), x.end()};
}

/// Compares few_rows_gemm with plain loops, and checks that elements beyond C's columns are untouched.
template <class R>
void check(std::int64_t M, std::int64_t N, std::int64_t K, R alpha, R beta) {
  constexpr std::int64_t extra = 3;
  const auto A = some<R>(M * (K + extra), 1), B = some<R>(N * (K + extra), 2);
  auto C = some<R>(M * (N + extra), 3), expected = C;
  if (beta == R(0))  // the previous contents of C must be ignored
    for (std::int64_t i = 0; i < M; ++i) std::fill_n(C.data() + i * (N + extra), N, std::numeric_limits<R>::quiet_NaN());
  Product<R> p{Transpose::No, Transpose::Yes, M, N, K, alpha, A.data(), K + extra, B.data(), K + extra, beta, C.data(), N + extra};
  few_rows_gemm<R>(p);
  p.C = expected.data();
  plain_gemm<R>(p);
  const double tolerance = 8 * static_cast<double>(K + 2) * std::numeric_limits<R>::epsilon();
  std::int64_t wrong = 0;  // a NaN counts as wrong
  for (std::size_t i = 0; i < C.size(); ++i) wrong += !(static_cast<double>(std::abs(C[i] - expected[i])) <= tolerance);
  BOOST_TEST(wrong == 0, "M " << M << ", N " << N << ", K " << K << ": " << wrong << " wrong numbers");
}

template <class R>
void check_shapes() {
  for (std::int64_t M = 1; M <= 9; ++M) {
    for (std::int64_t K = 1; K <= 70; ++K) check<R>(M, 9, K, R(1), R(K % 2));  // every remainder within a pack
    for (std::int64_t N = 1; N <= 9; ++N) check<R>(M, N, 33, R(-0.5), R(N % 2));
    check<R>(M, 40, 1000, R(2), R(1));
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(it_is_the_product_in_float) { check_shapes<float>(); }
BOOST_AUTO_TEST_CASE(it_is_the_product_in_double) { check_shapes<double>(); }

template <class R>
void check_cut(R beta, std::int64_t M = 3) {
  constexpr std::int64_t N = 400'001, K = 17;  // so large that gemm splits it into tiles and clears C first
  const auto A = some<R>(M * K, 1), B = some<R>(N * K, 2), C = some<R>(M * N, 3);
  BOOST_TEST(gemm_cut(M, N, K, false, true).N > 1);
  const auto multiply = [&](int threads) {
    const int before = num_threads();
    set_num_threads(threads);
    std::vector<R> product = C;
    gemm<R>(Transpose::No, Transpose::Yes, M, N, K, 1, A.data(), K, B.data(), K, beta, product.data(), N);
    set_num_threads(before);
    return product;
  };
  const std::vector<R> one = multiply(1);
  BOOST_TEST((multiply(2) == one));
  BOOST_TEST((multiply(3) == one));
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{777}, N - 1})  // each of these columns separately
    for (std::int64_t i = 0; i < M; ++i) {
      R element = C[static_cast<std::size_t>(i * N + n)];
      few_rows_gemm<R>({Transpose::No, Transpose::Yes, 1, 1, K, 1, A.data() + i * K, K, B.data() + n * K, K, beta, &element, 1});
      BOOST_TEST(element == one[static_cast<std::size_t>(i * N + n)]);
    }
}

BOOST_AUTO_TEST_CASE(the_bits_are_the_same_for_any_number_of_threads_and_in_any_piece) {
  check_cut<float>(0);
  check_cut<float>(1);
  check_cut<double>(0);
  check_cut<float>(1, Pack<float>::width);  // the most rows, in tiles that would be too small for as many
}

BOOST_AUTO_TEST_CASE(infinity_times_zero_is_nan) {
  constexpr std::int64_t N = 300, K = 20;
  std::vector<float> A(K, 1), B(N * K, 1), C(N);
  A[7] = 0;
  B[5 * K + 7] = std::numeric_limits<float>::infinity();
  gemm<float>(Transpose::No, Transpose::Yes, 1, N, K, 1, A.data(), K, B.data(), K, 0, C.data(), N);
  BOOST_TEST(std::isnan(C[5]));
  BOOST_TEST(C[4] == K - 1);
}

BOOST_AUTO_TEST_CASE(few_rows_use_this_kernel_and_more_do_not) {
  const auto faster = [](Transpose a_is, Transpose b_is, std::int64_t M, std::int64_t N, std::int64_t K, float beta) {
    return few_rows_is_faster<float>({a_is, b_is, M, N, K, 1, nullptr, K, nullptr, K, beta, nullptr, N});
  };
  BOOST_TEST(faster(Transpose::No, Transpose::Yes, 1, 33'278, 128, 0));
  BOOST_TEST(faster(Transpose::No, Transpose::Conjugate, 4, 512, 128, 1));
  std::int64_t width = 0;  // the library's; this program's is less if only the library is compiled for a higher level
  while (faster(Transpose::No, Transpose::Yes, width + 1, 33'278, 128, 0)) ++width;
  BOOST_TEST((width == 4 || width == 8 || width == 16));
  for (const auto& [most, N] :
       {std::pair(width, std::int64_t{33'278}), std::pair(std::max<std::int64_t>(4, width / 2), std::int64_t{513}),
        std::pair(std::int64_t{4}, std::int64_t{512})}) {
    BOOST_TEST(faster(Transpose::No, Transpose::Yes, most, N, 128, 0));
    BOOST_TEST(!faster(Transpose::No, Transpose::Yes, most + 1, N, 128, 0));
  }
  BOOST_TEST(!faster(Transpose::No, Transpose::Yes, 5, 1024, 4096, 0));  // 5 rows of x do not fit into the first-level cache
  BOOST_TEST(!faster(Transpose::No, Transpose::Yes, 1, 33'278, 128, 0.5F));
  BOOST_TEST(!faster(Transpose::No, Transpose::No, 1, 33'278, 128, 0));
  BOOST_TEST(!faster(Transpose::Yes, Transpose::Yes, 1, 33'278, 128, 0));
  BOOST_TEST(!faster(Transpose::No, Transpose::Yes, 1, 16, 16, 0));
}

BOOST_AUTO_TEST_SUITE_END()
