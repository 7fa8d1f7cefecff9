#include "core/kernels/packed_gemm.h"

#include "core/kernels/pack_factors.h"
#include "core/memory.h"
#include "core/parallel.h"

namespace argand {
namespace {

/// Columns of B per block, in reals, and rows of A, which stay in the L2 cache while they are multiplied with one panel after the
/// other.
constexpr std::int64_t most_columns = 4096, most_rows = 264;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// How a real product [M, K] x [K, N] is cut.
struct Blocks {
  std::int64_t rows, columns, terms;
  std::int64_t grain;  ///< units of work (a block of rows times a panel) per task
  bool shared;         ///< all panels of B are packed first; otherwise a thread packs each just before use, for all rows of A

  Blocks(std::int64_t M, std::int64_t N, std::int64_t K, std::int64_t panel, std::int64_t tile) {
    constexpr std::int64_t least_work = 1 << 20;  // multiplications that take about 20 µs: not worth waking another thread for less
    // As many blocks for each thread, which then writes the rows that it reads in element-wise loops: 0.975 of a step of a small
    // model on two cores without a common third-level cache, and no difference on two with one.
    std::int64_t count = ceil_div(M, most_rows);
    if (count >= num_threads()) count = ceil_div(count, num_threads()) * num_threads();
    rows = ceil_div(ceil_div(M, count), tile) * tile;
    const auto units = [&] { return ceil_div(M, rows) * ceil_div(N, panel); };
    while (rows >= 16 * tile && units() < 2 * num_threads()) rows = ceil_div(rows, 2 * tile) * tile;
    shared = M > rows;
    columns = shared ? std::min(N, most_columns) : N;
    terms = terms_per_block(K);
    grain = std::max<std::int64_t>(1, least_work / (std::min(M, rows) * panel * std::min(K, terms)));
  }
};

/// A pack with the lanes of each pair exchanged.
template <RealScalar R, int... I>
Pack<R> swap_pairs(Pack<R> x, std::integer_sequence<int, I...>) {
  return Pack<R>(__builtin_shufflevector(x.lanes, x.lanes, (I ^ 1)...));
}

/// Packs a panel of B' (see the header): K rows of op(B), n complex columns, zero-padded to RegisterTile<R>::columns reals.
template <RealScalar R>
void pack_complex_columns(const Product<std::complex<R>>& p, std::int64_t K, std::int64_t n, const std::complex<R>* B, R* to) {
  constexpr std::int64_t columns = RegisterTile<R>::columns;
  const R a_sign = conjugates(p.a_is) ? R(-1) : R(1), b_sign = conjugates(p.b_is) ? R(-1) : R(1);
  // op(a) op(b) has the real part Re a Re b - a_sign b_sign Im a Im b and the imaginary part Re a b_sign Im b + Im a a_sign Re b.
  // Transposed rows are first copied to the even rows of the panel, as if a complex number were one real of twice its size.
  const R* from = reinterpret_cast<const R*>(B);
  std::int64_t step = 2 * p.ldb;
  if (transposes(p.b_is)) {
    if constexpr (std::same_as<R, float>) {
      detail::transpose(n, K, reinterpret_cast<const double*>(B), p.ldb, reinterpret_cast<double*>(to), columns);
    } else {
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t k = 0; k < K; ++k) std::memcpy(to + 2 * k * columns + 2 * j, B + j * p.ldb + k, sizeof(std::complex<R>));
    }
    from = to, step = 2 * columns;
  }
  Pack<R> even_signs(R(1)), odd_signs(a_sign);
  for (int l = 1; l < Pack<R>::width; l += 2) even_signs.lanes[l] = b_sign;
  for (int l = 0; l < Pack<R>::width; l += 2) odd_signs.lanes[l] = -a_sign * b_sign;
  for (std::int64_t k = 0; k < K; ++k)
    for_packs<R>(0, 2 * n, [&](auto at) {
      const Pack<R> b = at.load(from + k * step);
      at.store(to + 2 * k * columns, b * even_signs);
      at.store(to + (2 * k + 1) * columns, swap_pairs(b, std::make_integer_sequence<int, Pack<R>::width>()) * odd_signs);
    });
  for (std::int64_t k = 0; 2 * n < columns && k < 2 * K; ++k) std::fill(to + k * columns + 2 * n, to + (k + 1) * columns, R(0));
}

/// Packs m rows of A' for a transposed A, stored as [K, M]: to [2 K, rows of a tile] for complex numbers, [K, rows] for reals. What
/// lies beyond m is not written.
template <Scalar T, class R = RealOf<T>>
void pack_rows(std::int64_t m, std::int64_t K, const T* A, std::int64_t lda, R* to) {
  constexpr std::int64_t rows = RegisterTile<R>::rows;
  for (std::int64_t k = 0; k < K; ++k, A += lda)
    if constexpr (ComplexScalar<T>) {
      for (std::int64_t i = 0; i < m; ++i) to[i] = A[i].real(), to[rows + i] = A[i].imag();
      to += 2 * rows;
    } else {
      if (m == rows)
        std::memcpy(to, A, rows * sizeof(R));
      else
        std::copy_n(A, m, to);
      to += rows;
    }
}

}  // namespace

template <Scalar T>
void packed_gemm(const Product<T>& p, const T* bias) {
  using R = RealOf<T>;
  using Tile = RegisterTile<R>;
  constexpr std::int64_t parts = ComplexScalar<T> ? 2 : 1, columns = Tile::columns, rows = Tile::rows;
  const Blocks blocks(p.M, parts * p.N, parts * p.K, columns, rows);
  const R alpha = real_of(p.alpha);
  const bool in_place = !transposes(p.a_is);
  Scratch<R> shared(static_cast<std::size_t>(blocks.shared ? blocks.terms * ceil_div(blocks.columns, columns) * columns : 0));

  for (std::int64_t n = 0; n < parts * p.N; n += blocks.columns)
    for (std::int64_t k = 0; k < parts * p.K; k += blocks.terms) {
      const std::int64_t N = std::min(blocks.columns, parts * p.N - n), K = std::min(blocks.terms, parts * p.K - k);
      const std::int64_t panels = ceil_div(N, columns);
      const auto pack_panel = [&](std::int64_t panel, R* to) {
        const std::int64_t j = n + panel * columns, width = std::min(columns, n + N - j);
        const T* const from = p.B + (transposes(p.b_is) ? j / parts * p.ldb + k / parts : k / parts * p.ldb + j / parts);
        if constexpr (ComplexScalar<T>)
          pack_complex_columns(p, K / 2, width / 2, from, to);
        else
          pack_columns(transposes(p.b_is), K, width, from, p.ldb, to, columns);
      };
      // Few rows of a transposed A are read at a time, so that they stay in the first-level cache for all tiles.
      const auto pack_block = [&](std::int64_t first, std::int64_t last, R* to) {
        constexpr std::int64_t at_a_time = 16 / parts;
        for (std::int64_t done = 0; done < K / parts; done += at_a_time)
          for (std::int64_t i = first; i < last; i += rows)
            pack_rows(std::min(rows, last - i), std::min(at_a_time, K / parts - done), p.A + (k / parts + done) * p.lda + i, p.lda,
                      to + (i - first) * K + done * parts * rows);
      };
      if (blocks.shared)
        parallel_for(panels, 1, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) pack_panel(i, shared.data() + i * K * columns);
        });
      // A thread packs rows when it comes to a new block.
      parallel_for(ceil_div(p.M, blocks.rows) * panels, blocks.grain, [&](std::int64_t begin, std::int64_t end) {
        Scratch<R> tiles(static_cast<std::size_t>(in_place ? 0 : K * blocks.rows));
        Scratch<R> own(static_cast<std::size_t>(blocks.shared ? 0 : K * columns));
        for (std::int64_t unit = begin; unit < end; ++unit) {
          const std::int64_t first = unit / panels * blocks.rows, last = std::min(p.M, first + blocks.rows), panel = unit % panels;
          if (!in_place && (unit == begin || panel == 0)) pack_block(first, last, tiles.data());
          if (!blocks.shared) pack_panel(panel, own.data());
          const R* const B = blocks.shared ? shared.data() + panel * K * columns : own.data();
          const auto multiply = [&](std::int64_t i, std::int64_t m, Strided<R> A) {
            const std::int64_t j = n + panel * columns, ldc = parts * p.ldc;
            R* const C = reinterpret_cast<R*>(p.C + i * p.ldc) + j;
            const Addend<R> addend = k > 0 || p.beta != T(0) ? Addend<R>{C, ldc}
                                     : bias != nullptr       ? Addend<R>{reinterpret_cast<const R*>(bias) + j, 0}
                                                             : Addend<R>{};
            multiply_panel<R>(m, std::min(columns, N - panel * columns), K, A, B, columns, alpha, C, ldc, addend);
          };
          if (in_place)
            multiply(first, last - first, {reinterpret_cast<const R*>(p.A + first * p.lda) + k, parts * p.lda, 1});
          else
            for (std::int64_t i = first; i < last; i += rows)
              multiply(i, std::min(rows, last - i), {tiles.data() + (i - first) * K, 1, rows});
        }
      });
    }
}

/// Times with one thread on Zen 4, relative to OpenBLAS's, under AVX-512 and under AVX2, from 768 x 128 x 128 to 2 048 x 1 536 x
/// 384. float: 0.88 to 0.93 and 0.83 to 0.95, with A transposed 0.90 to 0.99 and 0.88 to 1.04; double: 0.78 to 0.95; complex float:
/// 0.80 to 0.93 and 0.85 to 1.03, with A transposed 0.85 to 0.98 and 0.95 to 1.08. (With SSE2 only, OpenBLAS is the faster one: its
/// kernels use what the processor has.)
template <Scalar T>
bool packed_is_faster(const Product<T>& p) {
  if (p.beta != T(0) && p.beta != T(1)) return false;
  if constexpr (ComplexScalar<T>)
    if (p.alpha.imag() != 0) return false;
  return register_bytes >= 32 && p.M >= (ComplexScalar<T> ? 32 : 8) && p.N >= 8 && p.K >= 8;
}

#define ARGAND_PACKED_GEMM(T)                                \
  template void packed_gemm<T>(const Product<T>&, const T*); \
  template bool packed_is_faster<T>(const Product<T>&);
ARGAND_FOR_SCALAR(ARGAND_PACKED_GEMM)

}  // namespace argand
