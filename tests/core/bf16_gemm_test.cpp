#include "core/kernels/bf16_gemm.h"

#include <algorithm>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>
#include <vector>

#include "core/gemm.h"
#include "core/parallel.h"
#include "core/random.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(bf16_gemm_)

namespace {

/// x rounded to the nearest bfloat16, with ties to even.
float rounded(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000U);
}

std::vector<float> numbers(std::int64_t n, std::uint64_t seed) {
  const Tensor<float> x = randn<float>({n}, Random(seed, 0));
  return {x.data(), x.data() + n};
}

bool there_is_none() {
  if (has_bf16_products()) return false;
  BOOST_TEST_MESSAGE("skipped: this processor has no AVX512-BF16");
  return true;
}

struct Case {
  std::int64_t M, N, K;
};

/// The element (i, j) of op(A) op(B) for rounded factors, computed in double, and Σ |a| |b|.
std::pair<double, double> expected(const Product<float>& p, std::int64_t i, std::int64_t j) {
  double sum = 0, size = 0;
  for (std::int64_t k = 0; k < p.K; ++k) {
    const float a = transposes(p.a_is) ? p.A[k * p.lda + i] : p.A[i * p.lda + k];
    const float b = transposes(p.b_is) ? p.B[j * p.ldb + k] : p.B[k * p.ldb + j];
    sum += static_cast<double>(rounded(a)) * static_cast<double>(rounded(b));
    size += std::abs(static_cast<double>(a) * static_cast<double>(b));
  }
  return {sum, size};
}

}  // namespace

BOOST_AUTO_TEST_CASE(processors_without_bf16_are_reported) {
  { const Bf16Products nothing(false); }
  BOOST_TEST(!bf16_products_enabled());
  if (has_bf16_products()) {
    const Bf16Products on(true);
    BOOST_TEST(bf16_products_enabled());
  } else {
    BOOST_TEST(error_of([] { const Bf16Products on(true); }) == "bf16: this processor lacks AVX512-BF16");
  }
  BOOST_TEST(!bf16_products_enabled());
}

BOOST_AUTO_TEST_CASE(factors_are_rounded_and_sums_are_not) {
  if (there_is_none()) return;
  for (const Case& c : {Case{1, 1, 1}, {6, 64, 2}, {7, 65, 33}, {13, 20, 512}, {96, 100, 515}, {132, 256, 128}, {5, 17, 1030}})
    for (const Transpose a_is : {Transpose::No, Transpose::Yes})
      for (const Transpose b_is : {Transpose::No, Transpose::Yes})
        for (const float beta : {0.F, 1.F}) {
          const std::int64_t lda = (transposes(a_is) ? c.M : c.K) + 3, ldb = (transposes(b_is) ? c.K : c.N) + 2, ldc = c.N + 5;
          const auto A = numbers((c.M + c.K) * lda, 1), B = numbers((c.N + c.K) * ldb, 2), before = numbers(c.M * ldc, 3);
          auto C = before;
          if (beta == 0) std::fill(C.begin(), C.end(), std::numeric_limits<float>::quiet_NaN());
          const Product<float> p{a_is, b_is, c.M, c.N, c.K, 0.5F, A.data(), lda, B.data(), ldb, beta, C.data(), ldc};
          bf16_gemm(p);
          for (std::int64_t i = 0; i < c.M; ++i) {
            for (std::int64_t j = 0; j < c.N; ++j) {
              const auto [sum, size] = expected(p, i, j);
              const double wanted =
                  0.5 * sum + (beta == 0 ? 0 : static_cast<double>(before[static_cast<std::size_t>(i * ldc + j)]));
              BOOST_REQUIRE_SMALL(static_cast<double>(C[static_cast<std::size_t>(i * ldc + j)]) - wanted, 1e-6 * (size + 1));
            }
            for (std::int64_t j = c.N; j < ldc; ++j) {  // elements beyond C's columns must stay unchanged
              const float left = C[static_cast<std::size_t>(i * ldc + j)];
              BOOST_REQUIRE((beta == 0 ? std::isnan(left) : left == before[static_cast<std::size_t>(i * ldc + j)]));
            }
          }
        }
}

BOOST_AUTO_TEST_CASE(pieces_have_the_same_bits) {
  if (there_is_none()) return;
  for (const Case& c : {Case{11, 150, 70}, {96, 64, 1029}})
    for (const Transpose b_is : {Transpose::No, Transpose::Yes}) {
      const std::int64_t ldb = transposes(b_is) ? c.K : c.N;
      const auto A = numbers(c.M * c.K, 1), B = numbers(c.N * c.K, 2);
      std::vector<float> whole(static_cast<std::size_t>(c.M * c.N)), parts(whole.size(), -1.F);
      bf16_gemm({Transpose::No, b_is, c.M, c.N, c.K, 1, A.data(), c.K, B.data(), ldb, 0, whole.data(), c.N});
      constexpr std::int64_t rows = 5, columns = 100;
      for (std::int64_t first = 0; first < c.N; first += columns)
        for (std::int64_t row = 0; row < c.M; row += rows)
          bf16_gemm({Transpose::No, b_is, std::min(rows, c.M - row), std::min(columns, c.N - first), c.K, 1, A.data() + row * c.K,
                     c.K, B.data() + first * (transposes(b_is) ? ldb : 1), ldb, 0, parts.data() + row * c.N + first, c.N});
      BOOST_TEST((whole == parts));
    }
}

BOOST_AUTO_TEST_CASE(gemm_rounds_large_products_while_asked_to_with_any_number_of_threads) {
  if (there_is_none()) return;
  const int before = num_threads();
  const std::int64_t M = 517, N = 130, K = 300, small = bf16_least - 1;
  const auto A = numbers(M * K, 1), B = numbers(K * N, 2);
  const auto multiply = [&](std::int64_t rows) {
    std::vector<float> C(static_cast<std::size_t>(rows * N));
    gemm(Transpose::No, Transpose::No, rows, N, K, 1.F, A.data(), K, B.data(), N, 0.F, C.data(), N);
    return C;
  };
  const auto exact = multiply(M), exact_small = multiply(small);
  std::vector<float> one;
  for (const int threads : {1, 2, 3, 4}) {
    set_num_threads(threads);
    const Bf16Products on(true);
    const auto found = multiply(M);
    if (threads == 1) one = found;
    BOOST_TEST((found == one), threads << " threads");
    BOOST_TEST((found != exact));
    BOOST_TEST((multiply(small) == exact_small));
  }
  const Product<float> p{Transpose::No, Transpose::No, M, N, K, 1, A.data(), K, B.data(), N, 0, nullptr, N};
  for (std::int64_t i = 0; i < M; i += 37) {
    const auto [sum, size] = expected(p, i, 5);
    BOOST_TEST(std::abs(static_cast<double>(one[static_cast<std::size_t>(i * N + 5)]) - sum) < 1e-6 * size);
  }
  set_num_threads(before);
  BOOST_TEST((multiply(M) == exact));
}

BOOST_AUTO_TEST_CASE(complex_factors_are_rounded_part_by_part) {
  if (there_is_none()) return;
  using C = std::complex<float>;
  const auto wide = [](C z) {
    return std::complex<double>(static_cast<double>(rounded(z.real())), static_cast<double>(rounded(z.imag())));
  };
  const auto op = [](Transpose is, std::complex<double> z) { return conjugates(is) ? std::conj(z) : z; };
  const Bf16Products on(true);
  const int threads = num_threads();
  const Transpose all[] = {Transpose::No, Transpose::Yes, Transpose::Conjugate, Transpose::ConjugateNo};
  for (const Case& c : {Case{bf16_least, bf16_least, bf16_least}, {300, 37, 45}})
    for (const Transpose a_is : all)
      for (const Transpose b_is : all)
        for (const float beta : {0.F, 1.F}) {
          const std::int64_t lda = (transposes(a_is) ? c.M : c.K) + 3, ldb = (transposes(b_is) ? c.K : c.N) + 2, ldc = c.N + 1;
          const auto a = numbers(2 * (c.M + c.K) * lda, 1), b = numbers(2 * (c.N + c.K) * ldb, 2),
                     before = numbers(2 * c.M * ldc, 3);
          const C *const A = reinterpret_cast<const C*>(a.data()), *const B = reinterpret_cast<const C*>(b.data());
          const C* const C0 = reinterpret_cast<const C*>(before.data());
          std::vector<C> found(C0, C0 + c.M * ldc), again = found;
          if (beta == 0) std::fill(found.begin(), found.end(), C(NAN, NAN));
          gemm(a_is, b_is, c.M, c.N, c.K, C(0.5F), A, lda, B, ldb, C(beta), found.data(), ldc);
          set_num_threads(3);
          gemm(a_is, b_is, c.M, c.N, c.K, C(0.5F), A, lda, B, ldb, C(beta), again.data(), ldc);
          set_num_threads(threads);
          for (std::int64_t i = 0; i < c.M; ++i)
            for (std::int64_t j = 0; j < c.N; ++j) {
              std::complex<double> sum = 0;
              for (std::int64_t k = 0; k < c.K; ++k)
                sum += op(a_is, wide(A[transposes(a_is) ? k * lda + i : i * lda + k])) *
                       op(b_is, wide(B[transposes(b_is) ? j * ldb + k : k * ldb + j]));
              const auto at = static_cast<std::size_t>(i * ldc + j);
              const std::complex<double> wanted = 0.5 * sum + (beta == 0 ? 0.0 : std::complex<double>(C0[at]));
              BOOST_REQUIRE_SMALL(std::abs(std::complex<double>(found[at]) - wanted), 1e-5 * std::sqrt(static_cast<double>(c.K)));
              BOOST_REQUIRE(found[at] == again[at]);
            }
        }
  // A scale that is not real stays in float32.
  const auto a = numbers(2 * 40 * 40, 1);
  const C* const A = reinterpret_cast<const C*>(a.data());
  std::vector<C> turned(1600);
  gemm(Transpose::No, Transpose::No, 40, 40, 40, C(0, 1), A, 40, A, 40, C(0), turned.data(), 40);
  std::complex<double> sum = 0;
  for (std::size_t k = 0; k < 40; ++k) sum += std::complex<double>(A[k]) * std::complex<double>(A[40 * k]);
  BOOST_TEST(std::abs(std::complex<double>(turned[0]) - std::complex<double>(0, 1) * sum) < 1e-4);
}

BOOST_AUTO_TEST_SUITE_END()
