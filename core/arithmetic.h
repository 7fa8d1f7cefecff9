#pragma once
/// Arithmetic on tensors without recording, as in the descent step `z.value() -= lr * z.grad()`. Elementwise with NumPy's
/// broadcasting; the result is complex if either operand is. (The operators of Var, in autograd/ops.h, are recorded.)

#include "core/error.h"
#include "core/tensor.h"

namespace argand {

/// All throw errors such as `add: shapes cannot be broadcast together: [2, 3] and [4]` (or sub, mul, div).
template <Scalar A, Scalar B>
Tensor<Promote<A, B>> operator+(const Tensor<A>& a, const Tensor<B>& b);
template <Scalar A, Scalar B>
Tensor<Promote<A, B>> operator-(const Tensor<A>& a, const Tensor<B>& b);
template <Scalar A, Scalar B>
Tensor<Promote<A, B>> operator*(const Tensor<A>& a, const Tensor<B>& b);
/// Division by 0 follows IEEE: the result is not finite.
template <Scalar A, Scalar B>
Tensor<Promote<A, B>> operator/(const Tensor<A>& a, const Tensor<B>& b);
template <Scalar T>
Tensor<T> operator-(const Tensor<T>& a);

// A tensor and a real number.
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

// A tensor and a complex number; the result is complex.
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
/// Assigns `result` to a. Throws an error that names the operator unless the shapes are equal.
template <Scalar T>
Tensor<T>& assign_result(const char* op, Tensor<T>& a, Tensor<T> result) {
  require(result.shape() == a.shape(), op, "the result has shape {}, which does not match {}", result.shape(), a.shape());
  return a = std::move(result);
}
}  // namespace detail

/// a += b, etc.: b is a number or a tensor that broadcasts to a's shape. Adding complex to real does not compile.
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
