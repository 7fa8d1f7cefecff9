#include "core/kernels/quantized.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/kernels/pack.h"
#include "core/kernels/packed_gemm.h"
#include "core/machine/threads.h"
#include "core/memory.h"
#include "core/parallel.h"

namespace argand {
namespace {

using P = Pack<float>;
typedef std::uint16_t Halves __attribute__((vector_size(register_bytes / 2)));
typedef std::int8_t Bytes __attribute__((vector_size(register_bytes / 4)));

P widened(const std::uint16_t* from) {
  Halves x;
  std::memcpy(&x, from, sizeof(x));
  return P(std::bit_cast<P::Lanes>(__builtin_convertvector(x, P::Bits) << 16));
}
P widened(const std::int8_t* from) {
  Bytes x;
  std::memcpy(&x, from, sizeof(x));
  // By the processor's instruction; GCC 12 makes six of __builtin_convertvector.
#if defined(__AVX512F__)
  const auto wide = (P::Bits)_mm512_maskz_cvtepi8_epi32(0xFFFF, (__m128i)x);
#elif defined(__AVX2__)
  const auto wide = (P::Bits)_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
#else
  const auto wide = __builtin_convertvector(x, P::Bits);
#endif
  return P(__builtin_convertvector(wide, P::Lanes));
}

/// The nearest bfloat16, ties to even; a NaN stays one.
std::uint16_t nearest_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (std::isnan(x)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

/// The products of M rows of x [M, K] with one row of W.
template <int M, class Number>
void dot_products(std::int64_t K, const float* x, const Number* w, float (&products)[M]) {
  P sums[M];
  for (int i = 0; i < M; ++i) sums[i] = P(0.0F);
  for (std::int64_t k = 0; k < K; k += P::width) {
    const P b = widened(w + k);
    for (int i = 0; i < M; ++i) {
      P a;
      std::memcpy(&a.lanes, x + i * K + k, sizeof(a.lanes));
      sums[i] = multiply_add(a, b, sums[i]);
    }
  }
  for (int i = 0; i < M; ++i) products[i] = sum(sums[i]);
}

ARGAND_NEAR_THREAD thread_local constinit QuantizedWeights* innermost = nullptr;

}  // namespace

QuantizedMatrix::QuantizedMatrix(WeightFormat format, const float* W, std::int64_t rows, std::int64_t columns)
    : rows_(rows), columns_(columns), step_((columns + P::width - 1) / P::width * P::width) {
  const auto size = static_cast<std::size_t>(rows_ * step_);
  const bool half = format == WeightFormat::bf16;
  if (half) {
    halves_.resize(size);
  } else {
    bytes_.resize(size);
    scales_.resize(static_cast<std::size_t>(rows_));
  }
  const auto round_row = [&](std::int64_t i) {
    const float *const begin = W + i * columns_, *const end = begin + columns_;
    if (half) {
      std::transform(begin, end, halves_.data() + i * step_, nearest_bf16);
      return;
    }
    require(std::all_of(begin, end, [](float w) { return std::isfinite(w); }), "int8 weights",
            "row {} of a matrix [{}, {}] has a number that is not finite; use bf16 or f32", i, rows_, columns_);
    float largest = 0;
    for (const float* w = begin; w < end; ++w) largest = std::max(largest, std::abs(*w));
    const float scale = largest / 127;
    scales_[static_cast<std::size_t>(i)] = scale;
    for (std::int64_t j = 0; j < columns_ && scale > 0; ++j)
      bytes_[static_cast<std::size_t>(i * step_ + j)] =
          static_cast<std::int8_t>(std::clamp(std::nearbyint(begin[j] / scale), -127.0F, 127.0F));
  };
  parallel_for(rows_, std::max<std::int64_t>(1, (1 << 16) / step_), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) round_row(i);
  });
}

std::vector<float> QuantizedMatrix::row(std::int64_t i) const {
  std::vector<float> numbers(static_cast<std::size_t>(columns_));
  for (std::size_t j = 0; j < numbers.size(); ++j) {
    const std::size_t at = static_cast<std::size_t>(i * step_) + j;
    numbers[j] = bytes_.empty() ? std::bit_cast<float>(std::uint32_t{halves_[at]} << 16)
                                : scales_[static_cast<std::size_t>(i)] * static_cast<float>(bytes_[at]);
  }
  return numbers;
}

template <class Number>
void QuantizedMatrix::multiply_few_rows(const std::vector<Number>& numbers, const Product<float>& p, std::int64_t first) const {
  // Rows of A, padded with zeros as those of W are.
  Scratch<float> x(static_cast<std::size_t>(p.M * step_));
  for (std::int64_t i = 0; i < p.M; ++i) {
    std::copy_n(p.A + i * p.lda, columns_, x.data() + i * step_);
    std::fill(x.data() + i * step_ + columns_, x.data() + (i + 1) * step_, 0.0F);
  }
  // Rows of W one after another, as in few_rows.cpp: memory is read in order, once.
  parallel_for(p.N, std::max<std::int64_t>(1, (1 << 16) / (step_ * p.M)), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) {
      const auto row = static_cast<std::size_t>(first + j);
      const float scale = scales_.empty() ? p.alpha : p.alpha * scales_[row];
      const auto rows = [&]<int M>(std::int64_t i) {
        float products[M];
        dot_products<M>(step_, x.data() + i * step_, numbers.data() + static_cast<std::int64_t>(row) * step_, products);
        for (int r = 0; r < M; ++r) {
          float& to = p.C[(i + r) * p.ldc + j];
          to = p.beta == 0 ? scale * products[r] : p.beta * to + scale * products[r];
        }
      };
      std::int64_t i = 0;
      for (; i + 4 <= p.M; i += 4) rows.template operator()<4>(i);
      for (; i < p.M; ++i) rows.template operator()<1>(i);
    }
  });
}

/// Rows of W become float32 in the cache, a panel at a time.
template <class Number>
void QuantizedMatrix::multiply_many_rows(const std::vector<Number>& numbers, const Product<float>& p, std::int64_t first) const {
  constexpr std::int64_t panel = 128;
  parallel_for((p.N + panel - 1) / panel, 1, [&](std::int64_t begin, std::int64_t end) {
    Scratch<float> W(static_cast<std::size_t>(panel * step_));
    for (std::int64_t j = begin * panel; j < std::min(p.N, end * panel); j += panel) {
      const std::int64_t rows = std::min(panel, p.N - j);
      for (std::int64_t i = 0; i < rows; ++i) {
        const std::int64_t row = first + j + i;
        const P scale(scales_.empty() ? 1.0F : scales_[static_cast<std::size_t>(row)]);
        for (std::int64_t k = 0; k < step_; k += P::width) {
          const P w = widened(numbers.data() + row * step_ + k) * scale;
          std::memcpy(W.data() + i * step_ + k, &w.lanes, sizeof(w.lanes));
        }
      }
      own_gemm<float>({p.a_is, p.b_is, p.M, rows, p.K, p.alpha, p.A, p.lda, W.data(), step_, p.beta, p.C + j, p.ldc});
    }
  });
}

void QuantizedMatrix::multiply(const Product<float>& p, std::int64_t first) const {
  const auto with = [&](const auto& numbers) {
    p.M >= 16 && (p.beta == 0 || p.beta == 1) ? multiply_many_rows(numbers, p, first) : multiply_few_rows(numbers, p, first);
  };
  bytes_.empty() ? with(halves_) : with(bytes_);
}

WeightFormat weight_format(std::string_view name) {
  if (name == "f32") return WeightFormat::f32;
  if (name == "bf16") return WeightFormat::bf16;
  if (name == "int8") return WeightFormat::int8;
  fail("weights", "\"{}\" is not a format of weights; use f32, bf16 or int8", name);
}

QuantizedWeights::QuantizedWeights(WeightFormat format) : format_(format), outer_(std::exchange(innermost, this)) {}
QuantizedWeights::~QuantizedWeights() { innermost = outer_; }

void QuantizedWeights::add(const float* W, std::int64_t rows, std::int64_t columns) {
  if (format_ != WeightFormat::f32 && rows * columns > 0) entries_.push_back({W, rows, columns, std::nullopt});
}

std::int64_t QuantizedWeights::numbers() const {
  std::int64_t sum = 0;
  for (const Entry& entry : entries_) sum += entry.copy ? entry.rows * entry.columns : 0;
  return sum;
}

std::int64_t QuantizedWeights::bytes_saved() const {
  std::int64_t saved = (format_ == WeightFormat::bf16 ? 2 : 3) * numbers();
  for (const Entry& entry : entries_) saved -= entry.copy && format_ == WeightFormat::int8 ? 4 * entry.rows : 0;  // the scales
  return saved;
}

QuantizedRows::QuantizedRows(const Product<float>& p) {
  if (innermost == nullptr || transposes(p.a_is) || !transposes(p.b_is)) return;
  for (QuantizedWeights* weights = innermost; weights != nullptr; weights = weights->outer_)
    for (QuantizedWeights::Entry& entry : weights->entries_) {
      const std::less<> before;  // a total order of pointers into different arrays
      if (p.ldb != entry.columns || p.K != entry.columns || before(p.B, entry.W) || !before(p.B, entry.W + entry.rows * p.K))
        continue;
      const std::int64_t at = p.B - entry.W;
      if (at % p.K != 0 || at / p.K + p.N > entry.rows) continue;
      if (!entry.copy) entry.copy.emplace(weights->format_, entry.W, entry.rows, entry.columns);
      matrix = &*entry.copy;
      first = at / p.K;
      return;
    }
}

}  // namespace argand
