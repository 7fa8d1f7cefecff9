#pragma once
/// What this processor can do.

namespace argand {

/// Vector instructions, as far as anything here is decided by them; all false where the processor is not x86-64.
struct CpuFeatures {
  bool intel = false;
  bool avx2 = false;    ///< with FMA
  bool avx512 = false;  ///< F, DQ, BW, VL and CD: what OpenBLAS's SkylakeX kernels use
  bool bf16 = false;    ///< AVX512-BF16, products of bfloat16 pairs, beside all of avx512
};
CpuFeatures cpu_features();

}  // namespace argand
