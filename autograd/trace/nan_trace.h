#pragma once
/// Finds the origin of the first NaN. While a NanTrace is alive, it checks every op of this thread as soon as it has run, and every
/// gradient as soon as an op has passed it on. The first value that is not finite ends the pass with an exception that names the op
/// that produced it and the op's inputs:
///
///     NanTrace trace(model.parameters());
///     try {
///       backward(model.loss(tokens, targets).total);
///     } catch (const NonFiniteError& error) {
///       fmt::print("{}\n{}\n", error.what(), error.where().table());
///     }
///
/// The trace reads every output and gradient a second time, and keeps the inputs of ops until the backward pass has passed them: a
/// training step of the small ComplexFormer (argand train lm --threads 1) took 15 % longer. Without a trace, no value is read.

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "autograd/parameter.h"
#include "autograd/tape.h"
#include "core/error.h"

namespace argand {

/// A summary of one tensor's elements: magnitudes of the finite ones, and how many are not finite.
struct NumberSummary {
  std::string role;    ///< "input 0", "output", "gradient of input 0", ...
  std::string origin;  ///< a parameter's name, "exp in blocks.0.attn" for the output of an op, "a variable" or "a constant"
  std::string scalar;  ///< "float32", "complex128", ...
  Shape shape;
  std::int64_t nan = 0, inf = 0;      ///< a complex number counts once; as NaN if either part is NaN
  double min = 0, mean = 0, max = 0;  ///< of |x| over the finite elements; 0 if there are none
  bool finite() const { return nan + inf == 0; }
};

/// The op that produced the first non-finite value.
struct NonFinite {
  const Op* op = nullptr;
  bool backward = false;  ///< in a gradient that the op passed on, rather than in its output
  std::string scope;      ///< the module path where the op was recorded, "blocks.0.attn"; "" outside all modules
  /// Forward: the inputs, then the output. Backward: the inputs and the output of the forward pass, the gradient of the output, and
  /// the gradients of the inputs.
  std::vector<NumberSummary> tensors;

  /// "backward of log in blocks.0.attn produced 2 NaN and 0 inf in the gradient of input 0; everything it read was finite"
  std::string sentence() const;
  /// A heading, then one line per tensor.
  std::string table() const;
  /// The op's description of its singular points; "" if it has none.
  std::string hint() const;
};

/// Thrown in the middle of a pass, after the tape has been cleared. Gradients of variables may be incomplete.
class NonFiniteError : public Error {
 public:
  explicit NonFiniteError(NonFinite where) : Error(where.sentence()), where_(std::move(where)) {}
  const NonFinite& where() const { return where_; }

 private:
  NonFinite where_;
};

class NanTrace {
 public:
  /// Takes the names of variables from `parameters`.
  template <RealScalar R>
  explicit NanTrace(const ParameterList<R>& parameters) : NanTrace() {
    for (const Parameter<R>& p : parameters) std::visit([&](const auto& v) { names_.emplace(v.slot().get(), p.name); }, p.var);
  }
  /// Watches this thread's ops and the current tape, which must outlive it.
  NanTrace();
  ~NanTrace();
  NanTrace(const NanTrace&) = delete;
  NanTrace& operator=(const NanTrace&) = delete;

 private:
  struct Kept {
    const Op* op = nullptr;  ///< null: recorded before the trace began
    std::string scope;
    std::vector<Watched> inputs;
    Watched output;
  };
  void forward(const ForwardEvent& event);
  void backward(const TapeEntry& entry);
  std::string origin(const Watched& x) const;
  [[noreturn]] void stop(NonFinite where);

  std::unordered_map<const SlotBase*, std::string> names_;
  std::vector<Kept> kept_;  ///< indexed like the tape's entries
  Tape& tape_;
  ForwardWatch before_;
  Tape::BackwardWatch before_backward_;
};

/// Summarises one tensor, for your own tables.
NumberSummary summarize(const AnyValue& x);

}  // namespace argand
