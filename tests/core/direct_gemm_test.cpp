#include "core/kernels/direct_gemm.h"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <vector>

#include "core/gemm.h"
#include "core/random.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(direct_gemm_)

namespace {

template <class R>
std::vector<R> some(std::int64_t n, std::uint64_t stream) {
  const auto x = randn<R>({n}, Random(21, stream));
  return {x.begin(), x.end()};
}

/// Compares direct_gemm with plain loops, and checks that elements beyond C's columns are untouched.
template <class R>
void check(Transpose a_is, Transpose b_is, std::int64_t M, std::int64_t N, std::int64_t K, R alpha, R beta) {
  constexpr std::int64_t extra = 3;
  const bool a_flat = a_is == Transpose::No, b_flat = b_is == Transpose::No;
  const std::int64_t lda = (a_flat ? K : M) + extra, ldb = (b_flat ? N : K) + extra, ldc = N + extra;
  const auto A = some<R>((a_flat ? M : K) * lda, 1), B = some<R>((b_flat ? K : N) * ldb, 2);
  auto C = some<R>(M * ldc, 3), expected = C;
  direct_gemm<R>({a_is, b_is, M, N, K, alpha, A.data(), lda, B.data(), ldb, beta, C.data(), ldc});
  plain_gemm<R>({a_is, b_is, M, N, K, alpha, A.data(), lda, B.data(), ldb, beta, expected.data(), ldc});
  double worst = 0;
  for (std::size_t i = 0; i < C.size(); ++i) worst = std::max(worst, static_cast<double>(std::abs(C[i] - expected[i])));
  const double tolerance = 8 * static_cast<double>(K + 2) * std::numeric_limits<R>::epsilon();
  BOOST_TEST(worst <= tolerance, "M " << M << ", N " << N << ", K " << K << ": " << worst << " > " << tolerance);
}

template <class R>
void check_shapes() {
  constexpr std::int64_t tile = RegisterTile<R>::rows, columns = RegisterTile<R>::columns, width = RegisterTile<R>::width;
  for (const Transpose a_is : {Transpose::No, Transpose::Yes})
    for (const Transpose b_is : {Transpose::No, Transpose::Yes}) {
      // Every remainder of rows, of packs and within a pack; more terms than are added at a time; more rows than fit in a block.
      for (std::int64_t M = 1; M <= 2 * tile; ++M) check<R>(a_is, b_is, M, columns + width, 5, R(1), R(0));
      for (std::int64_t N = 1; N <= 2 * columns + 1; ++N) check<R>(a_is, b_is, tile + 1, N, 7, R(2), R(1));
      for (const std::int64_t K : {0, 1, 3, 4, 383, 384, 385, 800}) check<R>(a_is, b_is, 9, columns - 1, K, R(-0.5), R(K % 2));
      check<R>(a_is, b_is, 200, 70, 70, R(1), R(1));
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(it_is_the_product_in_float) { check_shapes<float>(); }
BOOST_AUTO_TEST_CASE(it_is_the_product_in_double) { check_shapes<double>(); }

BOOST_AUTO_TEST_CASE(pieces_have_the_same_bits) {
  constexpr std::int64_t M = 23, N = 300, K = 400, columns = 70;
  const auto A = some<float>(M * K, 1), B = some<float>(N * K, 2);
  std::vector<float> whole(M * N), pieces(M * N);
  direct_gemm<float>({Transpose::No, Transpose::Yes, M, N, K, 1, A.data(), K, B.data(), K, 0, whole.data(), N});
  for (std::int64_t first = 0; first < N; first += columns)
    for (std::int64_t row = 0; row < M; row += 5)
      direct_gemm<float>({Transpose::No, Transpose::Yes, std::min<std::int64_t>(5, M - row), std::min(columns, N - first), K, 1,
                          A.data() + row * K, K, B.data() + first * K, K, 0, pieces.data() + row * N + first, N});
  BOOST_TEST((pieces == whole));
}

BOOST_AUTO_TEST_CASE(small_products_use_this_kernel_and_others_do_not) {
  const auto faster = [](Transpose a_is, std::int64_t M, std::int64_t N, std::int64_t K, float beta) {
    return direct_is_faster<float>(
        {a_is, Transpose::No, M, N, K, 1, nullptr, a_is == Transpose::No ? K : M, nullptr, N, beta, nullptr, N});
  };
  BOOST_TEST(faster(Transpose::No, 64, 64, 32, 0));
  BOOST_TEST(faster(Transpose::Yes, 64, 64, 32, 1));
  BOOST_TEST(!faster(Transpose::No, 64, 64, 32, 0.5F));
  BOOST_TEST(!faster(Transpose::No, 1, 512, 128, 0));
  BOOST_TEST(!faster(Transpose::No, 1024, 1024, 1024, 0));
  BOOST_TEST(!faster(Transpose::Yes, 1024, 1024, 64 * 1024, 0));
}

BOOST_AUTO_TEST_SUITE_END()
