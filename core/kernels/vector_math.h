#pragma once
/// Elementary functions of a real and of a pack of them, in namespace math: one formula serves both.
///
/// For packs glibc's libmvec has vector versions (4 ulp at most, special values handled lane by lane). They are called by their
/// names in the x86-64 vector ABI, _ZGV<level>N<lanes>v_<function>, the same for GCC and Clang. Elsewhere a pack goes lane by lane.

#include <cmath>

#include "core/kernels/pack.h"

#if defined(__x86_64__) && defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 35)
#define ARGAND_LIBMVEC 1
#endif
#endif

// NAME of FLOAT lanes of float, DOUBLE lanes of double, at the level whose letter is in PREFIX.
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
#else
#define ARGAND_VECTOR_NAME_F(name) _ZGVbN4v_##name##f
#define ARGAND_VECTOR_NAME_D(name) _ZGVbN2v_##name
#define ARGAND_VECTOR_NAME_F2(name) _ZGVbN4vv_##name##f
#define ARGAND_VECTOR_NAME_D2(name) _ZGVbN2vv_##name
#endif
#define ARGAND_DECLARE_1(name)                                                                           \
  extern "C" argand::Pack<float>::Lanes ARGAND_VECTOR_NAME_F(name)(argand::Pack<float>::Lanes) noexcept; \
  extern "C" argand::Pack<double>::Lanes ARGAND_VECTOR_NAME_D(name)(argand::Pack<double>::Lanes) noexcept;
#define ARGAND_DECLARE_2(name)                                                                            \
  extern "C" argand::Pack<float>::Lanes ARGAND_VECTOR_NAME_F2(name)(argand::Pack<float>::Lanes,           \
                                                                    argand::Pack<float>::Lanes) noexcept; \
  extern "C" argand::Pack<double>::Lanes ARGAND_VECTOR_NAME_D2(name)(argand::Pack<double>::Lanes,         \
                                                                     argand::Pack<double>::Lanes) noexcept;
#define ARGAND_CALL_1(name)                                                          \
  if constexpr (sizeof(R) == 4) return Pack<R>(ARGAND_VECTOR_NAME_F(name)(x.lanes)); \
  if constexpr (sizeof(R) == 8) return Pack<R>(ARGAND_VECTOR_NAME_D(name)(x.lanes));
#define ARGAND_CALL_2(name)                                                                    \
  if constexpr (sizeof(R) == 4) return Pack<R>(ARGAND_VECTOR_NAME_F2(name)(y.lanes, x.lanes)); \
  if constexpr (sizeof(R) == 8) return Pack<R>(ARGAND_VECTOR_NAME_D2(name)(y.lanes, x.lanes));
#else
#define ARGAND_DECLARE_1(name)
#define ARGAND_DECLARE_2(name)
#define ARGAND_CALL_1(name)                                            \
  for (int l = 0; l < Pack<R>::width; ++l) x.lanes[l] = name(R(x[l])); \
  return x;
#define ARGAND_CALL_2(name)                                                     \
  for (int l = 0; l < Pack<R>::width; ++l) x.lanes[l] = name(R(y[l]), R(x[l])); \
  return x;
#endif

// The function for one real, from the C library, and for a pack.
#define ARGAND_FUNCTION_1(name) \
  ARGAND_DECLARE_1(name)        \
  namespace argand::math {      \
  template <RealScalar R>       \
  R name(R x) {                 \
    return std::name(x);        \
  }                             \
  template <RealScalar R>       \
  Pack<R> name(Pack<R> x) {     \
    ARGAND_CALL_1(name)         \
  }                             \
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
ARGAND_FUNCTION_1(expm1)
ARGAND_FUNCTION_1(log)
ARGAND_FUNCTION_1(log1p)
ARGAND_FUNCTION_1(sin)
ARGAND_FUNCTION_1(cos)
ARGAND_FUNCTION_1(tanh)
ARGAND_FUNCTION_1(erf)
ARGAND_FUNCTION_1(erfc)
ARGAND_FUNCTION_2(atan2)  // atan2(y, x)

#undef ARGAND_FUNCTION_1
#undef ARGAND_FUNCTION_2
#undef ARGAND_DECLARE_1
#undef ARGAND_DECLARE_2
#undef ARGAND_CALL_1
#undef ARGAND_CALL_2
#ifdef ARGAND_LIBMVEC
#undef ARGAND_VECTOR_NAME_F
#undef ARGAND_VECTOR_NAME_D
#undef ARGAND_VECTOR_NAME_F2
#undef ARGAND_VECTOR_NAME_D2
#endif
