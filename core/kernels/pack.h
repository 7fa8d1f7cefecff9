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

#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "core/kernels/lanes.h"

namespace argand {
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

  /// x in every lane.
  template <Scalar T>
  static PackOf<T> same(T x) {
    return PackOf<T>(x);
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

/// One number at `place`, with the functions of PackAt.
struct OneAt {
  std::int64_t place;

  template <Scalar T>
  T load(const T* array) const {
    return array[place];
  }
  template <Scalar T>
  void store(T* array, T x) const {
    array[place] = x;
  }
  void store_mask(std::uint8_t* array, bool yes) const { array[place] = yes; }
  template <Scalar T>
  void add(T* array, T x) const {
    array[place] += x;
  }
  template <Scalar T>
  void put(T* array, T x, bool accumulate) const {
    accumulate ? add(array, x) : store(array, x);
  }
  template <Scalar T>
  static T same(T x) {
    return x;
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

/// The same for many short rows: f takes a PackAt or a OneAt, for the last few elements one by one. Rows of 3 floats took five
/// times as long with part of a pack.
template <RealScalar R, class F>
void for_short_packs(std::int64_t begin, std::int64_t end, const F& f) {
  constexpr int W = Pack<R>::width;
  std::int64_t i = begin;
  for (; i + W <= end; i += W) f(PackAt<R, true>{i, W});
  for (; i < end; ++i) f(OneAt{i});
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
