#include "autograd/ops/convolution/convolution.h"

#include "autograd/op_check.h"
#include "autograd/ops/convolution/windows.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"
#include "core/gemm.h"
#include "core/parallel.h"

namespace argand {
namespace {

/// One layer's sizes: N images of `groups` groups; a group's window sees `windows.C` channels on the side of the image and has
/// `channels` on the side of the places.
struct ConvolutionPlan {
  std::int64_t N = 0, groups = 1, channels = 0;
  ConvolutionWindows windows;

  std::int64_t image_step() const { return groups * windows.image(); }
  std::int64_t places_step() const { return groups * channels * windows.places(); }
  std::int64_t weight_step() const { return channels * windows.rows(); }
  std::int64_t multiplications() const { return N * groups * channels * windows.rows() * windows.places(); }
};

/// f(n, g, columns) for every image and group; `columns` is room for the columns of one, each thread's own. Many small images are
/// shared among threads, few large ones leave them to the matrix product.
template <Scalar T, class F>
void for_images(const ConvolutionPlan& p, const F& f) {
  const auto some = [&](std::int64_t begin, std::int64_t end) {
    Tensor<T> room(Shape{p.windows.trivial() ? 0 : p.windows.rows() * p.windows.places()});
    T* const columns = room.data();
    for (std::int64_t n = begin; n < end; ++n)
      for (std::int64_t g = 0; g < p.groups; ++g) f(n, g, columns);
  };
  p.N > 1 ? parallel_for(p.N, 1, some) : some(0, p.N);
}

/// places[n, g] = weight[g] columns(image[n, g]); of the adjoint with conj(weight).
template <Scalar T>
void image_to_places(const ConvolutionPlan& p, const T* image, Transpose weight_is, const T* weight, T beta, T* places) {
  const ConvolutionWindows& v = p.windows;
  for_images<T>(p, [&](std::int64_t n, std::int64_t g, T* columns) {
    const T* in = image + n * p.image_step() + g * v.image();
    if (!v.trivial()) columns_of(v, in, columns);
    gemm<T>(weight_is, Transpose::No, p.channels, v.places(), v.rows(), T(1), weight + g * p.weight_step(), v.rows(),
            v.trivial() ? in : columns, v.places(), beta, places + n * p.places_step() + g * p.channels * v.places(), v.places());
  });
}

/// image[n, g] += columns back of weight[g]ᵀ places[n, g], or of weight[g]ᴴ.
template <Scalar T>
void add_places_to_image(const ConvolutionPlan& p, const T* places, Transpose weight_is, const T* weight, T* image) {
  const ConvolutionWindows& v = p.windows;
  for_images<T>(p, [&](std::int64_t n, std::int64_t g, T* columns) {
    T* const out = image + n * p.image_step() + g * v.image();
    gemm<T>(weight_is, Transpose::No, v.rows(), v.places(), p.channels, T(1), weight + g * p.weight_step(), v.rows(),
            places + n * p.places_step() + g * p.channels * v.places(), v.places(), v.trivial() ? T(1) : T(0),
            v.trivial() ? out : columns, v.places());
    if (!v.trivial()) add_columns(v, columns, out);
  });
}

/// dweight[g] (+)= Σ_n places[n, g] columns(image[n, g])ᵀ, one of the two conjugated: in the order of n, whatever the threads.
template <Scalar T>
void add_to_weight(const ConvolutionPlan& p, const T* places, Transpose places_are, const T* image, Transpose columns_are, bool add,
                   T* dweight) {
  const ConvolutionWindows& v = p.windows;
  Tensor<T> room(Shape{v.trivial() ? 0 : v.rows() * v.places()});
  T* const columns = room.data();
  for (std::int64_t n = 0; n < p.N; ++n)
    for (std::int64_t g = 0; g < p.groups; ++g) {
      const T* in = image + n * p.image_step() + g * v.image();
      if (!v.trivial()) columns_of(v, in, columns);
      gemm<T>(places_are, columns_are, p.channels, v.rows(), v.places(), T(1),
              places + n * p.places_step() + g * p.channels * v.places(), v.places(), v.trivial() ? in : columns, v.places(),
              add || n > 0 ? T(1) : T(0), dweight + g * p.weight_step(), v.rows());
    }
  if (p.N == 0 && !add) std::fill_n(dweight, p.groups * p.weight_step(), T(0));
}

/// What the options say of one axis, checked.
void check_options(const char* op, const ConvolutionOptions& o, bool transposed) {
  for (std::size_t k = 0; k < 2; ++k) {
    require(o.stride[k] >= 1 && o.dilation[k] >= 1, op, "stride and dilation are 1 or above, got {} and {}", o.stride[k],
            o.dilation[k]);
    require(o.padding[k] >= 0, op, "the padding is 0 or above, got {}", o.padding[k]);
    require(transposed || o.output_padding[k] == 0, op, "output_padding is of the transposed map");
    require(o.output_padding[k] >= 0 && o.output_padding[k] < std::max(o.stride[k], o.dilation[k]), op,
            "an output_padding of {}; it is below the stride or the dilation", o.output_padding[k]);
  }
}

/// The plan for x and weight [channels of places, channels of the image / groups, kh, kw]. `transposed`: x has the places, and the
/// image comes out.
ConvolutionPlan plan_of(const char* op, const Shape& x, const Shape& weight, const ConvolutionOptions& o, bool transposed) {
  require(x.rank() == 4 && weight.rank() == 4, op, "needs x [N, C, H, W] and a weight of 4 axes, got {} and {}", x, weight);
  check_options(op, o, transposed);
  require(o.groups >= 1 && x[1] % o.groups == 0 && weight[0] % o.groups == 0, op, "{} and {} do not fall into {} groups", x, weight,
          o.groups);
  require(x[1] == (transposed ? weight[0] : weight[1] * o.groups), op, "a weight {} does not fit the channels of {} in {} group{}",
          weight, x, o.groups, o.groups == 1 ? "" : "s");
  ConvolutionPlan p{x[0], o.groups, weight[0] / o.groups, {}};
  ConvolutionWindows& v = p.windows;
  v.C = weight[1];
  v.stride = o.stride, v.padding = o.padding, v.dilation = o.dilation;
  std::array<std::int64_t, 2> image, places;
  for (std::size_t k = 0; k < 2; ++k) {
    v.kernel[k] = weight[static_cast<int>(2 + k)];
    const std::int64_t size = x[static_cast<int>(2 + k)], reach = o.dilation[k] * (v.kernel[k] - 1) + 1;
    image[k] = transposed ? (size - 1) * o.stride[k] - 2 * o.padding[k] + reach + o.output_padding[k] : size;
    places[k] = transposed ? size : (size + 2 * o.padding[k] - reach) / o.stride[k] + 1;
    const bool fits = v.kernel[k] >= 1 && (transposed ? image[k] >= 1 && size >= 1 : size + 2 * o.padding[k] >= reach);
    require(fits, op, "a window of {} cells does not fit into {} with padding {}", reach, size, o.padding[k]);
  }
  v.H = image[0], v.W = image[1], v.h = places[0], v.w = places[1];
  return p;
}

}  // namespace

// ------------------------------------------------------------------------------------------------ conv2d

static const Op conv2d_op(
    {.name = "conv2d",
     .kind = Kind::Holomorphic,
     .equation = "y_o(p) = Σ_c Σ_d w_oc(d) x_c(p s + d δ - q): stride s, dilation δ, padding q, x = 0 outside",
     .dz = "∂y_o(p)/∂x_c(p s + d δ - q) = w_oc(d), ∂y_o(p)/∂w_oc(d) = x_c(p s + d δ - q)",
     .dzbar = "0",
     .vjp = "dx_c(r) = Σ_o Σ_{p, d: p s + d δ - q = r} conj(w_oc(d)) dy_o(p), dw_oc(d) = Σ_n Σ_p dy_o(p) conj(x_c(p s + d δ - q))",
     .jvp = "ẏ = conv2d(ẋ, w) + conv2d(x, ẇ)",
     .derivation =
         "Y = W X with X the columns of x: a row for each (c, d), a column for each place p. So dX = Wᴴ dY and dW = dY Xᴴ, and dx "
         "gathers dX where its columns came from, which is the transposed convolution with conj(w). Bilinear, hence the tangent.",
     .singular = "none",
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
      check.grows("", [=](OpCheck& at, std::int64_t n) {
        at.function("columns, real", f(wide), at.real({1, 1, 2, n + 1}), at.real({1, 1, 2, 2}));
        at.function("columns, complex", f(wide), at.complex({1, 1, 2, n + 1}), at.complex({1, 1, 2, 2}));
        at.function("images", f({}), at.real({n, 1, 2, 2}), at.real({1, 1, 2, 2}));
        at.function("channels", f({}), at.complex({1, n, 2, 2}), at.complex({1, n, 1, 2}));
      });
    });

namespace {
template <Scalar T>
Var<T> conv2d_of_one_type(const Var<T>& x, const Var<T>& w, const ConvolutionOptions& options) {
  const ConvolutionPlan p = plan_of("conv2d", x.shape(), w.shape(), options, false);
  Tensor<T> y(Shape{p.N, p.groups * p.channels, p.windows.h, p.windows.w});
  image_to_places<T>(p, x.value().data(), Transpose::No, w.value().data(), T(0), y.data());
  return record(
      conv2d_op, std::move(y),
      [p, xv = x.value(), wv = w.value(), dx = sink(x), dw = sink(w)](const Tensor<T>& dy) {
        dx.accumulate([&](T* out, bool add) {
          if (!add) std::fill_n(out, p.N * p.image_step(), T(0));
          add_places_to_image<T>(p, dy.data(), Transpose::Conjugate, wv.data(), out);
        });
        dw.accumulate(
            [&](T* out, bool add) { add_to_weight<T>(p, dy.data(), Transpose::No, xv.data(), Transpose::Conjugate, add, out); });
      },
      [&](const auto&) { return conv2d_of_one_type(tangent(x), w, options) + conv2d_of_one_type(x, tangent(w), options); }, x, w);
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
         "The matrix of conv2d, transposed: the columns Wᵀ X gather into y. So dx = conj(W) times the columns of dy, a convolution "
         "with conj(w), and dW = conj(X) times them. (conv2d's gradient is its adjoint, Wᴴ: this map with conj(w).)",
     .singular = "none",
     .source = "Dumoulin & Visin, A guide to convolution arithmetic (2016), section 4"},
    [](OpCheck& check) {
      const auto f = [](ConvolutionOptions o) { return [o](auto x, auto w) { return conv_transpose2d(x, w, o); }; };
      ConvolutionOptions wide, grouped;
      wide.stride = {2, 1}, wide.padding = {1, 1}, wide.dilation = {1, 2}, wide.output_padding = {1, 0};
      grouped.groups = 2;
      check.function("real", f({}), check.real({2, 2, 2, 3}), check.real({2, 2, 2, 2}));
      check.function("complex, stride, padding, dilation", f(wide), check.complex({2, 2, 2, 2}), check.complex({2, 2, 3, 2}));
      check.function("complex, groups", f(grouped), check.complex({1, 4, 2, 2}), check.complex({4, 1, 2, 2}));
      check.grows("", [=](OpCheck& at, std::int64_t n) {
        at.function("columns, real", f(wide), at.real({1, 1, 2, n + 1}), at.real({1, 1, 2, 2}));
        at.function("columns, complex", f(wide), at.complex({1, 1, 2, n + 1}), at.complex({1, 1, 2, 2}));
        at.function("images", f({}), at.real({n, 1, 1, 2}), at.real({1, 1, 2, 2}));
        at.function("channels", f({}), at.complex({1, n, 1, 2}), at.complex({n, 1, 1, 2}));
      });
    });

namespace {
template <Scalar T>
Var<T> conv_transpose2d_of_one_type(const Var<T>& x, const Var<T>& w, const ConvolutionOptions& options) {
  const ConvolutionPlan p = plan_of("conv_transpose2d", x.shape(), w.shape(), options, true);
  Tensor<T> y = Tensor<T>::zeros(Shape{p.N, p.groups * p.windows.C, p.windows.H, p.windows.W});
  add_places_to_image<T>(p, x.value().data(), Transpose::Yes, w.value().data(), y.data());
  return record(
      conv_transpose2d_op, std::move(y),
      [p, xv = x.value(), wv = w.value(), dx = sink(x), dw = sink(w)](const Tensor<T>& dy) {
        dx.accumulate(
            [&](T* out, bool add) { image_to_places<T>(p, dy.data(), Transpose::ConjugateNo, wv.data(), add ? T(1) : T(0), out); });
        dw.accumulate(
            [&](T* out, bool add) { add_to_weight<T>(p, xv.data(), Transpose::ConjugateNo, dy.data(), Transpose::Yes, add, out); });
      },
      [&](const auto&) {
        return conv_transpose2d_of_one_type(tangent(x), w, options) + conv_transpose2d_of_one_type(x, tangent(w), options);
      },
      x, w);
}
}  // namespace

// ------------------------------------------------------------------------------------------------ real, complex, one of each

namespace {

/// f of a real and a complex operand, f linear in each, made of real ones: two of them instead of the four of a complex product.
template <RealScalar R, class F>
Var<std::complex<R>> with_complex_signal(const Var<std::complex<R>>& x, const F& f) {
  // The parts are two images.
  const Var<R> y = f(concatenate(std::vector{real(x), imag(x)}, 0));
  return make_complex(slice(y, 0, 0, x.dim(0)), slice(y, 0, x.dim(0), 2 * x.dim(0)));
}

/// The parts of the weight as one real weight of twice as many channels out, group by group, along `axis` of [groups, ...].
template <RealScalar R, class F>
Var<std::complex<R>> with_complex_weight(const Var<std::complex<R>>& w, std::int64_t groups, bool transposed, const F& f) {
  // Channels out are axis 0 within a group, or axis 1 of the transposed map.
  const Shape grouped{groups, w.dim(0) / groups, w.dim(1), w.dim(2), w.dim(3)};
  const int axis = transposed ? 2 : 1;
  const Var<R> both = concatenate(std::vector{reshape(real(w), grouped), reshape(imag(w), grouped)}, axis);
  const std::int64_t out = grouped[axis];
  const Var<R> y = f(
      reshape(both, transposed ? Shape{w.dim(0), 2 * out, w.dim(2), w.dim(3)} : Shape{2 * w.dim(0), w.dim(1), w.dim(2), w.dim(3)}));
  const Var<R> parts = reshape(y, Shape{y.dim(0), groups, 2 * out, y.dim(2), y.dim(3)});
  const Shape shape{y.dim(0), groups * out, y.dim(2), y.dim(3)};
  return make_complex(reshape(slice(parts, 2, 0, out), shape), reshape(slice(parts, 2, out, 2 * out), shape));
}

/// x [N, C, L] as [N, C, 1, L], and the options of one axis as those of the last.
template <Scalar T>
Var<T> with_row_axis(const char* op, const Var<T>& x) {
  require(x.rank() == 3, op, "needs three axes, x [N, C, L] and a weight likewise, got {}", x.shape());
  return reshape(x, Shape{x.dim(0), x.dim(1), 1, x.dim(2)});
}
ConvolutionOptions of_last_axis(ConvolutionOptions o) {
  o.stride[0] = o.dilation[0] = 1;
  o.padding[0] = o.output_padding[0] = 0;
  return o;
}
template <Scalar T>
Var<T> without_row_axis(const Var<T>& y) {
  return reshape(y, Shape{y.dim(0), y.dim(1), y.dim(3)});
}

}  // namespace

template <Scalar A, Scalar B>
Var<Promote<A, B>> conv2d(const Var<A>& x, const Var<B>& w, const ConvolutionOptions& options) {
  plan_of("conv2d", x.shape(), w.shape(), options, false);  // throws of the shapes as they were given
  if constexpr (std::same_as<A, B>)
    return conv2d_of_one_type(x, w, options);
  else if constexpr (ComplexScalar<A>)
    return with_complex_signal(x, [&](const auto& both) { return conv2d_of_one_type(both, w, options); });
  else
    return with_complex_weight(w, options.groups, false, [&](const auto& both) { return conv2d_of_one_type(x, both, options); });
}

template <Scalar A, Scalar B>
Var<Promote<A, B>> conv_transpose2d(const Var<A>& x, const Var<B>& w, const ConvolutionOptions& options) {
  plan_of("conv_transpose2d", x.shape(), w.shape(), options, true);
  if constexpr (std::same_as<A, B>)
    return conv_transpose2d_of_one_type(x, w, options);
  else if constexpr (ComplexScalar<A>)
    return with_complex_signal(x, [&](const auto& both) { return conv_transpose2d_of_one_type(both, w, options); });
  else
    return with_complex_weight(w, options.groups, true,
                               [&](const auto& both) { return conv_transpose2d_of_one_type(x, both, options); });
}

template <Scalar A, Scalar B>
Var<Promote<A, B>> conv1d(const Var<A>& x, const Var<B>& w, const ConvolutionOptions& options) {
  const Var<A> row = with_row_axis("conv1d", x);
  return without_row_axis(conv2d(row, with_row_axis("conv1d", w), of_last_axis(options)));
}
template <Scalar A, Scalar B>
Var<Promote<A, B>> conv_transpose1d(const Var<A>& x, const Var<B>& w, const ConvolutionOptions& options) {
  const Var<A> row = with_row_axis("conv_transpose1d", x);
  return without_row_axis(conv_transpose2d(row, with_row_axis("conv_transpose1d", w), of_last_axis(options)));
}

#define ARGAND_CONVOLUTION(A, B)                                                                         \
  template Var<Promote<A, B>> conv2d(const Var<A>&, const Var<B>&, const ConvolutionOptions&);           \
  template Var<Promote<A, B>> conv_transpose2d(const Var<A>&, const Var<B>&, const ConvolutionOptions&); \
  template Var<Promote<A, B>> conv1d(const Var<A>&, const Var<B>&, const ConvolutionOptions&);           \
  template Var<Promote<A, B>> conv_transpose1d(const Var<A>&, const Var<B>&, const ConvolutionOptions&);
#define ARGAND_CONVOLUTIONS(R)           \
  ARGAND_CONVOLUTION(R, R)               \
  ARGAND_CONVOLUTION(R, std::complex<R>) \
  ARGAND_CONVOLUTION(std::complex<R>, R) \
  ARGAND_CONVOLUTION(std::complex<R>, std::complex<R>)
ARGAND_FOR_REAL(ARGAND_CONVOLUTIONS)

}  // namespace argand
