#include "optim/adamw.h"

#include <array>
#include <cmath>

#include "optim/state.h"

namespace argand {
namespace {

/// The constants of one step, in the precision of the parameters.
template <RealScalar R>
struct AdamWStep {
  R scale, one_minus_beta1, one_minus_beta2, keep, rate, root_correction, eps;

  /// One pass: reads p, g, m, v once and writes p, m, v once. The loop is bound by memory.
  void operator()(std::int64_t n, R* __restrict p, const R* __restrict g, R* __restrict m, R* __restrict v) const {
    for (std::int64_t i = 0; i < n; ++i) {
      const R gi = scale * g[i];
      const R mi = m[i] + one_minus_beta1 * (gi - m[i]);
      const R vi = v[i] + one_minus_beta2 * (gi * gi - v[i]);
      m[i] = mi;
      v[i] = vi;
      p[i] = keep * p[i] - rate * mi / (std::sqrt(vi) * root_correction + eps);
    }
  }

  /// The same for n complex numbers under one second moment each: p, g, m are n pairs, v is n reals.
  void by_modulus(std::int64_t n, R* __restrict p, const R* __restrict g, R* __restrict m, R* __restrict v) const {
    for (std::int64_t i = 0; i < n; ++i) {
      const R gx = scale * g[2 * i], gy = scale * g[2 * i + 1];
      const R vi = v[i] + one_minus_beta2 * (gx * gx + gy * gy - v[i]);
      const R mx = m[2 * i] + one_minus_beta1 * (gx - m[2 * i]), my = m[2 * i + 1] + one_minus_beta1 * (gy - m[2 * i + 1]);
      const R root = std::sqrt(vi) * root_correction + eps;
      v[i] = vi;
      m[2 * i] = mx;
      m[2 * i + 1] = my;
      p[2 * i] = keep * p[2 * i] - rate * mx / root;
      p[2 * i + 1] = keep * p[2 * i + 1] - rate * my / root;
    }
  }
};

/// v before the first step.
template <RealScalar R>
std::vector<AnyTensorOf<R>> second_moments(const ParameterList<R>& parameters, ComplexMoments complex_moments) {
  std::vector<AnyTensorOf<R>> v = zeros_like_each(parameters);
  if (complex_moments == ComplexMoments::Modulus)
    for (std::size_t i = 0; i < v.size(); ++i)
      if (parameters[i].is_complex()) v[i] = Tensor<R>::zeros(parameters[i].shape());
  return v;
}

}  // namespace

template <RealScalar R>
AdamW<R>::AdamW(ParameterList<R> parameters, const AdamWOptions& options)
    : parameters_(std::move(parameters)),
      options_(options),
      blocks_(real_blocks(parameters_)),
      m_(zeros_like_each(parameters_)),
      v_(second_moments(parameters_, options.complex_moments)) {}

template <RealScalar R>
void AdamW<R>::step(double lr, double gradient_scale) {
  ++steps_;
  const double t = static_cast<double>(steps_);
  const double correction1 = 1 - std::pow(options_.beta1, t), correction2 = 1 - std::pow(options_.beta2, t);
  const AdamWStep<R> update{.scale = static_cast<R>(gradient_scale),
                            .one_minus_beta1 = static_cast<R>(1 - options_.beta1),
                            .one_minus_beta2 = static_cast<R>(1 - options_.beta2),
                            .keep = static_cast<R>(1 - lr * options_.weight_decay),
                            .rate = static_cast<R>(lr / correction1),
                            .root_correction = static_cast<R>(1 / std::sqrt(correction2)),
                            .eps = static_cast<R>(options_.eps)};
  static constexpr std::array<R, static_cast<std::size_t>(elementwise_grain)> no_gradient{};
  parallel_for(static_cast<std::int64_t>(blocks_.size()), 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t b = first; b < last; ++b) {
      const RealBlock& block = blocks_[static_cast<std::size_t>(b)];
      const R* gradient = gradient_data(parameters_[block.tensor]);
      R* p = real_data(parameters_[block.tensor]) + block.begin;
      const R* g = gradient == nullptr ? no_gradient.data() : gradient + block.begin;
      R *m = real_data(m_[block.tensor]) + block.begin, *v = real_data(v_[block.tensor]);
      const std::int64_t n = block.end - block.begin;
      if (m_[block.tensor].index() == v_[block.tensor].index())
        update(n, p, g, m, v + block.begin);
      else  // blocks of pairs begin and end at whole pairs
        update.by_modulus(n / 2, p, g, m, v + block.begin / 2);
    }
  });
}

template <RealScalar R>
OptimizerState<R> AdamW<R>::state() const {
  OptimizerState<R> state{.steps = steps_, .tensors = {}};
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    state.tensors.push_back({"m." + parameters_[i].name, m_[i]});
    state.tensors.push_back({"v." + parameters_[i].name, v_[i]});
  }
  return state;
}

template <RealScalar R>
void AdamW<R>::load_state(const OptimizerState<R>& saved) {
  restore_state(saved, state());
  steps_ = saved.steps;
}

template class AdamW<float>;
template class AdamW<double>;

}  // namespace argand
