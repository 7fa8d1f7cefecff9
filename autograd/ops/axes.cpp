#include "autograd/ops/axes.h"

#include "autograd/ops/own_name.h"
#include "autograd/ops/shape.h"

namespace argand {

template <Scalar T>
Var<T> unsqueeze(const Var<T>& x, int axis) {
  std::vector<std::int64_t> sizes(x.shape().begin(), x.shape().end());
  const int rank = x.rank();
  require(-rank - 1 <= axis && axis <= rank, "unsqueeze", "axis {} is out of range for {}", axis, x.shape());
  sizes.insert(sizes.begin() + (axis < 0 ? axis + rank + 1 : axis), 1);
  return reshape(x, Shape(std::span(std::as_const(sizes))));
}

template <Scalar T>
Var<T> squeeze(const Var<T>& x, std::optional<int> axis) {
  if (axis) require_axis("squeeze", x.shape(), *axis);
  std::vector<std::int64_t> sizes;
  for (int k = 0; k < x.rank(); ++k)
    if (x.dim(k) != 1 || (axis && *axis != k && *axis + x.rank() != k)) sizes.push_back(x.dim(k));
  return reshape(x, Shape(std::span(std::as_const(sizes))));
}

template <Scalar T>
Var<T> flatten(const Var<T>& x, int first, int last) {
  if (x.rank() == 0) return reshape(x, Shape{1});
  require_axis("flatten", x.shape(), first), require_axis("flatten", x.shape(), last);
  const int from = first < 0 ? first + x.rank() : first, to = last < 0 ? last + x.rank() : last;
  require(from <= to, "flatten", "the last axis {} comes before the first, {}", last, first);
  std::vector<std::int64_t> sizes;
  for (int k = 0; k < x.rank(); ++k)
    if (k <= from || k > to)
      sizes.push_back(x.dim(k));
    else
      sizes.back() *= x.dim(k);
  return reshape(x, Shape(std::span(std::as_const(sizes))));
}

#define ARGAND_AXES(T)                                        \
  template Var<T> unsqueeze(const Var<T>&, int);              \
  template Var<T> squeeze(const Var<T>&, std::optional<int>); \
  template Var<T> flatten(const Var<T>&, int, int);
ARGAND_FOR_SCALAR(ARGAND_AXES)

}  // namespace argand
