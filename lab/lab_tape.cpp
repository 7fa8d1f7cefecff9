#include "lab/lab_tape.h"

#include <map>

#include "autograd/tape.h"
#include "autograd/trace/slot_gradient.h"
#include "core/text/text_layout.h"
#include "lab/expression/expression_point.h"
#include "lab/gradient_letters.h"

namespace argand {
namespace {

using C = std::complex<double>;

/// The single element of a gradient.
C first_of(const AnyValue& gradient) {
  return std::visit([](const auto& g) { return C(g.data()[0]); }, gradient);
}

const SlotBase* slot_of(const AnyVar& x) {
  return std::visit([](const auto& v) -> const SlotBase* { return v.slot().get(); }, x);
}

}  // namespace

std::vector<TapeStep> walk_tape(const Expression& f, const std::vector<C>& at) {
  Tape tape;
  std::vector<AnyVar> vars;
  std::map<const SlotBase*, std::string> names;
  for (std::size_t k = 0; k < at.size(); ++k) {
    vars.emplace_back(variable(Tensor<C>({1}, {at[k]})));
    names[slot_of(vars.back())] = f.variables()[k];
  }
  std::vector<TracedOp> trace;
  const AnyVar w = f.traced(vars, trace);
  std::vector<TapeStep> steps;
  for (std::size_t k = 0; k < trace.size(); ++k) {
    TapeStep step{.name = fmt::format("v{}", k + 1), .op = tape.entries()[k].op, .call = {}, .shares = {}};
    names[slot_of(trace[k].output)] = step.name;
    std::string operands;
    for (const AnyVar& x : trace[k].inputs) {
      const auto known = names.find(slot_of(x));
      const auto number = [&] {
        return std::visit([]<class T>(const Var<T>& v) { return complex_text(v.value().data()[0], ComplexScalar<T>, 6); }, x);
      };
      operands += (operands.empty() ? "" : ", ") + (known == names.end() ? number() : known->second);
    }
    step.call = fmt::format("{}({})", step.op->name(), operands);
    step.is_complex = trace[k].output.index() == 1;
    step.value = std::visit([](const auto& v) { return C(v.value().data()[0]); }, trace[k].output);
    steps.push_back(std::move(step));
  }

  const Real L = loss_of(w);
  if (!L.requires_grad()) return steps;
  std::map<const SlotBase*, C> before;
  tape.on_backward([&](const TapeEntry& entry) {
    const auto place = static_cast<std::size_t>(entry.output->entry);
    if (place >= steps.size()) return;  // an op of loss_of, whose vjp passes 1 to f
    TapeStep& step = steps[place];
    step.reached = true;
    step.cotangent = first_of(*slot_gradient(entry.output.get()));
    std::map<const SlotBase*, bool> seen;
    for (const auto& input : entry.inputs) {
      if (input == nullptr || seen[input.get()]) continue;
      seen[input.get()] = true;
      const std::optional<AnyValue> gathered = slot_gradient(input.get());
      if (!gathered) continue;
      const C now = first_of(*gathered);
      const bool first = !before.contains(input.get()), is_complex = std::holds_alternative<Tensor<C>>(*gathered);
      step.shares.push_back({names[input.get()], now - (first ? C(0) : before[input.get()]), now, first, is_complex});
      before[input.get()] = now;
    }
  });
  tape.backward(L);
  return steps;
}

std::string tape_text(const Expression& f, const std::vector<TapeStep>& steps) {
  if (steps.empty()) return fmt::format("  The tape is empty: {} does not depend on its variables.\n", f.name());
  std::size_t calls = 0;
  for (const TapeStep& step : steps) calls = std::max(calls, display_width(step.name) + 3 + display_width(step.call));
  std::string text = "  Forward: every op, its value, its equation (w is its value, z, a, b, ... its operands)\n\n";
  const std::size_t at_value = std::min<std::size_t>(calls + 6, 36), at_equation = at_value + 28;
  for (const TapeStep& step : steps) {
    std::string line = padded(fmt::format("    {} = {}", step.name, step.call), at_value);
    line = padded(line + "  " + complex_text(step.value, step.is_complex, 8), at_equation);
    text += fmt::format("{}  {}\n", line, indented(step.op->text().equation, at_equation + 2));
  }
  const std::string& last = steps.back().name;
  text += fmt::format(
      "\n  {}\n",
      indented(
          fmt::format("Backward: L = {}, so g_{} = 1; then every op in reverse, with its vector-Jacobian product. g_v of a value v "
                      "= x + iy is ∂L/∂x + i ∂L/∂y. In the formula of an op, g_w is the gradient of its value, and g_a, g_b, g_z, "
                      "... are those of its operands.",
                      steps.back().is_complex ? "Re " + last : last, last),
          2));
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (!step->reached) continue;
    text += fmt::format("\n    {} = {}, g_{} = {}\n", step->name, step->call, step->name,
                        complex_text(step->cotangent, step->is_complex, 8));
    text += fmt::format("      {}\n", indented(fmt::format("{}: {}", step->op->name(), gradient_letters(step->op->text().vjp)), 6));
    for (const TapeStep::Share& share : step->shares) {
      text +=
          fmt::format("        g_{} {} {}", share.name, share.first ? "=" : "+=", complex_text(share.added, share.is_complex, 8));
      text += share.first ? "\n" : fmt::format(", in all {}\n", complex_text(share.total, share.is_complex, 8));
    }
  }
  return text;
}

}  // namespace argand
