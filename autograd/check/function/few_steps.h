#pragma once
/// A derivative from six to ten values of a function that is smooth nearby: enough to confirm a correct gradient. If the gradient
/// is wrong, or f has a kink, a jump or noise, the result is inconclusive, and autograd/check/numerical.h takes over.

#include <vector>

#include "autograd/check/numerical.h"

namespace argand {

class FewSteps {
 public:
  static constexpr std::size_t fewest = 3, most = 5;  ///< steps on each side

  FewSteps(Changes changes, std::size_t count) : changes_(std::move(changes)), steps_(count) {}
  void add_step();
  /// The derivatives at t = 0. The error is infinite if f bends as at a kink.
  std::vector<Derivative> derivatives() const;

 private:
  struct Step {
    double step;
    Change below, above;
  };
  Changes changes_;
  std::vector<std::vector<Step>> steps_;  // one list per function
};

}  // namespace argand
