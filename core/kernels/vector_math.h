#pragma once
/// Elementary functions that vectorise in plain loops.
///
/// glibc's libmvec has vector versions of them (4 ulp at most, special values handled lane by lane), but declares them only under
/// -ffast-math, whose other effects break NaN and infinity. Declaring them here, with the attribute glibc itself uses, lets GCC
/// call them from ordinary strict loops: float expf runs 16 lanes at a time. The build passes -fno-math-errno, which this needs. A
/// loop that wants both sin and cos of one number must be two loops, or GCC fuses them into a scalar sincos.

#include <cmath>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#define ARGAND_SIMD __attribute__((simd("notinbranch")))
extern "C" {
ARGAND_SIMD float expf(float) noexcept;
ARGAND_SIMD double exp(double) noexcept;
ARGAND_SIMD float logf(float) noexcept;
ARGAND_SIMD double log(double) noexcept;
ARGAND_SIMD float sinf(float) noexcept;
ARGAND_SIMD double sin(double) noexcept;
ARGAND_SIMD float cosf(float) noexcept;
ARGAND_SIMD double cos(double) noexcept;
ARGAND_SIMD float tanhf(float) noexcept;
ARGAND_SIMD double tanh(double) noexcept;
ARGAND_SIMD float erff(float) noexcept;
ARGAND_SIMD double erf(double) noexcept;
ARGAND_SIMD float atan2f(float, float) noexcept;
ARGAND_SIMD double atan2(double, double) noexcept;
}
#undef ARGAND_SIMD
#endif
