#include "core/kernels/bf16_gemm.h"

#include <algorithm>
#include <atomic>

#include "core/error.h"
#include "core/machine/cpu.h"
#include "core/memory.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace argand {
namespace {

std::atomic<int> scopes = 0;

/// Pairs of factors processed together; a panel of B is then 64 KB and stays in the L2 cache.
constexpr std::int64_t pairs_at_a_time = 256;
constexpr std::int64_t panel_columns = 64;

constexpr std::int64_t pairs_of(std::int64_t K) { return (K + 1) / 2; }

#if defined(__x86_64__)

// The target of all functions here, regardless of the library's level: callers check has_bf16_products().
#define ARGAND_BF16 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")))

/// The first n of 16 lanes.
constexpr std::uint16_t first_lanes(std::int64_t n) { return static_cast<std::uint16_t>(n >= 16 ? 0xFFFF : (1 << n) - 1); }

/// Pairs the rows of x [K, n]: to[k, j] = (x[2k, j], x[2k + 1, j]) for j up to `padded`, with zeros beyond n and K.
ARGAND_BF16 void pair_rows(std::int64_t K, std::int64_t n, const float* x, std::int64_t ldx, std::uint32_t* to, std::int64_t ld,
                           std::int64_t padded) {
  for (std::int64_t k = 0; k < pairs_of(K); ++k)
    for (std::int64_t j = 0; j < padded; j += 16) {
      const __mmask16 lanes = first_lanes(std::max<std::int64_t>(0, n - j));
      const __mmask16 second = 2 * k + 1 < K ? lanes : __mmask16(0);
      const __m512 even = _mm512_maskz_loadu_ps(lanes, x + 2 * k * ldx + j);
      const __m512 odd = _mm512_maskz_loadu_ps(second, x + (2 * k + 1 < K ? 2 * k + 1 : 2 * k) * ldx + j);
      // With full masks: without them GCC 12's own header triggers warnings about uninitialised lanes.
      const __m512i low = _mm512_maskz_cvtepu16_epi32(0xFFFF, (__m256i)_mm512_cvtneps_pbh(even));
      const __m512i high = _mm512_maskz_cvtepu16_epi32(0xFFFF, (__m256i)_mm512_cvtneps_pbh(odd));
      const __m512i pairs = _mm512_or_si512(low, _mm512_maskz_slli_epi32(0xFFFF, high, 16));
      _mm512_mask_storeu_epi32(to + k * ld + j, first_lanes(padded - j), pairs);
    }
}

/// Pairs the elements of a contiguous row x [K]: to[k · step] = (x[2k], x[2k + 1]).
ARGAND_BF16 void pair_columns(std::int64_t K, const float* x, std::uint32_t* to, std::int64_t step) {
  const __m512i places = _mm512_mullo_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                                            _mm512_set1_epi32(static_cast<int>(step)));
  for (std::int64_t k = 0; k < K; k += 32) {
    const __m512 low = _mm512_maskz_loadu_ps(first_lanes(K - k), x + k);
    const __m512 high = K - k > 16 ? _mm512_maskz_loadu_ps(first_lanes(K - k - 16), x + k + 16) : _mm512_setzero_ps();
    const __m512i pairs = (__m512i)_mm512_cvtne2ps_pbh(high, low);
    const __mmask16 lanes = first_lanes(pairs_of(K - k));
    if (step == 1)
      _mm512_mask_storeu_epi32(to + k / 2, lanes, pairs);
    else
      _mm512_mask_i32scatter_epi32(to + k / 2 * step, lanes, places, pairs, 4);
  }
}

/// sum += the products of 16 pairs.
ARGAND_BF16 inline void add_products(__m512& sum, __m512i a, __m512i b) {
#if defined(__clang__)
  asm("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));  // Clang 16 crashes on the intrinsic
#else
  sum = _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b);  // GCC 12 keeps sums in memory around inline assembly
#endif
}

/// C [M, n] <- alpha A B, added to C if `add`, for M rows of A, whose pairs are at a[i · row_step + k · k_step], and N registers of
/// columns of B [K, 64]; `last` masks the lanes of the last register.
template <int M, int N>
ARGAND_BF16 void multiply_in_registers(std::int64_t K, const std::uint32_t* a, std::int64_t row_step, std::int64_t k_step,
                                       const std::uint32_t* b, float alpha, float* c, std::int64_t ldc, std::uint16_t last,
                                       bool add) {
  __m512 sums[M][N];
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) sums[i][j] = _mm512_setzero_ps();
  for (std::int64_t k = 0; k < K; ++k, a += k_step, b += panel_columns) {
    __m512i row[N];
    for (int j = 0; j < N; ++j) row[j] = _mm512_loadu_si512(b + 16 * j);
    for (int i = 0; i < M; ++i) {
      const __m512i x = _mm512_set1_epi32(static_cast<int>(a[i * row_step]));
      for (int j = 0; j < N; ++j) add_products(sums[i][j], x, row[j]);
    }
  }
  const __m512 scale = _mm512_set1_ps(alpha);
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      const __mmask16 lanes = j + 1 < N ? __mmask16(0xFFFF) : last;
      float* const to = c + i * ldc + 16 * j;
      __m512 sum = _mm512_mul_ps(scale, sums[i][j]);
      if (add) sum = _mm512_add_ps(_mm512_maskz_loadu_ps(lanes, to), sum);
      _mm512_mask_storeu_ps(to, lanes, sum);
    }
}

/// Computes all rows; those that do not fill a tile come last.
template <int N>
ARGAND_BF16 void multiply_rows(std::int64_t M, std::int64_t K, const std::uint32_t* a, std::int64_t row_step, std::int64_t k_step,
                               const std::uint32_t* b, float alpha, float* c, std::int64_t ldc, std::uint16_t last, bool add) {
  std::int64_t i = 0;
  for (; i + 6 <= M; i += 6) {
    // Starts to load the tile of C, which is needed after all terms. (The output layer took 0.88 to 0.97 of the time.)
    for (int r = 0; r < 6; ++r)
      for (int j = 0; j < N; ++j) __builtin_prefetch(c + (i + r) * ldc + 16 * j, 1);
    multiply_in_registers<6, N>(K, a + i * row_step, row_step, k_step, b, alpha, c + i * ldc, ldc, last, add);
  }
  for (; i + 3 <= M; i += 3)
    multiply_in_registers<3, N>(K, a + i * row_step, row_step, k_step, b, alpha, c + i * ldc, ldc, last, add);
  for (; i < M; ++i) multiply_in_registers<1, N>(K, a + i * row_step, row_step, k_step, b, alpha, c + i * ldc, ldc, last, add);
}

/// Computes n columns of C; n is at most the width of a panel.
ARGAND_BF16 void multiply_panel(std::int64_t M, std::int64_t n, std::int64_t K, const std::uint32_t* a, std::int64_t row_step,
                                std::int64_t k_step, const std::uint32_t* b, float alpha, float* c, std::int64_t ldc, bool add) {
  const std::int64_t packs = (n + 15) / 16;
  const std::uint16_t last = first_lanes(n - 16 * (packs - 1));
  switch (packs) {
    case 1: return multiply_rows<1>(M, K, a, row_step, k_step, b, alpha, c, ldc, last, add);
    case 2: return multiply_rows<2>(M, K, a, row_step, k_step, b, alpha, c, ldc, last, add);
    case 3: return multiply_rows<3>(M, K, a, row_step, k_step, b, alpha, c, ldc, last, add);
    default: return multiply_rows<4>(M, K, a, row_step, k_step, b, alpha, c, ldc, last, add);
  }
}

#undef ARGAND_BF16

#else

// Never called: has_bf16_products() is false on other architectures.
void pair_rows(std::int64_t, std::int64_t, const float*, std::int64_t, std::uint32_t*, std::int64_t, std::int64_t) {}
void pair_columns(std::int64_t, const float*, std::uint32_t*, std::int64_t) {}
void multiply_panel(std::int64_t, std::int64_t, std::int64_t, const std::uint32_t*, std::int64_t, std::int64_t,
                    const std::uint32_t*, float, float*, std::int64_t, bool) {}

#endif

/// to [⌈K/2⌉, 64] <- n columns of op(B), starting at B, zero-padded.
void pair_panel(bool transposed, std::int64_t K, std::int64_t n, const float* B, std::int64_t ldb, std::uint32_t* to) {
  if (!transposed) return pair_rows(K, n, B, ldb, to, panel_columns, panel_columns);
  for (std::int64_t j = 0; j < n; ++j) pair_columns(K, B + j * ldb, to + j, panel_columns);
  for (std::int64_t k = 0; n < panel_columns && k < pairs_of(K); ++k)
    std::fill(to + k * panel_columns + n, to + (k + 1) * panel_columns, 0U);
}

}  // namespace

bool has_bf16_products() { return cpu_features().bf16; }

Bf16Products::Bf16Products(bool on) : on_(on) {
  require(!on || has_bf16_products(), "bf16", "this processor lacks AVX512-BF16");
  scopes += on ? 1 : 0;
}

Bf16Products::~Bf16Products() { scopes -= on_ ? 1 : 0; }

bool bf16_products_enabled() { return scopes.load(std::memory_order_relaxed) > 0; }

void bf16_gemm(const Product<float>& p) {
  const bool a_transposed = transposes(p.a_is), b_transposed = transposes(p.b_is);
  Scratch<std::uint32_t> rows(static_cast<std::size_t>(p.M * std::min(pairs_at_a_time, pairs_of(p.K))));
  Scratch<std::uint32_t> panel(static_cast<std::size_t>(std::min(pairs_at_a_time, pairs_of(p.K)) * panel_columns));
  for (std::int64_t k = 0; k < std::max<std::int64_t>(1, p.K); k += 2 * pairs_at_a_time) {
    const std::int64_t K = std::min(2 * pairs_at_a_time, p.K - k), pairs = pairs_of(K);
    // The rows of A in their stored order: [M, pairs], or [pairs, M] if A is transposed.
    if (a_transposed)
      pair_rows(K, p.M, p.A + k * p.lda, p.lda, rows.data(), p.M, p.M);
    else
      for (std::int64_t i = 0; i < p.M; ++i) pair_columns(K, p.A + i * p.lda + k, rows.data() + i * pairs, 1);
    for (std::int64_t j = 0; j < p.N; j += panel_columns) {
      const std::int64_t n = std::min(panel_columns, p.N - j);
      pair_panel(b_transposed, K, n, b_transposed ? p.B + j * p.ldb + k : p.B + k * p.ldb + j, p.ldb, panel.data());
      multiply_panel(p.M, n, pairs, rows.data(), a_transposed ? 1 : pairs, a_transposed ? p.M : 1, panel.data(), p.alpha, p.C + j,
                     p.ldc, k > 0 || p.beta != 0);
    }
  }
}

}  // namespace argand
