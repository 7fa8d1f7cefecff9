#include "core/blas.h"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <vector>

#include "core/parallel.h"
#include "core/random.h"
#include "tests/error_text.h"

using namespace argand;

namespace {

template <class T>
T element(const std::vector<T>& A, Transpose is, std::int64_t lda, std::int64_t i, std::int64_t j) {
  const T x = A[static_cast<std::size_t>(is == Transpose::No ? i * lda + j : j * lda + i)];
  return is == Transpose::Conjugate ? conj_of(x) : x;
}

template <class T>
std::vector<T> numbers(std::int64_t n, std::uint64_t stream) {
  const auto x = randn<T>({n}, Random(20, stream));
  return {x.begin(), x.end()};
}

/// One product against its definition, with `extra` columns of padding in every stored row, which must survive in C.
template <class T>
void check(Transpose a_is, Transpose b_is, std::int64_t M, std::int64_t N, std::int64_t K, T alpha, T beta, std::int64_t extra) {
  const bool a_flat = a_is == Transpose::No, b_flat = b_is == Transpose::No;
  const std::int64_t lda = (a_flat ? K : M) + extra, ldb = (b_flat ? N : K) + extra, ldc = N + extra;
  const auto A = numbers<T>((a_flat ? M : K) * lda, 1), B = numbers<T>((b_flat ? K : N) * ldb, 2);
  const auto before = numbers<T>(M * ldc, 3);
  auto C = before;
  gemm(a_is, b_is, M, N, K, alpha, A.data(), lda, B.data(), ldb, beta, C.data(), ldc);
  const double tolerance = 4 * static_cast<double>(K + 2) * std::numeric_limits<RealOf<T>>::epsilon();
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < M; ++i)
    for (std::int64_t j = 0; j < ldc; ++j) {
      const auto at = static_cast<std::size_t>(i * ldc + j);
      if (j >= N) {
        wrong += C[at] != before[at];
        continue;
      }
      T sum = 0;
      double scale = 1 + std::abs(mul(beta, before[at]));
      for (std::int64_t k = 0; k < K; ++k) {
        const T term = mul(element(A, a_is, lda, i, k), element(B, b_is, ldb, k, j));
        sum += term;
        scale += std::abs(mul(alpha, term));
      }
      const T expected = mul(alpha, sum) + mul(beta, before[at]);
      wrong += !(std::abs(C[at] - expected) <= tolerance * scale);  // NaN is wrong too
    }
  BOOST_TEST_INFO(scalar_name<T>() << " M " << M << " N " << N << " K " << K << " step + " << extra);
  BOOST_TEST(wrong == 0);
}

template <class T>
void check_all() {
  const std::array<std::int64_t, 3> sizes[] = {{1, 1, 1},     {5, 7, 3}, {16, 16, 16}, {33, 1, 20}, {1, 65, 4},
                                               {40, 37, 129}, {0, 3, 2}, {3, 0, 2},    {3, 2, 0},   {0, 0, 0}};
  for (const auto a_is : {Transpose::No, Transpose::Yes, Transpose::Conjugate})
    for (const auto b_is : {Transpose::No, Transpose::Yes, Transpose::Conjugate})
      for (const auto& [M, N, K] : sizes)
        for (const std::int64_t extra : {0, 3}) {
          check<T>(a_is, b_is, M, N, K, T(1), T(0), extra);
          check<T>(a_is, b_is, M, N, K, T(-2), T(1), extra);
          if constexpr (ComplexScalar<T>) check<T>(a_is, b_is, M, N, K, T(1, -2), T(0.5F, 1), extra);
        }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(blas)

BOOST_AUTO_TEST_CASE(gemm_is_the_product_in_float) { check_all<float>(); }
BOOST_AUTO_TEST_CASE(gemm_is_the_product_in_double) { check_all<double>(); }
BOOST_AUTO_TEST_CASE(gemm_is_the_product_in_complex_float) { check_all<std::complex<float>>(); }
BOOST_AUTO_TEST_CASE(gemm_is_the_product_in_complex_double) { check_all<std::complex<double>>(); }

BOOST_AUTO_TEST_CASE(beta_of_zero_ignores_what_was_there) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> A{1, 2}, B{3, 4};
  std::vector<float> C{nan};
  gemm(Transpose::No, Transpose::No, 1, 1, 2, 1.F, A.data(), 2, B.data(), 1, 0.F, C.data(), 1);
  BOOST_TEST(C[0] == 11);
  C[0] = nan;
  gemm(Transpose::No, Transpose::No, 1, 1, 0, 1.F, A.data(), 0, B.data(), 1, 0.F, C.data(), 1);  // an empty sum
  BOOST_TEST(C[0] == 0);
}

BOOST_AUTO_TEST_CASE(nan_and_infinity_propagate) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> A{inf, 0}, B{1, inf};
  std::vector<float> C{0};
  gemm(Transpose::No, Transpose::No, 1, 1, 1, 1.F, A.data(), 1, B.data(), 1, 0.F, C.data(), 1);
  BOOST_TEST(C[0] == inf);
  gemm(Transpose::No, Transpose::No, 1, 1, 2, 1.F, A.data(), 2, B.data(), 1, 0.F, C.data(), 1);
  BOOST_TEST(std::isnan(C[0]));
}

BOOST_AUTO_TEST_CASE(sizes_beyond_blas_are_refused) {
  const float x = 1;
  float y = 0;
  const std::int64_t big = std::int64_t{1} << 31;
  BOOST_TEST(error_of([&] { gemm(Transpose::No, Transpose::No, 1, 1, big, 1.F, &x, big, &x, 1, 0.F, &y, 1); }) ==
             "gemm: size 2147483648 exceeds what BLAS can index");
}

BOOST_AUTO_TEST_CASE(products_do_not_depend_on_the_number_of_threads) {
  const int before = num_threads();
  for (const auto& [M, N, K] : {std::array<std::int64_t, 3>{67, 129, 200}, {512, 128, 130}, {31, 1000, 64}, {2048, 64, 64}}) {
    const auto A = numbers<float>(M * K, 1), B = numbers<float>(K * N, 2);
    std::vector<float> one(static_cast<std::size_t>(M * N)), many(one);
    set_num_threads(1);
    gemm(Transpose::No, Transpose::Yes, M, N, K, 1.F, A.data(), K, B.data(), K, 0.F, one.data(), N);
    for (const int threads : {2, 3, 4}) {
      set_num_threads(threads);
      gemm(Transpose::No, Transpose::Yes, M, N, K, 1.F, A.data(), K, B.data(), K, 0.F, many.data(), N);
      BOOST_TEST_INFO(M << " x " << N << " x " << K << ", " << threads << " threads");
      BOOST_TEST((one == many));
    }
  }
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(fast_kernels_are_those_of_the_processor) {
  const CpuFeatures old{}, haswell{true, true, false}, zen{false, true, false}, xeon{true, true, true}, zen4{false, true, true};
  struct {
    const char* running;
    CpuFeatures cpu;
    const char* wanted;
  } const table[] = {
      {"Prescott", old, ""},
      {"Nehalem", old, ""},
      {"Prescott", haswell, "Haswell"},
      {"Prescott", zen, "Haswell"},
      {"Barcelona", zen, "Haswell"},
      {"Haswell", haswell, ""},
      {"Zen", zen, ""},
      {"Excavator", zen, ""},
      {"Prescott", xeon, "SkylakeX"},
      {"Haswell", xeon, "SkylakeX"},
      {"Sandybridge", xeon, "SkylakeX"},
      {"SkylakeX", xeon, ""},
      {"Cooperlake", xeon, ""},
      {"SapphireRapids", xeon, ""},
      {"Barcelona", zen4, "SkylakeX"},
      {"Haswell", zen4, ""},
      {"Zen", zen4, ""},
      {"Cooperlake", zen4, ""},
  };
  for (const auto& row : table) {
    BOOST_TEST_INFO(row.running << (row.cpu.intel ? " on Intel" : " elsewhere") << (row.cpu.avx512 ? ", AVX-512" : ""));
    BOOST_TEST(fast_kernels_for(row.running, row.cpu) == row.wanted);
  }
}

BOOST_AUTO_TEST_CASE(openblas_shares_our_threads) { BOOST_TEST(blas_kernels().shares_threads); }

BOOST_AUTO_TEST_SUITE_END()
