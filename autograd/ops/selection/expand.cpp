#include "autograd/ops/selection/expand.h"

#include <algorithm>
#include <numeric>

#include "autograd/op_check.h"
#include "autograd/ops/own_name.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/reduce.h"

namespace argand {

// ------------------------------------------------------------------------------------------------ expand

static const Op expand_op({.name = "expand",
                           .kind = Kind::Holomorphic,
                           .equation = "y[i, j, ...] = x[i, 0, ...] along every broadcast axis, where x has size 1",
                           .dz = "∂y/∂x = 1 at the positions that x's element is copied to",
                           .dzbar = "0",
                           .vjp = "dx = Σ dy over the broadcast axes",
                           .jvp = "ẏ = ẋ, broadcast",
                           .derivation = "Linear; an element changes all its copies, so their gradients add.",
                           .singular = "none",
                           .source = "definition"},
                          [](OpCheck& check) {
                            const auto in_front = [](auto x) { return expand(x, Shape{2, x.dim(0)}); };
                            const auto last = [](auto x) { return expand(x, Shape{x.dim(0), 3}); };
                            check.function("new leading axis", in_front, check.real({4}));
                            check.function("last axis", last, check.complex({4, 1}));
                            check.function(
                                "two axes",
                                [](auto x) {
                                  return expand(x, Shape{2, 3, 2, 2});
                                },
                                check.complex({3, 1, 2}));
                            check.sizes("", [=](OpCheck& at, std::int64_t n) {
                              at.function("new leading axis, real", in_front, at.real({n}));
                              at.function("new leading axis, complex", in_front, at.complex({n}));
                              at.function("last axis, real", last, at.real({n, 1}));
                              at.function("last axis, complex", last, at.complex({n, 1}));
                              at.function(
                                  "of one", [n](auto x) { return expand(x, Shape{n}); }, at.real({1}));
                            });
                          });

template <Scalar T>
Var<T> expand(const Var<T>& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  require(x.rank() <= shape.rank() && broadcast("expand", x.shape(), shape) == shape, "expand", "{} cannot be expanded to {}",
          x.shape(), shape);
  const Tensor<T> unread(shape);  // only its shape is used
  Tensor<T> y = broadcast_map(
      "expand", [](T v, T) { return v; }, x.value(), unread);
  return record(
      expand_op, std::move(y), [small = x.shape(), dx = accumulator(x)](const Tensor<T>& dy) { dx.add(sum_to(dy, small)); },
      [&](const auto&) { return expand(tangent(x), shape); }, x);
}

// ------------------------------------------------------------------------------------------------ index_select

static const Op index_select_op({.name = "index_select",
                                 .kind = Kind::Holomorphic,
                                 .equation = "y[..., i, ...] = x[..., index[i], ...]",
                                 .dz = "∂y[i]/∂x[k] = 1 if index[i] = k, else 0",
                                 .dzbar = "0",
                                 .vjp = "dx[k] = Σ dy[i] over the i with index[i] = k",
                                 .jvp = "ẏ[..., i, ...] = ẋ[..., index[i], ...]",
                                 .derivation = "Linear: a product with a 0-1 matrix, whose transpose sums. flip, roll, diagonal "
                                               "and pad (Reflect, Replicate, Circular) are index_select with suitable indices.",
                                 .singular = "none",
                                 .source = "definition"},
                                [](OpCheck& check) {
                                  const auto f = [](int axis) {
                                    return [axis](auto x) { return index_select(x, axis, {1, 0, 0, 3, 1, 3}); };
                                  };
                                  check.function("first axis, real", f(0), check.real({4, 3}));
                                  check.function("middle axis, complex", f(1), check.complex({2, 4, 2}));
                                  check.function("last axis, complex", f(-1), check.complex({2, 4}));
                                  check.sizes("", [f](OpCheck& at, std::int64_t n) {
                                    const auto wrapped = [n](auto x) {
                                      std::vector<std::int64_t> index(static_cast<std::size_t>(n + 2));
                                      for (std::int64_t i = 0; i < n + 2; ++i) index[static_cast<std::size_t>(i)] = (i + n - 1) % n;
                                      return index_select(x, 0, index);
                                    };
                                    at.function("rows, real", f(0), at.real({4, n}));
                                    at.function("rows, complex", f(0), at.complex({4, n}));
                                    at.function("last axis, real", f(-1), at.real({n, 4}));
                                    at.function("last axis, complex", f(-1), at.complex({n, 4}));
                                    at.function("a long index", wrapped, at.complex({n, 2}));
                                  });
                                });

namespace {

/// A run of elements that are consecutive in both x and y, copied at once: [from, from + count) of x to [to, to + count) of y.
struct AxisRun {
  std::int64_t to, from, count;
};
std::vector<AxisRun> runs_of(const std::vector<std::int64_t>& index) {
  std::vector<AxisRun> runs;
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (!runs.empty() && index[i] == runs.back().from + runs.back().count)
      ++runs.back().count;
    else
      runs.push_back({static_cast<std::int64_t>(i), index[i], 1});
  }
  return runs;
}

}  // namespace

template <Scalar T>
Var<T> index_select(const Var<T>& x, int axis, const std::vector<std::int64_t>& index) {
  require_axis("index_select", x.shape(), axis);
  const AxisView view(x.shape(), axis);
  for (const std::int64_t i : index)
    require(0 <= i && i < view.n, "index_select", "index {} is out of range for axis {} of {}", i, axis, x.shape());
  const auto m = static_cast<std::int64_t>(index.size());
  Shape shape = x.shape();
  shape[axis] = m;
  Tensor<T> y(shape);
  auto runs = runs_of(index);
  const auto count = static_cast<std::int64_t>(runs.size());
  const T* const in = x.value().data();
  T* const out = y.data();
  // Copies of fewer than four elements are slower than a loop over elements: flip along the last axis took five times as long.
  std::vector<std::int64_t> places;
  if (view.inner == 1 && count * 4 > m) {
    places = index;
    runs.clear();
    parallel_for(view.outer * m, elementwise_grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin, o = begin / m, i = begin % m; k < end; ++k) {
        out[k] = in[o * view.n + index[static_cast<std::size_t>(i)]];
        if (++i == m) i = 0, ++o;
      }
    });
  } else {
    parallel_for(view.outer * count, row_grain(y.size() / std::max<std::int64_t>(1, view.outer * count)),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t k = begin; k < end; ++k) {
                     const std::int64_t o = k / count;
                     const AxisRun& run = runs[static_cast<std::size_t>(k % count)];
                     std::copy_n(in + (o * view.n + run.from) * view.inner, run.count * view.inner,
                                 out + (o * m + run.to) * view.inner);
                   }
                 });
  }
  return record(
      index_select_op, std::move(y),
      [runs = std::move(runs), places = std::move(places), view, m, shape = x.shape(), dx = accumulator(x)](const Tensor<T>& dy) {
        if (!dx) return;
        Tensor<T> sums = Tensor<T>::zeros(shape);
        parallel_for(view.outer, row_grain(m * view.inner), [&, sum = sums.data()](std::int64_t begin, std::int64_t end) {
          for (std::int64_t o = begin; o < end; ++o) {
            T* const row = sum + o * view.n;
            for (std::size_t i = 0; i < places.size(); ++i) row[places[i]] += dy.data()[o * m + static_cast<std::int64_t>(i)];
            if (!places.empty()) continue;
            for (const AxisRun& run : runs) {
              T* const to = sum + (o * view.n + run.from) * view.inner;
              const T* const g = dy.data() + (o * m + run.to) * view.inner;
              for_packs<RealOf<T>>(0, run.count * view.inner, [&](auto at) { at.add(to, at.load(g)); });
            }
          }
        });
        dx.add(std::move(sums));
      },
      [&](const auto&) { return index_select(tangent(x), axis, index); }, x);
}

// ------------------------------------------------------------------------------------------------ composed ops

template <Scalar T>
Var<T> flip(const Var<T>& x, const std::vector<int>& axes) {
  Var<T> y = x;
  for (const int axis : axes) {
    require_axis("flip", x.shape(), axis);
    std::vector<std::int64_t> backwards(static_cast<std::size_t>(x.dim(axis)));
    std::iota(backwards.rbegin(), backwards.rend(), 0);
    y = index_select(y, axis, backwards);
  }
  return y;
}

template <Scalar T>
Var<T> roll(const Var<T>& x, std::int64_t shift, int axis) {
  require_axis("roll", x.shape(), axis);
  const std::int64_t n = x.dim(axis);
  std::vector<std::int64_t> index(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) index[static_cast<std::size_t>(i)] = ((i - shift) % n + n) % n;
  return index_select(x, axis, index);
}

namespace {

template <Scalar T>
Var<T> pad_with_constant(const Var<T>& x, int axis, std::int64_t before, std::int64_t after, T value) {
  const std::int64_t n = x.dim(axis), begin = std::max<std::int64_t>(0, -before), end = n - std::max<std::int64_t>(0, -after);
  require(begin <= end, "pad", "padding {} and {} removes more elements than axis {} of {} has", before, after, axis, x.shape());
  const auto edge = [&](std::int64_t size) {
    Shape shape = x.shape();
    shape[axis] = std::max<std::int64_t>(0, size);
    return Var<T>(Tensor<T>::full(shape, value));
  };
  const Var<T> middle = begin > 0 || end < n ? slice(x, axis, begin, end) : x;
  return before > 0 || after > 0 ? concatenate(std::vector{edge(before), middle, edge(after)}, axis) : middle;
}

/// The index of the element copied to position i of a padded axis of n elements, i from -before to n + after - 1.
std::int64_t padded_from(PadMode mode, std::int64_t i, std::int64_t n) {
  if (mode == PadMode::Replicate) return std::clamp<std::int64_t>(i, 0, n - 1);
  if (mode == PadMode::Circular) return (i + n) % n;
  return i < 0 ? -i : i < n ? i : 2 * (n - 1) - i;
}

}  // namespace

template <Scalar T>
Var<T> pad(const Var<T>& x, const std::vector<std::int64_t>& sizes, PadMode mode, T value) {
  require(sizes.size() % 2 == 0 && static_cast<int>(sizes.size() / 2) <= x.rank(), "pad",
          "got {} sizes for {}; give {{before, after}} pairs, starting from the last axis", sizes.size(), x.shape());
  Var<T> y = x;
  for (std::size_t k = 0; k < sizes.size() / 2; ++k) {
    const int axis = x.rank() - 1 - static_cast<int>(k);
    const std::int64_t n = x.dim(axis), before = sizes[2 * k], after = sizes[2 * k + 1];
    if (mode == PadMode::Constant) {
      y = pad_with_constant(y, axis, before, after, value);
      continue;
    }
    const std::int64_t most = mode == PadMode::Reflect ? n - 1 : mode == PadMode::Circular ? n : n > 0 ? std::int64_t{1} << 48 : 0;
    require(0 <= before && before <= most && 0 <= after && after <= most, "pad",
            "padding {} and {} is out of range for axis {} of {}; this mode allows at most {}", before, after, axis, x.shape(),
            most);
    std::vector<std::int64_t> index;
    for (std::int64_t i = -before; i < n + after; ++i) index.push_back(padded_from(mode, i, n));
    y = index_select(y, axis, index);
  }
  return y;
}

#define ARGAND_EXPAND(T)                                                              \
  template Var<T> expand(const Var<T>&, const Shape&);                                \
  template Var<T> index_select(const Var<T>&, int, const std::vector<std::int64_t>&); \
  template Var<T> flip(const Var<T>&, const std::vector<int>&);                       \
  template Var<T> roll(const Var<T>&, std::int64_t, int);                             \
  template Var<T> pad(const Var<T>&, const std::vector<std::int64_t>&, PadMode, T);
ARGAND_FOR_SCALAR(ARGAND_EXPAND)

}  // namespace argand
