#include "autograd/ops/shape.h"

#include <algorithm>
#include <numeric>

#include "autograd/op_check.h"
#include "autograd/ops/own_name.h"
#include "autograd/tape.h"
#include "core/kernels/pack_factors.h"
#include "core/kernels/reduce.h"

namespace argand {

// ------------------------------------------------------------------------------------------------ reshape

static const Op reshape_op({.name = "reshape",
                            .kind = Kind::Holomorphic,
                            .equation = "y_i = x_i, i the row-major index",
                            .dz = "∂y_i/∂x_j = δ_ij",
                            .dzbar = "0",
                            .vjp = "dx = dy in x's shape",
                            .jvp = "ẏ = ẋ in y's shape",
                            .derivation = "The identity on the stored elements.",
                            .singular = "none",
                            .source = "definition"},
                           [](OpCheck& check) {
                             check.function(
                                 "real",
                                 [](auto x) {
                                   return reshape(x, Shape{4, 3});
                                 },
                                 check.real({3, 4}));
                             check.function(
                                 "complex",
                                 [](auto x) {
                                   return reshape(x, Shape{2, 6});
                                 },
                                 check.complex({3, 4}));
                             check.sizes("", [](OpCheck& at, std::int64_t n) {
                               const auto f = [](auto x) { return reshape(x, Shape{x.dim(1), 2}); };
                               at.function("real", f, at.real({2, n}));
                               at.function("complex", f, at.complex({2, n}));
                             });
                           });

template <Scalar T>
Var<T> reshape(const Var<T>& x, const Shape& shape) {
  return record(
      reshape_op, x.value().reshape(shape),
      [shape = x.shape(), dx = accumulator(x)](const Tensor<T>& dy) { dx.add(dy.reshape(shape)); },
      [&](const auto&) { return reshape(tangent(x), shape); }, x);
}

template <Scalar T>
Var<T> reshape(const Var<T>& x, std::initializer_list<std::int64_t> sizes) {
  return reshape(x, x.value().reshape(sizes).shape());
}

// ------------------------------------------------------------------------------------------------ permute

static const Op permute_op({.name = "permute",
                            .kind = Kind::Holomorphic,
                            .equation = "y[i_0, i_1, ...] = x[j_0, j_1, ...] with j_{axes[k]} = i_k",
                            .dz = "∂y/∂x: a permutation matrix P",
                            .dzbar = "0",
                            .vjp = "dx = dy permuted by the inverse of axes",
                            .jvp = "ẏ = ẋ permuted by axes",
                            .derivation = "P is real and orthogonal: conj(P)ᵀ = P⁻¹.",
                            .singular = "none",
                            .source = "definition"},
                           [](OpCheck& check) {
                             check.function(
                                 "matrix",
                                 [](auto x) {
                                   return permute(x, {1, 0});
                                 },
                                 check.complex({3, 4}));
                             check.function(
                                 "rotation of three axes",
                                 [](auto x) {
                                   return permute(x, {2, 0, 1});
                                 },
                                 check.real({2, 3, 4}));
                             check.function(
                                 "rows stay",
                                 [](auto x) {
                                   return permute(x, {0, 2, 1, 3});
                                 },
                                 check.complex({2, 3, 2, 2}));
                             check.sizes("", [](OpCheck& at, std::int64_t n) {
                               const auto matrix = [](auto x) { return permute(x, {1, 0}); };
                               const auto rotation = [](auto x) { return permute(x, {2, 0, 1}); };
                               const auto rows_stay = [](auto x) { return permute(x, {0, 2, 1, 3}); };
                               at.function("matrix", matrix, at.complex({3, n}));
                               at.function("rotation", rotation, at.real({2, n, 3}));
                               at.function("rows stay", rows_stay, at.complex({1, 2, 2, n}));
                             });
                           });

namespace {

/// to [n, m] <- the transpose of from [m, n], whose rows are `step` and `to_step` elements apart.
template <Scalar T>
void transpose_tile(std::int64_t m, std::int64_t n, const T* from, std::int64_t step, T* to, std::int64_t to_step) {
  if constexpr (std::same_as<T, std::complex<float>>) {
    detail::transpose(m, n, reinterpret_cast<const double*>(from), step, reinterpret_cast<double*>(to), to_step);
  } else if constexpr (ComplexScalar<T>) {
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) to[j * to_step + i] = from[i * step + j];
  } else {
    detail::transpose(m, n, from, step, to, to_step);
  }
}

/// Axis k of y is axis axes[k] of x.
template <Scalar T>
Tensor<T> permuted(const Tensor<T>& x, const std::vector<int>& axes) {
  const auto strides = strides_of(x.shape());
  Shape shape = x.shape();
  // Axes of y that have more than one element: size, step in x and step in y.
  struct Axis {
    std::int64_t size, in, out;
  };
  std::vector<Axis> kept;
  for (std::size_t k = 0; k < axes.size(); ++k) shape[static_cast<int>(k)] = x.dim(axes[k]);
  Tensor<T> y(shape);
  if (y.size() == 0) return y;
  const auto own = strides_of(shape);
  for (std::size_t k = 0; k < axes.size(); ++k)
    if (const std::int64_t size = shape[static_cast<int>(k)]; size > 1)
      kept.push_back({size, strides[static_cast<std::size_t>(axes[k])], own[k]});
  if (kept.empty()) kept.push_back({1, 1, 1});
  // y consists of planes: its last axis, and the axis along which x is contiguous. If that is the same, rows are copied; otherwise
  // planes are transposed, in tiles that fit into the first-level cache: (2, 0, 1) of a million floats takes 0.33 ms instead of
  // 0.84.
  const Axis last = kept.back();
  kept.pop_back();
  Axis across{1, 1, 1};
  if (last.in != 1) {
    const auto at = std::find_if(kept.begin(), kept.end(), [](const Axis& axis) { return axis.in == 1; });
    across = *at;
    kept.erase(at);
  }
  constexpr std::int64_t most = 4096, square = 64;
  const std::int64_t columns = std::min(across.size, std::max(square, most / last.size)),
                     rows = std::min(last.size, most / columns);
  const std::int64_t over_last = (last.size + rows - 1) / rows, over_across = (across.size + columns - 1) / columns;
  const std::int64_t tiles = over_last * over_across, planes = y.size() / (last.size * across.size);
  parallel_for(planes * tiles, row_grain(rows * columns), [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> index(kept.size());  // of the plane, incremented because divisions for every row are slow
    const T* plane = x.data();
    T* out = y.data();
    const auto move = [&](std::size_t k, std::int64_t steps) {
      index[k] += steps;
      plane += steps * kept[k].in;
      out += steps * kept[k].out;
    };
    for (std::int64_t k = std::ssize(kept) - 1, rest = begin / tiles; k >= 0; rest /= kept[static_cast<std::size_t>(k--)].size)
      move(static_cast<std::size_t>(k), rest % kept[static_cast<std::size_t>(k)].size);
    for (std::int64_t unit = begin, tile = begin % tiles; unit < end; ++unit) {
      const std::int64_t i = tiles == 1 ? 0 : tile / over_across * rows, j = tiles == 1 ? 0 : tile % over_across * columns;
      const std::int64_t m = std::min(rows, last.size - i), n = std::min(columns, across.size - j);
      if (last.in == 1 && m < 8)  // a call takes longer
        for (std::int64_t k = i; k < i + m; ++k) out[k] = plane[k];
      else if (last.in == 1)
        std::copy(plane + i, plane + i + m, out + i);
      else
        transpose_tile(m, n, plane + i * last.in + j, last.in, out + i + j * across.out, across.out);
      if (++tile < tiles) continue;
      tile = 0;
      for (std::size_t k = kept.size(); k-- > 0;) {
        move(k, 1);
        if (index[k] < kept[k].size) break;
        move(k, -kept[k].size);
      }
    }
  });
  return y;
}

}  // namespace

template <Scalar T>
Var<T> permute(const Var<T>& x, const std::vector<int>& axes) {
  const auto rank = static_cast<std::size_t>(x.rank());
  std::vector<int> inverse(rank, -1);
  bool valid = axes.size() == rank;
  for (std::size_t k = 0; valid && k < rank; ++k) {
    valid = axes[k] >= 0 && axes[k] < x.rank() && inverse[static_cast<std::size_t>(axes[k])] < 0;
    if (valid) inverse[static_cast<std::size_t>(axes[k])] = static_cast<int>(k);
  }
  if (!valid) {
    std::string given;
    for (int axis : axes) given += (given.empty() ? "" : ", ") + std::to_string(axis);
    fail("permute", "[{}] is not a permutation of the {} axes of {}", given, x.rank(), x.shape());
  }
  return record(
      permute_op, permuted(x.value(), axes),
      [inverse = std::move(inverse), dx = accumulator(x)](const Tensor<T>& dy) { dx.add(permuted(dy, inverse)); },
      [&](const auto&) { return permute(tangent(x), axes); }, x);
}

template <Scalar T>
Var<T> transpose(const Var<T>& x, int a, int b) {
  std::vector<int> axes(static_cast<std::size_t>(x.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  require_axis("transpose", x.shape(), a), require_axis("transpose", x.shape(), b);
  std::swap(axes[static_cast<std::size_t>(x.shape().checked(a))], axes[static_cast<std::size_t>(x.shape().checked(b))]);
  return permute(x, axes);
}

// ------------------------------------------------------------------------------------------------ concatenate

static const Op concatenate_op(
    {.name = "concatenate",
     .kind = Kind::Holomorphic,
     .equation = "y = [x_1; x_2; ...] along an axis",
     .dz = "∂y/∂x_k: the identity on the part filled by x_k",
     .dzbar = "0",
     .vjp = "dx_k = the part of dy filled by x_k",
     .jvp = "ẏ = [ẋ_1; ẋ_2; ...]",
     .derivation = "Each element of x_k is copied to one position of y.",
     .singular = "none",
     .source = "definition"},
    [](OpCheck& check) {
      const auto first = [](auto a, auto b) { return concatenate(std::vector{a, b}, 0); };
      const auto middle = [](auto a, auto b, auto c) { return concatenate(std::vector{a, b, c}, 1); };
      check.function("first axis", first, check.real({2, 3}), check.real({1, 3}));
      check.function(
          "last axis",
          [](auto a, auto b) {
            return concatenate(std::vector{a, b}, -1);
          },
          check.complex({2, 3}), check.complex({2, 2}));
      check.function("middle axis, three", middle, check.real({2, 1, 2}), check.real({2, 2, 2}), check.real({2, 3, 2}));
      check.sizes("", [first, middle](OpCheck& at, std::int64_t n) {
        const auto last = [](auto a, auto b) { return concatenate(std::vector{a, b}, -1); };
        at.function("first axis", first, at.real({n, 3}), at.real({2, 3}));
        at.function("last axis", last, at.complex({2, n}), at.complex({2, 3}));
        at.function("middle axis", middle, at.real({2, 1, n}), at.real({2, 2, n}), at.real({2, 1, n}));
      });
    });

namespace {

/// Copies x [outer, n, inner] to or from the elements [begin, begin + n) of the axis of y [outer, N, inner].
template <class Copy>
void for_part(const AxisView& whole, std::int64_t begin, std::int64_t n, const Copy& copy) {
  const std::int64_t block = n * whole.inner;
  parallel_for(whole.outer * block, elementwise_grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t o = first / block, within = first % block; first < last; ++o, within = 0) {
      const std::int64_t count = std::min(block - within, last - first);
      copy((o * whole.n + begin) * whole.inner + within, first, count);  // position in y, position in x, count
      first += count;
    }
  });
}

/// Copies y[..., begin:begin+n, ...] to a new tensor.
template <Scalar T>
Tensor<T> part_of(const Tensor<T>& y, int axis, std::int64_t begin, std::int64_t n) {
  Shape shape = y.shape();
  shape[axis] = n;
  Tensor<T> x(shape);
  for_part(AxisView(y.shape(), axis), begin, n,
           [&](std::int64_t at, std::int64_t to, std::int64_t count) { std::copy_n(y.data() + at, count, x.data() + to); });
  return x;
}

}  // namespace

template <Scalar T>
Var<T> concatenate(const std::vector<Var<T>>& parts, int axis) {
  require(!parts.empty(), "concatenate", "no tensors given");
  Shape shape = parts[0].shape();
  require_axis("concatenate", shape, axis);
  axis = shape.checked(axis);
  shape[axis] = 0;
  for (const Var<T>& x : parts) {
    Shape other = x.shape();
    const bool same_rank = other.rank() == shape.rank();
    if (same_rank) other[axis] = shape[axis];
    require(same_rank && other == shape, "concatenate", "sizes must match except along axis {}, got {} and {}", axis,
            parts[0].shape(), x.shape());
    shape[axis] += x.dim(axis);
  }
  Tensor<T> y(shape);
  std::vector<GradientAccumulator<T>> accumulators;
  std::vector<std::int64_t> starts{0};
  for (const Var<T>& x : parts) {
    for_part(AxisView(shape, axis), starts.back(), x.dim(axis), [&](std::int64_t to, std::int64_t at, std::int64_t count) {
      std::copy_n(x.value().data() + at, count, y.data() + to);
    });
    accumulators.push_back(accumulator(x));
    starts.push_back(starts.back() + x.dim(axis));
  }
  return record(
      concatenate_op, std::move(y),
      [axis, starts = std::move(starts), accumulators = std::move(accumulators)](const Tensor<T>& dy) {
        for (std::size_t k = 0; k < accumulators.size(); ++k)
          if (accumulators[k]) accumulators[k].add(part_of(dy, axis, starts[k], starts[k + 1] - starts[k]));
      },
      [&](const auto&) {
        std::vector<Var<T>> tangents;
        for (const Var<T>& x : parts) tangents.push_back(tangent(x));
        return concatenate(tangents, axis);
      },
      parts);
}

// ------------------------------------------------------------------------------------------------ slice

static const Op slice_op({.name = "slice",
                          .kind = Kind::Holomorphic,
                          .equation = "y = x[..., begin:end, ...]",
                          .dz = "∂y/∂x: the identity on the elements of the slice, 0 on the others",
                          .dzbar = "0",
                          .vjp = "dx = dy on the elements of the slice, 0 on the others",
                          .jvp = "ẏ = ẋ[..., begin:end, ...]",
                          .derivation = "Elements outside the slice do not affect the loss.",
                          .singular = "none",
                          .source = "definition"},
                         [](OpCheck& check) {
                           check.function(
                               "first axis", [](auto x) { return slice(x, 0, 1, 3); }, check.real({4, 3}));
                           check.function(
                               "middle axis", [](auto x) { return slice(x, 1, 0, 2); }, check.complex({2, 3, 2}));
                           check.function(
                               "last axis", [](auto x) { return slice(x, -1, 2, 5); }, check.complex({2, 5}));
                           check.sizes("", [](OpCheck& at, std::int64_t n) {
                             const auto first = [](auto x) { return slice(x, 0, 1, x.dim(0) - 1); };
                             const auto last = [](auto x) { return slice(x, -1, 2, x.dim(-1) - 1); };
                             at.function("first axis", first, at.real({n + 2, 3}));
                             at.function("last axis", last, at.complex({2, n + 3}));
                           });
                         });

template <Scalar T>
Var<T> slice(const Var<T>& x, int axis, std::int64_t begin, std::int64_t end) {
  require_axis("slice", x.shape(), axis);
  require(0 <= begin && begin <= end && end <= x.dim(axis), "slice", "[{}, {}) is out of range for axis {} of {}", begin, end, axis,
          x.shape());
  return record(
      slice_op, part_of(x.value(), axis, begin, end - begin),
      [shape = x.shape(), axis, begin, dx = accumulator(x)](const Tensor<T>& dy) {
        dx.accumulate([&](T* out, bool add) {
          if (!add) parallel_for(shape.size(), elementwise_grain, [&](auto b, auto e) { std::fill(out + b, out + e, T(0)); });
          for_part(AxisView(shape, axis), begin, dy.dim(axis), [&](std::int64_t to, std::int64_t at, std::int64_t count) {
            for_packs<RealOf<T>>(0, count, [y = out + to, g = dy.data() + at](auto k) { k.add(y, k.load(g)); });
          });
        });
      },
      [&](const auto&) { return slice(tangent(x), axis, begin, end); }, x);
}

#define ARGAND_SHAPE(T)                                                        \
  template Var<T> reshape(const Var<T>&, const Shape&);                        \
  template Var<T> reshape(const Var<T>&, std::initializer_list<std::int64_t>); \
  template Var<T> permute(const Var<T>&, const std::vector<int>&);             \
  template Var<T> transpose(const Var<T>&, int, int);                          \
  template Var<T> concatenate(const std::vector<Var<T>>&, int);                \
  template Var<T> slice(const Var<T>&, int, std::int64_t, std::int64_t);
ARGAND_FOR_SCALAR(ARGAND_SHAPE)

}  // namespace argand
