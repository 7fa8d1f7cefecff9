#include "autograd/check/function/function_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "autograd/check/function/elements.h"

namespace argand {
namespace {

constexpr double beside = 0.01;  // distance of the second point from the first, relative to each element

/// f with gradients in this library's convention: JAX's are computed for conj(W) and then conjugated.
DifferentiableFunction in_convention(const DifferentiableFunction& f, Convention convention) {
  if (convention == Convention::Conjugate) return f;
  const auto gradients = [f](const std::vector<AnyTensor>& x, std::span<const std::complex<double>> W) {
    ComplexValues conjugates(W.begin(), W.end());
    for (auto& w : conjugates) w = std::conj(w);
    std::vector<ComplexValues> all = f.gradients(x, conjugates);
    for (ComplexValues& g : all)
      for (auto& v : g) v = std::conj(v);
    return all;
  };
  return {f.value, gradients, f.tangent, f.extended};
}

ComplexValues numbers_of(const AnyTensor& y) {
  return std::visit([](const auto& t) { return ComplexValues(t.begin(), t.end()); }, y);
}

/// A wrapper that never passes a NaN to the function, because a loop in the function might then never end. A finite step shows
/// instead which outputs depend on a coordinate: those that change, and those too large for a change to show.
DifferentiableFunction without_nan(const DifferentiableFunction& f, const std::vector<AnyTensor>& inputs) {
  const auto base = std::make_shared<ComplexValues>();
  const auto value = [f, inputs, base](const std::vector<AnyTensor>& x) {
    const auto asks = [](const AnyTensor& t) {
      return std::visit([](const auto& u) { return std::any_of(u.begin(), u.end(), [](const auto& v) { return v != v; }); }, t);
    };
    if (std::none_of(x.begin(), x.end(), asks)) return f.value(x);
    std::vector<AnyTensor> moved;
    for (std::size_t i = 0; i < x.size(); ++i)
      std::visit(
          [&]<class T>(const Tensor<T>& at) {
            const auto& original = std::get<Tensor<T>>(inputs[i]);
            Tensor<T> t = at.clone();
            for (std::int64_t k = 0; k < t.size(); ++k) {
              if (at.data()[k] == at.data()[k]) continue;
              double parts[2] = {std::real(original.data()[k]), std::imag(original.data()[k])};
              double& part = parts[std::isnan(std::real(at.data()[k])) ? 0 : 1];
              part += 0.1 * std::max(1.0, std::abs(part));
              if constexpr (ComplexScalar<T>)
                t.data()[k] = {parts[0], parts[1]};
              else
                t.data()[k] = parts[0];
            }
            moved.emplace_back(std::move(t));
          },
          x[i]);
    if (base->empty()) *base = numbers_of(f.value(inputs));
    const ComplexValues& here = *base;
    if (here.size() == 1) return AnyTensor(Tensor<double>::scalar(std::nan("")));
    const ComplexValues there = numbers_of(f.value(moved));
    require(here.size() == there.size(), "gradcheck", "the function returns {} numbers at the point but {} near it", here.size(),
            there.size());
    double largest = 0;
    for (std::size_t k = 0; k < here.size(); ++k) largest = std::max(largest, std::abs(there[k] - here[k]));
    Tensor<std::complex<double>> answer({static_cast<std::int64_t>(here.size())});
    for (std::size_t k = 0; k < here.size(); ++k) {
      const bool hidden = !(double_epsilon * std::abs(here[k]) <= 1e-10 * largest);
      answer.data()[k] = here[k] != there[k] || hidden ? std::nan("") : 0.0;
    }
    return AnyTensor(answer);
  };
  return {value, f.gradients, f.tangent, f.extended};
}

/// Sets the row from findings along directions.
void conclude_directions(ReportRow& row, const std::vector<Finding>& findings) {
  const Finding& worst =
      *std::max_element(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) { return b.is_worse_than(a); });
  row.compared = static_cast<std::int64_t>(findings.size());
  row.unit = "direction";
  const double size = worst.values.size();
  row.worst_error = worst.values.relative_error(size);
  if (std::isnan(row.worst_error)) row.worst_error = HUGE_VAL;
  row.verdict = Judged(worst.verdict, worst.verdict.bar() / (size > 0 ? size : 1));
}

/// A point whose elements differ from those of the first point by about one per cent.
std::vector<AnyTensor> nearby_point(const ScalarProjection& projected, std::uint64_t seed) {
  std::vector<AnyTensor> x;
  for (std::size_t i = 0; i < projected.inputs().size(); ++i)
    std::visit(
        [&]<class T>(const Tensor<T>& t) {
          const ComplexValues r = random_numbers(Random(seed, 200 + i), static_cast<std::size_t>(t.size()), false);
          Tensor<T> moved = t.clone();
          for (std::int64_t k = 0; k < t.size(); ++k) moved.data()[k] *= 1 + beside * r[static_cast<std::size_t>(k)].real();
          x.emplace_back(std::move(moved));
        },
        projected.inputs()[i]);
  return x;
}

class FunctionCheck {
 public:
  FunctionCheck(const DifferentiableFunction& given, const std::vector<AnyTensor>& inputs, const FunctionCheckOptions& options)
      : given_(given), f_(in_convention(given, options.convention)), inputs_(inputs), options_(options) {
    report_.name = options.name;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      report_.rows.push_back(
          ReportRow::of(i < options.input_names.size() ? options.input_names[i] : fmt::format("input {}", i), inputs[i]));
  }

  Report run() {
    try {
      const ScalarProjection projected(without_nan(f_, inputs_), inputs_);
      const Directions directions(projected, options_);
      look(projected, directions);
      check_for_state(directions);
      if (options_.second_point && report_.verdict() != Verdict::Fail) check_second_point(projected);
      note_precision(directions);
      consult(projected, directions);
      if (report_.verdict() != Verdict::Fail && report_.count(Verdict::Kink) > 0)
        report_.notes.push_back(
            "f has no derivative at a kink; a gradient between the one-sided slopes is acceptable but cannot be verified");
      if (report_.worst() != nullptr && report_.verdict() != Verdict::Pass && projected.output().size() > 1)
        report_.notes.push_back("derivatives of a random weighted sum of the outputs, with weights of modulus 0.5 to 1.5");
      try {
        if (report_.verdict() == Verdict::Fail) try_other_convention();
      } catch (const BudgetExceeded&) {
        throw;
      } catch (const std::exception&) {  // it throws if f is not deterministic
      }
    } catch (const BudgetExceeded& spent) {
      for (ReportRow& row : report_.rows)
        if (row.compared == 0 || row.verdict == Verdict::Inconclusive) {  // so that an unexamined function does not pass
          row.compared = std::max<std::int64_t>(row.compared, 1);
          row.diagnosis = spent.why;
        }
      report_.notes.push_back(spent.why + ": entries without a verdict were not checked");
    }
    return std::move(report_);
  }

 private:
  void look(const ScalarProjection& projected, const Directions& directions) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      ReportRow& row = report_.rows[i];
      const ElementRange whole{i, 0, projected.input_size(i)};
      if (options_.every_element) {
        judge_elements(projected, directions, options_, whole, row);
        continue;
      }
      const std::vector<Finding> findings = directions.look(whole);
      for (const Finding& finding : findings) report_.directions.push_back(finding.values);
      conclude_directions(row, findings);
      const Finding& worst = *std::max_element(findings.begin(), findings.end(),
                                               [](const Finding& a, const Finding& b) { return b.is_worse_than(a); });
      if (worst.verdict != Verdict::Pass) judge_suspects(projected, directions, options_, worst, i, row);
    }
  }

  /// A gradient that uses state from an earlier call is wrong as soon as f is called at another point.
  void check_for_state(const Directions& directions) {
    const std::optional<ElementCheck> moved = directions.moved();
    if (!moved) return;
    ReportRow& row = report_.rows[moved->input];
    row.elements = {*moved};
    conclude_elements(row);
    row.diagnosis = "the gradient changes when f is called elsewhere in between: it reads state left by another call";
  }

  /// Checks directions at a second point, if f and its gradient can be evaluated there: a gradient may be correct at one point by
  /// coincidence, or because of stored state.
  void check_second_point(const ScalarProjection& first) {
    try {
      const std::vector<AnyTensor> x = nearby_point(first, options_.seed);
      const ScalarProjection projected(without_nan(f_, x), x);
      for (const auto& y : projected.output())
        if (!std::isfinite(std::abs(y))) return;
      const Directions directions(projected, options_);
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        const Finding found = directions.worst({i, 0, projected.input_size(i)});
        if (found.verdict != Verdict::Fail) continue;
        ReportRow row = ReportRow::of(report_.rows[i].name, x[i]);
        judge_suspects(projected, directions, options_, found, i, row);
        if (row.verdict != Verdict::Fail) continue;
        report_.rows[i] = std::move(row);
        beside_ = "wrong at a second point one percent away, shown here";
      }
      if (!beside_.empty()) report_.notes.push_back(beside_);
    } catch (const std::exception&) {  // f or its gradient rejects the point, which proves nothing
    }
  }

  void note_precision(const Directions& directions) {
    precision_ = std::max(options_.tolerance, directions.precision());
    for (std::size_t i = 0; i < options_.tolerances.size(); ++i) precision_ = std::max(precision_, options_.tolerances[i]);
    double squares = 0, absolute = 0;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const ComplexValues& g = directions.gradient(0, i);
      for (const auto& z : g) squares += std::norm(z);
      absolute += 1.5 * directions.absolute(i) * static_cast<double>(g.size());
    }
    if (absolute > 0) precision_ = std::max(precision_, absolute / std::sqrt(squares));
    if (directions.noise() > 0)
      report_.notes.push_back(directions.precision() > 0
                                  ? fmt::format("f has relative noise of {:.0e} in its values; judged to {:.0e}",
                                                directions.noise(), directions.precision())
                                  : fmt::format("f has relative noise of {:.0e} in its values", directions.noise()));
  }

  void consult(const ScalarProjection& projected, const Directions& directions) {
    report_.independent = independent_checks(projected, std::max(precision_, 20 * directions.noise()), options_.seed);
    const bool passes =
        std::all_of(report_.rows.begin(), report_.rows.end(), [](const ReportRow& r) { return r.verdict == Verdict::Pass; });
    const auto disagree = [](const IndependentCheck& c) { return c.opinion == Opinion::Disagrees; };
    const auto one = std::count_if(report_.independent.begin(), report_.independent.end(), disagree);
    for (IndependentCheck& c : report_.independent) {
      if (!passes || one != 1 || c.name != "adjoint" || !disagree(c)) continue;
      // The gradient and the differences agree; the forward derivative contradicts both.
      c.opinion = Opinion::Silent;
      report_.notes.push_back(fmt::format(
          "the forward derivative is wrong, {}: it contradicts the differences and the gradient, which agree", c.finding));
      c.finding = "its forward derivative is wrong";
    }
    report_.independent.insert(report_.independent.begin(), differences_check(report_));
    const auto finite = [](const ReportRow& row) {
      return std::all_of(row.elements.begin(), row.elements.end(),
                         [](const ElementCheck& e) { return std::isfinite(std::abs(e.values.analytic)); });
    };
    if (report_.verdict() == Verdict::Fail && !std::all_of(report_.rows.begin(), report_.rows.end(), finite))
      report_.independent.front().finding = "the gradient is not finite";
  }

  void try_other_convention() {
    if (std::none_of(inputs_.begin(), inputs_.end(), [](const AnyTensor& x) { return x.index() == 1; })) return;
    const bool conjugate = options_.convention == Convention::Conjugate;
    const DifferentiableFunction g = in_convention(given_, conjugate ? Convention::Plain : Convention::Conjugate);
    const ScalarProjection projected(without_nan(g, inputs_), inputs_);
    const Directions directions(projected, options_);
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (directions.worst({i, 0, projected.input_size(i)}).verdict != Verdict::Pass) return;
    for (ReportRow& row : report_.rows) row.diagnosis.clear();  // the explanation replaces them
    report_.explanation = fmt::format("conjugated: this is the convention of {}", conjugate ? "JAX" : "PyTorch and TensorFlow");
  }

  const DifferentiableFunction& given_;
  DifferentiableFunction f_;
  const std::vector<AnyTensor>& inputs_;
  const FunctionCheckOptions& options_;
  Report report_;
  std::string beside_;
  double precision_ = 0;
};

}  // namespace

Report check_function(const DifferentiableFunction& f, const std::vector<AnyTensor>& inputs, const FunctionCheckOptions& options) {
  require(options.tolerance > 0, "gradcheck", "the tolerance must be positive, got {}", options.tolerance);
  require(options.tolerances.empty() || options.tolerances.size() == inputs.size(), "gradcheck", "got {} tolerances for {} inputs",
          options.tolerances.size(), inputs.size());
  require(options.absolute.empty() || options.absolute.size() == inputs.size(), "gradcheck",
          "got {} absolute tolerances for {} inputs", options.absolute.size(), inputs.size());
  return FunctionCheck(f, inputs, options).run();
}

}  // namespace argand
