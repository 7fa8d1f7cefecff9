#include "optim/composed.h"

#include "optim/state.h"

namespace argand {

template <RealScalar R>
void Composed<R>::check() const {
  for (const Part& part : parts_) part.optimizer->check();
}

template <RealScalar R>
void Composed<R>::step(double lr, double gradient_scale) {
  check();  // checks all parts before changing any parameter
  for (Part& part : parts_) part.optimizer->step(lr * part.lr_scale, gradient_scale);
}

template <RealScalar R>
OptimizerState<R> Composed<R>::state() const {
  OptimizerState<R> all;
  for (const Part& part : parts_) {
    OptimizerState<R> own = part.optimizer->state();
    all.steps = own.steps;  // the parts step together
    for (auto& entry : own.tensors) all.tensors.push_back(std::move(entry));
  }
  return all;
}

template <RealScalar R>
void Composed<R>::load_state(const OptimizerState<R>& saved) {
  check_state(saved, state());
  for (Part& part : parts_) {
    OptimizerState<R> own = part.optimizer->state();
    own.steps = saved.steps;
    for (auto& entry : own.tensors) entry.value = saved.tensor(entry.name);
    part.optimizer->load_state(own);
  }
}

template class Composed<float>;
template class Composed<double>;

}  // namespace argand
