#include "optim/adamw.h"

#include <array>
#include <cmath>

#include "core/kernels/pack.h"
#include "optim/state.h"

namespace argand {
namespace {

/// The constants of one step, in the precision of the parameters.
template <RealScalar R>
struct AdamWStep {
  R scale, one_minus_beta1, one_minus_beta2, rate, root_correction, eps;

  /// Reads p, g, m, v and writes p, m, v in a single pass. The loop is memory-bound.
  void operator()(std::int64_t n, R keep, R* p, const R* g, R* m, R* v) const {
    for_packs<R>(0, n, [=, this](auto at) {
      const Pack<R> gi = at.load(g) * scale, m0 = at.load(m), v0 = at.load(v);
      const Pack<R> mi = m0 + (gi - m0) * one_minus_beta1, vi = v0 + (gi * gi - v0) * one_minus_beta2;
      at.store(m, mi);
      at.store(v, vi);
      at.store(p, at.load(p) * keep - mi * rate / (math::sqrt(vi) * root_correction + eps));
    });
  }

  /// The same for n complex numbers, each with one second moment.
  void by_modulus(std::int64_t n, R keep, std::complex<R>* p, const std::complex<R>* g, std::complex<R>* m, R* v) const {
    for_packs<R>(0, n, [=, this](auto at) {
      const ComplexPack<R> gi = at.load(g) * scale, m0 = at.load(m);
      const Pack<R> v0 = at.load(v), vi = v0 + (real_dot(gi, gi) - v0) * one_minus_beta2;
      const ComplexPack<R> mi = m0 + (gi - m0) * one_minus_beta1;
      const Pack<R> root = math::sqrt(vi) * root_correction + eps;
      at.store(v, vi);
      at.store(m, mi);
      const ComplexPack<R> p0 = at.load(p);
      at.store(p, ComplexPack<R>(p0.re * keep - mi.re * rate / root, p0.im * keep - mi.im * rate / root));
    });
  }
};

/// The initial second moment v.
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
      v_(second_moments(parameters_, options.complex_moments)) {
  require_variables(parameters_, "adamw");
  require(options.beta1 >= 0 && options.beta1 < 1, "adamw", "beta1 must be in [0, 1), got {}", options.beta1);
  require(options.beta2 >= 0 && options.beta2 < 1, "adamw", "beta2 must be in [0, 1), got {}", options.beta2);
  require(static_cast<R>(options.eps) > 0, "adamw", "eps must be positive{}, got {}",
          options.eps > 0 ? ", even in single precision" : "", options.eps);
  require(options.weight_decay >= 0, "adamw", "weight_decay must not be negative, got {}", options.weight_decay);
}

template <RealScalar R>
void AdamW<R>::check() const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) require_unchanged(parameters_[i], m_[i]);
}

template <RealScalar R>
void AdamW<R>::step(double lr, double gradient_scale) {
  require_rate(lr);
  check();
  ++steps_;
  const double t = static_cast<double>(steps_);
  const double correction1 = 1 - std::pow(options_.beta1, t), correction2 = 1 - std::pow(options_.beta2, t);
  const AdamWStep<R> update{.scale = static_cast<R>(gradient_scale),
                            .one_minus_beta1 = static_cast<R>(1 - options_.beta1),
                            .one_minus_beta2 = static_cast<R>(1 - options_.beta2),
                            .rate = static_cast<R>(lr / correction1),
                            .root_correction = static_cast<R>(1 / std::sqrt(correction2)),
                            .eps = static_cast<R>(options_.eps)};
  // Fetched here, in a single thread, and not in the loop: data() may first have to copy shared storage.
  struct Numbers {
    R *p, *m, *v;
    const R* g;
    R keep;  ///< factor applied by decay; 1 for parameters that do not decay
  };
  const auto decays = [&](Role role) { return options_.decay_all || is_decayed(role); };
  std::vector<Numbers> numbers;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    numbers.push_back({real_data(parameters_[i]), real_data(m_[i]), real_data(v_[i]), gradient_data(parameters_[i]),
                       decays(parameters_[i].role()) ? static_cast<R>(1 - lr * options_.weight_decay) : R(1)});
  }
  static constexpr std::array<R, static_cast<std::size_t>(elementwise_grain)> no_gradient{};
  parallel_for(static_cast<std::int64_t>(blocks_.size()), 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t b = first; b < last; ++b) {
      const RealBlock& block = blocks_[static_cast<std::size_t>(b)];
      const Numbers& of = numbers[block.tensor];
      const R* g = of.g == nullptr ? no_gradient.data() : of.g + block.begin;
      R *p = of.p + block.begin, *m = of.m + block.begin, *v = of.v;
      const std::int64_t n = block.end - block.begin;
      if (m_[block.tensor].index() == v_[block.tensor].index())
        update(n, of.keep, p, g, m, v + block.begin);
      else  // block boundaries never split a pair
        update.by_modulus(n / 2, of.keep, reinterpret_cast<std::complex<R>*>(p), reinterpret_cast<const std::complex<R>*>(g),
                          reinterpret_cast<std::complex<R>*>(m), v + block.begin / 2);
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
  check_state(saved, state());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    m_[i] = saved.tensor("m." + parameters_[i].name);
    v_[i] = saved.tensor("v." + parameters_[i].name);
  }
  steps_ = saved.steps;
}

template class AdamW<float>;
template class AdamW<double>;

}  // namespace argand
