/// Registers autograd/ops/selection, autograd/ops/axes.h, autograd/ops/shape.h and autograd/ops/gather.h to be called by name:
/// selection and rearrangement.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "autograd/call/functions/over_axes.h"
#include "autograd/call/op_function.h"
#include "autograd/ops/axes.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/selection/arrange.h"
#include "autograd/ops/selection/expand.h"
#include "autograd/ops/selection/sort.h"
#include "autograd/ops/selection/where.h"

namespace argand {
namespace {

using Sizes = std::vector<std::int64_t>;

/// The shape for `count` elements; one size may be -1, to be inferred from the others.
Shape shape_for(const Sizes& sizes, std::int64_t count) {
  Sizes known = sizes;
  const auto open = std::find(known.begin(), known.end(), -1);
  if (open == known.end()) return Shape{std::span<const std::int64_t>(known)};
  *open = 1;
  const std::int64_t others = Shape{std::span<const std::int64_t>(known)}.size();
  require(others > 0 && count % others == 0, "reshape", "cannot reshape {} elements to [{}]", count, fmt::join(sizes, ", "));
  *open = count / others;
  return Shape{std::span<const std::int64_t>(known)};
}

/// PyTorch's expand: a size of -1 leaves the axis unchanged.
Shape stretched(const Shape& shape, Sizes sizes) {
  const auto missing = static_cast<std::int64_t>(sizes.size()) - shape.rank();
  for (std::int64_t k = std::max<std::int64_t>(0, missing); k < static_cast<std::int64_t>(sizes.size()); ++k)
    if (sizes[static_cast<std::size_t>(k)] == -1) sizes[static_cast<std::size_t>(k)] = shape[static_cast<int>(k - missing)];
  return Shape{std::span<const std::int64_t>(sizes)};
}

std::vector<std::int64_t> as_list(const Ids& index) {
  require(index.shape().rank() == 1, "index_select", "index must be a vector, got shape {}", index.shape());
  return {index.span().begin(), index.span().end()};
}

PadMode pad_mode_named(std::string_view word) {
  if (word == "constant") return PadMode::Constant;
  if (word == "reflect") return PadMode::Reflect;
  if (word == "replicate") return PadMode::Replicate;
  require(word == "circular", "pad", "unknown mode '{}'; use constant, reflect, replicate or circular", word);
  return PadMode::Circular;
}

}  // namespace

static const OpFunction shape_functions[] = {
    {"reshape",
     {"input", "shape"},
     []<Scalar T>(const Var<T>& x, const Sizes& shape) {
       return in_own_name("reshape", [&] { return reshape(x, shape_for(shape, x.size())); });
     }},
    {"unsqueeze", "a new axis of size 1", {"input", "dim"}, []<Scalar T>(const Var<T>& x, int dim) { return unsqueeze(x, dim); }},
    {"squeeze",
     "x without axes of size 1",
     {"input", {"dim", none}},
     []<Scalar T>(const Var<T>& x, std::optional<int> dim) { return squeeze(x, dim); }},
    {"flatten",
     "axes joined",
     {"input", {"start_dim", 0}, {"end_dim", -1}},
     []<Scalar T>(const Var<T>& x, int first, int last) { return flatten(x, first, last); }},
    {"permute", {"input", "dims"}, []<Scalar T>(const Var<T>& x, const std::vector<int>& dims) { return permute(x, dims); }},
    {"transpose",
     "x with two axes swapped",
     {"input", {"dim0", -2}, {"dim1", -1}},
     []<Scalar T>(const Var<T>& x, int a, int b) { return transpose(x, a, b); }},
    {"concatenate",
     {"tensors", {"dim", 0}},
     []<Scalar T>(const std::vector<Var<T>>& parts, int dim) { return concatenate(parts, dim); }},
    {"cat",
     "concatenate",
     {"tensors", {"dim", 0}},
     []<Scalar T>(const std::vector<Var<T>>& parts, int dim) { return concatenate(parts, dim); }},
    {"stack",
     "tensors of the same shape, stacked along a new axis",
     {"tensors", {"dim", 0}},
     []<Scalar T>(const std::vector<Var<T>>& parts, int dim) { return stack(parts, dim); }},
    {"split",
     "x split along an axis into parts of a given size, or of the sizes in a list",
     {"tensor", "split_size_or_sections", {"dim", 0}},
     []<Scalar T>(const Var<T>& x, std::int64_t size, int dim) { return split(x, size, dim); },
     []<Scalar T>(const Var<T>& x, const Sizes& sizes, int dim) { return split(x, sizes, dim); }},
    {"slice",
     {"input", "dim", "start", "end"},
     []<Scalar T>(const Var<T>& x, int dim, std::int64_t start, std::int64_t end) { return slice(x, dim, start, end); }},
    {"expand",
     {"input", "shape"},
     []<Scalar T>(const Var<T>& x, const Sizes& shape) {
       return in_own_name("expand", [&] { return expand(x, stretched(x.shape(), shape)); });
     }},
    {"flip",
     "x with its elements reversed along axes",
     {"input", "dims"},
     []<Scalar T>(const Var<T>& x, const std::vector<int>& dims) { return flip(x, dims); }},
    {"roll",
     "y[(i + shift) mod n] = x[i] along an axis",
     {"input", "shifts", "dims"},
     []<Scalar T>(const Var<T>& x, std::int64_t shift, int dim) { return roll(x, shift, dim); }},
    {"pad",
     "x padded with numbers, {before, after} of the last axis first",
     {"input", "pad", {"mode", "constant"}, {"value", 0.0}},
     []<Scalar T>(const Var<T>& x, const Sizes& sizes, const std::string& mode, T value) {
       return pad(x, sizes, pad_mode_named(mode), value);
     }},
    {"diagonal",
     "x[i, i + offset] over two axes, as the last axis",
     {"input", {"offset", 0}, {"dim1", 0}, {"dim2", 1}},
     []<Scalar T>(const Var<T>& x, std::int64_t offset, int dim1, int dim2) { return diagonal(x, offset, dim1, dim2); }},
    {"diag_embed",
     "matrices with x on a diagonal and 0 elsewhere",
     {"input", {"offset", 0}},
     []<Scalar T>(const Var<T>& x, std::int64_t offset) { return diag_embed(x, offset); }},
    {"trace", "Σ x[i, i] over the last two axes", {"input"}, []<Scalar T>(const Var<T>& x) { return trace(x); }},
    {"outer",
     "a_i b_j of two vectors; nothing is conjugated",
     {"input", "vec2"},
     []<Scalar A, Scalar B>(const Var<A>& a, const Var<B>& b) { return outer(a, b); }},
    {"kron",
     "the Kronecker product",
     {"input", "other"},
     []<Scalar A, Scalar B>(const Var<A>& a, const Var<B>& b) { return kron(a, b); }},
};

static const OpFunction selection_functions[] = {
    {"index_select",
     {"input", "dim", "index"},
     []<Scalar T>(const Var<T>& x, int dim, const Ids& index) { return index_select(x, dim, as_list(index)); }},
    {"gather",
     "y[i, j] = x[i, index[i, j]] along an axis",
     {"input", "dim", "index"},
     []<Scalar T>(const Var<T>& x, int dim, const Ids& index) { return gather(x, dim, index); }},
    {"scatter_add",
     {"input", "dim", "index", "src"},
     []<Scalar T>(const Var<T>& x, int dim, const Ids& index, const Var<T>& source) { return scatter_add(x, dim, index, source); }},
    {"embedding", {"input", "weight"}, []<Scalar T>(const Ids& ids, const Var<T>& table) { return embedding(table, ids); }},
    {"embedding_mean",
     {"input", "weight"},
     []<Scalar T>(const Ids& ids, const Var<T>& table) { return embedding_mean(table, ids); }},
    {"sort",
     "the numbers along an axis in ascending or descending order, and their indices",
     {"input", {"dim", -1}, {"descending", false}},
     Results{"values", "indices"},
     []<RealScalar R>(const Var<R>& x, int dim, bool descending) {
       const Sorted<R> sorted = sort(x, dim, descending);
       return std::tuple(sorted.values, sorted.indices);
     }},
    {"topk",
     "the k largest numbers along an axis, or the smallest, and their indices",
     {"input", "k", {"dim", -1}, {"largest", true}},
     Results{"values", "indices"},
     []<RealScalar R>(const Var<R>& x, std::int64_t k, int dim, bool largest) {
       const Sorted<R> found = topk(x, k, dim, largest);
       return std::tuple(found.values, found.indices);
     }},
    {"where",
     {"condition", "input", "other"},
     []<Scalar A, Scalar B>(const Mask& mask, const TensorOrNumber<A>& a, const TensorOrNumber<B>& b) {
       return where<A, B>(mask, a, b);
     }},
    {"masked_fill",
     "z, replaced by a given number where the mask is true",
     {"input", "mask", "value"},
     []<Scalar T>(const Var<T>& z, const Mask& mask, T value) { return masked_fill(z, mask, value); }},
    {"maximum",
     "the larger of two real numbers; a tie passes the gradient to the first",
     {"input", "other"},
     []<RealScalar R>(const TensorOrNumber<R>& a, const TensorOrNumber<R>& b) { return maximum<R>(a, b); }},
    {"minimum",
     "the smaller of two real numbers; a tie passes the gradient to the first",
     {"input", "other"},
     []<RealScalar R>(const TensorOrNumber<R>& a, const TensorOrNumber<R>& b) { return minimum<R>(a, b); }},
    {"clamp",
     "min(max(x, low), high); the gradient is passed where low <= x <= high",
     {"input", {"min", none}, {"max", none}},
     []<RealScalar R>(const Var<R>& x, std::optional<R> low, std::optional<R> high) {
       constexpr R infinity = std::numeric_limits<R>::infinity();
       return clamp(x, low.value_or(-infinity), high.value_or(infinity));
     }},
};

}  // namespace argand
