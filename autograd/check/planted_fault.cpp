#include "autograd/check/planted_fault.h"

#include <algorithm>
#include <vector>

#include "autograd/tape.h"
#include "autograd/trace/slot_gradient.h"

namespace argand {
namespace {

/// The index of the first falsified element; those before it stay correct.
std::int64_t first_wrong_element(Fault fault, std::int64_t n) {
  if (fault == Fault::Tail) return n - n % 8;
  if (fault == Fault::FarElements) return std::min<std::int64_t>(n, 4096);
  return 0;
}

template <Scalar T>
void transpose(Tensor<T>& dx) {
  if (dx.rank() < 2) return;
  const std::int64_t rows = dx.dim(-2), columns = dx.dim(-1);
  const Tensor<T> before = dx.clone();
  for (std::int64_t k = 0; k < dx.size(); ++k) {
    const std::int64_t matrix = k / (rows * columns), place = k % (rows * columns);
    dx.data()[k] = before.data()[matrix * rows * columns + place % rows * columns + place / rows];
  }
}

/// Falsifies the gradient that an op gave to one of its inputs.
template <Scalar T>
void falsify(Tensor<T>& dx, Fault fault) {
  dx = dx.clone();
  if (fault == Fault::Transpose) return transpose(dx);
  if (fault == Fault::Overwriting) return;
  if (fault == Fault::Float32 && std::same_as<RealOf<T>, double>) return;
  for (T& g : dx.span().subspan(static_cast<std::size_t>(first_wrong_element(fault, dx.size()))))
    g = fault == Fault::Conjugate ? conj_of(g) : g * static_cast<RealOf<T>>(fault == Fault::Half ? 0.5 : 2);
}

/// Whether any element of the gradient is larger than 2.
bool is_large(SlotBase* slot) {
  bool large = false;
  visit_slot(slot, [&](const auto* s) {
    for (const auto g : s->grad) large = large || std::abs(g) > 2;
  });
  return large;
}

/// Whether an older entry of the tape being walked has the same op and reads one of the same inputs.
bool is_second_use(const TapeEntry& entry) {
  const auto reads_the_same = [&](const TapeEntry& older) {
    return older.op == entry.op && std::any_of(older.inputs.begin(), older.inputs.end(), [&](const auto& x) {
             return x != nullptr && std::find(entry.inputs.begin(), entry.inputs.end(), x) != entry.inputs.end();
           });
  };
  const auto& entries = Tape::current().entries();
  return std::any_of(entries.begin(), entries.end(),
                     [&](const TapeEntry& other) { return &other < &entry && reads_the_same(other); });
}

/// Runs an entry with its inputs' gradients set aside, falsifies the gradients that the entry computes, and adds them to those set
/// aside.
void run_falsified(TapeEntry& entry, Fault fault) {
  std::vector<std::function<void()>> finish;
  for (std::size_t i = 0; i < entry.inputs.size(); ++i) {
    SlotBase* base = entry.inputs[i].get();
    if (std::any_of(entry.inputs.begin(), entry.inputs.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const auto& other) { return other.get() == base; }))
      continue;
    visit_slot(base, [&]<class T>(Slot<T>* slot) {
      finish.push_back([slot, fault, before = slot->grad, had = slot->present] {
        const bool added = had && slot->present;
        if (slot->present && (added || fault != Fault::Adding)) falsify(slot->grad, fault);
        if (added && fault != Fault::Overwriting) slot->grad.add(before);
        if (had && !slot->present) slot->grad = before;
        slot->present = slot->present || had;
      });
      slot->clear_grad();
    });
  }
  entry.backward();
  for (auto& action : finish) action();
}

}  // namespace

std::string_view fault_name(Fault fault) {
  switch (fault) {
    case Fault::Conjugate: return "conjugated";
    case Fault::Twice: return "doubled";
    case Fault::Half: return "halved";
    case Fault::Transpose: return "transposed";
    case Fault::Adding: return "wrong when it is added";
    case Fault::Overwriting: return "overwriting";
    case Fault::Tail: return "wrong in the tail";
    case Fault::FarElements: return "wrong past element 4096";
    case Fault::Float32: return "wrong in float32";
    case Fault::SecondUse: return "wrong for the second use";
    case Fault::ThirdBackward: return "wrong from the third backward pass on";
    case Fault::LargeGradient: return "wrong for a large incoming gradient";
  }
  return "?";
}

PlantedFault::PlantedFault(std::string op, Fault fault) {
  require(Op::find(op) != nullptr, "planted_fault", "unknown op {}", op);
  before_ = Context::current().run_entries_by([op = std::move(op), fault, runs = 0](TapeEntry& entry) mutable {
    const bool here = entry.op->name() == op && (fault != Fault::ThirdBackward || ++runs >= 3) &&
                      (fault != Fault::SecondUse || is_second_use(entry)) &&
                      (fault != Fault::LargeGradient || is_large(entry.output.get()));
    if (here)
      run_falsified(entry, fault);
    else
      entry.backward();
  });
}

PlantedFault::~PlantedFault() { Context::current().run_entries_by(std::move(before_)); }

}  // namespace argand
