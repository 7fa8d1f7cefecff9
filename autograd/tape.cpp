#include "autograd/tape.h"

#include <utility>

namespace argand {
namespace {

struct ThreadState {
  Tape* tape = nullptr;
  int no_grad = 0;
  std::string scope;
  ForwardWatch watch;
  std::function<void(TapeEntry&)> run_entry;
};

ThreadState& state() {
  thread_local ThreadState instance;
  return instance;
}

}  // namespace

template <Scalar T>
Tensor<T> Var<T>::grad() const {
  require(slot_ != nullptr, "grad", "this tensor of shape {} is a constant; make it with variable()", shape());
  require(slot_->leaf, "grad", "only variables keep their gradient; that of an op's output is freed as the walk passes it");
  return slot_->present ? slot_->grad : Tensor<T>::zeros(shape());
}

template <Scalar T>
Sink<T> sink(const Var<T>& x) {
  return recording() ? Sink<T>(x) : Sink<T>();
}

template <Scalar T>
void Sink<T>::add(Tensor<T> dx) const {
  if (!slot_) return;
  require(dx.shape() == slot_->shape, "backward", "a gradient of shape {} for a tensor of shape {}", dx.shape(), slot_->shape);
  if (!slot_->present) {
    slot_->grad = std::move(dx);
    slot_->present = true;
  } else {
    if (!slot_->grad.unique()) slot_->grad = slot_->grad.clone();  // another owner must not see the sum
    slot_->grad.add(dx);
  }
}

template <Scalar T>
T* Sink<T>::prepare(bool& add) const {
  add = slot_->present;
  if (!slot_->present)
    slot_->grad = Tensor<T>(slot_->shape);
  else if (!slot_->grad.unique())
    slot_->grad = slot_->grad.clone();
  slot_->present = true;
  return slot_->grad.data();
}

Tape::Tape() : outer_(state().tape) { state().tape = this; }
Tape::~Tape() { state().tape = outer_; }

Tape& Tape::current() {
  if (state().tape == nullptr) {
    thread_local Tape base;  // its constructor makes it current
    state().tape = &base;
  }
  return *state().tape;
}

void Tape::push(TapeEntry entry) {
  for (const auto& input : entry.inputs) {
    if (input == nullptr || input->leaf) continue;
    const auto at = static_cast<std::size_t>(input->entry);
    require(
        at < entries_.size() && entries_[at].output == input, entry.op->name(),
        "an input was computed on another tape, or on this one before its backward pass; no gradient could reach it. Compute it "
        "again, or detach() it");
  }
  entry.output->entry = static_cast<std::int64_t>(entries_.size());
  entries_.push_back(std::move(entry));
}

void Tape::clear() {
  // Newest first: an entry may own what keeps older ones alive, never the other way round.
  while (!entries_.empty()) entries_.pop_back();
}

void Tape::run_entries_by(std::function<void(TapeEntry&)> run) { state().run_entry = std::move(run); }

template <RealScalar R>
void Tape::backward(const Var<R>& loss) {
  require(loss.size() == 1, "backward", "starts from a single real number, got shape {}; sum or average first", loss.shape());
  require(loss.requires_grad(), "backward", "the loss depends on no variable, or was computed inside no_grad");
  require(loss.slot()->leaf || (loss.slot()->entry >= 0 && loss.slot()->entry < static_cast<std::int64_t>(entries_.size()) &&
                                entries_[static_cast<std::size_t>(loss.slot()->entry)].output == loss.slot()),
          "backward", "the loss is not on this tape; a tape is walked once");
  Sink<R>(loss).add(Tensor<R>::ones(loss.shape()));
  try {
    walk();
  } catch (...) {  // half a walk is of no use to anybody, and what is recorded next must not lie on top of it
    for (const TapeEntry& entry : entries_) entry.output->clear_grad();
    clear();
    throw;
  }
}

void Tape::walk() {
  const ThreadState& now = state();
  while (!entries_.empty()) {
    TapeEntry& entry = entries_.back();
    if (entry.output->has_grad()) {
      const NoGrad none;
      if (now.run_entry)
        now.run_entry(entry);
      else
        entry.backward();
      if (watch_) watch_(entry);
      entry.output->clear_grad();
    }
    entries_.pop_back();
  }
}

NoGrad::NoGrad() { ++state().no_grad; }
NoGrad::~NoGrad() { --state().no_grad; }
bool recording() { return state().no_grad == 0; }

NameScope::NameScope(std::string_view name) : length_(state().scope.size()) {
  std::string& scope = state().scope;
  if (!scope.empty()) scope += '.';
  scope += name;
}
NameScope::~NameScope() { state().scope.resize(length_); }

ForwardWatch watch_forward(ForwardWatch watch) { return std::exchange(state().watch, std::move(watch)); }

namespace detail {
const std::string& current_scope() { return state().scope; }

bool watched() { return static_cast<bool>(state().watch); }

void observe(const Op& op, Watched output, std::vector<Watched> inputs) {
  const ForwardWatch watch = state().watch;  // a copy: it may put another one in its place
  watch({op, state().scope, std::move(inputs), std::move(output)});
}
}  // namespace detail

#define ARGAND_AUTOGRAD(T) \
  template class Var<T>;   \
  template class Sink<T>;  \
  template Sink<T> sink(const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_AUTOGRAD)
template void Tape::backward(const Var<float>&);
template void Tape::backward(const Var<double>&);

}  // namespace argand
