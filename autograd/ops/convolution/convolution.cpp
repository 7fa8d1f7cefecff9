#include "autograd/ops/convolution/convolution.h"

#include "autograd/op_check.h"
#include "autograd/ops/convolution/convolution_plan.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"

namespace argand {

using convolution::ConvolutionPlan;

static const Op conv2d_op(
    {.name = "conv2d",
     .kind = Kind::Holomorphic,
     .equation = "y_o(p) = Σ_c Σ_d w_oc(d) x_c(p s + d δ - q): stride s, dilation δ, padding q, x = 0 outside",
     .dz = "∂y_o(p)/∂x_c(p s + d δ - q) = w_oc(d), ∂y_o(p)/∂w_oc(d) = x_c(p s + d δ - q)",
     .dzbar = "0",
     .vjp = "dx_c(r) = Σ_o Σ_{p, d: p s + d δ - q = r} conj(w_oc(d)) dy_o(p), dw_oc(d) = Σ_n Σ_p dy_o(p) conj(x_c(p s + d δ - q))",
     .jvp = "ẏ = conv2d(ẋ, w) + conv2d(x, ẇ)",
     .derivation = "Y = W X, where X holds the columns of x: one row per (c, d), one column per output position p. So dX = Wᴴ dY "
                   "and dW = dY Xᴴ, and dx sums, for each entry of x, the entries of dX at its copies: a transposed convolution "
                   "with conj(w). The map is bilinear, which gives the tangent.",
     .singular = "none; an infinite input or weight gives NaN wherever it is multiplied by 0",
     .source = "Dumoulin & Visin, A guide to convolution arithmetic (2016), sections 2 and 4"},
    [](OpCheck& check) {
      const auto f = [](ConvolutionOptions o) { return [o](auto x, auto w) { return conv2d(x, w, o); }; };
      ConvolutionOptions wide, grouped;
      wide.stride = {2, 1}, wide.padding = {1, 2}, wide.dilation = {1, 2};
      grouped.groups = 2, grouped.padding = {1, 0};
      check.function("real", f({}), check.real({2, 2, 4, 3}), check.real({3, 2, 2, 2}));
      check.function("complex, stride, padding, dilation", f(wide), check.complex({2, 2, 4, 3}), check.complex({2, 2, 3, 2}));
      check.function("complex, groups", f(grouped), check.complex({1, 4, 3, 3}), check.complex({2, 2, 2, 2}));
      check.function("one cell", f({}), check.complex({2, 3, 2, 2}), check.complex({2, 3, 1, 1}));
      check.sizes("", [=](OpCheck& at, std::int64_t n) {
        at.function("columns, real", f(wide), at.real({1, 1, 2, n + 1}), at.real({1, 1, 2, 2}));
        at.function("columns, complex", f(wide), at.complex({1, 1, 2, n + 1}), at.complex({1, 1, 2, 2}));
        at.function("images", f({}), at.real({n, 1, 2, 2}), at.real({1, 1, 2, 2}));
        at.function("channels", f({}), at.complex({1, n, 2, 2}), at.complex({1, n, 1, 2}));
      });
    });

static const Op conv3d_op(
    {.name = "conv3d",
     .kind = Kind::Holomorphic,
     .equation =
         "y_o(p) = Σ_c Σ_d w_oc(d) x_c(p s + d δ - q), p and d with three axes: stride s, dilation δ, padding q, x = 0 outside",
     .dz = "∂y_o(p)/∂x_c(p s + d δ - q) = w_oc(d), ∂y_o(p)/∂w_oc(d) = x_c(p s + d δ - q)",
     .dzbar = "0",
     .vjp = "dx_c(r) = Σ_o Σ_{p, d: p s + d δ - q = r} conj(w_oc(d)) dy_o(p), dw_oc(d) = Σ_n Σ_p dy_o(p) conj(x_c(p s + d δ - q))",
     .jvp = "ẏ = conv3d(ẋ, w) + conv3d(x, ẇ)",
     .derivation = "As for conv2d, with one more axis: Y = W X with one row of X per (c, d), so dX = Wᴴ dY, summed over the copies "
                   "of each entry of x, and dW = dY Xᴴ. The map is bilinear, which gives the tangent.",
     .singular = "none; an infinite input or weight gives NaN wherever it is multiplied by 0",
     .source = "Dumoulin & Visin, A guide to convolution arithmetic (2016), sections 2 and 4"},
    [](OpCheck& check) {
      const auto f = [](Convolution3dOptions o) { return [o](auto x, auto w) { return conv3d(x, w, o); }; };
      Convolution3dOptions wide, grouped;
      wide.stride = {1, 2, 1}, wide.padding = {1, 1, 2}, wide.dilation = {2, 1, 2};
      grouped.groups = 2, grouped.padding = {0, 1, 0};
      check.function("real", f({}), check.real({2, 2, 3, 2, 3}), check.real({2, 2, 2, 1, 2}));
      check.function("complex, stride, padding, dilation", f(wide), check.complex({1, 2, 3, 4, 2}), check.complex({2, 2, 2, 3, 2}));
      check.function("complex, groups", f(grouped), check.complex({1, 4, 2, 2, 2}), check.complex({2, 2, 2, 2, 1}));
      check.function("one cell", f({}), check.complex({2, 2, 2, 1, 2}), check.complex({2, 2, 1, 1, 1}));
      check.sizes("", [=](OpCheck& at, std::int64_t n) {
        at.function("columns, real", f(wide), at.real({1, 1, 2, 1, n + 1}), at.real({1, 1, 2, 1, 2}));
        at.function("columns, complex", f(wide), at.complex({1, 1, 2, 1, n + 1}), at.complex({1, 1, 2, 1, 2}));
        at.function("layers", f(wide), at.real({1, 1, n, 1, 2}), at.real({1, 1, 1, 2, 2}));
        at.function("images", f({}), at.real({n, 1, 2, 1, 2}), at.real({1, 1, 2, 1, 2}));
        at.function("channels", f({}), at.complex({1, n, 2, 1, 2}), at.complex({1, n, 1, 1, 2}));
      });
    });

namespace {
/// The op is conv2d for one and two axes, conv3d for three.
template <Scalar T>
Var<T> convolved(const Op& op, const ConvolutionPlan& p, const Var<T>& x, const Var<T>& w) {
  Tensor<T> y(convolution::shape_of(p.N, p.groups * p.channels, p.windows.stops, x.rank() - 2));
  image_to_places<T>(p, x.value().data(), Transpose::No, w.value().data(), T(0), y.data());
  return record(
      op, std::move(y),
      [p, xv = x.value(), wv = w.value(), dx = accumulator(x), dw = accumulator(w)](const Tensor<T>& dy) {
        dx.accumulate([&](T* out, bool add) {
          if (!add) std::fill_n(out, p.N * p.image_step(), T(0));
          add_places_to_image<T>(p, dy.data(), Transpose::Conjugate, wv.data(), out);
        });
        dw.accumulate(
            [&](T* out, bool add) { add_to_weight<T>(p, dy.data(), Transpose::No, xv.data(), Transpose::Conjugate, add, out); });
      },
      [&](const auto&) { return convolved(op, p, tangent(x), w) + convolved(op, p, x, tangent(w)); }, x, w);
}
}  // namespace

// ------------------------------------------------------------------------------------------------ conv_transpose2d

static const Op conv_transpose2d_op(
    {.name = "conv_transpose2d",
     .kind = Kind::Holomorphic,
     .equation = "y_o(r) = Σ_c Σ_{p, d: p s + d δ - q = r} w_co(d) x_c(p)",
     .dz = "∂y_o(p s + d δ - q)/∂x_c(p) = w_co(d), ∂y_o(p s + d δ - q)/∂w_co(d) = x_c(p)",
     .dzbar = "0",
     .vjp = "dx_c(p) = Σ_o Σ_d conj(w_co(d)) dy_o(p s + d δ - q), dw_co(d) = Σ_n Σ_p conj(x_c(p)) dy_o(p s + d δ - q)",
     .jvp = "ẏ = conv_transpose2d(ẋ, w) + conv_transpose2d(x, ẇ)",
     .derivation =
         "The matrix of conv2d, transposed: the columns Wᵀ X are added into y. So dx is conj(W) times the columns of dy, a "
         "convolution with conj(w), and dW is conj(X) times their transpose. (conv2d's gradient is its adjoint, Wᴴ: this map with "
         "conj(w).)",
     .singular = "none; an infinite input or weight gives NaN wherever it is multiplied by 0",
     .source = "Dumoulin & Visin, A guide to convolution arithmetic (2016), section 4"},
    [](OpCheck& check) {
      const auto f = [](ConvolutionOptions o) { return [o](auto x, auto w) { return conv_transpose2d(x, w, o); }; };
      ConvolutionOptions wide, grouped;
      wide.stride = {2, 1}, wide.padding = {1, 1}, wide.dilation = {1, 2}, wide.output_padding = {1, 0};
      grouped.groups = 2;
      check.function("real", f({}), check.real({2, 2, 2, 3}), check.real({2, 2, 2, 2}));
      check.function("complex, stride, padding, dilation", f(wide), check.complex({2, 2, 2, 2}), check.complex({2, 2, 3, 2}));
      check.function("complex, groups", f(grouped), check.complex({1, 4, 2, 2}), check.complex({4, 1, 2, 2}));
      check.sizes("", [=](OpCheck& at, std::int64_t n) {
        at.function("columns, real", f(wide), at.real({1, 1, 2, n + 1}), at.real({1, 1, 2, 2}));
        at.function("columns, complex", f(wide), at.complex({1, 1, 2, n + 1}), at.complex({1, 1, 2, 2}));
        at.function("images", f({}), at.real({n, 1, 1, 2}), at.real({1, 1, 2, 2}));
        at.function("channels", f({}), at.complex({1, n, 1, 2}), at.complex({n, 1, 1, 2}));
      });
    });

namespace {
template <Scalar T>
Var<T> transposed_convolved(const ConvolutionPlan& p, const Var<T>& x, const Var<T>& w) {
  Tensor<T> y = Tensor<T>::zeros(convolution::shape_of(p.N, p.groups * p.windows.C, p.windows.size, x.rank() - 2));
  add_places_to_image<T>(p, x.value().data(), Transpose::Yes, w.value().data(), y.data());
  return record(
      conv_transpose2d_op, std::move(y),
      [p, xv = x.value(), wv = w.value(), dx = accumulator(x), dw = accumulator(w)](const Tensor<T>& dy) {
        dx.accumulate(
            [&](T* out, bool add) { image_to_places<T>(p, dy.data(), Transpose::ConjugateNo, wv.data(), add ? T(1) : T(0), out); });
        dw.accumulate(
            [&](T* out, bool add) { add_to_weight<T>(p, xv.data(), Transpose::ConjugateNo, dy.data(), Transpose::Yes, add, out); });
      },
      [&](const auto&) { return transposed_convolved(p, tangent(x), w) + transposed_convolved(p, x, tangent(w)); }, x, w);
}
}  // namespace

// ------------------------------------------------------------------------------------------------ real, complex, one of each

namespace {

/// f of a real and a complex operand, linear in each: takes two real products instead of the four of a complex product.
template <RealScalar R, class F>
Var<std::complex<R>> with_complex_signal(const Var<std::complex<R>>& x, const F& f) {
  // Real and imaginary parts become two images of a batch.
  const Var<R> y = f(concatenate(std::vector{real(x), imag(x)}, 0));
  return make_complex(slice(y, 0, 0, x.dim(0)), slice(y, 0, x.dim(0), 2 * x.dim(0)));
}

/// The `first` sizes, followed by the sizes of the axes of the kernel or image x.
Shape with_axes_of(std::initializer_list<std::int64_t> first, const Shape& x) {
  Shape shape(first);
  for (int k = 2; k < x.rank(); ++k) shape.push_back(x[k]);
  return shape;
}

/// Combines the parts of the weight into one real weight with twice the output channels per group, along `axis` of [groups, ...].
template <RealScalar R, class F>
Var<std::complex<R>> with_complex_weight(const Var<std::complex<R>>& w, std::int64_t groups, bool transposed, const F& f) {
  // The output channels are axis 0 within a group, or axis 1 for the transposed map.
  const Shape grouped = with_axes_of({groups, w.dim(0) / groups, w.dim(1)}, w.shape());
  const int axis = transposed ? 2 : 1;
  const Var<R> both = concatenate(std::vector{reshape(real(w), grouped), reshape(imag(w), grouped)}, axis);
  const std::int64_t out = grouped[axis];
  const Var<R> y = f(
      reshape(both, transposed ? with_axes_of({w.dim(0), 2 * out}, w.shape()) : with_axes_of({2 * w.dim(0), w.dim(1)}, w.shape())));
  const Var<R> parts = reshape(y, with_axes_of({y.dim(0), groups, 2 * out}, y.shape()));
  const Shape shape = with_axes_of({y.dim(0), groups * out}, y.shape());
  return make_complex(reshape(slice(parts, 2, 0, out), shape), reshape(slice(parts, 2, out, 2 * out), shape));
}

/// The convolution over `axes` axes, called `name`, for every pair of types.
template <Scalar A, Scalar B, std::size_t n>
Var<Promote<A, B>> any_convolution(const char* name, const Op& op, std::size_t axes, bool transposed, const Var<A>& x,
                                   const Var<B>& w, const ConvolutionOptionsOf<n>& options) {
  const auto of_one_type = [&]<Scalar T>(const Var<T>& signal, const Var<T>& weight) {
    const ConvolutionPlan p = convolution::plan_of(name, signal.shape(), weight.shape(), static_cast<int>(axes),
                                                   convolution::of_three_axes(options, axes), transposed);
    return transposed ? transposed_convolved(p, signal, weight) : convolved(op, p, signal, weight);
  };
  if constexpr (std::same_as<A, B>) {
    return of_one_type(x, w);
  } else {
    convolution::plan_of(name, x.shape(), w.shape(), static_cast<int>(axes), convolution::of_three_axes(options, axes),
                         transposed);  // checks first, so that errors report the shapes that the caller passed
    if constexpr (ComplexScalar<A>)
      return with_complex_signal(x, [&](const auto& both) { return of_one_type(both, w); });
    else
      return with_complex_weight(w, options.groups, transposed, [&](const auto& both) { return of_one_type(x, both); });
  }
}

}  // namespace

template <Scalar A, Scalar B>
Var<Promote<A, B>> conv1d(const Var<A>& x, const Var<B>& w, const ConvolutionOptions& options) {
  return any_convolution("conv1d", conv2d_op, 1, false, x, w, options);
}
template <Scalar A, Scalar B>
Var<Promote<A, B>> conv2d(const Var<A>& x, const Var<B>& w, const ConvolutionOptions& options) {
  return any_convolution("conv2d", conv2d_op, 2, false, x, w, options);
}
template <Scalar A, Scalar B>
Var<Promote<A, B>> conv3d(const Var<A>& x, const Var<B>& w, const Convolution3dOptions& options) {
  return any_convolution("conv3d", conv3d_op, 3, false, x, w, options);
}
template <Scalar A, Scalar B>
Var<Promote<A, B>> conv_transpose1d(const Var<A>& x, const Var<B>& w, const ConvolutionOptions& options) {
  return any_convolution("conv_transpose1d", conv_transpose2d_op, 1, true, x, w, options);
}
template <Scalar A, Scalar B>
Var<Promote<A, B>> conv_transpose2d(const Var<A>& x, const Var<B>& w, const ConvolutionOptions& options) {
  return any_convolution("conv_transpose2d", conv_transpose2d_op, 2, true, x, w, options);
}

#define ARGAND_CONVOLUTION(A, B)                                                                         \
  template Var<Promote<A, B>> conv1d(const Var<A>&, const Var<B>&, const ConvolutionOptions&);           \
  template Var<Promote<A, B>> conv2d(const Var<A>&, const Var<B>&, const ConvolutionOptions&);           \
  template Var<Promote<A, B>> conv3d(const Var<A>&, const Var<B>&, const Convolution3dOptions&);         \
  template Var<Promote<A, B>> conv_transpose1d(const Var<A>&, const Var<B>&, const ConvolutionOptions&); \
  template Var<Promote<A, B>> conv_transpose2d(const Var<A>&, const Var<B>&, const ConvolutionOptions&);
#define ARGAND_CONVOLUTIONS(R)           \
  ARGAND_CONVOLUTION(R, R)               \
  ARGAND_CONVOLUTION(R, std::complex<R>) \
  ARGAND_CONVOLUTION(std::complex<R>, R) \
  ARGAND_CONVOLUTION(std::complex<R>, std::complex<R>)
ARGAND_FOR_REAL(ARGAND_CONVOLUTIONS)

}  // namespace argand
