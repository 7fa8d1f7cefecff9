/// Registers autograd/ops/products, autograd/ops/losses and autograd/ops/convolution to be called by name.

#include "autograd/call/op_function.h"
#include "autograd/ops/convolution/convolution.h"
#include "autograd/ops/convolution/pooling.h"
#include "autograd/ops/convolution/unfold.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/losses/regression.h"
#include "autograd/ops/products/einsum.h"
#include "autograd/ops/products/hamilton_matrix.h"
#include "autograd/ops/products/matmul.h"
#include "autograd/ops/products/projection.h"
#include "autograd/ops/products/qic_linear.h"
#include "autograd/ops/rows/cross_entropy.h"
#include "autograd/ops/rows/info_nce.h"
#include "autograd/ops/shape.h"

namespace argand {
namespace {

using Pair = std::array<std::int64_t, 2>;
using Triple = std::array<std::int64_t, 3>;

/// y [N, O, ...] + bias [O].
template <Scalar T>
Var<T> with_bias(std::string_view op, const Var<T>& y, const std::optional<Var<T>>& bias) {
  if (!bias) return y;
  require(bias->shape() == Shape{y.dim(1)}, op, "bias of shape {} does not match {} channels", bias->shape(), y.dim(1));
  Shape channels = y.shape();
  for (int k = 0; k < channels.rank(); ++k)
    if (k != 1) channels[k] = 1;
  return y + reshape(*bias, channels);
}

/// PyTorch's matmul: a vector is a row on the left and a column on the right, and its axis is dropped from the result.
template <Scalar A, Scalar B>
Var<Promote<A, B>> product_of(const Var<A>& a, const Var<B>& b) {
  const bool row = a.rank() == 1, column = b.rank() == 1;
  if (!row && !column) return matmul(a, b);
  const Var<Promote<A, B>> y = matmul(row ? reshape(a, Shape{1, a.size()}) : a, column ? reshape(b, Shape{b.size(), 1}) : b);
  Shape shape = y.shape();
  if (column) shape.erase(-1);
  if (row) shape.erase(column ? -1 : -2);
  return reshape(y, shape);
}

/// einsum of any number of operands of the same scalar type, contracted in pairs from left to right.
template <Scalar T>
Var<T> einsum_of(std::string equation, std::vector<Var<T>> operands) {
  require(!operands.empty(), "einsum", "needs at least one operand");
  Var<T> product = operands.front();
  for (std::size_t i = 1; i + 1 < operands.size(); ++i) {
    const auto pair = detail::first_pair_of(equation, operands.size() - i + 1);
    product = einsum(pair.first, product, operands[i]);
    equation = pair.rest;
  }
  return operands.size() == 1 ? einsum(equation, product) : einsum(equation, product, operands.back());
}

}  // namespace

static const OpFunction product_functions[] = {
    {"matmul", {"input", "other"}, []<Scalar A, Scalar B>(const Var<A>& a, const Var<B>& b) { return product_of(a, b); }},
    {"linear",
     {"input", "weight", {"bias", none}},
     []<Scalar T>(const Var<T>& x, const Var<T>& W, const std::optional<Var<T>>& b) {
       return b ? linear(x, W, *b) : linear(x, W);
     }},
    {"einsum",
     "sums over products, written with letters for axes: 'bij,bjk->bik'",
     {"equation", "operands"},
     []<Scalar T>(const std::string& equation, const std::vector<Var<T>>& operands) { return einsum_of(equation, operands); }},
    {"hamilton_matrix", {"weight"}, []<RealScalar R>(const Var<R>& W) { return hamilton_matrix(W); }},
    {"projection",
     {"input", "weight"},
     []<Scalar T>(const Var<T>& z, const Var<T>& W) {
       require(!W.requires_grad(), "projection", "'weight' must not require gradients; detach it");
       return projection(z, W.value());
     }},
    {"qic_linear",
     {"input", "weight", "theta", {"bias", none}},
     []<RealScalar R>(const Var<std::complex<R>>& x, const Var<std::complex<R>>& W, const Var<R>& theta,
                      const std::optional<Var<std::complex<R>>>& b) {
       return b ? qic_linear(x, W, *b, theta) : qic_linear(x, W, theta);
     }},
    {"qic_dual",
     {"input", "theta"},
     []<RealScalar R>(const Var<std::complex<R>>& x, const Var<R>& theta) { return qic_dual(x, theta); }},
};

static const OpFunction loss_functions[] = {
    {"mse", {"input", "target"}, []<Scalar T>(const Var<T>& x, const Var<T>& t) { return mse(x, t); }},
    {"mse_loss", "mse", {"input", "target"}, []<Scalar T>(const Var<T>& x, const Var<T>& t) { return mse(x, t); }},
    {"huber",
     {"input", "target", {"delta", 1.0}},
     []<RealScalar R>(const Var<R>& x, const Var<R>& t, double delta) { return huber(x, t, delta); }},
    {"huber_loss",
     "huber",
     {"input", "target", {"delta", 1.0}},
     []<RealScalar R>(const Var<R>& x, const Var<R>& t, double delta) { return huber(x, t, delta); }},
    // Not registered as binary_cross_entropy too: PyTorch's function of that name takes probabilities, whereas this op takes
    // logits.
    {"binary_cross_entropy_with_logits",
     "binary_cross_entropy",
     {"input", "target"},
     []<RealScalar R>(const Var<R>& x, const Var<R>& t) { return binary_cross_entropy(x, t); }},
    {"cross_entropy",
     {"input", "target", {"ignore_index", none}, {"label_smoothing", 0.0}},
     []<RealScalar R>(const Var<R>& logits, const Ids& targets, std::optional<std::int64_t> ignore_index, double label_smoothing) {
       return cross_entropy(logits, targets, {ignore_index, label_smoothing});
     }},
    {"linear_cross_entropy",
     {"input", "weight", "target", {"bias", none}, {"chunk", 264}},
     []<RealScalar R>(const Var<R>& h, const Var<R>& W, const Ids& targets, const std::optional<Var<R>>& b, std::int64_t chunk) {
       return linear_cross_entropy(h, W, b ? &*b : nullptr, targets, chunk);
     }},
    {"info_nce", {"input", "tokens"}, []<RealScalar R>(const Var<R>& s, const Ids& tokens) { return info_nce(s, tokens); }},
};

static const OpFunction convolution_functions[] = {
    {"conv1d",
     "conv2d over one axis",
     {"input", "weight", {"bias", none}, {"stride", 1}, {"padding", 0}, {"dilation", 1}, {"groups", 1}},
     []<Scalar A, Scalar B>(const Var<A>& x, const Var<B>& weight, const std::optional<Var<Promote<A, B>>>& bias,
                            std::int64_t stride, std::int64_t padding, std::int64_t dilation, std::int64_t groups) {
       const ConvolutionOptions options{{1, stride}, {0, padding}, {1, dilation}, groups};
       return with_bias("conv1d", conv1d(x, weight, options), bias);
     }},
    {"conv2d",
     {"input", "weight", {"bias", none}, {"stride", 1}, {"padding", 0}, {"dilation", 1}, {"groups", 1}},
     []<Scalar A, Scalar B>(const Var<A>& x, const Var<B>& weight, const std::optional<Var<Promote<A, B>>>& bias,
                            const Pair& stride, const Pair& padding, const Pair& dilation, std::int64_t groups) {
       return with_bias("conv2d", conv2d(x, weight, {stride, padding, dilation, groups}), bias);
     }},
    {"conv3d",
     {"input", "weight", {"bias", none}, {"stride", 1}, {"padding", 0}, {"dilation", 1}, {"groups", 1}},
     []<Scalar A, Scalar B>(const Var<A>& x, const Var<B>& weight, const std::optional<Var<Promote<A, B>>>& bias,
                            const Triple& stride, const Triple& padding, const Triple& dilation, std::int64_t groups) {
       return with_bias("conv3d", conv3d(x, weight, {stride, padding, dilation, groups}), bias);
     }},
    {"conv_transpose1d",
     "conv_transpose2d over one axis",
     {"input", "weight", {"bias", none}, {"stride", 1}, {"padding", 0}, {"output_padding", 0}, {"groups", 1}, {"dilation", 1}},
     []<Scalar A, Scalar B>(const Var<A>& x, const Var<B>& weight, const std::optional<Var<Promote<A, B>>>& bias,
                            std::int64_t stride, std::int64_t padding, std::int64_t output_padding, std::int64_t groups,
                            std::int64_t dilation) {
       const ConvolutionOptions options{{1, stride}, {0, padding}, {1, dilation}, groups, {0, output_padding}};
       return with_bias("conv_transpose1d", conv_transpose1d(x, weight, options), bias);
     }},
    {"conv_transpose2d",
     {"input", "weight", {"bias", none}, {"stride", 1}, {"padding", 0}, {"output_padding", 0}, {"groups", 1}, {"dilation", 1}},
     []<Scalar A, Scalar B>(const Var<A>& x, const Var<B>& weight, const std::optional<Var<Promote<A, B>>>& bias,
                            const Pair& stride, const Pair& padding, const Pair& output_padding, std::int64_t groups,
                            const Pair& dilation) {
       const ConvolutionOptions options{stride, padding, dilation, groups, output_padding};
       return with_bias("conv_transpose2d", conv_transpose2d(x, weight, options), bias);
     }},
    {"unfold",
     {"input", "kernel_size", {"dilation", 1}, {"padding", 0}, {"stride", 1}},
     []<Scalar T>(const Var<T>& x, const Pair& window, const Pair& dilation, const Pair& padding, const Pair& stride) {
       return unfold(x, window, {stride, padding, dilation});
     }},
    {"max_pool2d",
     "the number with the largest modulus in each window",
     {"input", "kernel_size", {"stride", none}, {"padding", 0}},
     []<Scalar T>(const Var<T>& x, const Pair& window, const std::optional<Pair>& stride, const Pair& padding) {
       return max_pool2d(x, window, {stride.value_or(window), padding});
     }},
    {"avg_pool2d",
     "the mean of each window",
     {"input", "kernel_size", {"stride", none}, {"padding", 0}},
     []<Scalar T>(const Var<T>& x, const Pair& window, const std::optional<Pair>& stride, const Pair& padding) {
       return avg_pool2d(x, window, {stride.value_or(window), padding});
     }},
    {"max_pool1d",
     "max_pool2d over one axis",
     {"input", "kernel_size", {"stride", none}, {"padding", 0}},
     []<Scalar T>(const Var<T>& x, std::int64_t window, std::optional<std::int64_t> stride, std::int64_t padding) {
       return max_pool1d(x, window, stride.value_or(window), padding);
     }},
    {"avg_pool1d",
     "avg_pool2d over one axis",
     {"input", "kernel_size", {"stride", none}, {"padding", 0}},
     []<Scalar T>(const Var<T>& x, std::int64_t window, std::optional<std::int64_t> stride, std::int64_t padding) {
       return avg_pool1d(x, window, stride.value_or(window), padding);
     }},
};

}  // namespace argand
