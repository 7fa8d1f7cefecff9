#include "core/kernels/few_rows.h"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <vector>

#include "core/gemm.h"
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

/// few_rows_gemm against the plain loops, also in what lies beside C's columns.
template <class R>
void check(std::int64_t M, std::int64_t N, std::int64_t K, R alpha, R beta) {
  constexpr std::int64_t extra = 3;
  const auto A = some<R>(M * (K + extra), 1), B = some<R>(N * (K + extra), 2);
  auto C = some<R>(M * (N + extra), 3), expected = C;
  Product<R> p{Transpose::No, Transpose::Yes, M, N, K, alpha, A.data(), K + extra, B.data(), K + extra, beta, C.data(), N + extra};
  few_rows_gemm<R>(p);
  p.C = expected.data();
  plain_gemm<R>(p);
  double worst = 0;
  for (std::size_t i = 0; i < C.size(); ++i) worst = std::max(worst, static_cast<double>(std::abs(C[i] - expected[i])));
  const double tolerance = 8 * static_cast<double>(K + 2) * std::numeric_limits<R>::epsilon();
  BOOST_TEST(worst <= tolerance, "M " << M << ", N " << N << ", K " << K << ": " << worst << " > " << tolerance);
}

template <class R>
void check_shapes() {
  for (std::int64_t M = 1; M <= 4; ++M) {
    for (std::int64_t K = 1; K <= 70; ++K) check<R>(M, 9, K, R(1), R(K % 2));  // every remainder within a pack
    for (std::int64_t N = 1; N <= 9; ++N) check<R>(M, N, 33, R(-0.5), R(N % 2));
    check<R>(M, 40, 1000, R(2), R(1));
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(it_is_the_product_in_float) { check_shapes<float>(); }
BOOST_AUTO_TEST_CASE(it_is_the_product_in_double) { check_shapes<double>(); }

BOOST_AUTO_TEST_CASE(the_bits_are_the_same_for_any_number_of_threads_and_in_any_piece) {
  constexpr std::int64_t N = 40'001, K = 130;
  const auto A = some<float>(3 * K, 1), B = some<float>(N * K, 2);
  const auto multiply = [&](int threads) {
    const int before = num_threads();
    set_num_threads(threads);
    std::vector<float> C(3 * N);
    gemm<float>(Transpose::No, Transpose::Yes, 3, N, K, 1, A.data(), K, B.data(), K, 0, C.data(), N);
    set_num_threads(before);
    return C;
  };
  const std::vector<float> one = multiply(1);
  BOOST_TEST((multiply(2) == one));
  BOOST_TEST((multiply(3) == one));
  std::vector<float> column(3);
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{777}, N - 1}) {
    few_rows_gemm<float>({Transpose::No, Transpose::Yes, 3, 1, K, 1, A.data(), K, B.data() + n * K, K, 0, column.data(), 1});
    for (std::int64_t i = 0; i < 3; ++i)
      BOOST_TEST(column[static_cast<std::size_t>(i)] == one[static_cast<std::size_t>(i * N + n)]);
  }
}

BOOST_AUTO_TEST_CASE(a_model_that_writes_goes_this_way_and_one_that_trains_does_not) {
  const auto faster = [](Transpose a_is, Transpose b_is, std::int64_t M, std::int64_t N, std::int64_t K, float beta) {
    return few_rows_is_faster<float>({a_is, b_is, M, N, K, 1, nullptr, K, nullptr, K, beta, nullptr, N});
  };
  BOOST_TEST(faster(Transpose::No, Transpose::Yes, 1, 33'278, 128, 0));
  BOOST_TEST(faster(Transpose::No, Transpose::Conjugate, 4, 512, 128, 1));
  BOOST_TEST(!faster(Transpose::No, Transpose::Yes, 5, 33'278, 128, 0));
  BOOST_TEST(!faster(Transpose::No, Transpose::Yes, 1, 33'278, 128, 0.5F));
  BOOST_TEST(!faster(Transpose::No, Transpose::No, 1, 33'278, 128, 0));
  BOOST_TEST(!faster(Transpose::Yes, Transpose::Yes, 1, 33'278, 128, 0));
  BOOST_TEST(!faster(Transpose::No, Transpose::Yes, 1, 16, 16, 0));
}

BOOST_AUTO_TEST_SUITE_END()
