#pragma once
/// Pack<R> and ComplexPack<R>: several numbers side by side, with the arithmetic of one. How they are read from arrays and written
/// to them is in core/kernels/pack.h.

#include <bit>
#include <limits>
#include <utility>

#include "core/kernels/registers.h"
#include "core/scalar.h"

namespace argand {

/// W reals side by side. W is part of the type, so code for different levels never shares a symbol.
template <RealScalar R, int W = register_bytes / static_cast<int>(sizeof(R))>
struct Pack {
  static constexpr int width = W;
  using value_type = R;
  using Lanes = typename detail::Vector<R, W>::Lanes;
  using Bits = typename detail::Vector<R, W>::Bits;

  /// One truth value per lane: all bits set or none.
  struct Mask {
    Bits bits;
    friend Mask operator&(Mask a, Mask b) { return {a.bits & b.bits}; }
    friend Mask operator|(Mask a, Mask b) { return {a.bits | b.bits}; }
    friend Mask operator!(Mask a) { return {~a.bits}; }
    friend bool any(Mask a) {
      for (int l = 0; l < W; ++l)
        if (a.bits[l] != 0) return true;
      return false;
    }
  };

  Lanes lanes;

  Pack() = default;
  Pack(R x) : lanes(broadcast(x, std::make_integer_sequence<int, W>())) {}
  explicit Pack(Lanes l) : lanes(l) {}
  R operator[](int lane) const { return lanes[lane]; }

  friend Pack operator+(Pack a, Pack b) { return Pack(a.lanes + b.lanes); }
  friend Pack operator-(Pack a, Pack b) { return Pack(a.lanes - b.lanes); }
  friend Pack operator*(Pack a, Pack b) { return Pack(a.lanes * b.lanes); }
  friend Pack operator/(Pack a, Pack b) { return Pack(a.lanes / b.lanes); }
  friend Pack operator-(Pack a) { return Pack(-a.lanes); }
  Pack& operator+=(Pack b) { return *this = *this + b; }
  Pack& operator-=(Pack b) { return *this = *this - b; }
  Pack& operator*=(Pack b) { return *this = *this * b; }

  friend Mask operator<(Pack a, Pack b) { return {a.lanes < b.lanes}; }
  friend Mask operator<=(Pack a, Pack b) { return {a.lanes <= b.lanes}; }
  friend Mask operator>(Pack a, Pack b) { return {a.lanes > b.lanes}; }
  friend Mask operator>=(Pack a, Pack b) { return {a.lanes >= b.lanes}; }
  friend Mask operator==(Pack a, Pack b) { return {a.lanes == b.lanes}; }
  friend Mask operator!=(Pack a, Pack b) { return {a.lanes != b.lanes}; }

  /// Whether multiply_add rounds once.
#if defined(__AVX512F__)
  static constexpr bool fused = W * sizeof(R) == 64;
#elif defined(__FMA__)
  static constexpr bool fused = W * sizeof(R) == 32;
#elif defined(__aarch64__)
  static constexpr bool fused = W * sizeof(R) == 16;
#else
  static constexpr bool fused = false;
#endif
  /// a b + c, rounded once where the level has an instruction for it (v3, v4 and NEON), twice otherwise.
  friend Pack multiply_add(Pack a, Pack b, Pack c) {
#if defined(__AVX512F__)
    if constexpr (W * sizeof(R) == 64 && sizeof(R) == 4) return Pack(_mm512_fmadd_ps(a.lanes, b.lanes, c.lanes));
    if constexpr (W * sizeof(R) == 64 && sizeof(R) == 8) return Pack(_mm512_fmadd_pd(a.lanes, b.lanes, c.lanes));
#elif defined(__FMA__)
    if constexpr (W * sizeof(R) == 32 && sizeof(R) == 4) return Pack(_mm256_fmadd_ps(a.lanes, b.lanes, c.lanes));
    if constexpr (W * sizeof(R) == 32 && sizeof(R) == 8) return Pack(_mm256_fmadd_pd(a.lanes, b.lanes, c.lanes));
#elif defined(__aarch64__)
    if constexpr (sizeof(R) == 4) return Pack((Lanes)vfmaq_f32((float32x4_t)c.lanes, (float32x4_t)a.lanes, (float32x4_t)b.lanes));
    if constexpr (sizeof(R) == 8) return Pack((Lanes)vfmaq_f64((float64x2_t)c.lanes, (float64x2_t)a.lanes, (float64x2_t)b.lanes));
#endif
    return a * b + c;
  }

  /// Σ of the lanes, folded in halves: ((l0 + l_W/2) + ...) + ...
  friend R sum(Pack a) {
    constexpr std::make_integer_sequence<int, W> lanes;
    if constexpr (W >= 16) a += a.template exchanged<8>(lanes);
    if constexpr (W >= 8) a += a.template exchanged<4>(lanes);
    if constexpr (W >= 4) a += a.template exchanged<2>(lanes);
    return (a + a.template exchanged<1>(lanes))[0];
  }
  /// The largest lane. NaNs are ignored, except in lane 0.
  friend R largest(Pack a) {
    R best = a[0];
    for (int l = 1; l < W; ++l) best = a[l] > best ? a[l] : best;
    return best;
  }

 private:
  template <int n, int... I>
  Pack exchanged(std::integer_sequence<int, I...>) const {
    return Pack(__builtin_shufflevector(lanes, lanes, (I ^ n)...));
  }
  template <int... I>
  static Lanes broadcast(R x, std::integer_sequence<int, I...>) {
    return Lanes{(static_cast<void>(I), x)...};
  }
};

/// W complex numbers, with real and imaginary parts in separate packs.
template <RealScalar R>
struct ComplexPack {
  Pack<R> re, im;

  ComplexPack() = default;
  ComplexPack(Pack<R> x, Pack<R> y) : re(x), im(y) {}
  ComplexPack(std::complex<R> z) : re(z.real()), im(z.imag()) {}

  friend ComplexPack operator+(ComplexPack a, ComplexPack b) { return {a.re + b.re, a.im + b.im}; }
  friend ComplexPack operator-(ComplexPack a, ComplexPack b) { return {a.re - b.re, a.im - b.im}; }
  friend ComplexPack operator-(ComplexPack a) { return {-a.re, -a.im}; }
  friend ComplexPack operator+(ComplexPack a, Pack<R> b) { return {a.re + b, a.im}; }
  friend ComplexPack operator+(Pack<R> a, ComplexPack b) { return {a + b.re, b.im}; }
  friend ComplexPack operator-(ComplexPack a, Pack<R> b) { return {a.re - b, a.im}; }
  friend ComplexPack operator-(Pack<R> a, ComplexPack b) { return {a - b.re, -b.im}; }
  friend ComplexPack operator*(ComplexPack a, Pack<R> b) { return {a.re * b, a.im * b}; }
  ComplexPack& operator+=(ComplexPack b) { return *this = *this + b; }
  friend auto operator==(ComplexPack a, ComplexPack b) { return (a.re == b.re) & (a.im == b.im); }
  friend auto operator!=(ComplexPack a, ComplexPack b) { return (a.re != b.re) | (a.im != b.im); }
  friend std::complex<R> sum(ComplexPack a) { return {sum(a.re), sum(a.im)}; }
};

/// The pack type for elements of a Tensor<T>, in its precision or that of R: Pack<R> or ComplexPack<R>.
template <Scalar T, RealScalar R = RealOf<T>>
using PackOf = std::conditional_t<ComplexScalar<T>, ComplexPack<R>, Pack<R>>;

// The functions of core/scalar.h, for packs, with the same bits.
template <RealScalar R, int W>
Pack<R, W> mul(Pack<R, W> a, Pack<R, W> b) {
  return a * b;
}
template <RealScalar R>
ComplexPack<R> mul(ComplexPack<R> a, ComplexPack<R> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <RealScalar R>
ComplexPack<R> mul(ComplexPack<R> a, Pack<R> b) {
  return {a.re * b, a.im * b};
}
template <RealScalar R>
ComplexPack<R> mul(Pack<R> a, ComplexPack<R> b) {
  return {a * b.re, a * b.im};
}
template <RealScalar R, int W>
Pack<R, W> conj_of(Pack<R, W> a) {
  return a;
}
template <RealScalar R>
ComplexPack<R> conj_of(ComplexPack<R> a) {
  return {a.re, -a.im};
}
template <RealScalar R>
Pack<R> real_of(Pack<R> a) {
  return a;
}
template <RealScalar R>
Pack<R> real_of(ComplexPack<R> a) {
  return a.re;
}
template <RealScalar R>
Pack<R> abs2_of(Pack<R> a) {
  return a * a;
}
template <RealScalar R>
Pack<R> abs2_of(ComplexPack<R> a) {
  return a.re * a.re + a.im * a.im;
}
template <RealScalar R>
ComplexPack<R> conj_mul(ComplexPack<R> a, ComplexPack<R> b) {
  return {a.re * b.re + a.im * b.im, a.re * b.im - a.im * b.re};
}
/// Re(conj(a) b).
template <RealScalar R, int W>
Pack<R, W> real_dot(Pack<R, W> a, Pack<R, W> b) {
  return a * b;
}
template <RealScalar R>
Pack<R> real_dot(ComplexPack<R> a, ComplexPack<R> b) {
  return a.re * b.re + a.im * b.im;
}

/// a b + c of reals, rounded twice; of packs, see Pack.
template <RealScalar R>
R multiply_add(R a, R b, R c) {
  return a * b + c;
}

/// The arithmetic for formulas that work for a real and for a pack of reals: write them as templates over the number type X and
/// call math::select, math::exp, ... The elementary functions are in core/kernels/vector_math.h.
namespace math {

/// a where the condition holds, otherwise b. Both are computed; there is no branch.
template <class X>
X select(bool condition, X a, X b) {
  return condition ? a : b;
}
template <RealScalar R, int W>
Pack<R, W> select(typename Pack<R, W>::Mask condition, Pack<R, W> a, Pack<R, W> b) {
  return Pack<R, W>(condition.bits ? a.lanes : b.lanes);
}
template <RealScalar R>
ComplexPack<R> select(typename Pack<R>::Mask condition, ComplexPack<R> a, ComplexPack<R> b) {
  return {select(condition, a.re, b.re), select(condition, a.im, b.im)};
}

template <RealScalar R>
R abs(R x) {
  return x < 0 ? -x : x == 0 ? R(0) : x;
}
template <RealScalar R, int W>
Pack<R, W> abs(Pack<R, W> x) {
  using P = Pack<R, W>;
  using Bits = typename P::Bits;
  const Bits sign = std::bit_cast<Bits>(P(R(-0.0)).lanes);
  return P(std::bit_cast<typename P::Lanes>(std::bit_cast<Bits>(x.lanes) & ~sign));
}
/// The larger of a and b; b if either is NaN.
template <class X>
X max(X a, X b) {
  return select(a > b, a, b);
}
/// The smaller of a and b; b if either is NaN.
template <class X>
X min(X a, X b) {
  return select(a < b, a, b);
}

template <RealScalar R>
R sqrt(R x) {
  return __builtin_sqrt(x);
}
template <>
inline float sqrt(float x) {
  return __builtin_sqrtf(x);
}
template <RealScalar R, int W>
Pack<R, W> sqrt(Pack<R, W> x) {
  using P = Pack<R, W>;
#if defined(__AVX512F__)
  if constexpr (P::width * sizeof(R) == 64 && sizeof(R) == 4) return P(_mm512_maskz_sqrt_ps(0xFFFF, x.lanes));
  if constexpr (P::width * sizeof(R) == 64 && sizeof(R) == 8) return P(_mm512_maskz_sqrt_pd(0xFF, x.lanes));
#elif defined(__AVX2__)
  if constexpr (P::width * sizeof(R) == 32 && sizeof(R) == 4) return P(_mm256_sqrt_ps(x.lanes));
  if constexpr (P::width * sizeof(R) == 32 && sizeof(R) == 8) return P(_mm256_sqrt_pd(x.lanes));
#elif defined(__SSE2__)
  if constexpr (P::width * sizeof(R) == 16 && sizeof(R) == 4) return P(_mm_sqrt_ps(x.lanes));
  if constexpr (P::width * sizeof(R) == 16 && sizeof(R) == 8) return P(_mm_sqrt_pd(x.lanes));
#elif defined(__aarch64__)
  if constexpr (sizeof(R) == 4) return P((typename P::Lanes)vsqrtq_f32((float32x4_t)x.lanes));
  if constexpr (sizeof(R) == 8) return P((typename P::Lanes)vsqrtq_f64((float64x2_t)x.lanes));
#else
  for (int l = 0; l < W; ++l) x.lanes[l] = sqrt(R(x.lanes[l]));
  return x;
#endif
}

}  // namespace math

}  // namespace argand
