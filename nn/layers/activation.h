#pragma once
/// Activations with parameters. Activations without parameters are functions: tanh, relu, gelu
/// (autograd/ops/elementwise/activation.h), crelu, cardioid (complex_activation.h).

#include "autograd/ops/elementwise/complex_activation.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/shape.h"
#include "nn/init.h"
#include "nn/module.h"

namespace argand {

/// modReLU: ReLU(|z| + c) z/|z| with a threshold c per channel, initially `threshold`. Equivariant: rotating z rotates the result.
/// Source: Arjovsky, Shah, Bengio, arXiv:1511.06464, eq. 8.
template <RealScalar R>
class ModRelu final : public Module<R> {
 public:
  /// `axes_after`: the number of axes after the channels: 0 for z [..., channels], 1 for a signal [N, channels, L], 2 for an image.
  explicit ModRelu(Init& init, std::int64_t channels, int axes_after = 0, double threshold = 0)
      : c(init.full<R>(Role::Bias, {channels}, threshold)), axes_after_(axes_after) {
    require(axes_after >= 0 && axes_after < Shape::max_rank, "ModRelu", "axes_after {} is out of range", axes_after);
  }
  /// z [..., channels] or [..., channels, L, ...] -> the same shape.
  Var<std::complex<R>> operator()(const Var<std::complex<R>>& z) const {
    require(z.rank() > axes_after_ && z.dim(-1 - axes_after_) == c.size(), "ModRelu",
            "expects {} channels followed by {} axes, got {}", c.size(), axes_after_, z.shape());
    std::vector<std::int64_t> shape(static_cast<std::size_t>(1 + axes_after_), 1);
    shape[0] = c.size();
    return modrelu(z, reshape(c, Shape(std::span<const std::int64_t>(shape))));
  }
  ARGAND_FIELDS(R, c)

  Var<R> c;  ///< [channels]

 private:
  int axes_after_;
};

}  // namespace argand
