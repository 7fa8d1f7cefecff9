#include "autograd/ops/selection/arrange.h"

#include <numeric>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/own_name.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/selection/expand.h"
#include "autograd/ops/shape.h"

namespace argand {

template <Scalar T>
Var<T> stack(const std::vector<Var<T>>& parts, int axis) {
  require(!parts.empty(), "stack", "no tensors given");
  const Shape& shape = parts[0].shape();
  const int rank = shape.rank() + 1;
  require(-rank <= axis && axis < rank, "stack", "new axis {} is out of range for a result with {} axes", axis, rank);
  const int at = axis < 0 ? axis + rank : axis;
  Shape taller;
  for (int k = 0; k < rank; ++k) taller.push_back(k == at ? 1 : shape[k < at ? k : k - 1]);
  std::vector<Var<T>> rows;
  for (const Var<T>& x : parts) {
    require(x.shape() == shape, "stack", "shapes do not match: {} and {}", shape, x.shape());
    rows.push_back(reshape(x, taller));
  }
  return concatenate(rows, at);
}

template <Scalar T>
std::vector<Var<T>> split(const Var<T>& x, const std::vector<std::int64_t>& sizes, int axis) {
  require_axis("split", x.shape(), axis);
  const std::int64_t whole = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  require(whole == x.dim(axis), "split", "sizes add up to {}, which does not match axis {} of {}", whole, axis, x.shape());
  std::vector<Var<T>> parts;
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    parts.push_back(slice(x, axis, begin, begin + size));
    begin += size;
  }
  return parts;
}
template <Scalar T>
std::vector<Var<T>> split(const Var<T>& x, std::int64_t size, int axis) {
  require_axis("split", x.shape(), axis);
  require(size > 0, "split", "parts must have a size of at least 1, got {}", size);
  std::vector<std::int64_t> sizes;
  for (std::int64_t left = x.dim(axis); left > 0; left -= size) sizes.push_back(std::min(size, left));
  return split(x, sizes, axis);
}

template <Scalar T>
Var<T> diagonal(const Var<T>& x, std::int64_t offset, int axis1, int axis2) {
  require_axis("diagonal", x.shape(), axis1), require_axis("diagonal", x.shape(), axis2);
  const int a = x.shape().checked(axis1), b = x.shape().checked(axis2);
  require(a != b, "diagonal", "needs two different axes, got axis {} of {} twice", axis1, x.shape());
  std::vector<int> order;
  Shape shape;
  for (int k = 0; k < x.rank(); ++k)
    if (k != a && k != b) order.push_back(k), shape.push_back(x.dim(k));
  order.push_back(a);
  order.push_back(b);
  shape.push_back(x.dim(a) * x.dim(b));
  std::vector<std::int64_t> places;
  for (std::int64_t i = std::max<std::int64_t>(0, -offset); i < x.dim(a) && i + offset < x.dim(b); ++i)
    places.push_back(i * x.dim(b) + i + offset);
  return index_select(reshape(permute(x, order), shape), -1, places);
}

template <Scalar T>
Var<T> diag_embed(const Var<T>& x, std::int64_t offset) {
  require(x.rank() >= 1, "diag_embed", "expects a vector, got {}", x.shape());
  // Each element of x, followed by m zeros: read in order, without the last zeros, this is the diagonal matrix.
  const std::int64_t n = x.shape().back(), m = n + std::abs(offset), first = offset >= 0 ? offset : -offset * m;
  Shape shape = x.shape();
  shape.push_back(1);
  const Var<T> spaced = pad(reshape(x, shape), {0, m});
  shape[-2] = n * (m + 1);
  shape.erase(-1);
  const Var<T> row = pad(reshape(spaced, shape), {first, m * m - first - n * (m + 1)});
  shape[-1] = m;
  shape.push_back(m);
  return reshape(row, shape);
}

template <Scalar T>
Var<T> trace(const Var<T>& x) {
  require(x.rank() >= 2, "trace", "expects a matrix, got {}", x.shape());
  return sum(diagonal(x, 0, -2, -1), -1);
}

template <Scalar A, Scalar B>
Var<Promote<A, B>> outer(const Var<A>& a, const Var<B>& b) {
  require(a.rank() == 1 && b.rank() == 1, "outer", "expects vectors, got {} and {}", a.shape(), b.shape());
  return mul(reshape(a, Shape{a.size(), 1}), b);
}

template <Scalar A, Scalar B>
Var<Promote<A, B>> kron(const Var<A>& a, const Var<B>& b) {
  require(a.rank() == b.rank() && a.rank() <= Shape::max_rank / 2, "kron",
          "expects tensors of equal rank, at most {}, got {} and {}", Shape::max_rank / 2, a.shape(), b.shape());
  Shape spread_a, spread_b, shape;
  for (int k = 0; k < a.rank(); ++k) {
    for (const std::int64_t size : {a.dim(k), std::int64_t{1}}) spread_a.push_back(size);
    for (const std::int64_t size : {std::int64_t{1}, b.dim(k)}) spread_b.push_back(size);
    shape.push_back(a.dim(k) * b.dim(k));
  }
  return reshape(mul(reshape(a, spread_a), reshape(b, spread_b)), shape);
}

#define ARGAND_ARRANGE(T)                                                                   \
  template Var<T> stack(const std::vector<Var<T>>&, int);                                   \
  template std::vector<Var<T>> split(const Var<T>&, std::int64_t, int);                     \
  template std::vector<Var<T>> split(const Var<T>&, const std::vector<std::int64_t>&, int); \
  template Var<T> diagonal(const Var<T>&, std::int64_t, int, int);                          \
  template Var<T> diag_embed(const Var<T>&, std::int64_t);                                  \
  template Var<T> trace(const Var<T>&);                                                     \
  template Var<T> outer(const Var<T>&, const Var<T>&);                                      \
  template Var<T> kron(const Var<T>&, const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_ARRANGE)
#define ARGAND_MIXED_PRODUCT(R)                                                    \
  template Var<std::complex<R>> outer(const Var<R>&, const Var<std::complex<R>>&); \
  template Var<std::complex<R>> outer(const Var<std::complex<R>>&, const Var<R>&); \
  template Var<std::complex<R>> kron(const Var<R>&, const Var<std::complex<R>>&);  \
  template Var<std::complex<R>> kron(const Var<std::complex<R>>&, const Var<R>&);
ARGAND_FOR_REAL(ARGAND_MIXED_PRODUCT)

}  // namespace argand
