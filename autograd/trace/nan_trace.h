#pragma once
/// Where did the first NaN come from? While a NanTrace lives, every op of this thread is looked at as soon as it has computed, and
/// every gradient as soon as it has been passed on; the first number that is not finite ends the pass with an exception that says
/// which op made it of what:
///
///     NanTrace trace(model.parameters());
///     try {
///       backward(model.loss(tokens, targets).total);
///     } catch (const NonFiniteError& error) {
///       fmt::print("{}\n{}\n", error.what(), error.where().table());
///     }
///
/// It reads every output and every gradient once more, and keeps what the ops of a pass read until the walk has passed them: a
/// training step of the small ComplexFormer (argand train lm --threads 1) took 15 % longer with it. Without one nothing is read.

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "autograd/parameter.h"
#include "autograd/tape.h"
#include "core/error.h"

namespace argand {

/// The numbers of one tensor in short: magnitudes of those that are finite, and how many are not.
struct NumberSummary {
  std::string role;    ///< "input 0", "output", "gradient of input 0", ...
  std::string origin;  ///< a parameter's name, "exp in blocks.0.attn" for the output of an op, "a variable" or "a constant"
  std::string scalar;  ///< "float32", "complex128", ...
  Shape shape;
  std::int64_t nan = 0, inf = 0;      ///< a complex number counts once; NaN when either part is one
  double min = 0, mean = 0, max = 0;  ///< of |x| over the finite ones; 0 when there are none
  bool finite() const { return nan + inf == 0; }
};

/// The op that made the first number that is not finite.
struct NonFinite {
  const Op* op = nullptr;
  bool backward = false;  ///< it was one of the gradients that the op passed on, rather than its output
  std::string scope;      ///< the module path where the op was recorded, "blocks.0.attn"; "" outside of all
  /// Forward: the inputs, then the output. Backward: the inputs and the output of the forward pass, the gradient that came to the
  /// output, and the gradients of the inputs.
  std::vector<NumberSummary> tensors;

  /// "backward of log in blocks.0.attn made 2 NaN and 0 inf in the gradient of its input 0; what it read was finite"
  std::string sentence() const;
  /// One line a tensor, under a heading.
  std::string table() const;
  /// What the op says of its singular points; "" when it has none.
  std::string hint() const;
};

/// Thrown in the middle of a pass; the tape has been cleared. Gradients of variables may be incomplete.
class NonFiniteError : public Error {
 public:
  explicit NonFiniteError(NonFinite where) : Error(where.sentence()), where_(std::move(where)) {}
  const NonFinite& where() const { return where_; }

 private:
  NonFinite where_;
};

class NanTrace {
 public:
  /// Variables are called by these names.
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
  std::vector<Kept> kept_;  ///< as the tape's entries
  Tape& tape_;
  ForwardWatch before_;
  Tape::BackwardWatch before_backward_;
};

/// For a table of one's own.
NumberSummary summarize(const AnyValue& x);

}  // namespace argand
