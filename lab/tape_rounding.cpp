#include "lab/tape_rounding.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "autograd/ops/products/projection.h"
#include "autograd/tape.h"
#include "core/text/text_layout.h"
#include "lab/moved_step.h"

namespace argand {
namespace moved {
namespace {

std::string short_text(C z) { return complex_text(z, z.imag() != 0); }

/// The results for one step.
struct Step {
  double rounding = 0;                           // δ(w), the rounding error of its value
  std::vector<std::array<C, 2>> gradients = {};  // the gradients of Re w and of Im w with respect to each operand
  std::vector<double> sizes = {}, moved = {};    // |J_j| and Δ_j for each operand
  std::array<C, 2> cotangent = {};               // one for each of the two losses Re f and Im f
  std::array<double, 2> cotangent_error = {};
};

class RoundingWalk {
 public:
  RoundingWalk(const Expression& f, const std::vector<C>& at, std::size_t variable_index) {
    for (std::size_t k = 0; k < at.size(); ++k) {
      const Tensor<C> z({1}, {at[k]});
      arguments_.emplace_back(k == variable_index ? variable(z) : constant(z));
      if (!finite_number(at[k])) found_.gaps.push_back(fmt::format("{} is not finite", f.variables()[k]));
    }
    leaf_ = identity(arguments_[variable_index]);
    output_ = f.traced(arguments_, trace_, Trace::All);
    for (std::size_t k = 0; k < trace_.size(); ++k) step_of_[identity(trace_[k].output)] = k;
    name_ops();
  }

  TapeRounding run() {
    steps_.resize(trace_.size());
    for (std::size_t k = 0; k < trace_.size(); ++k) look_at(k);
    if (found_.gaps.empty()) {
      walk_back();
      const auto last = step_of_.find(identity(output_));
      found_.value = last == step_of_.end() ? 0 : steps_[last->second].rounding;
    } else {
      found_.value = found_.parts[0] = found_.parts[1] = unbounded;
    }
    return found_;
  }

 private:
  /// The tape has the recorded ops in the trace's order; ops on constants are called separately.
  void name_ops() {
    for (std::size_t k = 0, entry = 0; k < trace_.size(); ++k) {
      ops_.push_back(trace_[k].recorded ? tape_.entries()[entry++].op : nullptr);
      names_.push_back(trace_[k].recorded ? ops_.back()->name() : name_of_constant(trace_[k]));
    }
  }

  static std::string name_of_constant(const TracedOp& op) {
    const Tape tape;
    std::vector<AnyVar> x;
    for (const AnyVar& operand : op.inputs) std::visit([&](const auto& v) { x.emplace_back(variable(v.value())); }, operand);
    const AnyVar w = op.again(x);
    return tape.entries().empty() ? "" : tape.entries().back().op->name();
  }

  double rounding_of(const AnyVar& x) const {
    const auto made = step_of_.find(identity(x));
    return made == step_of_.end() ? 0 : steps_[made->second].rounding;
  }

  /// ρ of an op; `size` is |w| + Σ_j |J_j| |x_j|.
  double own_rounding(std::size_t k, double size) const {
    if (is_exact(names_[k])) return 0;
    if (names_[k] == "add" || names_[k] == "sub") return last_place * std::abs(number_of(trace_[k].output));
    return 4 * last_place * size + smallest;
  }

  /// How far an operand moves: by its rounding error, or by a few units in the last place.
  double reach_of(std::size_t k, const AnyVar& x) const {
    const double delta = rounding_of(x);
    return is_arithmetic(names_[k]) ? delta : std::max(delta, 2 * last_place * std::abs(number_of(x)));
  }

  /// The directions in which an operand can move: only along the real axis for a real number converted to complex, which stays
  /// on its side of the op's cut.
  std::vector<C> directions_of(const AnyVar& x, int count) const {
    const auto made = step_of_.find(identity(x));
    const bool real = made != step_of_.end() && names_[made->second] == "to_complex";
    return real ? std::vector<C>{1.0, -1.0} : directions(x, count);
  }

  std::string operands_of(const TracedOp& op) const {
    std::string text;
    for (const AnyVar& x : op.inputs) text += (text.empty() ? "" : ", ") + short_text(number_of(x));
    return text;
  }

  void look_at(std::size_t k) {
    const TracedOp& op = trace_[k];
    const C w = number_of(op.output);
    const bool finite_operands =
        std::all_of(op.inputs.begin(), op.inputs.end(), [](const AnyVar& x) { return finite_number(number_of(x)); });
    const std::string name = ops_[k] == nullptr ? "a constant" : ops_[k]->name();
    if (ops_[k] != nullptr) note_op(op, ops_[k]->text(), finite_operands);
    if (!finite_number(w) && finite_operands)
      found_.gaps.push_back(ops_[k] == nullptr ? fmt::format("a constant is {}", short_text(w))
                                               : fmt::format("{} of {} is {}", name, operands_of(op), short_text(w)));
    if (!finite_number(w) || !finite_operands) {
      steps_[k].rounding = unbounded;
      return;
    }
    if (op.recorded)
      look_at_recorded(k);
    else
      look_at_constant(k);
  }

  void note_op(const TracedOp& op, const OpText& text, bool finite_operands) {
    found_.holomorphic_ops = found_.holomorphic_ops && text.kind == Kind::Holomorphic;
    if (text.singular.starts_with("none") || !finite_operands) return;
    const LabSingularity here{text.name, operands_of(op), text.singular};
    const auto same = [&](const LabSingularity& s) { return s.op == here.op && s.at == here.at; };
    if (std::none_of(found_.singular.begin(), found_.singular.end(), same)) found_.singular.push_back(here);
  }

  /// Computes δ of a value that depends only on constants and whose derivative is not needed.
  void look_at_constant(std::size_t k) {
    const TracedOp& op = trace_[k];
    const NoGrad none;
    const C w = number_of(op.output);
    double carried = 0;
    for (std::size_t j = 0; j < op.inputs.size(); ++j) {
      const double delta = reach_of(k, op.inputs[j]);
      if (delta == 0) continue;
      double most = 0;
      for (const C move : moves_within(directions_of(op.inputs[j], 4), delta)) {
        std::vector<AnyVar> x = op.inputs;
        std::visit([&](const auto& t) { x[j] = constant(t); }, moved_single(op.inputs[j], move));
        update_max(most, std::abs(number_of(op.again(x)) - w));
      }
      carried += 2 * most;
    }
    steps_[k].rounding = own_rounding(k, 2 * std::abs(w)) + carried;
  }

  /// x displaced by `by`, in its original shape.
  static AnyTensor moved_single(const AnyVar& x, C by) {
    return std::visit(
        [&]<class T>(const Var<T>& v) -> AnyTensor {
          Tensor<T> t = v.value().clone();
          if constexpr (ComplexScalar<T>)
            t.data()[0] += by;
          else
            t.data()[0] += by.real();
          return t;
        },
        x);
  }

  void look_at_recorded(std::size_t k) {
    const TracedOp& op = trace_[k];
    const OpText& text = ops_[k]->text();
    Step& step = steps_[k];
    const std::size_t operands = op.inputs.size();
    const bool may_be_singular = !text.singular.starts_with("none");
    // The outer and the inner radius. Where the derivative exists, it changes less within the inner radius.
    constexpr double radii[] = {0x1p-26, 0x1p-46};
    std::vector<Move> moves;
    std::vector<int> kind;  // 0: within the rounding error; 1, 2: at a radius
    for (std::size_t j = 0; j < operands; ++j) {
      if (is_single(op.inputs[j])) continue;
      const double size = std::abs(number_of(op.inputs[j]));
      const double reach = reach_of(k, op.inputs[j]);
      if (reach > 0)
        for (const C d : directions_of(op.inputs[j], 4)) moves.push_back({j, reach * d}), kind.push_back(0);
      if (!may_be_singular || !on_tape(op.inputs[j])) continue;
      for (const int radius : {0, 1})
        for (const C d : directions_of(op.inputs[j], 8))
          moves.push_back({j, (size > 0 ? size : 1.0) * radii[radius] * d}), kind.push_back(radius + 1);
    }
    const Answers answers = ask(op, moves);
    step.gradients.resize(operands);
    step.sizes.assign(operands, 0), step.moved.assign(operands, 0);
    std::vector<double> carried(operands, 0);
    for (std::size_t j = 0; j < operands; ++j) {
      for (const std::size_t part : {0, 1})
        if (!answers.gradients[j][part].empty()) step.gradients[j][part] = answers.gradients[j][part][0];
      step.sizes[j] = size_of_gradient(answers, j, 0);
    }
    for (std::size_t p = 0; p < moves.size(); ++p) {
      if (kind[p] != 0) continue;
      update_max(carried[moves[p].operand], std::abs(answers.value[p + 1] - answers.value[0]));
      for (std::size_t j = 0; j < operands; ++j)
        if (on_tape(op.inputs[j])) update_max(step.moved[j], distance_of_gradients(answers, j, p + 1));
    }
    move_numbers(k, step, answers, carried);
    finish(k, step, carried);
    if (!std::all_of(step.sizes.begin(), step.sizes.end(), [](double size) { return std::isfinite(size); }))
      found_.gaps.push_back(fmt::format("the derivative of {} at {} is not finite", text.name, operands_of(op)));
    else if (may_be_singular && (unsettled(answers, moves, kind) || any_subnormal(op)))
      found_.gaps.push_back(fmt::format("the derivative of {} at {} is a convention", text.name, operands_of(op)));
  }

  /// Moves the operands that are single numbers, which carry rounding errors if they were computed.
  void move_numbers(std::size_t k, Step& step, const Answers& base, std::vector<double>& carried) const {
    const TracedOp& op = trace_[k];
    for (std::size_t n = 0; n < op.inputs.size(); ++n) {
      const double delta = reach_of(k, op.inputs[n]);
      if (!is_single(op.inputs[n]) || delta == 0) continue;
      for (const C move : moves_within(directions_of(op.inputs[n], 4), delta)) {
        std::vector<AnyTensor> at;
        for (std::size_t j = 0; j < op.inputs.size(); ++j) at.push_back(moved_single(op.inputs[j], j == n ? move : 0));
        const Answers there = ask(op, at);
        update_max(carried[n], 2 * std::abs(there.value[0] - base.value[0]));
        for (std::size_t j = 0; j < op.inputs.size(); ++j) {
          double distance = 0;
          for (const std::size_t part : {0, 1})
            if (!there.gradients[j][part].empty())
              distance = std::hypot(distance, std::abs(there.gradients[j][part][0] - base.gradients[j][part][0]));
          update_max(step.moved[j], 2 * distance);
        }
      }
    }
  }

  void finish(std::size_t k, Step& step, const std::vector<double>& carried) const {
    const TracedOp& op = trace_[k];
    double own = std::abs(number_of(op.output));
    for (std::size_t j = 0; j < op.inputs.size(); ++j) own += step.sizes[j] * std::abs(number_of(op.inputs[j]));
    step.rounding = own_rounding(k, own);
    for (std::size_t j = 0; j < op.inputs.size(); ++j) {
      const double delta = rounding_of(op.inputs[j]);
      update_max(step.rounding, step.rounding + std::max(carried[j], step.sizes[j] * delta));
    }
  }

  /// Whether an operand is so small that its distance to the nearest double is subnormal.
  static bool any_subnormal(const TracedOp& op) {
    return std::any_of(op.inputs.begin(), op.inputs.end(), [](const AnyVar& x) {
      const double size = std::abs(number_of(x));
      return on_tape(x) && size > 0 && size < std::numeric_limits<double>::min() / last_place;
    });
  }

  /// Whether the value or a derivative keeps jumping or growing as the point is approached; if so, the op's result at the point is
  /// not the limit.
  static bool unsettled(const Answers& a, const std::vector<Move>& moves, const std::vector<int>& kind) {
    for (std::size_t j = 0; j < a.gradients.size(); ++j) {
      double size = size_of_gradient(a, j, 0), value = std::abs(a.value[0]);
      double slopes[] = {0, 0}, values[] = {0, 0};
      for (std::size_t p = 0; p < moves.size(); ++p) {
        if (moves[p].operand != j || kind[p] == 0) continue;
        const auto radius = static_cast<std::size_t>(kind[p] - 1);
        update_max(size, size_of_gradient(a, j, p + 1));
        update_max(value, std::abs(a.value[p + 1]));
        update_max(slopes[radius], distance_of_gradients(a, j, p + 1));
        update_max(values[radius], std::abs(a.value[p + 1] - a.value[0]));
      }
      const auto stays = [](const double(&d)[2], double beside) {
        return !std::isfinite(d[1]) || (d[1] > 1e-6 * beside && d[1] >= 0.5 * d[0]);
      };
      if (stays(slopes, size) || stays(values, value)) return true;
    }
    return false;
  }

  void walk_back() {
    const auto last = step_of_.find(identity(output_));
    if (last == step_of_.end()) return;  // f is just a variable, and exact
    steps_[last->second].cotangent = {C(1, 0), is_complex(output_) ? C(0, 1) : C(0, 0)};
    for (std::size_t k = trace_.size(); k-- > 0;) {
      if (!trace_[k].recorded) continue;
      const Step& step = steps_[k];
      for (std::size_t j = 0; j < trace_[k].inputs.size(); ++j) {
        const AnyVar& x = trace_[k].inputs[j];
        if (!on_tape(x)) continue;
        for (const std::size_t part : {0, 1}) {
          const C c = step.cotangent[part];
          const C share = c.real() * step.gradients[j][0] + c.imag() * step.gradients[j][1];
          double error = step.sizes[j] * step.cotangent_error[part] +
                         (step.moved[j] + 32 * last_place * step.sizes[j] + smallest) * std::abs(c);
          if (c != 0.0) error += smallest;
          if (std::isnan(error)) error = unbounded;
          if (identity(x) == leaf_) {
            found_.parts[part] += error + last_place * std::abs(share);
          } else {
            Step& to = steps_[step_of_.at(identity(x))];
            to.cotangent[part] += share;
            to.cotangent_error[part] += error + last_place * std::abs(share);
          }
        }
      }
    }
    for (double& part : found_.parts)
      if (std::isnan(part)) part = unbounded;
  }

  Tape tape_;
  std::vector<AnyVar> arguments_;
  AnyVar output_;
  const void* leaf_ = nullptr;
  std::vector<TracedOp> trace_;
  std::vector<const Op*> ops_;  // null for an op on constants
  std::vector<std::string> names_;
  std::map<const void*, std::size_t> step_of_;
  std::vector<Step> steps_;
  TapeRounding found_;
};

}  // namespace
}  // namespace moved

TapeRounding tape_rounding(const Expression& f, const std::vector<std::complex<double>>& at, std::size_t variable) {
  return moved::RoundingWalk(f, at, variable).run();
}

}  // namespace argand
