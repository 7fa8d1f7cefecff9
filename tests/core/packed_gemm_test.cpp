#include "core/kernels/packed_gemm.h"

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <limits>
#include <vector>

#include "core/gemm.h"
#include "core/kernels/bf16_gemm.h"
#include "core/kernels/pack_factors.h"
#include "core/kernels/quantized.h"
#include "core/parallel.h"
#include "core/random.h"
#include "tests/sanitized.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(packed_gemm_)

namespace {

template <class T>
std::vector<T> some(std::int64_t n, std::uint64_t stream) {
  const auto x = randn<T>({n}, Random(22, stream));
  return {x.begin(), x.end()};
}

constexpr Transpose every[] = {Transpose::No, Transpose::Yes, Transpose::Conjugate, Transpose::ConjugateNo};

/// The factors of a product, whose stored rows are a few elements longer than the matrices, and a C that must not be read if beta
/// is 0.
template <class T>
struct Case {
  static constexpr std::int64_t extra = 3;
  Transpose a_is, b_is;
  std::int64_t M, N, K;
  T alpha, beta;
  std::int64_t lda = (transposes(a_is) ? M : K) + extra, ldb = (transposes(b_is) ? K : N) + extra, ldc = N + extra;
  std::vector<T> A = some<T>((transposes(a_is) ? K : M) * lda, 1), B = some<T>((transposes(b_is) ? N : K) * ldb, 2);
  std::vector<T> before = some<T>(M * ldc, 3);

  template <class Multiply>
  std::vector<T> multiply(const Multiply& f) const {
    std::vector<T> C = before;
    if (beta == T(0))
      for (std::int64_t i = 0; i < M; ++i) std::fill_n(C.data() + i * ldc, N, T(std::numeric_limits<RealOf<T>>::quiet_NaN()));
    f(Product<T>{a_is, b_is, M, N, K, alpha, A.data(), lda, B.data(), ldb, beta, C.data(), ldc});
    return C;
  }
};

/// Compares products plus a bias with products added to a C that holds the bias in every row: the bits must be the same.
template <class T>
void check_bias(Transpose a_is, Transpose b_is, std::int64_t M, std::int64_t N, std::int64_t K) {
  const Case<T> one{a_is, b_is, M, N, K, T(1), T(0)};
  const auto bias = some<T>(N, 4);
  const auto added = [&](Product<T> p) {
    for (std::int64_t i = 0; i < M; ++i) std::copy_n(bias.data(), N, p.C + i * p.ldc);
    p.beta = T(1);
    return p;
  };
  const auto same_bits = [](const std::vector<T>& x, const std::vector<T>& y) {
    return x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
  };
  const auto with = [&](const auto& p) { packed_gemm(p, bias.data()); };
  const auto without = [&](const auto& p) { packed_gemm(added(p)); };
  if (M > 0 && N > 0)
    BOOST_TEST(same_bits(one.multiply(with), one.multiply(without)), "packed_gemm, M " << M << ", N " << N << ", K " << K);
  const auto all_with = [&](const auto& p) {
    gemm_with_bias(p.a_is, p.b_is, M, N, K, p.A, p.lda, p.B, p.ldb, bias.data(), p.C, p.ldc);
  };
  const auto all_without = [&](const Product<T>& begun) {
    const auto p = added(begun);
    gemm(p.a_is, p.b_is, M, N, K, p.alpha, p.A, p.lda, p.B, p.ldb, p.beta, p.C, p.ldc);
  };
  BOOST_TEST(same_bits(one.multiply(all_with), one.multiply(all_without)), "gemm, M " << M << ", N " << N << ", K " << K);
}

template <class T>
void check_biases() {
  constexpr std::int64_t columns = RegisterTile<RealOf<T>>::columns;
  for (const Transpose a_is : every)
    for (const Transpose b_is : every) {
      for (std::int64_t N = 1; N <= columns + 1; ++N) check_bias<T>(a_is, b_is, 7, N, 9);
      for (const std::int64_t M : {1, 3, 8, 31, 64, 600})  // the sizes at which other kernels take over
        for (const std::int64_t K : {1, 8, 130, 800}) {
          const bool large = M * K > 64 * 130;  // with a sanitizer, all of these would take minutes
          if (!sanitized || !large || (a_is == Transpose::No && b_is == Transpose::Yes)) check_bias<T>(a_is, b_is, M, 70, K);
        }
    }
  check_bias<T>(Transpose::No, Transpose::Yes, 270, 4200, 20);
  check_bias<T>(Transpose::No, Transpose::Yes, 0, 5, 3);
  check_bias<T>(Transpose::No, Transpose::Yes, 5, 0, 3);
}

/// Compares packed_gemm with plain loops; what lies beyond C's columns must be untouched.
template <class T>
void check(Transpose a_is, Transpose b_is, std::int64_t M, std::int64_t N, std::int64_t K, RealOf<T> alpha, T beta) {
  const Case<T> one{a_is, b_is, M, N, K, T(alpha), beta};
  const auto C = one.multiply([](const Product<T>&p) { packed_gemm(p); }),
             expected = one.multiply([](const Product<T>&p) { plain_gemm(p); });
  double worst = 0;
  for (std::size_t i = 0; i < C.size(); ++i) {
    const double error = static_cast<double>(std::abs(C[i] - expected[i]));
    worst = error <= worst ? worst : std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  }
  const double tolerance = 12 * static_cast<double>(K + 2) * static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());
  BOOST_TEST(worst <= tolerance, "op(A) " << static_cast<int>(a_is) << ", op(B) " << static_cast<int>(b_is) << ", M " << M << ", N "
                                          << N << ", K " << K << ": " << worst << " > " << tolerance);
}

template <class T>
void check_shapes() {
  using R = RealOf<T>;
  constexpr std::int64_t tile = RegisterTile<R>::rows, columns = RegisterTile<R>::columns;
  for (const Transpose a_is : every)
    for (const Transpose b_is : every) {
      // Every remainder of rows and columns; one row, column or term; several blocks of rows and of terms.
      for (std::int64_t M = 1; M <= 2 * tile; ++M) check<T>(a_is, b_is, M, columns + 3, 5, R(1), T(0));
      for (std::int64_t N = 1; N <= columns + 1; ++N) check<T>(a_is, b_is, tile + 1, N, 7, R(2), T(1));
      for (const std::int64_t K : {1, 2, 3, 15, 17, 191, 192, 193, 383, 385, 800})
        check<T>(a_is, b_is, 9, 10, K, R(-0.5), T(R(K % 2)));
      check<T>(a_is, b_is, 600, 70, 50, R(1), T(1));
    }
  check<T>(Transpose::No, Transpose::Yes, 270, 4200, 20, R(1), T(0));  // several blocks of columns
  check<T>(Transpose::Yes, Transpose::No, 20, 4200, 20, R(1), T(0));   // packed by the threads
}

}  // namespace

BOOST_AUTO_TEST_CASE(it_is_the_product_of_floats) { check_shapes<float>(); }
BOOST_AUTO_TEST_CASE(it_is_the_product_of_doubles) { check_shapes<double>(); }
BOOST_AUTO_TEST_CASE(it_is_the_product_of_complex_floats) { check_shapes<std::complex<float>>(); }
BOOST_AUTO_TEST_CASE(it_is_the_product_of_complex_doubles) { check_shapes<std::complex<double>>(); }

BOOST_AUTO_TEST_CASE(a_bias_is_added_as_if_it_had_been_in_every_row) {
  check_biases<float>();
  check_biases<double>();
  check_biases<std::complex<float>>();
  check_biases<std::complex<double>>();
}

BOOST_AUTO_TEST_CASE(rounded_factors_take_a_bias_too) {
  constexpr std::int64_t M = 200, N = 130, K = 140;
  if (has_bf16_products()) {
    const Bf16Products on(true);
    check_bias<float>(Transpose::No, Transpose::Yes, M, N, K);
    check_bias<std::complex<float>>(Transpose::No, Transpose::Yes, M, N, K);
  }
  const auto x = some<float>(M * K, 1), W = some<float>(N * K, 2), bias = some<float>(N, 3);
  QuantizedWeights weights(WeightFormat::int8);
  weights.add(W.data(), N, K);
  for (const std::int64_t rows : {std::int64_t(1), M}) {
    std::vector<float> with(static_cast<std::size_t>(rows * N), std::numeric_limits<float>::quiet_NaN()), without(with.size());
    gemm_with_bias<float>(Transpose::No, Transpose::Yes, rows, N, K, x.data(), K, W.data(), K, bias.data(), with.data(), N);
    for (std::int64_t i = 0; i < rows; ++i) std::copy_n(bias.data(), N, without.data() + i * N);
    gemm<float>(Transpose::No, Transpose::Yes, rows, N, K, 1, x.data(), K, W.data(), K, 1, without.data(), N);
    BOOST_TEST((with == without), rows << " rows");
  }
}

BOOST_AUTO_TEST_CASE(bits_depend_neither_on_threads_nor_on_what_else_is_computed) {
  const int threads = num_threads();
  for (const Transpose a_is : {Transpose::No, Transpose::Yes})
    for (const Transpose b_is : {Transpose::No, Transpose::Yes}) {
      const Case<std::complex<float>> all{a_is, b_is, 301, 77, 500, 1, 0};
      set_num_threads(1);
      const auto expected = all.multiply([](const auto& p) { packed_gemm(p); });
      for (const int n : {2, 3, 16}) {
        set_num_threads(n);
        BOOST_TEST((all.multiply([](const auto& p) { packed_gemm(p); }) == expected));
      }
      const auto rows = all.multiply([&](const Product<std::complex<float>>& p) {  // 50 rows at a time
        for (std::int64_t i = 0; i < p.M; i += 50) {
          auto part = p;
          part.M = std::min<std::int64_t>(50, p.M - i);
          part.A += transposes(a_is) ? i : i * p.lda;
          part.C += i * p.ldc;
          packed_gemm(part);
        }
      });
      BOOST_TEST((rows == expected));
    }
  set_num_threads(threads);
}

BOOST_AUTO_TEST_CASE(infinities_and_nans_reach_their_row_or_column_only) {
  constexpr std::int64_t M = 40, N = 70, K = 50;
  const auto A = some<float>(M * K, 1), B = some<float>(K * N, 2);
  for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    auto a = A, b = B;
    a[7 * K + 3] = bad;
    b[4 * N + 69] = bad;
    std::vector<float> C(M * N);
    packed_gemm<float>({Transpose::No, Transpose::No, M, N, K, 1, a.data(), K, b.data(), N, 0, C.data(), N});
    for (std::int64_t i = 0; i < M; ++i)
      for (std::int64_t j = 0; j < N; ++j) BOOST_REQUIRE(std::isfinite(C[i * N + j]) == (i != 7 && j != 69));
  }
}

BOOST_AUTO_TEST_SUITE_END()
