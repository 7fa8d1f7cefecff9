#pragma once
/// Pack<R>: as many reals as fit into one register of the target level (SSE2 and NEON 16, AVX2 32, AVX-512 64 bytes).
///
/// Compilers can get the vectorisation of plain loops wrong (tests/core/compiler_canary_test.cpp has loops that GCC 12
/// miscompiles). So hot kernels use vectors explicitly, with the vector types of GCC and Clang:
///
///     for_packs<R>(0, n, [&](auto at) {             // at: the next `width` elements, or the last few
///       const auto x = at.load(in);
///       at.store(out, math::select(x > R(0), x, Pack<R>(0)));
///     });
///
/// The last few elements go through the same code with 0 in the missing lanes, so the bits of an element do not depend on its
/// position.

#include <bit>
#include <cstdint>
#include <cstring>
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

/// The pack type for elements of a Tensor<T>: Pack<R> or ComplexPack<R>.
template <Scalar T>
using PackOf = std::conditional_t<ComplexScalar<T>, ComplexPack<RealOf<T>>, Pack<RealOf<T>>>;

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

namespace detail {

template <RealScalar R, int... I>
ComplexPack<R> split(Pack<R> low, Pack<R> high, std::integer_sequence<int, I...>) {
  return {Pack<R>(__builtin_shufflevector(low.lanes, high.lanes, (2 * I)...)),
          Pack<R>(__builtin_shufflevector(low.lanes, high.lanes, (2 * I + 1)...))};
}
/// Element k of the interleaved pairs, k = 0, 1, ...: re[k / 2] or im[k / 2], indexing both packs as one.
template <RealScalar R, int... I>
std::pair<Pack<R>, Pack<R>> join(ComplexPack<R> z, std::integer_sequence<int, I...>) {
  constexpr int W = Pack<R>::width;
  return {Pack<R>(__builtin_shufflevector(z.re.lanes, z.im.lanes, (I / 2 + I % 2 * W)...)),
          Pack<R>(__builtin_shufflevector(z.re.lanes, z.im.lanes, (W / 2 + I / 2 + I % 2 * W)...))};
}

/// Reads `count` elements, up to the number of lanes; the lanes beyond them are 0.
template <class Lanes, class S>
Lanes read_lanes(const S* from, std::int64_t count) {
  constexpr auto width = static_cast<std::int64_t>(sizeof(Lanes) / sizeof(S));
  Lanes x{};
  if (count >= width)
    std::memcpy(&x, from, sizeof(x));
  else if (count > 0)
    std::memcpy(&x, from, static_cast<std::size_t>(count) * sizeof(S));
  return x;
}
template <class Lanes, class S>
void write_lanes(S* to, const Lanes& x, std::int64_t count) {
  constexpr auto width = static_cast<std::int64_t>(sizeof(Lanes) / sizeof(S));
  if (count >= width)
    std::memcpy(to, &x, sizeof(x));
  else if (count > 0)
    std::memcpy(to, &x, static_cast<std::size_t>(count) * sizeof(S));
}

/// Array types that packs of R are read from: R itself, and for double also float (widened on load, rounded on store).
template <class S, class R>
concept StoredAs = RealScalar<S> &&(std::same_as<S, R> || std::same_as<R, double>);
typedef float HalfLanes __attribute__((vector_size(register_bytes / 2)));

template <RealScalar R, StoredAs<R> S>
Pack<R> read(const S* from, std::int64_t count) {
  using Lanes = typename Pack<R>::Lanes;
  if constexpr (std::same_as<S, R>)
    return Pack<R>(read_lanes<Lanes>(from, count));
  else
    return Pack<R>(__builtin_convertvector(read_lanes<HalfLanes>(from, count), Lanes));
}
template <RealScalar R, StoredAs<R> S>
void write(S* to, Pack<R> x, std::int64_t count) {
  if constexpr (std::same_as<S, R>)
    write_lanes(to, x.lanes, count);
  else
    write_lanes(to, __builtin_convertvector(x.lanes, HalfLanes), count);
}

}  // namespace detail

/// The elements [place, place + count) of arrays, where count is the width of a pack or, if `Whole` is false, less. With R =
/// double, load() also accepts arrays of float, which it widens, and store() rounds to them.
template <RealScalar R, bool Whole>
struct PackAt {
  std::int64_t place;
  std::int64_t count;

  /// The elements at this position; 0 in the lanes beyond them.
  template <detail::StoredAs<R> S>
  Pack<R> load(const S* array) const {
    return detail::read<R>(array + place, lanes());
  }
  template <detail::StoredAs<R> S>
  void store(S* array, Pack<R> x) const {
    detail::write<R>(array + place, x, lanes());
  }
  /// The same for complex numbers stored as interleaved pairs.
  template <detail::StoredAs<R> S>
  ComplexPack<R> load(const std::complex<S>* array) const {
    const S* from = reinterpret_cast<const S*>(array + place);
    constexpr int W = Pack<R>::width;
    const Pack<R> low = detail::read<R>(from, 2 * lanes()), high = detail::read<R>(from + W, 2 * lanes() - W);
    return detail::split<R>(low, high, std::make_integer_sequence<int, W>());
  }
  template <detail::StoredAs<R> S>
  void store(std::complex<S>* array, ComplexPack<R> z) const {
    S* to = reinterpret_cast<S*>(array + place);
    constexpr int W = Pack<R>::width;
    const auto [low, high] = detail::join<R>(z, std::make_integer_sequence<int, W>());
    detail::write<R>(to, low, 2 * lanes());
    detail::write<R>(to + W, high, 2 * lanes() - W);
  }

  /// Truth values stored as bytes, 0 for false.
  typename Pack<R>::Mask load_mask(const std::uint8_t* array) const {
    return {__builtin_convertvector(detail::read_lanes<Bytes>(array + place, lanes()), typename Pack<R>::Bits) != 0};
  }
  void store_mask(std::uint8_t* array, typename Pack<R>::Mask mask) const {
    detail::write_lanes(array + place, __builtin_convertvector(mask.bits & 1, Bytes), lanes());
  }

  /// array[...] += x
  template <class T, class X>
  void add(T* array, const X& x) const {
    store(array, load(array) + x);
  }
  /// array[...] += x if `accumulate`, otherwise array[...] = x: the write that GradientAccumulator::accumulate requires.
  template <class T, class X>
  void put(T* array, const X& x, bool accumulate) const {
    accumulate ? add(array, x) : store(array, x);
  }

  /// x, with `other` in the lanes beyond the last element.
  Pack<R> fill_tail(Pack<R> x, R other = 0) const {
    if constexpr (!Whole)
      for (int l = static_cast<int>(count); l < Pack<R>::width; ++l) x.lanes[l] = other;
    return x;
  }
  ComplexPack<R> fill_tail(ComplexPack<R> z) const { return {fill_tail(z.re), fill_tail(z.im)}; }

 private:
  typedef std::uint8_t Bytes __attribute__((vector_size(Pack<R>::width)));
  std::int64_t lanes() const {
    if constexpr (Whole) return Pack<R>::width;
    return count;
  }
};

/// Calls f(PackAt) for the elements [begin, end), one pack at a time.
template <RealScalar R, class F>
void for_packs(std::int64_t begin, std::int64_t end, const F& f) {
  constexpr int W = Pack<R>::width;
  std::int64_t i = begin;
  for (; i + W <= end; i += W) f(PackAt<R, true>{i, W});
  if (i < end) f(PackAt<R, false>{i, end - i});
}

/// Σ term(at) over [begin, end), where term returns a Pack<R> (a ComplexPack<R> for complex T); lanes beyond the end are ignored.
/// The bits depend only on the level.
template <Scalar T, class F>
T pack_sum(std::int64_t begin, std::int64_t end, const F& term) {
  PackOf<T> total(T(0));
  for_packs<RealOf<T>>(begin, end, [&](auto at) { total += at.fill_tail(term(at)); });
  return sum(total);
}

/// The largest of x[begin], ..., x[end - 1]; -infinity for an empty range. NaNs are skipped.
template <RealScalar R>
R pack_max(std::int64_t begin, std::int64_t end, const R* x) {
  constexpr R least = -std::numeric_limits<R>::infinity();
  Pack<R> best(least);
  for_packs<R>(begin, end, [&](auto at) { best = math::max(at.fill_tail(at.load(x), least), best); });
  return largest(best);
}

}  // namespace argand
