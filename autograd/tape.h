#pragma once
/// The tape: ops append to it as they run, and backward() walks it once, in reverse. No recursion, no sort. An entry holds the op,
/// the slot where its output's gradient accumulates, and a closure with exactly the data that the gradient needs; that gradient and
/// the closure are freed as the walk passes the entry.

#include <array>
#include <complex>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "autograd/context.h"
#include "autograd/forward.h"
#include "autograd/op.h"
#include "autograd/var.h"
#include "autograd/watch.h"
#include "core/memory.h"

namespace argand {

/// Where an op's backward pass adds the gradient of one input. Converts to false if that gradient is not needed.
template <Scalar T>
class GradientAccumulator {
 public:
  GradientAccumulator();
  explicit GradientAccumulator(const Var<T>& x);
  GradientAccumulator(const GradientAccumulator&);
  GradientAccumulator(GradientAccumulator&&) noexcept;
  GradientAccumulator& operator=(const GradientAccumulator&);
  GradientAccumulator& operator=(GradientAccumulator&&) noexcept;
  ~GradientAccumulator();
  explicit operator bool() const { return slot_ != nullptr; }

  /// Adds dx. The first contribution is stored without a copy.
  void add(Tensor<T> dx) const;
  /// For kernels that can accumulate in place: calls write(T* dx, bool add), where `add` tells whether dx already holds a
  /// gradient to add to (a GEMM's beta) or is uninitialised.
  template <class Write>
  void accumulate(const Write& write) const {
    if (!slot_) return;
    const auto alone = slot_->lock();
    bool add = false;
    T* dx = prepare(add);
    write(dx, add);
  }

 private:
  T* prepare(bool& add) const;
  std::shared_ptr<Slot<T>> slot_;  // null when this gradient is not needed
};

/// GradientAccumulator of x for an op that is being recorded: empty for constants and inside no_grad.
template <Scalar T>
GradientAccumulator<T> accumulator(const Var<T>& x);

/// A gradient computation together with the data that it needs and never changes: like a std::function<void()>, but its memory
/// comes from the pool and its copies share the data. (A chain of scalars has thousands of them alive at a time; malloc() caches
/// only seven blocks of each size, whereas the pool caches as many as are needed.)
class BackwardClosure {
 public:
  template <class F>
  explicit BackwardClosure(F f)
      : held_(std::allocate_shared<F>(PoolAllocator<F>(), std::move(f))),
        call_([](const void* f) { (*static_cast<const F*>(f))(); }) {}
  void operator()() const { call_(held_.get()); }

 private:
  std::shared_ptr<const void> held_;
  void (*call_)(const void*);
};

struct TapeEntry {
  const Op* op;
  std::shared_ptr<SlotBase> output;
  Scratch<std::shared_ptr<SlotBase>> inputs;  ///< null for constants
  BackwardClosure backward;
  std::string scope;  ///< the module path when it was recorded, e.g. "blocks.0.attn"
};

class Tape {
 public:
  /// The tape that ops of this context record on, until it is destroyed or a newer one is made. Tapes may be destroyed in any
  /// order.
  [[nodiscard]] explicit Tape(Context& context = Context::current());
  ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  /// The tape that ops of this thread record on; there is always one.
  static Tape& current() { return Context::current().tape(); }

  /// Walks the tape from the end, adds gradients to those of the leaves, and leaves the tape empty. Throws when the loss is not
  /// a single number or was not recorded on this tape, and when the tape belongs to another thread; when an op's gradient throws,
  /// the tape is emptied too, and leaves may hold part of their gradient. A complex loss does not compile: the gradient of a
  /// complex number is not defined, so take its real part or its modulus first.
  template <RealScalar R>
  void backward(const Var<R>& loss);

  void clear();
  /// The recorded entries. Trailing entries whose outputs are no longer held are dropped when the next one is pushed: no loss can
  /// reach them, so a forgotten NoGrad or an exception leaves nothing behind.
  const std::vector<TapeEntry>& entries() const { return entries_; }
  void push(TapeEntry entry);
  /// The maximum number of entries: push() throws beyond it, so that a loop that evaluates without NoGrad fails before memory runs
  /// out. A training step of the models here records a few hundred.
  void set_max_entries(std::size_t entries) { max_entries_ = entries; }

  /// Sets a callback for the backward walk, called after each entry has added to the gradients of its inputs (used for printing and
  /// NaN tracing). Returns the previous callback, possibly empty, so that the caller can restore it.
  using BackwardWatch = std::function<void(const TapeEntry&)>;
  BackwardWatch on_backward(BackwardWatch watch) { return std::exchange(watch_, std::move(watch)); }

 private:
  void walk();
  void drop_last();
  void drop_unreachable();
  std::vector<TapeEntry> entries_;
  std::size_t max_entries_ = 100'000;
  BackwardWatch watch_;
  Context& context_;
  std::shared_ptr<std::vector<Tape*>> tapes_;  // the context's list; the context may be destroyed before this tape
  std::thread::id thread_;
};

template <RealScalar R>
void backward(const Var<R>& loss) {
  Tape::current().backward(loss);
}
/// Gives a one-line error instead of pages of candidates.
template <RealScalar R>
void backward(const Var<std::complex<R>>&) {
  static_assert(sizeof(R) == 0, "backward: the loss must be real, but is complex; take its real part or its modulus first");
}

/// True when any of these needs a gradient.
template <Scalar... T>
bool wants_grad(const Var<T>&... inputs) {
  return recording() && (inputs.requires_grad() || ...);
}

namespace detail {
using Input =
    std::variant<const Var<float>*, const Var<double>*, const Var<std::complex<float>>*, const Var<std::complex<double>>*>;

/// The inputs of an op, of any scalar types; `all` must outlive this. These functions are compiled once, in tape.cpp, instead of in
/// every op.
class Inputs {
 public:
  explicit Inputs(std::span<const Input> all) : all_(all) {}
  bool want_gradient() const;
  bool move() const;  ///< whether any has a tangent and this context computes tangents
  /// Throws Error for an input that was assigned a value of another shape: its gradient would be written out of bounds.
  void require_own_shapes(const Op& op) const;
  Scratch<std::shared_ptr<SlotBase>> slots() const;
  std::vector<Watched> watched() const;

 private:
  std::span<const Input> all_;
};

/// Where the gradient of an op's output accumulates.
template <Scalar Out>
std::shared_ptr<Slot<Out>> slot_of_output(const Tensor<Out>& y);
/// Puts an op's output and backward pass on the tape, and passes both to the observer.
template <Scalar Out>
Var<Out> append(const Op& op, Tensor<Out> y, std::shared_ptr<Slot<Out>> slot, BackwardClosure backward, const Inputs& inputs);
/// The same when no gradient is needed.
template <Scalar Out>
Var<Out> compute(const Op& op, Tensor<Out> y, const Inputs& inputs);
template <Scalar Out>
Var<Out> with_tangent(const Var<Out>& w, const std::function<Var<Out>(const Var<Out>&)>& tangent);

template <Scalar Out, class Backward, class Tangent>
Var<Out> record(const Op& op, Tensor<Out> y, Backward backward, const Tangent& tangent, const Inputs& inputs) {
  static_assert(std::is_invocable_v<const Backward&, const Tensor<Out>&>,
                "record: a backward that changes its captures (a mutable lambda) cannot be called more than once");
  op.require_usable();
  const auto appended = [&] {
    std::shared_ptr<Slot<Out>> slot = slot_of_output(y);
    BackwardClosure closure([to = slot.get(), backward = std::move(backward)] { backward(to->grad); });
    return append(op, std::move(y), std::move(slot), std::move(closure), inputs);
  };
  Var<Out> w = inputs.want_gradient() ? appended() : compute(op, std::move(y), inputs);
  return inputs.move() ? with_tangent<Out>(w, std::cref(tangent)) : w;
}
}  // namespace detail

/// The last step of every op: makes y a Var and, if a gradient is needed, records how to compute it. `backward(const Tensor<Out>&
/// dy)` puts the inputs' gradients into the accumulators it captured. `tangent(const Var<Out>& y)` computes ẏ from the inputs'
/// tangents, tangent(x), as an expression of ops; it is called immediately or not at all, so it may capture by reference. Ops
/// inside it compute no tangents themselves but are recorded: a gradient of ẏ is a second derivative.
template <Scalar Out, class Backward, class Tangent, Scalar... In>
Var<Out> record(const Op& op, Tensor<Out> y, Backward backward, const Tangent& tangent, const Var<In>&... inputs) {
  const std::array<detail::Input, sizeof...(In)> all{&inputs...};
  return detail::record(op, std::move(y), std::move(backward), tangent, detail::Inputs(all));
}
/// The same for an op with any number of inputs.
template <Scalar Out, class Backward, class Tangent, Scalar In>
Var<Out> record(const Op& op, Tensor<Out> y, Backward backward, const Tangent& tangent, const std::vector<Var<In>>& inputs) {
  Scratch<detail::Input> all;
  for (const Var<In>& x : inputs) all.push_back(&x);
  return detail::record(op, std::move(y), std::move(backward), tangent, detail::Inputs(all));
}

}  // namespace argand
