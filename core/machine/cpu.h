#pragma once
/// The features and the name of this processor.

#include <iosfwd>
#include <string>

namespace argand {

/// The vector instructions that decisions in the library depend on; all false if the processor is not x86-64.
struct CpuFeatures {
  bool intel = false;
  bool avx2 = false;    ///< with FMA
  bool avx512 = false;  ///< F, DQ, BW, VL and CD, the extensions that OpenBLAS's SkylakeX kernels use
  bool bf16 = false;    ///< AVX512-BF16, products of bfloat16 pairs, in addition to all of avx512
};
CpuFeatures cpu_features();

/// The name of the processor, "AMD EPYC 7B13" or "Neoverse-N1", or "" if the system does not provide one.
std::string processor_name();
/// The name of the processor described by a text in the format of Linux's /proc/cpuinfo: x86's "model name", or the name for
/// ARM's implementer and part numbers if known.
std::string processor_name_in(std::istream& cpuinfo);

}  // namespace argand
