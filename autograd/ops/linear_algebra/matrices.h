#pragma once
/// Shared by the ops in this folder: stacks of matrices [..., m, n], stored one after the other, and their products, on tensors
/// (for gradients) and on variables (for tangents).

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/products/matmul.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/selection/expand.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"
#include "core/kernels/elementwise.h"
#include "core/parallel.h"

namespace argand::matrices {

struct Stack {
  std::int64_t count, m, n;
  /// Throws unless there are at least two axes.
  Stack(std::string_view op, const Shape& shape) {
    require(shape.rank() >= 2, op, "expects matrices, got {}", shape);
    m = shape[-2], n = shape[-1];
    count = shape.size() == 0 ? leading(shape).size() : shape.size() / (m * n);
  }
  static Shape leading(Shape shape) {
    shape.erase(-1);
    shape.erase(-1);
    return shape;
  }
};
/// Throws `op: expects square matrices, got [2, 3]`.
inline Stack square(std::string_view op, const Shape& shape) {
  const Stack stack(op, shape);
  require(stack.m == stack.n, op, "expects square matrices, got {}", shape);
  return stack;
}
/// [leading..., m, n]
inline Shape shape_of(Shape leading, std::int64_t m, std::int64_t n) {
  leading.push_back(m);
  leading.push_back(n);
  return leading;
}
/// "matrix 3 of [5, 2, 2]", or "the matrix" if there is only one.
inline std::string name_of(std::int64_t i, const Stack& stack, const Shape& shape) {
  return stack.count == 1 ? "the matrix" : fmt::format("matrix {} of {}", i, shape);
}

/// The number of matrices in a check case of length n; the largest number keeps five threads busy.
inline std::int64_t batch_of(std::int64_t n) { return std::min<std::int64_t>(n, 2503); }

/// Calls f(i) for every matrix, in parallel.
template <class F>
void each(const Stack& stack, const F& f) {
  const std::int64_t steps = std::max<std::int64_t>(1, stack.m * stack.n * std::min(stack.m, stack.n));
  parallel_for(stack.count, std::max<std::int64_t>(1, elementwise_grain / steps), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) f(i);
  });
}

/// Whether all n elements are finite. If they are not, LAPACK's iterations may never end.
template <Scalar T>
bool all_finite(const T* x, std::int64_t n) {
  const auto* const parts = reinterpret_cast<const RealOf<T>*>(x);
  return std::all_of(parts, parts + n * (ComplexScalar<T> ? 2 : 1), [](RealOf<T> v) { return std::isfinite(v); });
}
/// Whether any of n elements is NaN.
template <Scalar T>
bool holds_nan(const T* x, std::int64_t n) {
  return std::any_of(x, x + n, [](T v) { return v != v; });
}
template <Scalar T>
void fill_with_nan(T* x, std::int64_t n) {
  T nan;
  reinterpret_cast<RealOf<T>*>(&nan)[0] = std::numeric_limits<RealOf<T>>::quiet_NaN();
  if constexpr (ComplexScalar<T>) reinterpret_cast<RealOf<T>*>(&nan)[1] = std::numeric_limits<RealOf<T>>::quiet_NaN();
  std::fill(x, x + n, nan);
}

/// to[j m + i] = from[i n + j]: converts a matrix [m, n] from row to column order, or back with m and n swapped.
template <Scalar T>
void transpose_into(std::int64_t m, std::int64_t n, const T* from, T* to) {
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) to[j * m + i] = from[i * n + j];
}
template <Scalar T>
std::vector<T> by_columns(std::int64_t m, std::int64_t n, const T* A) {
  std::vector<T> columns(static_cast<std::size_t>(m * n));
  transpose_into(m, n, A, columns.data());
  return columns;
}

// ------------------------------------------------------------------------------------------------ on tensors

/// op(A) op(B) of matching matrices: the product that matmul computes, without a tape.
template <Scalar T>
Tensor<T> product(const Tensor<T>& A, const Tensor<T>& B, Transpose a_is = Transpose::No, Transpose b_is = Transpose::No) {
  const NoGrad none;
  const NoForward still;
  return matmul(Var<T>(A), Var<T>(B), a_is, b_is).value();
}

/// Maps every element to f(matrix, row, column, element).
template <Scalar T, class F>
Tensor<T> map_places(const Tensor<T>& A, const F& f) {
  const Stack stack("map", A.shape());
  Tensor<T> B(A.shape());
  T* const out = B.data();
  each(stack, [&](std::int64_t at) {
    for (std::int64_t i = 0, k = at * stack.m * stack.n; i < stack.m; ++i)
      for (std::int64_t j = 0; j < stack.n; ++j, ++k) out[k] = f(at, i, j, A.data()[k]);
  });
  return B;
}

/// (A + Aᴴ) / 2
template <Scalar T>
Tensor<T> hermitian_part(const Tensor<T>& A) {
  const std::int64_t n = A.dim(-1);
  return map_places(A, [&](std::int64_t at, std::int64_t i, std::int64_t j, T a) {
    return i == j ? T(real_of(a)) : RealOf<T>(0.5) * (a + conj_of(A.data()[(at * n + j) * n + i]));
  });
}

/// Aᴴ
template <Scalar T>
Tensor<T> adjoint_of(const Tensor<T>& A) {
  const Stack stack("adjoint", A.shape());
  Tensor<T> B(shape_of(Stack::leading(A.shape()), stack.n, stack.m));
  T* const out = B.data();
  each(stack, [&](std::int64_t at) {
    const std::int64_t size = stack.m * stack.n;
    transpose_into(stack.m, stack.n, A.data() + at * size, out + at * size);
    for (std::int64_t k = at * size; k < (at + 1) * size; ++k) out[k] = conj_of(out[k]);
  });
  return B;
}

/// The next m n elements of the last axis of w, from `begin` on, as [leading..., m, n]; w packs several outputs.
template <Scalar T>
Tensor<T> piece(const Tensor<T>& w, std::int64_t begin, std::int64_t m, std::int64_t n) {
  Shape leading = w.shape();
  leading.erase(-1);
  Tensor<T> A(shape_of(leading, m, n));
  T* const out = A.data();
  for (std::int64_t i = 0; i < leading.size(); ++i) std::copy_n(w.data() + i * w.dim(-1) + begin, m * n, out + i * m * n);
  return A;
}

// ------------------------------------------------------------------------------------------------ on variables

/// A constant [m, n] with elements f(row, column).
template <RealScalar R, class F>
Var<R> constant_matrix(std::int64_t m, std::int64_t n, const F& f) {
  Tensor<R> A({m, n});
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) A(i, j) = static_cast<R>(f(i, j));
  return Var<R>(A);
}
template <RealScalar R>
Var<R> identity(std::int64_t n) {
  return constant_matrix<R>(n, n, [](std::int64_t i, std::int64_t j) { return i == j; });
}
/// Aᴴ
template <Scalar T>
Var<T> adjoint(const Var<T>& A) {
  if constexpr (ComplexScalar<T>)
    return conj(transpose(A));
  else
    return transpose(A);
}
template <Scalar T>
Var<RealOf<T>> real_part(const Var<T>& z) {
  if constexpr (ComplexScalar<T>)
    return real(z);
  else
    return z;
}
/// [..., 1] -> [...]
template <Scalar T>
Var<T> without_last(const Var<T>& x) {
  Shape shape = x.shape();
  shape.erase(-1);
  return reshape(x, shape);
}

/// Matrices [..., m, n] and right-hand sides [..., m, k], broadcast to the same leading axes.
template <Scalar T>
struct System {
  Var<T> A, B;
  bool vectors;  ///< B was [..., m], now with k = 1
};
/// Accepts B [..., m, k] with leading axes that broadcast with A's, or B [m], or B [..., m] with the same leading axes as A (as in
/// torch.linalg, where B [2, 2] with A [2, 2, 2] means two vectors). Throws when they do not match.
template <Scalar T>
System<T> with_right_sides(std::string_view op, const Var<T>& A, const Var<T>& B) {
  const Stack stack(op, A.shape());
  Shape rows = A.shape();
  rows.erase(-1);
  if (B.rank() == 1 || B.shape() == rows) {
    Shape column = B.shape();
    column.push_back(1);
    System<T> system = with_right_sides(op, A, reshape(B, column));
    system.vectors = true;
    return system;
  }
  require(B.rank() >= 2 && B.dim(-2) == stack.m, op,
          "right-hand sides of shape {} do not match matrices {}; expected [..., {}, k] or [..., {}]", B.shape(), A.shape(),
          stack.m, stack.m);
  const Shape leading = broadcast(op, Stack::leading(A.shape()), Stack::leading(B.shape()));
  return {expand(A, shape_of(leading, stack.m, stack.n)), expand(B, shape_of(leading, stack.m, B.dim(-1))), false};
}

/// [..., n, n] -> [...]
template <Scalar T>
Var<T> trace(const Var<T>& A) {
  return sum(sum(A * identity<RealOf<T>>(A.dim(-1)), -1), -1);
}

/// Packs matrices side by side in the last axis of one tensor, each by rows.
template <Scalar T>
Var<T> packed(std::initializer_list<Var<T>> parts) {
  std::vector<Var<T>> rows;
  for (const Var<T>& part : parts) {
    Shape flat = Stack::leading(part.shape());
    flat.push_back(part.dim(-2) * part.dim(-1));
    rows.push_back(reshape(part, flat));
  }
  return concatenate(rows, -1);
}

/// Unpacks the outputs of an op from the last axis of one tensor, because record() takes a single output.
template <Scalar T>
class Pieces {
 public:
  explicit Pieces(const Var<T>& packed) : packed_(packed), leading_(packed.shape()) { leading_.erase(-1); }
  /// The next m n elements, as [leading..., m, n].
  Var<T> matrix(std::int64_t m, std::int64_t n) {
    at_ += m * n;
    return reshape(slice(packed_, -1, at_ - m * n, at_), shape_of(leading_, m, n));
  }
  /// The next n elements, as [leading..., n].
  Var<T> vector(std::int64_t n) {
    at_ += n;
    return slice(packed_, -1, at_ - n, at_);
  }
  /// The next element, as [leading...].
  Var<T> number() {
    ++at_;
    return reshape(slice(packed_, -1, at_ - 1, at_), leading_);
  }

 private:
  Var<T> packed_;
  Shape leading_;
  std::int64_t at_ = 0;
};

}  // namespace argand::matrices
