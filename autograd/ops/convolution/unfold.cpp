#include "autograd/ops/convolution/unfold.h"

#include "autograd/op_check.h"
#include "autograd/ops/convolution/convolution_plan.h"
#include "autograd/tape.h"

namespace argand {

static const Op unfold_op(
    {.name = "unfold",
     .kind = Kind::Holomorphic,
     .equation =
         "Y(c d, p) = x_c(p s + d δ - q), one row per channel c and window cell d: stride s, dilation δ, padding q, x = 0 outside",
     .dz = "∂Y(c d, p)/∂x_c(p s + d δ - q) = 1",
     .dzbar = "0",
     .vjp = "dx_c(r) = Σ_{p, d: p s + d δ - q = r} dY(c d, p)",
     .jvp = "Ẏ = unfold(ẋ)",
     .derivation = "Linear, and every entry of Y is an entry of x or 0: each passes its gradient back to that entry of x, and the "
                   "gradients of overlapping windows add up.",
     .singular = "none; infinite entries are copied unchanged",
     .source = "Dumoulin & Visin, A guide to convolution arithmetic (2016), section 4.1"},
    [](OpCheck& check) {
      const auto f = [](std::array<std::int64_t, 2> window, ConvolutionOptions o) {
        return [window, o](auto x) { return unfold(x, window, o); };
      };
      ConvolutionOptions wide;
      wide.stride = {2, 1}, wide.padding = {1, 2}, wide.dilation = {1, 2};
      check.function("real", f({2, 2}, {}), check.real({2, 2, 3, 3}));
      check.function("complex, stride, padding, dilation", f({3, 2}, wide), check.complex({2, 4, 3}));
      check.function("one cell", f({1, 1}, {}), check.complex({1, 2, 2, 2}));
      check.sizes("", [=](OpCheck& at, std::int64_t n) {
        at.function("columns, real", f({2, 2}, wide), at.real({1, 1, 2, n + 1}));
        at.function("columns, complex", f({2, 2}, wide), at.complex({1, 1, 2, n + 1}));
        at.function("images", f({2, 1}, {}), at.complex({n, 1, 2, 2}));
        at.function("channels", f({1, 2}, {}), at.real({1, n, 2, 2}));
      });
    });

template <Scalar T>
Var<T> unfold(const Var<T>& x, std::array<std::int64_t, 2> window, const ConvolutionOptions& options) {
  require(x.rank() == 3 || x.rank() == 4, "unfold", "expects [N, C, H, W] or [C, H, W], got {}", x.shape());
  require(options.groups == 1, "unfold", "groups must be 1, since every channel has its own rows; got {}", options.groups);
  const ConvolutionWindows v =
      convolution::windows_of("unfold", x.shape(), window, x.dim(-3), convolution::of_three_axes(options, 2), false);
  const std::int64_t images = x.rank() == 4 ? x.dim(0) : 1, size = v.rows() * v.places();
  Shape shape = x.shape();
  shape.erase(-1);
  shape[-2] = v.rows(), shape[-1] = v.places();
  Tensor<T> y(shape);
  const T* const in = x.value().data();
  T* const out = y.data();
  parallel_for(images, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) columns_of(v, in + n * v.image(), out + n * size);
  });
  return record(
      unfold_op, std::move(y),
      [=, dx = accumulator(x)](const Tensor<T>& dy) {
        dx.accumulate([&](T* to, bool add) {
          if (!add) std::fill_n(to, images * v.image(), T(0));
          parallel_for(images, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t n = begin; n < end; ++n) add_columns(v, dy.data() + n * size, to + n * v.image());
          });
        });
      },
      [&](const auto&) { return unfold(tangent(x), window, options); }, x);
}

#define ARGAND_UNFOLD(T) template Var<T> unfold(const Var<T>&, std::array<std::int64_t, 2>, const ConvolutionOptions&);
ARGAND_FOR_SCALAR(ARGAND_UNFOLD)

}  // namespace argand
