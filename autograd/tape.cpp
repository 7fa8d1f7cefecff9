#include "autograd/tape.h"

#include <algorithm>

#include "core/memory.h"

namespace argand {

template <Scalar T>
GradientAccumulator<T>::GradientAccumulator() = default;
template <Scalar T>
GradientAccumulator<T>::GradientAccumulator(const Var<T>& x) : slot_(x.slot()) {}
template <Scalar T>
GradientAccumulator<T>::GradientAccumulator(const GradientAccumulator&) = default;
template <Scalar T>
GradientAccumulator<T>::GradientAccumulator(GradientAccumulator&&) noexcept = default;
template <Scalar T>
GradientAccumulator<T>& GradientAccumulator<T>::operator=(const GradientAccumulator&) = default;
template <Scalar T>
GradientAccumulator<T>& GradientAccumulator<T>::operator=(GradientAccumulator&&) noexcept = default;
template <Scalar T>
GradientAccumulator<T>::~GradientAccumulator() = default;

template <Scalar T>
GradientAccumulator<T> accumulator(const Var<T>& x) {
  return recording() ? GradientAccumulator<T>(x) : GradientAccumulator<T>();
}

namespace {

/// The shape of this slot's gradients. Throws if the variable was assigned a value of another shape.
template <Scalar T>
const Shape& gradient_shape(const Slot<T>& slot, std::string_view op = "backward") {
  if (slot.leaf && !(slot.value.shape() == slot.shape)) [[unlikely]]
    fail(op, "the variable{} was created with shape {} but now has a value of shape {}; make a new one with variable()",
         slot.name().empty() ? "" : fmt::format(" {}", slot.name()), slot.shape, slot.value.shape());
  return slot.shape;
}

}  // namespace

template <Scalar T>
void GradientAccumulator<T>::add(Tensor<T> dx) const {
  if (!slot_) return;
  const Shape& shape = gradient_shape(*slot_);
  require(dx.shape() == shape, "backward", "gradient of shape {} does not match tensor of shape {}", dx.shape(), shape);
  const auto alone = slot_->lock();
  if (!slot_->present) {
    slot_->grad = std::move(dx);
    slot_->present = true;
  } else {
    slot_->grad.add(dx);
  }
}

template <Scalar T>
T* GradientAccumulator<T>::prepare(bool& add) const {
  add = slot_->present;
  const Shape& shape = gradient_shape(*slot_);
  if (!slot_->present) slot_->grad = Tensor<T>(shape);
  slot_->present = true;
  return slot_->grad.data();
}

Tape::Tape(Context& context) : context_(context), tapes_(context.tapes_), thread_(std::this_thread::get_id()) {
  tapes_->push_back(this);
}
Tape::~Tape() {
  clear();
  std::erase(*tapes_, this);
}

void Tape::push(TapeEntry entry) {
  for (const auto& input : entry.inputs) {
    if (input == nullptr || input->leaf) continue;
    const auto at = static_cast<std::size_t>(input->entry);
    require(at < entries_.size() && entries_[at].output == input, entry.op->name(),
            "an input was computed on another tape, or on this one before its backward pass, so no gradient can reach it; compute "
            "it again, or detach() it");
  }
  drop_unreachable();
  if (entries_.size() >= max_entries_) [[unlikely]]
    fail("tape",
         "{} ops were recorded without a backward pass, the last one in {}. Evaluate inside a NoGrad, or allow more with "
         "Tape::current().set_max_entries(n)",
         entries_.size(), entry.scope.empty() ? entry.op->name() : entry.scope + " " + entry.op->name());
  entry.output->entry = static_cast<std::int64_t>(entries_.size());
  entries_.push_back(std::move(entry));
}

void Tape::clear() {
  // Newest first: an entry may keep older ones alive, but never newer ones.
  while (!entries_.empty()) drop_last();
}

void Tape::drop_last() {
  entries_.back().output->entry = SlotBase::spent;
  entries_.pop_back();
}

void Tape::drop_unreachable() {
  while (!entries_.empty() && entries_.back().output.use_count() == 1 && !entries_.back().output->has_grad()) drop_last();
}

template <RealScalar R>
void Tape::backward(const Var<R>& loss) {
  require(thread_ == std::this_thread::get_id(), "backward",
          "this tape belongs to another thread; run the backward pass on the thread that made it");
  require(loss.size() > 0, "backward",
          "the loss is empty (shape {}): the Var was never assigned or was moved from; start sums with number(0.0)", loss.shape());
  require(loss.size() == 1, "backward", "requires a real scalar loss, got shape {}; sum or average first", loss.shape());
  require(loss.requires_grad(), "backward", "the loss does not depend on any variable, or was computed inside no_grad");
  require(loss.slot()->leaf || (loss.slot()->entry >= 0 && loss.slot()->entry < static_cast<std::int64_t>(entries_.size()) &&
                                entries_[static_cast<std::size_t>(loss.slot()->entry)].output == loss.slot()),
          "backward", "the loss is not on this tape; backward() can run only once per tape");
  GradientAccumulator<R>(loss).add(Tensor<R>::ones(loss.shape()));
  try {
    walk();
  } catch (...) {  // an unfinished walk is useless, and later ops must not be recorded on top of it
    for (const TapeEntry& entry : entries_) entry.output->clear_grad();
    clear();
    throw;
  }
}

void Tape::walk() {
  const NoGrad none;
  while (!entries_.empty()) {
    TapeEntry& entry = entries_.back();
    if (entry.output->has_grad()) {
      if (context_.runner())
        context_.runner()(entry);
      else
        entry.backward();
      if (watch_) watch_(entry);
      if (!entry.output->retained) entry.output->clear_grad();
    }
    drop_last();
  }
}

namespace detail {

bool Inputs::want_gradient() const {
  return recording() && std::any_of(all_.begin(), all_.end(),
                                    [](const auto& x) { return std::visit([](auto* v) { return v->requires_grad(); }, x); });
}

bool Inputs::move() const {
  return Context::current().forward() && std::any_of(all_.begin(), all_.end(), [](const auto& x) {
           return std::visit([](auto* v) { return v->has_tangent(); }, x);
         });
}

void Inputs::require_own_shapes(const Op& op) const {
  const auto check = [&](const auto* v) {
    if (!v->slot()) return;
    require(gradient_shape(*v->slot(), op.name()) == v->shape(), op.name(),
            "an input was computed with shape {} and then assigned a value of shape {}; detach() it first", v->slot()->shape,
            v->shape());
  };
  for (const auto& x : all_) std::visit(check, x);
}

Scratch<std::shared_ptr<SlotBase>> Inputs::slots() const {
  Scratch<std::shared_ptr<SlotBase>> slots;
  slots.reserve(all_.size());
  for (const auto& x : all_) std::visit([&](auto* v) { slots.push_back(v->slot()); }, x);
  return slots;
}

std::vector<Watched> Inputs::watched() const {
  std::vector<Watched> watched;
  for (const auto& x : all_) std::visit([&](auto* v) { watched.push_back({v->value(), v->slot()}); }, x);
  return watched;
}

template <Scalar Out>
Var<Out> shown(const Op& op, Var<Out> w, const Inputs& inputs) {
  if (watched()) observe(op, {w.value(), w.slot()}, inputs.watched());
  return w;
}

template <Scalar Out>
std::shared_ptr<Slot<Out>> slot_of_output(const Tensor<Out>& y) {
  return std::allocate_shared<Slot<Out>>(PoolAllocator<Slot<Out>>(), y.shape(), false);
}

template <Scalar Out>
Var<Out> append(const Op& op, Tensor<Out> y, std::shared_ptr<Slot<Out>> slot, BackwardClosure backward, const Inputs& inputs) {
  inputs.require_own_shapes(op);
  Tape::current().push({&op, slot, inputs.slots(), std::move(backward), Context::current().scope()});
  return shown(op, Var<Out>(std::move(y), std::move(slot)), inputs);
}

template <Scalar Out>
Var<Out> compute(const Op& op, Tensor<Out> y, const Inputs& inputs) {
  return shown(op, Var<Out>(std::move(y)), inputs);
}

template <Scalar Out>
Var<Out> with_tangent(const Var<Out>& w, const std::function<Var<Out>(const Var<Out>&)>& tangent) {
  const NoForward none;
  return w.with_tangent(tangent(w));
}

}  // namespace detail

#define ARGAND_AUTOGRAD(T)                                                                                        \
  template class GradientAccumulator<T>;                                                                          \
  template GradientAccumulator<T> accumulator(const Var<T>&);                                                     \
  template std::shared_ptr<Slot<T>> detail::slot_of_output(const Tensor<T>&);                                     \
  template Var<T> detail::append(const Op&, Tensor<T>, std::shared_ptr<Slot<T>>, BackwardClosure, const Inputs&); \
  template Var<T> detail::compute(const Op&, Tensor<T>, const Inputs&);                                           \
  template Var<T> detail::with_tangent(const Var<T>&, const std::function<Var<T>(const Var<T>&)>&);
ARGAND_FOR_SCALAR(ARGAND_AUTOGRAD)
template void Tape::backward(const Var<float>&);
template void Tape::backward(const Var<double>&);

}  // namespace argand
