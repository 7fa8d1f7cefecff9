#pragma once
/// The vector registers of the target level: their width, their number, and the compilers' types for them.

#include <cstdint>

#include "core/scalar.h"

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace argand {

#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif
/// The number of registers.
#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr int register_count = 32;
#else
inline constexpr int register_count = 16;
#endif

namespace detail {
/// The compilers' vector types of 16, 32 and 64 bytes. (Spelled out because GCC drops the attribute when it depends on template
/// parameters.)
template <RealScalar R, int W>
struct Vector;
#define ARGAND_VECTOR(R, Integer, bytes)                      \
  template <>                                                 \
  struct Vector<R, bytes / sizeof(R)> {                       \
    typedef R Lanes __attribute__((vector_size(bytes)));      \
    typedef Integer Bits __attribute__((vector_size(bytes))); \
  };
#define ARGAND_VECTORS(bytes)               \
  ARGAND_VECTOR(float, std::int32_t, bytes) \
  ARGAND_VECTOR(double, std::int64_t, bytes)
ARGAND_VECTORS(16)
#if defined(__AVX2__)
ARGAND_VECTORS(32)
#endif
#if defined(__AVX512F__)
ARGAND_VECTORS(64)
#endif
#undef ARGAND_VECTORS
#undef ARGAND_VECTOR
}  // namespace detail

}  // namespace argand
