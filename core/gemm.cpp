#include "core/gemm.h"

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "core/kernels/bf16_gemm.h"
#include "core/kernels/direct_gemm.h"
#include "core/kernels/few_rows.h"
#include "core/kernels/pack_factors.h"
#include "core/kernels/packed_gemm.h"
#include "core/kernels/quantized.h"
#include "core/machine/blas.h"
#include "core/memory.h"
#include "core/parallel.h"

namespace argand {
namespace {

// OpenBLAS splits a product evenly among its threads, and elements at the edge of a piece are computed by different code than those
// inside: fewer at a time, some without fused multiply-add. So the bits depend on the number of threads. Here the shape alone
// determines the tiles, and each tile is computed by a single thread.

/// Whether bfloat16 products were requested and p qualifies.
template <Scalar T>
bool rounds_factors(const Product<T>& p) {
  return std::same_as<RealOf<T>, float> && bf16_products_enabled() && std::min({p.M, p.N, p.K}) >= bf16_least &&
         p.alpha == T(real_of(p.alpha)) && (p.beta == T(0) || p.beta == T(1));
}

/// Computes p in the calling thread: with bfloat16 if requested, otherwise by the fastest of three kernels. `few_rows`: p is part
/// of a product for which few_rows_gemm is the fastest.
template <Scalar T>
void tile_gemm(const Product<T>& p, bool few_rows) {
  if constexpr (std::same_as<T, float>)
    if (rounds_factors(p)) return bf16_gemm(p);
  if constexpr (RealScalar<T>) {
    if (few_rows || few_rows_is_faster(p)) return few_rows_gemm(p);
    if (direct_is_faster(p)) return direct_gemm(p);
  }
  blas_gemm(p);
}

/// The part [m, m + M) x [n, n + N) of a product, summed over [k, k + K) and written to C.
template <Scalar T>
Product<T> tile(const Product<T>& p, std::int64_t m, std::int64_t M, std::int64_t n, std::int64_t N, std::int64_t k, std::int64_t K,
                T beta, T* C, std::int64_t ldc) {
  Product<T> part = p;
  part.M = M, part.N = N, part.K = K;
  part.A += transposes(p.a_is) ? k * p.lda + m : m * p.lda + k;
  part.B += transposes(p.b_is) ? n * p.ldb + k : k * p.ldb + n;
  part.beta = beta, part.C = C, part.ldc = ldc;
  return part;
}

/// Where part i begins when [0, n) is cut into `parts` parts at multiples of 16, the step of every kernel.
std::int64_t part_begin(std::int64_t n, std::int64_t parts, std::int64_t i) {
  constexpr std::int64_t step = 16;
  return std::min(n, (n + step - 1) / step * i / parts * step);
}

/// C [rows, columns] += P; the rows of P are contiguous, those of C are ldc apart.
template <Scalar T>
void add(std::int64_t rows, std::int64_t columns, const T* P, T* C, std::int64_t ldc) {
  parallel_for(rows, std::max<std::int64_t>(1, 32768 / columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      for_packs<RealOf<T>>(0, columns, [=](auto at) { at.add(C + i * ldc, at.load(P + i * columns)); });
  });
}

/// All live logs. There are usually none, which `count` shows without taking the lock.
struct GemmLogs {
  std::atomic<std::int64_t> count = 0;
  std::mutex mutex;
  std::vector<GemmLog*> all;
};
GemmLogs& gemm_logs() {
  static GemmLogs logs;
  return logs;
}

/// One counter for all threads: adding to it takes a hundredth of the time of the smallest product in a training step.
std::atomic<std::int64_t> all_flops = 0;

}  // namespace

GemmLog::GemmLog() {
  GemmLogs& logs = gemm_logs();
  const std::scoped_lock lock(logs.mutex);
  logs.all.push_back(this);
  ++logs.count;
}

GemmLog::~GemmLog() {
  GemmLogs& logs = gemm_logs();
  const std::scoped_lock lock(logs.mutex);
  std::erase(logs.all, this);
  --logs.count;
}

std::map<GemmShape, std::int64_t> GemmLog::counts() const {
  const std::scoped_lock lock(gemm_logs().mutex);
  return counts_;
}

std::int64_t GemmLog::flops() const {
  std::int64_t sum = 0;
  for (const auto& [shape, count] : counts()) sum += count * shape.flops();
  return sum;
}

void GemmLog::clear() {
  const std::scoped_lock lock(gemm_logs().mutex);
  counts_.clear();
}

std::int64_t flops_of_products() { return all_flops.load(std::memory_order_relaxed); }

void note_product(const GemmShape& shape) {
  all_flops.fetch_add(shape.flops(), std::memory_order_relaxed);
  GemmLogs& logs = gemm_logs();
  if (logs.count.load(std::memory_order_relaxed) == 0) return;
  const std::scoped_lock lock(logs.mutex);
  for (GemmLog* log : logs.all) ++log->counts_[shape];
}

/// OpenBLAS copies ("packs") both factors of each call into an order that its kernels like: M K + K N elements, which in one thread
/// takes about 7 (1/M + 1/N) times as long as the product itself, or half as long if it is complex. Cutting M into p parts packs B
/// p times, which adds 7 (p - 1)/M; cutting N, whose packing costs more, was measured at 14 (p - 1)/N, and cutting K, whose p
/// partial products have to be written and added, at 28 (p - 1)/K. So the longest edge is halved, with N counted as a half and K as
/// a quarter, until these costs would exceed 3 % of the product's time (4 % for the first cut, which gains most, 0.7 % once there
/// are eight tiles) or a tile would take less time than waking another thread. Kernels that copy nothing, or only a small B, have
/// little or none of these costs: their products are cut into blocks of rows and columns, never along K, because the order of the
/// sum over K is fixed.
GemmCut gemm_cut(std::int64_t M, std::int64_t N, std::int64_t K, bool complex, bool direct) {
  constexpr std::int64_t most_tiles = 32;
  constexpr double least_work = 1 << 20;  // real multiplications in a tile: about 20 µs
  const auto real = [](std::int64_t i) { return static_cast<double>(i); };
  const double work = real(M) * real(N) * real(K) * (complex ? 4 : 1), packing = complex ? 3.5 : 7;
  const double m = real(M), n = real(N) / 2, k = real(K) / 4;
  GemmCut cut;
  while (2 * cut.tiles() <= most_tiles && work >= least_work * real(2 * cut.tiles())) {
    if (direct) {
      constexpr std::int64_t fewest = 64;  // rows, or columns
      if (M < 2 * fewest * cut.M && N < 2 * fewest * cut.N) break;
      (M >= 2 * fewest * cut.M ? cut.M : cut.N) *= 2;
      continue;
    }
    GemmCut next = cut;
    const double rows = m / real(cut.M), columns = n / real(cut.N), inner = k / real(cut.K);
    std::int64_t& longest = inner > std::max(rows, columns) ? next.K : columns > rows ? next.N : next.M;
    longest *= 2;
    const double repeated = packing * (real(next.M - 1) / m + real(next.N - 1) / n + real(next.K - 1) / k);
    if (repeated > (next.tiles() == 2 ? 0.04 : next.tiles() <= 8 ? 0.03 : 0.007)) break;
    cut = next;
  }
  return cut;
}

namespace {

void multiply_as_real(const Product<std::complex<float>>& p);

/// gemm() and gemm_with_bias(), without taking note of the product. `bias`: null, or [N] with beta = 0.
template <Scalar T>
void multiply(Product<T> product, const T* bias = nullptr) {
  const QuantizedMatrix* quantized = nullptr;
  std::int64_t first_row = 0;
  if constexpr (std::same_as<T, float>) {
    const QuantizedRows rows(product);
    quantized = rows.matrix, first_row = rows.first;
  }
  const bool rounded = rounds_factors(product);
  bool few_rows = false, direct = false;
  if constexpr (RealScalar<T>) {
    few_rows = !rounded && few_rows_is_faster(product);
    direct = few_rows || (!rounded && direct_is_faster(product));
  }
  if (quantized == nullptr && !rounded && !direct && packed_is_faster(product)) return packed_gemm(product, bias);
  if (bias != nullptr) {  // the other kernels add to what is in C
    parallel_for(product.M, std::max<std::int64_t>(1, 32768 / product.N), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) std::copy_n(bias, product.N, product.C + i * product.ldc);
    });
    product.beta = T(1);
  }
  if constexpr (std::same_as<T, float>)
    if (quantized != nullptr) return quantized->multiply(product, first_row);
  if constexpr (std::same_as<T, std::complex<float>>)
    if (rounded) return multiply_as_real(product);

  const std::int64_t M = product.M, N = product.N, K = product.K, ldc = product.ldc;
  T* const C = product.C;
  T beta = product.beta;
  const GemmCut cut = gemm_cut(M, N, K, ComplexScalar<T>, direct);
  if (cut.tiles() == 1) return tile_gemm(product, few_rows);

  // A large dense C is cleared here, in one pass that bypasses the caches; OpenBLAS does so for a whole product but not for tiles.
  if (beta == T(0) && cut.N > 1 && ldc == N && M * N * static_cast<std::int64_t>(sizeof(T)) >= (4 << 20)) {
    parallel_for(M * N, 1 << 19, [&](std::int64_t begin, std::int64_t end) {
      std::memset(static_cast<void*>(C + begin), 0, static_cast<std::size_t>(end - begin) * sizeof(T));
    });
    beta = T(1);
  }
  // The sum over the first part of K goes to C, the sum over each other part to its own matrix.
  const std::shared_ptr<void> partial = cut.K > 1 ? allocate(static_cast<std::size_t>((cut.K - 1) * M * N) * sizeof(T)) : nullptr;
  T* const P = static_cast<T*>(partial.get());
  parallel_for(cut.tiles(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t pk = i / (cut.M * cut.N), pm = i / cut.N % cut.M, pn = i % cut.N;
      const std::int64_t m = part_begin(M, cut.M, pm), n = part_begin(N, cut.N, pn), k = part_begin(K, cut.K, pk);
      const std::int64_t rows = part_begin(M, cut.M, pm + 1) - m, columns = part_begin(N, cut.N, pn + 1) - n;
      const std::int64_t inner = part_begin(K, cut.K, pk + 1) - k;
      if (pk == 0)
        tile_gemm(tile(product, m, rows, n, columns, k, inner, beta, C + m * ldc + n, ldc), few_rows);
      else
        tile_gemm(tile(product, m, rows, n, columns, k, inner, T(0), P + ((pk - 1) * M + m) * N + n, N), few_rows);
    }
  });
  for (std::int64_t i = 0; i + 1 < cut.K; ++i) add(M, N, P + i * M * N, C, ldc);
}

/// A complex product as the real one of core/kernels/packed_gemm.h.
void multiply_as_real(const Product<std::complex<float>>& p) {
  Scratch<float> B(static_cast<std::size_t>(4 * p.K * p.N));
  const float a_sign = conjugates(p.a_is) ? -1 : 1, b_sign = conjugates(p.b_is) ? -1 : 1;
  const std::int64_t k_step = transposes(p.b_is) ? 1 : p.ldb, n_step = transposes(p.b_is) ? p.ldb : 1;
  parallel_for(p.K, std::max<std::int64_t>(1, 16384 / p.N), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      float *const re = B.data() + 4 * k * p.N, *const im = re + 2 * p.N;
      for (std::int64_t n = 0; n < p.N; ++n) {
        const std::complex<float> b = p.B[k * k_step + n * n_step];
        re[2 * n] = b.real(), re[2 * n + 1] = b_sign * b.imag();
        im[2 * n] = -a_sign * b_sign * b.imag(), im[2 * n + 1] = a_sign * b.real();
      }
    }
  });
  const std::complex<float>* A = p.A;
  std::int64_t lda = p.lda;
  Scratch<std::complex<float>> rows(static_cast<std::size_t>(transposes(p.a_is) ? p.M * p.K : 0));
  if (transposes(p.a_is)) {
    parallel_for(p.M, std::max<std::int64_t>(1, 16384 / p.K), [&](std::int64_t begin, std::int64_t end) {
      // A complex number is moved as one real of twice its size.
      detail::transpose(p.K, end - begin, reinterpret_cast<const double*>(p.A + begin), p.lda,
                        reinterpret_cast<double*>(rows.data() + begin * p.K), p.K);
    });
    A = rows.data(), lda = p.K;
  }
  multiply<float>({Transpose::No, Transpose::No, p.M, 2 * p.N, 2 * p.K, p.alpha.real(), reinterpret_cast<const float*>(A), 2 * lda,
                   B.data(), 2 * p.N, p.beta.real(), reinterpret_cast<float*>(p.C), 2 * p.ldc});
}

/// multiply(), taking note of the product, for callers of the library.
template <Scalar T>
void noted_multiply(const Product<T>& p, const T* bias) {
  if (p.M == 0 || p.N == 0) return;
  note_product({p.M, p.N, p.K, ComplexScalar<T>});
  reserve_blas(num_threads());
  multiply(p, bias);
}

}  // namespace

template <Scalar T>
void gemm(Transpose a_is, Transpose b_is, std::int64_t M, std::int64_t N, std::int64_t K, T alpha, const T* A, std::int64_t lda,
          const T* B, std::int64_t ldb, T beta, T* C, std::int64_t ldc) {
  noted_multiply<T>({a_is, b_is, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc}, nullptr);
}

template <Scalar T>
void gemm_with_bias(Transpose a_is, Transpose b_is, std::int64_t M, std::int64_t N, std::int64_t K, const T* A, std::int64_t lda,
                    const T* B, std::int64_t ldb, const T* bias, T* C, std::int64_t ldc) {
  noted_multiply<T>({a_is, b_is, M, N, K, T(1), A, lda, B, ldb, T(0), C, ldc}, bias);
}

#define ARGAND_GEMM(T)                                                                                                       \
  template void gemm<T>(Transpose, Transpose, std::int64_t, std::int64_t, std::int64_t, T, const T*, std::int64_t, const T*, \
                        std::int64_t, T, T*, std::int64_t);                                                                  \
  template void gemm_with_bias<T>(Transpose, Transpose, std::int64_t, std::int64_t, std::int64_t, const T*, std::int64_t,    \
                                  const T*, std::int64_t, const T*, T*, std::int64_t);
ARGAND_FOR_SCALAR(ARGAND_GEMM)

}  // namespace argand
