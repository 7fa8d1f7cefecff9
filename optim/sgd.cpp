#include "optim/sgd.h"

#include "core/kernels/pack.h"
#include "optim/real_view.h"
#include "optim/state.h"

namespace argand {

template <RealScalar R>
Sgd<R>::Sgd(ParameterList<R> parameters, const SgdOptions& options)
    : parameters_(std::move(parameters)), options_(options), buf_(zeros_like_each(parameters_)) {
  require_variables(parameters_, "sgd");
  require(options.momentum >= 0 && options.momentum < 1, "sgd", "momentum must be in [0, 1), got {}", options.momentum);
  require(options.weight_decay >= 0, "sgd", "weight_decay must not be negative, got {}", options.weight_decay);
  require(!options.nesterov || options.momentum > 0, "sgd", "nesterov requires momentum > 0");
}

template <RealScalar R>
void Sgd<R>::check() const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) require_unchanged(parameters_[i], buf_[i]);
}

template <RealScalar R>
void Sgd<R>::step(double lr, double gradient_scale) {
  require_rate(lr);
  check();
  ++steps_;
  const R scale = static_cast<R>(gradient_scale), mu = static_cast<R>(options_.momentum), rate = static_cast<R>(lr);
  const bool nesterov = options_.nesterov;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const R keep = is_decayed(parameters_[i].role()) ? static_cast<R>(1 - lr * options_.weight_decay) : R(1);
    R *p = real_data(parameters_[i]), *buf = real_data(buf_[i]);
    const R* g = gradient_data(parameters_[i]);
    parallel_for(parameters_[i].degrees_of_freedom(), elementwise_grain, [=](std::int64_t begin, std::int64_t end) {
      for_packs<R>(begin, end, [=](auto at) {
        const Pack<R> gradient = g == nullptr ? Pack<R>(0) : at.load(g) * scale, b = at.load(buf) * mu + gradient;
        at.store(buf, b);
        at.store(p, at.load(p) * keep - (nesterov ? gradient + b * mu : b) * rate);
      });
    });
  }
}

template <RealScalar R>
OptimizerState<R> Sgd<R>::state() const {
  OptimizerState<R> state{.steps = steps_, .tensors = {}};
  for (std::size_t i = 0; i < parameters_.size(); ++i) state.tensors.push_back({"buf." + parameters_[i].name, buf_[i]});
  return state;
}

template <RealScalar R>
void Sgd<R>::load_state(const OptimizerState<R>& saved) {
  check_state(saved, state());
  for (std::size_t i = 0; i < parameters_.size(); ++i) buf_[i] = saved.tensor("buf." + parameters_[i].name);
  steps_ = saved.steps;
}

template class Sgd<float>;
template class Sgd<double>;

}  // namespace argand
