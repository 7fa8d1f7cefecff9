#include "core/arithmetic.h"

#include "core/kernels/complex_math.h"
#include "core/kernels/elementwise.h"

namespace argand {

template <Scalar A, Scalar B>
Tensor<Promote<A, B>> operator+(const Tensor<A>& a, const Tensor<B>& b) {
  return broadcast_map(
      "add", [](auto x, auto y) { return x + y; }, a, b);
}

template <Scalar A, Scalar B>
Tensor<Promote<A, B>> operator-(const Tensor<A>& a, const Tensor<B>& b) {
  return broadcast_map(
      "sub", [](auto x, auto y) { return x - y; }, a, b);
}

template <Scalar A, Scalar B>
Tensor<Promote<A, B>> operator*(const Tensor<A>& a, const Tensor<B>& b) {
  return broadcast_map(
      "mul", [](auto x, auto y) { return mul(x, y); }, a, b);
}

template <Scalar A, Scalar B>
Tensor<Promote<A, B>> operator/(const Tensor<A>& a, const Tensor<B>& b) {
  return broadcast_map(
      "div", [](auto x, auto y) -> decltype(divide(x, y)) { return divide(x, y); }, a, b);
}

template <Scalar T>
Tensor<T> operator-(const Tensor<T>& a) {
  return map_packs([](auto x) { return -x; }, a);
}

#define ARGAND_BINARY(A, B)                                                     \
  template Tensor<Promote<A, B>> operator+(const Tensor<A>&, const Tensor<B>&); \
  template Tensor<Promote<A, B>> operator-(const Tensor<A>&, const Tensor<B>&); \
  template Tensor<Promote<A, B>> operator*(const Tensor<A>&, const Tensor<B>&); \
  template Tensor<Promote<A, B>> operator/(const Tensor<A>&, const Tensor<B>&);
#define ARGAND_PROMOTIONS(R)        \
  ARGAND_BINARY(R, R)               \
  ARGAND_BINARY(R, std::complex<R>) \
  ARGAND_BINARY(std::complex<R>, R) \
  ARGAND_BINARY(std::complex<R>, std::complex<R>)
ARGAND_FOR_REAL(ARGAND_PROMOTIONS)
#define ARGAND_NEGATIVE(T) template Tensor<T> operator-(const Tensor<T>&);
ARGAND_FOR_SCALAR(ARGAND_NEGATIVE)

}  // namespace argand
