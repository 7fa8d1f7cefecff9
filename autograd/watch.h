#pragma once
/// Observes ops as they run, for tracers and drawings of the tape. Without an observer, the cost is one test of a flag.

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "autograd/op.h"
#include "autograd/var.h"

namespace argand {

/// A tensor of any scalar type.
using AnyValue = std::variant<Tensor<float>, Tensor<double>, Tensor<std::complex<float>>, Tensor<std::complex<double>>>;

/// An input or output of an op: its value, and the slot where its gradient accumulates (null: a constant).
struct Watched {
  AnyValue value;
  std::shared_ptr<SlotBase> slot;
};

/// One op that has just run. Its values share storage with those of the computation.
struct ForwardEvent {
  const Op& op;
  const std::string& scope;  ///< the module path, "blocks.0.attn"
  std::vector<Watched> inputs;
  Watched output;
};

/// Called in this thread's context (autograd/context.h) with every op as soon as it has run.
using ForwardWatch = std::function<void(const ForwardEvent&)>;
/// Returns the previous watch (or an empty one), to be restored.
ForwardWatch watch_forward(ForwardWatch watch);

namespace detail {
bool watched();
void observe(const Op& op, Watched output, std::vector<Watched> inputs);
}  // namespace detail

}  // namespace argand
