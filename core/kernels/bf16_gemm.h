#pragma once
/// Products of float32 matrices using the processor's instruction for products of bfloat16 pairs (AVX512-BF16's VDPBF16PS). A
/// bfloat16 is a float32 without its lower 16 bits: the same range, 8 bits of mantissa. Factors are rounded to nearest and sums are
/// float32, so a product of [M, K] and [K, N] has an error of about 2⁻⁹ Σ |a| |b| / √K; in float32 the factor is 2⁻²⁴.
///
/// The gain depends on the processor. On operands in registers, with one thread, AMD Zen 4 reaches 234 GFLOP/s compared with 117 in
/// float32, and Intel Sapphire Rapids 82 compared with 170. So bfloat16 is off by default.

#include <cstdint>

#include "core/machine/blas.h"

namespace argand {

/// Whether this processor has AVX512-BF16.
bool has_bf16_products();

/// While a Bf16Products is alive, large products of float32 and complex float32 use bfloat16: those of gemm() with M, N and K all
/// at least bf16_least, and the output layer's. Applies to the whole program, in every thread; products of double are unaffected.
/// Throws Error if the processor lacks AVX512-BF16.
class Bf16Products {
 public:
  explicit Bf16Products(bool on);
  ~Bf16Products();
  Bf16Products(const Bf16Products&) = delete;
  Bf16Products& operator=(const Bf16Products&) = delete;

 private:
  bool on_;
};
bool bf16_products_enabled();
inline constexpr std::int64_t bf16_least = 32;

/// Computes p in the calling thread; p.beta must be 0 or 1. Each element of C is determined bit for bit by K, alpha, its row of
/// op(A), its column of op(B) and, if beta is 1, its previous value, regardless of M, N and its position.
void bf16_gemm(const Product<float>& p);

}  // namespace argand
