#include "autograd/trace/nan_trace.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/trace/slot_gradient.h"
#include "core/kernels/pack.h"

namespace argand {
namespace {

/// Whether all real components of x are finite. Uses comparisons that are false for NaN, combined lane by lane.
template <Scalar T>
bool all_finite(const Tensor<T>& x) {
  using R = RealOf<T>;
  const R* numbers = reinterpret_cast<const R*>(x.data());
  const std::int64_t n = x.size() * static_cast<std::int64_t>(sizeof(T) / sizeof(R));
  const Pack<R> most(std::numeric_limits<R>::max());
  auto bad = most > most;  // false in every lane
  for_packs<R>(0, n, [&](auto at) { bad = bad | !(math::abs(at.load(numbers)) <= most); });
  return !any(bad);
}

bool all_finite(const AnyValue& x) {
  return std::visit([](const auto& tensor) { return all_finite(tensor); }, x);
}

std::string in_scope(const std::string& op, const std::string& scope) { return scope.empty() ? op : op + " in " + scope; }

/// Adds a summary of x. An empty tensor means an absent input, such as a bias, and is skipped.
void add(std::vector<NumberSummary>& list, std::string role, std::string origin, const AnyValue& x) {
  NumberSummary s = summarize(x);
  if (s.shape.size() == 0) return;
  s.role = std::move(role);
  s.origin = std::move(origin);
  list.push_back(std::move(s));
}

}  // namespace

NumberSummary summarize(const AnyValue& x) {
  return std::visit(
      []<Scalar T>(const Tensor<T>& tensor) {
        NumberSummary s;
        s.scalar = scalar_name<T>();
        s.shape = tensor.shape();
        double sum = 0;
        std::int64_t finite = 0;
        for (const T& value : tensor.span()) {
          const std::complex<double> z(value);  // in double, so that the modulus of a large float does not overflow
          if (std::isnan(z.real()) || std::isnan(z.imag())) {
            ++s.nan;
          } else if (std::isinf(z.real()) || std::isinf(z.imag())) {
            ++s.inf;
          } else {
            const double size = std::abs(z);
            s.min = finite == 0 ? size : std::min(s.min, size);
            s.max = std::max(s.max, size);
            sum += size;
            ++finite;
          }
        }
        if (finite > 0) s.mean = sum / static_cast<double>(finite);
        return s;
      },
      x);
}

std::string NonFinite::sentence() const {
  std::string made, bad_inputs;
  for (const NumberSummary& s : tensors) {
    if (s.finite()) continue;
    const bool result = s.role == "output" || s.role.starts_with("gradient of input");
    if (result && backward == (s.role != "output"))
      made += fmt::format("{}{} NaN and {} inf in the {}", made.empty() ? "" : ", ", s.nan, s.inf, s.role);
    else
      bad_inputs += fmt::format("{}{} ({})", bad_inputs.empty() ? "" : ", ", s.role, s.origin);
  }
  return fmt::format("{}{} produced {}; {}", backward ? "backward of " : "", in_scope(op->name(), scope), made,
                     bad_inputs.empty() ? "everything it read was finite" : "already not finite: " + bad_inputs);
}

std::string NonFinite::table() const {
  const auto columns = [](const auto&... cell) {
    return fmt::format("  {:<24}  {:<34}  {:<11}  {:<16}  {:>10}  {:>10}  {:>10}  {:>6}  {:>6}\n", cell...);
  };
  std::string text = columns("", "of", "numbers", "shape", "min |x|", "mean |x|", "max |x|", "NaN", "inf");
  for (const NumberSummary& s : tensors) {
    const bool none = s.nan + s.inf == s.shape.size();
    const auto number = [&](double x) { return none ? std::string("-") : fmt::format("{:.4g}", x); };
    text +=
        columns(s.role, s.origin, s.scalar, fmt::format("{}", s.shape), number(s.min), number(s.mean), number(s.max), s.nan, s.inf);
  }
  return text;
}

std::string NonFinite::hint() const { return op->text().singular == "none" ? "" : op->text().singular; }

NanTrace::NanTrace() : tape_(Tape::current()) {
  before_ = watch_forward([this](const ForwardEvent& event) { forward(event); });
  before_backward_ = tape_.on_backward([this](const TapeEntry& entry) {
    if (before_backward_) before_backward_(entry);
    backward(entry);
  });
}

NanTrace::~NanTrace() {
  watch_forward(std::move(before_));
  tape_.on_backward(std::move(before_backward_));
}

void NanTrace::forward(const ForwardEvent& event) {
  if (before_) before_(event);
  if (!all_finite(event.output.value)) {
    NonFinite where{.op = &event.op, .backward = false, .scope = event.scope, .tensors = {}};
    for (std::size_t i = 0; i < event.inputs.size(); ++i)
      add(where.tensors, fmt::format("input {}", i), origin(event.inputs[i]), event.inputs[i].value);
    add(where.tensors, "output", in_scope(event.op.name(), event.scope), event.output.value);
    stop(std::move(where));
  }
  const SlotBase* slot = event.output.slot.get();
  if (slot == nullptr || slot->leaf || &Tape::current() != &tape_) return;
  kept_.resize(static_cast<std::size_t>(slot->entry));
  kept_.push_back({&event.op, event.scope, event.inputs, event.output});
}

void NanTrace::backward(const TapeEntry& entry) {
  const auto at = static_cast<std::size_t>(entry.output->entry);
  const bool finite = std::all_of(entry.inputs.begin(), entry.inputs.end(), [](const std::shared_ptr<SlotBase>& input) {
    const std::optional<AnyValue> dx = slot_gradient(input.get());
    return !dx || all_finite(*dx);
  });
  if (finite) {
    if (at < kept_.size()) kept_.resize(at);  // the backward pass is past these entries
    return;
  }
  NonFinite where{.op = entry.op, .backward = true, .scope = entry.scope, .tensors = {}};
  const Kept* kept = at < kept_.size() && kept_[at].op != nullptr ? &kept_[at] : nullptr;
  const auto origin_of = [&](std::size_t i) { return kept ? origin(kept->inputs[i]) : std::string("not seen"); };
  const std::string own = in_scope(entry.op->name(), entry.scope);
  if (kept != nullptr) {
    for (std::size_t i = 0; i < kept->inputs.size(); ++i)
      add(where.tensors, fmt::format("input {}", i), origin_of(i), kept->inputs[i].value);
    add(where.tensors, "output of the op", own, kept->output.value);
  }
  if (const auto dy = slot_gradient(entry.output.get())) add(where.tensors, "gradient of the output", own, *dy);
  for (std::size_t i = 0; i < entry.inputs.size(); ++i)
    if (const auto dx = slot_gradient(entry.inputs[i].get()))
      add(where.tensors, fmt::format("gradient of input {}", i), origin_of(i), *dx);
  stop(std::move(where));
}

std::string NanTrace::origin(const Watched& x) const {
  if (!x.slot) return "a constant";
  if (const auto name = names_.find(x.slot.get()); name != names_.end()) return name->second;
  const auto at = static_cast<std::size_t>(x.slot->entry);
  if (x.slot->leaf) return "a variable";
  if (at >= kept_.size() || kept_[at].op == nullptr) return "an op before the trace";
  return in_scope(kept_[at].op->name(), kept_[at].scope);
}

void NanTrace::stop(NonFinite where) {
  kept_.clear();
  tape_.clear();
  throw NonFiniteError(std::move(where));
}

}  // namespace argand
