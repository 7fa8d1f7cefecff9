#pragma once
/// a + b, a - b, a · b, a / b with NumPy's broadcasting, -z and c z. Operands may be real, complex or one of each; the result is
/// complex if either operand is. A broadcast operand's gradient is summed over the axes along which it was broadcast.
/// All binary ops throw `op: shapes cannot be broadcast together: [2, 3] and [4]`.

#include "autograd/var.h"

namespace argand {

template <Scalar A, Scalar B>
Var<Promote<A, B>> add(const Var<A>& a, const Var<B>& b);
template <Scalar A, Scalar B>
Var<Promote<A, B>> sub(const Var<A>& a, const Var<B>& b);
template <Scalar A, Scalar B>
Var<Promote<A, B>> mul(const Var<A>& a, const Var<B>& b);
/// Where b = 0 the value is not finite (as in IEEE 754) and both gradients are 0.
template <Scalar A, Scalar B>
Var<Promote<A, B>> div(const Var<A>& a, const Var<B>& b);

/// -z.
template <Scalar T>
Var<T> neg(const Var<T>& z);
/// c z for a constant real c.
template <Scalar T>
Var<T> scale(const Var<T>& z, RealOf<T> c);

template <Scalar A, Scalar B>
Var<Promote<A, B>> operator+(const Var<A>& a, const Var<B>& b) {
  return add(a, b);
}
template <Scalar A, Scalar B>
Var<Promote<A, B>> operator-(const Var<A>& a, const Var<B>& b) {
  return sub(a, b);
}
template <Scalar A, Scalar B>
Var<Promote<A, B>> operator*(const Var<A>& a, const Var<B>& b) {
  return mul(a, b);
}
template <Scalar A, Scalar B>
Var<Promote<A, B>> operator/(const Var<A>& a, const Var<B>& b) {
  return div(a, b);
}
template <Scalar T>
Var<T> operator-(const Var<T>& z) {
  return neg(z);
}

/// A constant as a Var of rank 0.
template <Scalar T>
Var<T> number(T value) {
  return Var<T>(Tensor<T>::scalar(value));
}

// Operators with a real constant as one operand.
template <Scalar T>
Var<T> operator+(const Var<T>& z, RealOf<T> c) {
  return add(z, number<RealOf<T>>(c));
}
template <Scalar T>
Var<T> operator+(RealOf<T> c, const Var<T>& z) {
  return add(z, number<RealOf<T>>(c));
}
template <Scalar T>
Var<T> operator-(const Var<T>& z, RealOf<T> c) {
  return sub(z, number<RealOf<T>>(c));
}
template <Scalar T>
Var<T> operator-(RealOf<T> c, const Var<T>& z) {
  return sub(number<RealOf<T>>(c), z);
}
template <Scalar T>
Var<T> operator*(const Var<T>& z, RealOf<T> c) {
  return scale(z, c);
}
template <Scalar T>
Var<T> operator*(RealOf<T> c, const Var<T>& z) {
  return scale(z, c);
}
template <Scalar T>
Var<T> operator/(const Var<T>& z, RealOf<T> c) {
  return div(z, number<RealOf<T>>(c));
}
template <Scalar T>
Var<T> operator/(RealOf<T> c, const Var<T>& z) {
  return div(number<RealOf<T>>(c), z);
}

// Operators with a complex constant as one operand; a real z becomes complex.
template <Scalar T>
Var<ComplexOf<T>> operator+(const Var<T>& z, ComplexOf<T> c) {
  return add(z, number<ComplexOf<T>>(c));
}
template <Scalar T>
Var<ComplexOf<T>> operator+(ComplexOf<T> c, const Var<T>& z) {
  return add(z, number<ComplexOf<T>>(c));
}
template <Scalar T>
Var<ComplexOf<T>> operator-(const Var<T>& z, ComplexOf<T> c) {
  return sub(z, number<ComplexOf<T>>(c));
}
template <Scalar T>
Var<ComplexOf<T>> operator-(ComplexOf<T> c, const Var<T>& z) {
  return sub(number<ComplexOf<T>>(c), z);
}
template <Scalar T>
Var<ComplexOf<T>> operator*(const Var<T>& z, ComplexOf<T> c) {
  return mul(z, number<ComplexOf<T>>(c));
}
template <Scalar T>
Var<ComplexOf<T>> operator*(ComplexOf<T> c, const Var<T>& z) {
  return mul(z, number<ComplexOf<T>>(c));
}
template <Scalar T>
Var<ComplexOf<T>> operator/(const Var<T>& z, ComplexOf<T> c) {
  return div(z, number<ComplexOf<T>>(c));
}
template <Scalar T>
Var<ComplexOf<T>> operator/(ComplexOf<T> c, const Var<T>& z) {
  return div(number<ComplexOf<T>>(c), z);
}

}  // namespace argand
