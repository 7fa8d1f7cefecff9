#include "core/machine/blas.h"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "core/gemm.h"
#include "core/machine/openblas_kernels.h"
#include "core/parallel.h"
#include "core/random.h"
#include "tests/error_text.h"
#include "tests/sanitized.h"

#ifndef ARGAND_PLAIN_BLAS
#include <cblas.h>
#endif

using namespace argand;

BOOST_AUTO_TEST_SUITE(blas)

namespace {

using Sizes = std::array<std::int64_t, 3>;  // M, N, K

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

/// |Re x| + |Im x|, which is quick to compute.
template <class T>
double size_of(T x) {
  if constexpr (ComplexScalar<T>)
    return std::abs(x.real()) + std::abs(x.imag());
  else
    return std::abs(x);
}

/// Compares one product by gemm, and by the plain loops, with its definition. Every stored row has `extra` columns of padding,
/// which must be unchanged in C.
template <class T>
void check(Transpose a_is, Transpose b_is, std::int64_t M, std::int64_t N, std::int64_t K, T alpha, T beta, std::int64_t extra) {
  const bool a_flat = a_is == Transpose::No, b_flat = b_is == Transpose::No;
  const std::int64_t lda = (a_flat ? K : M) + extra, ldb = (b_flat ? N : K) + extra, ldc = N + extra;
  const auto A = numbers<T>((a_flat ? M : K) * lda, 1), B = numbers<T>((b_flat ? K : N) * ldb, 2);
  const auto before = numbers<T>(M * ldc, 3);
  auto C = before, plain = before;
  gemm(a_is, b_is, M, N, K, alpha, A.data(), lda, B.data(), ldb, beta, C.data(), ldc);
  plain_gemm(Product<T>{a_is, b_is, M, N, K, alpha, A.data(), lda, B.data(), ldb, beta, plain.data(), ldc});
  const double tolerance = 4 * static_cast<double>(K + 2) * std::numeric_limits<RealOf<T>>::epsilon();
  std::int64_t wrong = 0, plain_wrong = 0;
  for (std::int64_t i = 0; i < M; ++i)
    for (std::int64_t j = 0; j < ldc; ++j) {
      const auto at = static_cast<std::size_t>(i * ldc + j);
      if (j >= N) {
        wrong += C[at] != before[at];
        plain_wrong += plain[at] != before[at];
        continue;
      }
      T sum = 0;
      double scale = 1 + size_of(mul(beta, before[at]));
      for (std::int64_t k = 0; k < K; ++k) {
        const T term = mul(element(A, a_is, lda, i, k), element(B, b_is, ldb, k, j));
        sum += term;
        scale += size_of(mul(alpha, term));
      }
      const T expected = mul(alpha, sum) + mul(beta, before[at]);
      wrong += !(std::abs(C[at] - expected) <= tolerance * scale);  // a NaN counts as wrong
      plain_wrong += !(std::abs(plain[at] - expected) <= tolerance * scale);
    }
  BOOST_TEST_INFO(scalar_name<T>() << " M " << M << " N " << N << " K " << K << " step + " << extra);
  BOOST_TEST(wrong == 0);
  BOOST_TEST(plain_wrong == 0);
}

constexpr auto every_transpose = {Transpose::No, Transpose::Yes, Transpose::Conjugate};

template <class T>
void check_all() {
  const Sizes sizes[] = {{1, 1, 1},     {5, 7, 3}, {16, 16, 16}, {33, 1, 20}, {1, 65, 4},
                         {40, 37, 129}, {0, 3, 2}, {3, 0, 2},    {3, 2, 0},   {0, 0, 0}};
  for (const auto a_is : every_transpose)
    for (const auto b_is : every_transpose) {
      for (const auto& [M, N, K] : sizes)
        for (const std::int64_t extra : {0, 3}) {
          check<T>(a_is, b_is, M, N, K, T(1), T(0), extra);
          check<T>(a_is, b_is, M, N, K, T(-2), T(1), extra);
          if constexpr (ComplexScalar<T>) check<T>(a_is, b_is, M, N, K, T(1, -2), T(0.5F, 1), extra);
        }
      for (const auto& [M, N, K] : {Sizes{517, 67, 71}, {37, 1101, 71}, {35, 37, 3301}}) {  // split along M, N and K
        BOOST_REQUIRE(gemm_cut(M, N, K, ComplexScalar<T>).tiles() > 1);
        check<T>(a_is, b_is, M, N, K, T(-2), T(0.5F), 3);
      }
    }
  for (const T beta : {T(0), T(1)})  // split, and computed by the library's own kernels where they are faster
    for (const auto& [M, N, K] : {Sizes{517, 67, 300}, {70, 530, 100}}) {
      check<T>(Transpose::No, Transpose::Yes, M, N, K, T(-2), beta, 3);
      check<T>(Transpose::No, Transpose::No, M, N, K, T(-2), beta, 3);
      check<T>(Transpose::Yes, Transpose::No, M, N, K, T(-2), beta, 3);
    }
  check<T>(Transpose::No, Transpose::Yes, 64, 17001, 5, T(1), T(0), 0);  // a product for which C is cleared first
}

/// A product must have the same bits as with one thread: with 2, 3 and 4 threads, within a parallel region, and in a thread started
/// by the caller. (With a sanitizer, fewer combinations: all took four times as long.)
template <class T>
void check_threads(const Sizes& sizes) {
  const auto [M, N, K] = sizes;
  const auto A = numbers<T>(M * K, 1), B = numbers<T>(K * N, 2), before = numbers<T>(M * N, 3);
  for (const auto a_is : every_transpose)
    for (const auto b_is : every_transpose) {
      if (sanitized && a_is != Transpose::No) continue;
      const T beta(a_is == b_is ? 1 : 0);
      const auto multiply = [&, M = M, N = N, K = K](std::vector<T>& C) {
        C = before;
        gemm(a_is, b_is, M, N, K, T(1), A.data(), a_is == Transpose::No ? K : M, B.data(), b_is == Transpose::No ? N : K, beta,
             C.data(), N);
      };
      std::vector<T> one, many;
      set_num_threads(1);
      multiply(one);
      BOOST_TEST_INFO_SCOPE(scalar_name<T>() << ", " << M << " x " << N << " x " << K << " with " << blas_kernels().running);
      for (const int threads : {2, 3, 4}) {
        if (sanitized && threads != 3) continue;
        set_num_threads(threads);
        multiply(many);
        BOOST_TEST((many == one), threads << " threads");
      }
      parallel_for(2, 1, [&](std::int64_t begin, std::int64_t) {
        if (begin == 0) multiply(many);
      });
      BOOST_TEST((many == one), "within a parallel region");
      if (a_is == Transpose::No && b_is == Transpose::Yes) {
        std::thread([&] { multiply(many); }).join();
        BOOST_TEST((many == one), "in another thread");
      }
    }
}

template <class T>
void check_threads() {
  const int before = num_threads();
  // Sizes with remainders at every edge, whole tiles, splits along each size, small sizes that are not split, one row, one column.
  for (const Sizes& sizes : {Sizes{67, 129, 200},
                             {512, 128, 130},
                             {31, 1000, 64},
                             {263, 401, 90},
                             {45, 51, 4099},
                             {1, 2801, 300},
                             {2801, 1, 300},
                             {23, 17, 5}})
    check_threads<T>(sizes);
  set_num_threads(before);
}

}  // namespace

BOOST_AUTO_TEST_CASE(gemm_is_the_product_in_float) { check_all<float>(); }
BOOST_AUTO_TEST_CASE(gemm_is_the_product_in_double) { check_all<double>(); }
BOOST_AUTO_TEST_CASE(gemm_is_the_product_in_complex_float) { check_all<std::complex<float>>(); }
BOOST_AUTO_TEST_CASE(gemm_is_the_product_in_complex_double) { check_all<std::complex<double>>(); }

BOOST_AUTO_TEST_CASE(beta_0_ignores_the_previous_contents) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> A{1, 2}, B{3, 4};
  std::vector<float> C{nan};
  Product<float> product{Transpose::No, Transpose::No, 1, 1, 2, 1.F, A.data(), 2, B.data(), 1, 0.F, C.data(), 1};
  blas_gemm(product);
  BOOST_TEST(C[0] == 11);
  C[0] = nan;
  plain_gemm(product);
  BOOST_TEST(C[0] == 11);
  product.K = product.lda = 0;  // an empty sum
  C[0] = nan;
  blas_gemm(product);
  BOOST_TEST(C[0] == 0);
  C[0] = nan;
  plain_gemm(product);
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
  if (blas_kernels_name() == "plain") return;  // plain loops have no such limit
  const float x = 1;
  float y = 0;
  const std::int64_t big = std::int64_t{1} << 31;
  BOOST_TEST(error_of([&] { gemm(Transpose::No, Transpose::No, 1, 1, big, 1.F, &x, big, &x, 1, 0.F, &y, 1); }) ==
             "gemm: size 2147483648 exceeds what BLAS can index");
}

// OpenBLAS's own threads fail this test with most of its kernels; coretypes_test.py runs it with every family of kernels.
BOOST_AUTO_TEST_CASE(products_do_not_depend_on_the_number_of_threads) {
  check_threads<float>();
  check_threads<double>();
  check_threads<std::complex<float>>();
  check_threads<std::complex<double>>();
}

BOOST_AUTO_TEST_CASE(a_product_leaves_the_number_of_threads_alone) {
  const int before = num_threads();
  set_num_threads(3);
  const auto A = numbers<float>(300 * 300, 1);
  std::vector<float> C(A.size());
  gemm(Transpose::No, Transpose::No, 300, 300, 300, 1.F, A.data(), 300, A.data(), 300, 0.F, C.data(), 300);
  BOOST_TEST(num_threads() == 3);
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(a_log_counts_the_products_of_all_threads_while_it_lives) {
  const auto A = numbers<float>(400 * 400, 1);
  const auto multiply = [&](std::int64_t M, std::int64_t N, std::int64_t K) {
    std::vector<float> C(static_cast<std::size_t>(M * N));
    gemm(Transpose::No, Transpose::No, M, N, K, 1.F, A.data(), K, A.data(), N, 0.F, C.data(), N);
  };
  using Counts = std::map<GemmShape, std::int64_t>;
  const int before = num_threads();
  set_num_threads(3);
  multiply(2, 3, 4);  // before the log: not counted
  {
    GemmLog log;
    BOOST_TEST(log.counts().empty());
    multiply(2, 3, 4);
    multiply(400, 400, 400);  // split among threads, but still one product
    multiply(0, 3, 4);        // an empty product is not counted
    parallel_for(8, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) multiply(2, 3, 4);
    });
    const std::complex<double> x = 1;
    std::complex<double> y;
    gemm(Transpose::No, Transpose::No, 1, 1, 1, x, &x, 1, &x, 1, {}, &y, 1);
    BOOST_TEST((log.counts() == Counts{{{2, 3, 4, false}, 9}, {{400, 400, 400, false}, 1}, {{1, 1, 1, true}, 1}}));
    BOOST_TEST(log.flops() == 9 * 2 * 2 * 3 * 4 + 2 * 400 * 400 * 400 + 8);
    {
      const GemmLog inner;
      multiply(5, 1, 1);
      BOOST_TEST(inner.flops() == 10);
    }
    multiply(1, 5, 1);
    BOOST_TEST(log.counts().count({5, 1, 1, false}) == 1);
    BOOST_TEST(log.counts().count({1, 5, 1, false}) == 1);
    log.clear();
    BOOST_TEST(log.flops() == 0);
  }
  const std::int64_t flops_before = flops_of_products();
  multiply(2, 3, 4);  // after the log: not counted
  BOOST_TEST(flops_of_products() - flops_before == 2 * 2 * 3 * 4);
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(large_products_are_cut_and_small_ones_are_not) {
  const auto cut = [](std::int64_t M, std::int64_t N, std::int64_t K, bool complex = false) {
    const GemmCut c = gemm_cut(M, N, K, complex);
    return Sizes{c.M, c.N, c.K};
  };
  BOOST_TEST((cut(64, 128, 32) == Sizes{1, 1, 1}));       // a tile of attention
  BOOST_TEST((cut(128, 128, 128) == Sizes{1, 1, 1}));     // too much of the time would go into packing
  BOOST_TEST((cut(4096, 128, 128) == Sizes{8, 1, 1}));    // a layer
  BOOST_TEST((cut(128, 128, 4096) == Sizes{1, 1, 4}));    // and the gradient of the layer's weight
  BOOST_TEST((cut(256, 33278, 128) == Sizes{1, 16, 1}));  // the logits of a vocabulary
  BOOST_TEST((cut(128, 128, 512) == Sizes{1, 1, 1}));
  BOOST_TEST((cut(128, 128, 768) == Sizes{1, 1, 2}));
  BOOST_TEST((cut(128, 128, 512, true)[0] == 2));  // complex products spend less time on packing
  for (const std::int64_t n : {0, 1, 1 << 20}) BOOST_TEST((cut(n, 0, n) == Sizes{1, 1, 1}));
  const auto direct = [](std::int64_t M, std::int64_t N, std::int64_t K) {
    const GemmCut c = gemm_cut(M, N, K, false, true);
    return Sizes{c.M, c.N, c.K};
  };
  BOOST_TEST((direct(64, 128, 32) == Sizes{1, 1, 1}));    // would finish before another thread could be woken
  BOOST_TEST((direct(768, 128, 128) == Sizes{8, 1, 1}));  // a layer
  BOOST_TEST((direct(128, 128, 768) == Sizes{2, 2, 1}));  // and the gradient of the layer's weight
  BOOST_TEST((direct(8, 8, 1 << 20) == Sizes{1, 1, 1}));
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

#if !defined(ARGAND_PLAIN_BLAS) && defined(__x86_64__)
BOOST_AUTO_TEST_CASE(kernels_can_be_changed_in_a_running_program) {
  const std::string before = blas_kernels_name();
  const char* chosen = std::getenv("OPENBLAS_CORETYPE");
  const std::string choice = chosen != nullptr ? chosen : "none";
  for (const std::string& name : {std::string("Prescott"), before}) {
    if (!change_blas_kernels(name)) {
      BOOST_TEST_MESSAGE("skipped: this OpenBLAS cannot change its kernels");
      return;
    }
    BOOST_TEST(blas_kernels_name() == name);
    const auto A = randn<double>({70, 90}, Random(1)), B = randn<double>({90, 50}, Random(2));
    Tensor<double> C({70, 50}), expected({70, 50});
    blas_gemm<double>({Transpose::No, Transpose::No, 70, 50, 90, 1, A.data(), 90, B.data(), 50, 0, C.data(), 50});
    plain_gemm<double>({Transpose::No, Transpose::No, 70, 50, 90, 1, A.data(), 90, B.data(), 50, 0, expected.data(), 50});
    for (std::int64_t i = 0; i < C.size(); ++i) BOOST_REQUIRE(std::abs(C.data()[i] - expected.data()[i]) < 1e-12);
  }
  chosen = std::getenv("OPENBLAS_CORETYPE");
  BOOST_TEST((chosen != nullptr ? chosen : "none") == choice);
}
#endif

#ifndef ARGAND_PLAIN_BLAS
// On Debian, OpenBLAS's OpenMP and single-threaded flavours share our threads. The pthread flavour does not; if no other is
// installed, the program says so.
boost::test_tools::assertion_result has_a_flavour_that_shares(boost::unit_test::test_unit_id) {
  boost::test_tools::assertion_result shares = openblas_get_parallel() != OPENBLAS_THREAD;
  shares.message() << "this OpenBLAS is of the pthread flavour";
  return shares;
}
BOOST_AUTO_TEST_CASE(openblas_shares_our_threads, *boost::unit_test::precondition(has_a_flavour_that_shares)) {
  BOOST_TEST(blas_kernels().shares_threads);
  BOOST_TEST(blas_advice().find("share") == std::string::npos);
}
#endif

BOOST_AUTO_TEST_SUITE_END()
