#pragma once
/// Elementary functions of a real and of a pack of reals, in namespace math: one formula works for both.
///
/// For packs, glibc's libmvec has vector versions (errors of at most 4 ulp, special values handled lane by lane). They are called
/// by their vector ABI names, _ZGV<level>N<lanes>v_<function>, the same for GCC and Clang: b, d and e are levels of x86-64; n is
/// NEON, whose functions <math.h> declares (all those used here since glibc 2.40). Elsewhere a pack is computed lane by lane.
/// Exponentials of floats are computed here, because libmvec computes a pack lane by lane as soon as one lane is below -87, as
/// masked scores are: 119 ns instead of 6 under AVX-512. They are also more accurate (1.0 instead of 2.9 ulp).

#include <cmath>

#include "core/kernels/pack.h"

#if defined(__x86_64__) && defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 35)
#define ARGAND_LIBMVEC 1
#endif
#elif defined(__aarch64__) && defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 40)
#define ARGAND_LIBMVEC 1
#endif
#endif

// The vector ABI names of a function of one (F, D) or two (F2, D2) arguments, for packs of float and double of the target level.
#ifdef ARGAND_LIBMVEC
#if defined(__AVX512F__)
#define ARGAND_VECTOR_NAME_F(name) _ZGVeN16v_##name##f
#define ARGAND_VECTOR_NAME_D(name) _ZGVeN8v_##name
#define ARGAND_VECTOR_NAME_F2(name) _ZGVeN16vv_##name##f
#define ARGAND_VECTOR_NAME_D2(name) _ZGVeN8vv_##name
#elif defined(__AVX2__)
#define ARGAND_VECTOR_NAME_F(name) _ZGVdN8v_##name##f
#define ARGAND_VECTOR_NAME_D(name) _ZGVdN4v_##name
#define ARGAND_VECTOR_NAME_F2(name) _ZGVdN8vv_##name##f
#define ARGAND_VECTOR_NAME_D2(name) _ZGVdN4vv_##name
#elif defined(__aarch64__)
#define ARGAND_VECTOR_NAME_F(name) _ZGVnN4v_##name##f
#define ARGAND_VECTOR_NAME_D(name) _ZGVnN2v_##name
#define ARGAND_VECTOR_NAME_F2(name) _ZGVnN4vv_##name##f
#define ARGAND_VECTOR_NAME_D2(name) _ZGVnN2vv_##name
#else
#define ARGAND_VECTOR_NAME_F(name) _ZGVbN4v_##name##f
#define ARGAND_VECTOR_NAME_D(name) _ZGVbN2v_##name
#define ARGAND_VECTOR_NAME_F2(name) _ZGVbN4vv_##name##f
#define ARGAND_VECTOR_NAME_D2(name) _ZGVbN2vv_##name
#endif
#if defined(__aarch64__)
#define ARGAND_LANES_F float32x4_t
#define ARGAND_LANES_D float64x2_t
#define ARGAND_DECLARE_1(name)
#define ARGAND_DECLARE_2(name)
#else
#define ARGAND_LANES_F argand::Pack<float>::Lanes
#define ARGAND_LANES_D argand::Pack<double>::Lanes
#define ARGAND_DECLARE_1(name)                                                                           \
  extern "C" argand::Pack<float>::Lanes ARGAND_VECTOR_NAME_F(name)(argand::Pack<float>::Lanes) noexcept; \
  extern "C" argand::Pack<double>::Lanes ARGAND_VECTOR_NAME_D(name)(argand::Pack<double>::Lanes) noexcept;
#define ARGAND_DECLARE_2(name)                                                                            \
  extern "C" argand::Pack<float>::Lanes ARGAND_VECTOR_NAME_F2(name)(argand::Pack<float>::Lanes,           \
                                                                    argand::Pack<float>::Lanes) noexcept; \
  extern "C" argand::Pack<double>::Lanes ARGAND_VECTOR_NAME_D2(name)(argand::Pack<double>::Lanes,         \
                                                                     argand::Pack<double>::Lanes) noexcept;
#endif
#define ARGAND_CALL_1(name)                                                                                 \
  using Lanes = typename Pack<R>::Lanes;                                                                    \
  if constexpr (sizeof(R) == 4) return Pack<R>((Lanes)ARGAND_VECTOR_NAME_F(name)((ARGAND_LANES_F)x.lanes)); \
  if constexpr (sizeof(R) == 8) return Pack<R>((Lanes)ARGAND_VECTOR_NAME_D(name)((ARGAND_LANES_D)x.lanes));
#define ARGAND_CALL_2(name)                                                                               \
  using Lanes = typename Pack<R>::Lanes;                                                                  \
  if constexpr (sizeof(R) == 4)                                                                           \
    return Pack<R>((Lanes)ARGAND_VECTOR_NAME_F2(name)((ARGAND_LANES_F)y.lanes, (ARGAND_LANES_F)x.lanes)); \
  if constexpr (sizeof(R) == 8)                                                                           \
    return Pack<R>((Lanes)ARGAND_VECTOR_NAME_D2(name)((ARGAND_LANES_D)y.lanes, (ARGAND_LANES_D)x.lanes));
#else
#define ARGAND_DECLARE_1(name)
#define ARGAND_DECLARE_2(name)
#define ARGAND_CALL_1(name)                                                  \
  for (int l = 0; l < Pack<R>::width; ++l) x.lanes[l] = math::name(R(x[l])); \
  return x;
#define ARGAND_CALL_2(name)                                                           \
  for (int l = 0; l < Pack<R>::width; ++l) x.lanes[l] = math::name(R(y[l]), R(x[l])); \
  return x;
#endif

// NEON's sin, tanh, expm1 and log1p of -0 are +0 (glibc 2.41); the others with f(-0) = -0 may be.
#if defined(ARGAND_LIBMVEC) && defined(__aarch64__)
#define ARGAND_KEEP_ZERO(x, value) select(x == Pack<R>(0), x, value)
#else
#define ARGAND_KEEP_ZERO(x, value) value
#endif

// A function of one argument: for a real from the C library, and for a pack.
#define ARGAND_FUNCTION_1_OF_REAL(name) \
  ARGAND_DECLARE_1(name)                \
  namespace argand::math {              \
  template <RealScalar R>               \
  R name(R x) {                         \
    return std::name(x);                \
  }                                     \
  }
#define ARGAND_FUNCTION_1(name)   \
  ARGAND_FUNCTION_1_OF_REAL(name) \
  namespace argand::math {        \
  template <RealScalar R>         \
  Pack<R> name(Pack<R> x) {       \
    ARGAND_CALL_1(name)           \
  }                               \
  }
// The same for a function with f(0) = 0 and f(-0) = -0.
#define ARGAND_FUNCTION_1_OF_ZERO(name)              \
  ARGAND_FUNCTION_1_OF_REAL(name)                    \
  namespace argand::math {                           \
  namespace of_nonzero {                             \
  template <RealScalar R>                            \
  Pack<R> name(Pack<R> x) {                          \
    ARGAND_CALL_1(name)                              \
  }                                                  \
  }                                                  \
  template <RealScalar R>                            \
  Pack<R> name(Pack<R> x) {                          \
    return ARGAND_KEEP_ZERO(x, of_nonzero::name(x)); \
  }                                                  \
  }
#define ARGAND_FUNCTION_2(name)        \
  ARGAND_DECLARE_2(name)               \
  namespace argand::math {             \
  template <RealScalar R>              \
  R name(R y, R x) {                   \
    return std::name(y, x);            \
  }                                    \
  template <RealScalar R>              \
  Pack<R> name(Pack<R> y, Pack<R> x) { \
    ARGAND_CALL_2(name)                \
  }                                    \
  }

ARGAND_FUNCTION_1(exp)
ARGAND_FUNCTION_1_OF_ZERO(expm1)
ARGAND_FUNCTION_1(log)
ARGAND_FUNCTION_1_OF_ZERO(log1p)
ARGAND_FUNCTION_1_OF_ZERO(sin)
ARGAND_FUNCTION_1(cos)
ARGAND_FUNCTION_1_OF_ZERO(tan)
ARGAND_FUNCTION_1_OF_ZERO(asin)
ARGAND_FUNCTION_1(acos)
ARGAND_FUNCTION_1_OF_ZERO(atan)
ARGAND_FUNCTION_1_OF_ZERO(sinh)
ARGAND_FUNCTION_1(cosh)
ARGAND_FUNCTION_1_OF_ZERO(tanh)
ARGAND_FUNCTION_1_OF_ZERO(erf)
ARGAND_FUNCTION_1(erfc)
ARGAND_FUNCTION_2(atan2)  // atan2(y, x)

namespace argand::math {

/// x 2^n for whole n from -150 to 128, rounded once even if the result is subnormal.
template <int W>
Pack<float, W> times_power_of_two(Pack<float, W> x, Pack<float, W> n) {
#if defined(__AVX512F__)
  return Pack<float, W>(_mm512_maskz_scalef_ps(0xFFFF, x.lanes, n.lanes));
#else
  using P = Pack<float, W>;
  const auto power = [](typename P::Bits m) { return P(std::bit_cast<typename P::Lanes>((m + 127) << 23)); };
  const auto whole = __builtin_convertvector(n.lanes, typename P::Bits), half = whole >> 1;
  return x * power(half) * power(whole - half);
#endif
}

/// e^x = 2^n e^r with n = round(x / ln 2) and a polynomial for e^r, |r| <= ln 2 / 2, with the coefficients of Cephes (Moshier 1989,
/// expf.c).
template <int W>
Pack<float, W> exp(Pack<float, W> x) {
  using P = Pack<float, W>;
  constexpr float to_round = 12582912;  // 1.5 · 2^23: adding it leaves no fraction
  x = max(P(-104), min(P(89), x));      // beyond, the result is 0 or infinity; NaN stays NaN
  const P n = multiply_add(x, P(1.44269504F), P(to_round)) - P(to_round);
  // ln 2 is the sum of two numbers; n times the first is exact.
  const P r = multiply_add(n, P(2.12194440e-4F), multiply_add(n, P(-0.693359375F), x));
  P sum(1.9875691500e-4F);
  for (const float c : {1.3981999507e-3F, 8.3334519073e-3F, 4.1665795894e-2F, 1.6666665459e-1F, 5.0000001201e-1F})
    sum = multiply_add(sum, r, P(c));
  return times_power_of_two(P(1) + multiply_add(sum, r * r, r), n);
}

}  // namespace argand::math

#undef ARGAND_FUNCTION_1
#undef ARGAND_FUNCTION_1_OF_REAL
#undef ARGAND_FUNCTION_1_OF_ZERO
#undef ARGAND_KEEP_ZERO
#undef ARGAND_FUNCTION_2
#undef ARGAND_DECLARE_1
#undef ARGAND_DECLARE_2
#undef ARGAND_CALL_1
#undef ARGAND_CALL_2
#ifdef ARGAND_LIBMVEC
#undef ARGAND_LANES_F
#undef ARGAND_LANES_D
#undef ARGAND_VECTOR_NAME_F
#undef ARGAND_VECTOR_NAME_D
#undef ARGAND_VECTOR_NAME_F2
#undef ARGAND_VECTOR_NAME_D2
#endif
