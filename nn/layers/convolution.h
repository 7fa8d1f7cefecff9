#pragma once
/// Convolutions in channels-first layout, as in PyTorch; real or complex.

#include "autograd/ops/convolution/convolution.h"
#include "nn/init.h"
#include "nn/module.h"

namespace argand {

/// y = W ⋆ x + b. W [out, in/groups, window] with E|w|² = 2/fan in (Init::he), b [out] = 0.
template <Scalar T>
class Conv1d final : public Module<RealOf<T>> {
 public:
  struct Options {
    std::int64_t stride = 1, padding = 0, dilation = 1, groups = 1;
    bool bias = true;
  };
  /// Throws unless both channel counts are divisible by groups.
  Conv1d(Init& init, std::int64_t in, std::int64_t out, std::int64_t window, const Options& options);
  Conv1d(Init& init, std::int64_t in, std::int64_t out, std::int64_t window) : Conv1d(init, in, out, window, Options()) {}
  /// x [N, in, L] -> [N, out, l], l = (L + 2 padding - dilation (window - 1) - 1)/stride + 1.
  Var<T> operator()(const Var<T>& x) const;
  ARGAND_FIELDS(RealOf<T>, weight, bias)

  Var<T> weight;
  std::optional<Var<T>> bias;

 private:
  ConvolutionOptions options_;
};

/// The two-dimensional version of Conv1d, for images.
template <Scalar T>
class Conv2d final : public Module<RealOf<T>> {
 public:
  struct Options {
    std::array<std::int64_t, 2> stride{1, 1}, padding{0, 0}, dilation{1, 1};
    std::int64_t groups = 1;
    bool bias = true;
  };
  /// Throws unless both channel counts are divisible by groups.
  Conv2d(Init& init, std::int64_t in, std::int64_t out, std::array<std::int64_t, 2> window, const Options& options);
  Conv2d(Init& init, std::int64_t in, std::int64_t out, std::array<std::int64_t, 2> window)
      : Conv2d(init, in, out, window, Options()) {}
  /// x [N, in, H, W] -> [N, out, h, w], h = (H + 2 padding - dilation (kh - 1) - 1)/stride + 1.
  Var<T> operator()(const Var<T>& x) const;
  ARGAND_FIELDS(RealOf<T>, weight, bias)

  Var<T> weight;
  std::optional<Var<T>> bias;

 private:
  ConvolutionOptions options_;
};

}  // namespace argand
