#pragma once
/// Initial values: every parameter draws from a stream of its own, in order of construction, so that a model's initial state is a
/// pure function of (config, seed).

#include "autograd/var.h"
#include "core/random.h"

namespace argand {

class Init {
 public:
  explicit Init(std::uint64_t seed) : seed_(seed) {}

  /// N(0, std²); a complex number has half of the variance in each component.
  template <Scalar T>
  Var<T> normal(Role role, const Shape& shape, double std) {
    return variable(randn<T>(shape, Random(seed_, stream_++), static_cast<RealOf<T>>(std)), role);
  }
  template <Scalar T>
  Var<T> full(Role role, const Shape& shape, double value) {
    return variable(Tensor<T>::full(shape, T(static_cast<RealOf<T>>(value))), role);
  }

 private:
  std::uint64_t seed_, stream_ = 0;
};

}  // namespace argand
