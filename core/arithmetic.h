#pragma once
/// Arithmetic on tensors, outside of differentiation: a step downhill is `z.value() -= lr * z.grad()`. Element by element with
/// NumPy's broadcasting; complex as soon as one operand is. (Var has operators of the same names, which are recorded:
/// autograd/ops.h.)

#include "core/error.h"
#include "core/tensor.h"

namespace argand {

/// All throw `add: shapes do not broadcast, [2, 3] and [4]` (sub, mul, div).
template <Scalar A, Scalar B>
Tensor<Promote<A, B>> operator+(const Tensor<A>& a, const Tensor<B>& b);
template <Scalar A, Scalar B>
Tensor<Promote<A, B>> operator-(const Tensor<A>& a, const Tensor<B>& b);
template <Scalar A, Scalar B>
Tensor<Promote<A, B>> operator*(const Tensor<A>& a, const Tensor<B>& b);
/// Where b = 0 the result is IEEE's: not finite.
template <Scalar A, Scalar B>
Tensor<Promote<A, B>> operator/(const Tensor<A>& a, const Tensor<B>& b);
template <Scalar T>
Tensor<T> operator-(const Tensor<T>& a);

// With a real number.
template <Scalar T>
Tensor<T> operator+(const Tensor<T>& a, RealOf<T> c) {
  return a + Tensor<RealOf<T>>::scalar(c);
}
template <Scalar T>
Tensor<T> operator+(RealOf<T> c, const Tensor<T>& a) {
  return Tensor<RealOf<T>>::scalar(c) + a;
}
template <Scalar T>
Tensor<T> operator-(const Tensor<T>& a, RealOf<T> c) {
  return a - Tensor<RealOf<T>>::scalar(c);
}
template <Scalar T>
Tensor<T> operator-(RealOf<T> c, const Tensor<T>& a) {
  return Tensor<RealOf<T>>::scalar(c) - a;
}
template <Scalar T>
Tensor<T> operator*(const Tensor<T>& a, RealOf<T> c) {
  return a * Tensor<RealOf<T>>::scalar(c);
}
template <Scalar T>
Tensor<T> operator*(RealOf<T> c, const Tensor<T>& a) {
  return Tensor<RealOf<T>>::scalar(c) * a;
}
template <Scalar T>
Tensor<T> operator/(const Tensor<T>& a, RealOf<T> c) {
  return a / Tensor<RealOf<T>>::scalar(c);
}
template <Scalar T>
Tensor<T> operator/(RealOf<T> c, const Tensor<T>& a) {
  return Tensor<RealOf<T>>::scalar(c) / a;
}

// With a complex number; a real tensor becomes complex.
template <Scalar T>
Tensor<ComplexOf<T>> operator+(const Tensor<T>& a, ComplexOf<T> c) {
  return a + Tensor<ComplexOf<T>>::scalar(c);
}
template <Scalar T>
Tensor<ComplexOf<T>> operator+(ComplexOf<T> c, const Tensor<T>& a) {
  return Tensor<ComplexOf<T>>::scalar(c) + a;
}
template <Scalar T>
Tensor<ComplexOf<T>> operator-(const Tensor<T>& a, ComplexOf<T> c) {
  return a - Tensor<ComplexOf<T>>::scalar(c);
}
template <Scalar T>
Tensor<ComplexOf<T>> operator-(ComplexOf<T> c, const Tensor<T>& a) {
  return Tensor<ComplexOf<T>>::scalar(c) - a;
}
template <Scalar T>
Tensor<ComplexOf<T>> operator*(const Tensor<T>& a, ComplexOf<T> c) {
  return a * Tensor<ComplexOf<T>>::scalar(c);
}
template <Scalar T>
Tensor<ComplexOf<T>> operator*(ComplexOf<T> c, const Tensor<T>& a) {
  return Tensor<ComplexOf<T>>::scalar(c) * a;
}
template <Scalar T>
Tensor<ComplexOf<T>> operator/(const Tensor<T>& a, ComplexOf<T> c) {
  return a / Tensor<ComplexOf<T>>::scalar(c);
}
template <Scalar T>
Tensor<ComplexOf<T>> operator/(ComplexOf<T> c, const Tensor<T>& a) {
  return Tensor<ComplexOf<T>>::scalar(c) / a;
}

namespace detail {
/// a <- result, whose shape must be a's. Throws otherwise, under the name of the operator.
template <Scalar T>
Tensor<T>& assign_result(const char* op, Tensor<T>& a, Tensor<T> result) {
  require(result.shape() == a.shape(), op, "the result has shape {}, which does not fit into {}", result.shape(), a.shape());
  return a = std::move(result);
}
}  // namespace detail

/// a += b and its relatives: b is a tensor that broadcasts to a's shape, or a number. Complex into real does not compile.
template <Scalar T, class B>
Tensor<T>& operator+=(Tensor<T>& a, const B& b) {
  return detail::assign_result<T>("+=", a, a + b);
}
template <Scalar T, class B>
Tensor<T>& operator-=(Tensor<T>& a, const B& b) {
  return detail::assign_result<T>("-=", a, a - b);
}
template <Scalar T, class B>
Tensor<T>& operator*=(Tensor<T>& a, const B& b) {
  return detail::assign_result<T>("*=", a, a * b);
}
template <Scalar T, class B>
Tensor<T>& operator/=(Tensor<T>& a, const B& b) {
  return detail::assign_result<T>("/=", a, a / b);
}

}  // namespace argand
