#pragma once
/// What this processor can do, and what it is called.

#include <iosfwd>
#include <string>

namespace argand {

/// Vector instructions, as far as anything here is decided by them; all false where the processor is not x86-64.
struct CpuFeatures {
  bool intel = false;
  bool avx2 = false;    ///< with FMA
  bool avx512 = false;  ///< F, DQ, BW, VL and CD: what OpenBLAS's SkylakeX kernels use
  bool bf16 = false;    ///< AVX512-BF16, products of bfloat16 pairs, beside all of avx512
};
CpuFeatures cpu_features();

/// What the processor is called, "AMD EPYC 7B13" or "Neoverse-N1", or "" where the system does not say.
std::string processor_name();
/// The same by a text that is Linux's /proc/cpuinfo: x86's "model name"; ARM's numbers of implementer and part, by their name where
/// it is known.
std::string processor_name_in(std::istream& cpuinfo);

}  // namespace argand
