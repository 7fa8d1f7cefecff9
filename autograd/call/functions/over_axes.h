#pragma once
/// Reductions over one axis, several axes, or all of them, as in Python: dim=None, dim=-1, dim=(0, 2).

#include <algorithm>
#include <optional>
#include <vector>

#include "autograd/ops/own_name.h"
#include "autograd/ops/shape.h"

namespace argand {

/// nullopt means all axes, and so does an empty list, as in PyTorch.
using Axes = std::optional<std::vector<int>>;

/// The axes of x to reduce, folded into a single last axis.
struct ReducedAxes {
  std::vector<int> order;  ///< x's axes: those kept, then those reduced
  Shape folded, kept;      ///< x's shape with the reduced axes folded into the last, and with the reduced axes of size 1

  /// Throws `sum: axis 2 is out of range for [2, 3]`, `sum: axis 1 is repeated`.
  ReducedAxes(std::string_view op, const Shape& shape, const std::vector<int>& axes) : kept(shape) {
    std::vector<int> last;
    for (const int axis : axes) {
      require_axis(op, shape, axis);
      const int k = shape.checked(axis);
      require(std::find(last.begin(), last.end(), k) == last.end(), op, "axis {} is repeated", k);
      last.push_back(k);
    }
    std::int64_t together = 1;
    for (int k = 0; k < shape.rank(); ++k) {
      if (std::find(last.begin(), last.end(), k) == last.end()) {
        order.push_back(k);
        folded.push_back(shape[k]);
      } else {
        together *= shape[k];
        kept[k] = 1;
      }
    }
    std::sort(last.begin(), last.end());
    order.insert(order.end(), last.begin(), last.end());
    folded.push_back(together);
  }
};

/// f(x, axis, keepdim) for a single axis and f(x) for none; several axes are folded into one.
template <Scalar T, class F>
auto over_axes(std::string_view op, const Var<T>& x, const Axes& axes, bool keepdim, const F& f) {
  return in_own_name(op, [&] {
    if (!axes || axes->empty()) {
      auto y = f(x);
      if (!keepdim) return y;
      Shape ones = x.shape();
      for (int k = 0; k < ones.rank(); ++k) ones[k] = 1;
      return reshape(y, ones);
    }
    if (axes->size() == 1) return f(x, axes->front(), keepdim);
    const ReducedAxes reduced(op, x.shape(), *axes);
    auto y = f(reshape(permute(x, reduced.order), reduced.folded), -1, false);
    return reshape(y, keepdim ? reduced.kept : y.shape());
  });
}

/// Applies f, which works on the last axis only, along any axis.
template <Scalar T, class F>
auto along(std::string_view op, const Var<T>& x, int axis, const F& f) {
  require_axis(op, x.shape(), axis);
  return x.shape().checked(axis) == x.rank() - 1 ? f(x) : transpose(f(transpose(x, axis, -1)), axis, -1);
}

}  // namespace argand
