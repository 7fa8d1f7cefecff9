#include "autograd/check/function/function_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "autograd/check/function/part.h"

namespace argand {
namespace {

constexpr std::int64_t neighbourhood = 16;  // elements judged one by one where many are suspected
constexpr std::uint64_t projections = 2;    // random weights of the outputs, as in GradcheckOptions

/// f with gradients in this library's convention: conj(gradient by conj(W)) of one in JAX's.
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

/// Elements [first, first + count) of one input.
struct Stretch {
  std::size_t input;
  std::int64_t first, count;
};

/// Gradients under random weights of the outputs, against derivatives along random directions of the inputs.
class Directions {
 public:
  Directions(const Probe& probe, const FunctionCheckOptions& options) : probe_(probe), options_(options) {
    for (std::uint64_t p = 0; p < projections; ++p) {
      const ComplexValues W = probe.random_weights(options.seed, p);
      functionals_.push_back(Functional::of(W));
      gradients_.push_back(probe.analytic(W));
      rounding_.push_back(probe.rounding_of(gradients_.back(), W));
    }
    require_same_twice();
  }

  struct Finding {
    Comparison values;
    Judged verdict = {};
    double excess = 0;  ///< |analytic − numerical| in units of what would pass
  };

  /// The worse of the projections. Along all inputs, or along some elements of one.
  std::vector<Finding> look(std::optional<Stretch> where = std::nullopt) const {
    const std::vector<ComplexValues> v = direction(where);
    std::vector<Finding> findings = judged(v, RiddersOptions());
    if (std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.verdict == Verdict::Inconclusive; })) {
      const std::vector<Finding> finer = judged(v, RiddersOptions().finer());
      for (std::size_t p = 0; p < findings.size(); ++p)
        if (findings[p].verdict == Verdict::Inconclusive && finer[p].verdict == Verdict::Pass) findings[p] = finer[p];
    }
    return findings;
  }
  Finding worst(Stretch where) const { return worst_of(look(where)); }
  static Finding worst_of(const std::vector<Finding>& all) {
    return *std::max_element(all.begin(), all.end(), [](const Finding& a, const Finding& b) {
      return std::pair(gravity(a.verdict), a.excess) < std::pair(gravity(b.verdict), b.excess);
    });
  }

 private:
  /// One random number an element, 0 outside of the stretch.
  std::vector<ComplexValues> direction(std::optional<Stretch> where) const {
    std::vector<ComplexValues> v;
    for (std::size_t i = 0; i < probe_.inputs().size(); ++i) {
      v.push_back(random_numbers(Random(options_.seed, projections + i), static_cast<std::size_t>(probe_.input_size(i)),
                                 probe_.input_is_complex(i)));
      if (!where) continue;
      for (std::size_t k = 0; k < v[i].size(); ++k) {
        const auto place = static_cast<std::int64_t>(k);
        if (where->input != i || place < where->first || place >= where->first + where->count) v[i][k] = 0;
      }
    }
    return v;
  }

  std::vector<Finding> judged(const std::vector<ComplexValues>& v, const RiddersOptions& ridders) const {
    const std::vector<Derivative> derivatives = probe_.along(v, functionals_, ridders);
    std::vector<Finding> findings;
    for (std::size_t p = 0; p < derivatives.size(); ++p) {
      Comparison c;
      double squares = 0;
      for (std::size_t i = 0; i < v.size(); ++i)
        for (std::size_t k = 0; k < v[i].size(); ++k) {
          if (v[i][k] == 0.0) continue;
          const std::complex<double> g = gradients_[p][i][k];
          const double share = g.real() * v[i][k].real() + g.imag() * v[i][k].imag();
          c.analytic += share;
          c.rounding += std::abs(v[i][k]) * (rounding_[p][i][k] + 1e-12 * std::abs(g));
          squares += share * share;
        }
      c.add(derivatives[p], false);
      const double allowed = options_.tolerance * std::max(std::abs(c.analytic), std::abs(c.numerical)) + c.rounding + c.error;
      const double off = std::abs(c.analytic - c.numerical);
      findings.push_back({c, judge(c, std::sqrt(squares), options_.tolerance), std::isnan(off) ? HUGE_VAL : off / allowed});
    }
    return findings;
  }

  /// A gradient with randomness in it would be right for one projection and wrong for the next.
  void require_same_twice() const {
    const std::vector<ComplexValues> again = probe_.analytic(probe_.random_weights(options_.seed, 0));
    for (std::size_t i = 0; i < again.size(); ++i) {
      double largest = 0, apart = 0;
      for (std::size_t k = 0; k < again[i].size(); ++k) {
        largest = std::max(largest, std::abs(again[i][k]));
        apart = std::max(apart, std::abs(again[i][k] - gradients_[0][i][k]));
      }
      require(!(apart > 1e-10 * largest), "gradcheck",
              "two calls of the gradient at the same inputs differ by {:.1g} in input {}; fix its random seed", apart, i);
    }
  }

  const Probe& probe_;
  const FunctionCheckOptions& options_;
  std::vector<Functional> functionals_;
  std::vector<std::vector<ComplexValues>> gradients_;       // [projection][input]
  std::vector<std::vector<std::vector<double>>> rounding_;  // of these
};

/// At a kink each output moves by one of two slopes, and an honest gradient is made of slopes between them. Whether this one is
/// not.
bool beyond_kink(const Probe& probe, const ElementCheck& e, std::uint64_t seed) {
  constexpr std::size_t most_outputs = 4096;
  if (probe.output().size() > most_outputs) return false;
  const ComplexValues W = probe.random_weights(seed, e.projection);
  std::vector<Functional> parts;
  for (std::size_t k = 0; k < W.size(); ++k) {
    parts.push_back({{{k, W[k].real()}}});
    if (probe.output_is_complex()) parts.push_back({{{k, std::complex(0.0, W[k].imag())}}});
  }
  for (const bool imaginary : {false, true}) {
    if (imaginary && !probe.input_is_complex(e.input)) break;
    double low = 0, high = 0, slack = e.values.rounding;
    for (const Derivative& d : probe.numerical(e.input, e.element, imaginary, parts, {})) {
      if (d.jump) return false;
      const double left = d.kink ? d.left.value : d.central.value, right = d.kink ? d.right.value : d.central.value;
      low += std::min(left, right);
      high += std::max(left, right);
      slack += 10 * (d.kink ? d.left.error + d.right.error : d.central.error);
    }
    slack += 1e-6 * std::max(std::abs(low), std::abs(high));
    const double g = imaginary ? e.values.analytic.imag() : e.values.analytic.real();
    if (std::isfinite(slack) && !(g >= low - slack && g <= high + slack)) return true;
  }
  return false;
}

/// The row of what was judged along directions, `n` of them.
void conclude(ReportRow& row, const Directions::Finding& worst, std::size_t n) {
  row.compared = static_cast<std::int64_t>(n);
  row.unit = "direction";
  const double size = worst.values.size();
  row.worst_error = worst.values.relative_error(size);
  if (std::isnan(row.worst_error)) row.worst_error = HUGE_VAL;
  row.verdict = Judged(worst.verdict, worst.verdict.bar() / (size > 0 ? size : 1));
}

/// The row of elements that were judged one by one, with errors relative to the largest gradient among them.
void conclude(ReportRow& row) {
  double scale = 0;
  for (const ElementCheck& e : row.elements) scale = std::max(scale, e.values.size());
  for (ElementCheck& e : row.elements)
    e.relative_error = std::abs(e.values.analytic - e.values.numerical) / (scale > 0 ? scale : 1);
  row.unit = "element";
  row.conclude();
}

/// What the judge says of all elements of the probe's inputs, in place: which input and element of the whole they are.
void judge_elements(const Probe& probe, const FunctionCheckOptions& options, const std::vector<Stretch>& places, Report& report) {
  GradcheckOptions gradcheck_options;
  gradcheck_options.tolerance = options.tolerance;
  gradcheck_options.seed = options.seed;
  gradcheck_options.projections = static_cast<int>(projections);
  const Report result = gradcheck(probe, gradcheck_options);
  std::vector<std::string> diagnoses;
  for (const ReportRow& row : result.rows) diagnoses.push_back(row.diagnosis);
  std::vector<ElementCheck> elements = result.elements();
  for (ElementCheck& e : elements) {
    std::string& diagnosis = diagnoses[e.input];
    if (e.verdict == Verdict::Fail && !std::isfinite(std::abs(e.values.analytic))) diagnosis = "the gradient is not finite";
    if (e.verdict != Verdict::Kink || !beyond_kink(probe, e, options.seed)) continue;
    e.verdict = e.verdict.as(Verdict::Fail);
    if (diagnosis.empty())
      diagnosis = fmt::format("a kink, and the gradient is not between its one-sided derivatives, {:.6g} and {:.6g}",
                              e.values.seen.left.value, e.values.seen.right.value);
  }
  for (ElementCheck& e : elements) {
    const Stretch& place = places[e.input];
    ReportRow& input = report.rows[place.input];
    input.diagnosis = diagnoses[e.input];
    e.input = place.input;
    e.element += place.first;
    input.elements.push_back(e);
  }
  for (const Stretch& place : places) conclude(report.rows[place.input]);
}

/// Halves the stretch, towards where the gradient is more wrong, until its elements can be judged one by one.
Stretch narrowed(const Directions& directions, Stretch s) {
  while (s.count > neighbourhood) {
    const Stretch low{s.input, s.first, s.count / 2}, high{s.input, s.first + s.count / 2, s.count - s.count / 2};
    const Directions::Finding a = directions.worst(low), b = directions.worst(high);
    s = std::pair(gravity(a.verdict), a.excess) >= std::pair(gravity(b.verdict), b.excess) ? low : high;
  }
  return s;
}

void judge_stretches(const DifferentiableFunction& f, const Probe& probe, const Directions& directions,
                     const FunctionCheckOptions& options, Report& report) {
  for (std::size_t i = 0; i < probe.inputs().size(); ++i) {
    const Stretch whole{i, 0, probe.input_size(i)};
    const Directions::Finding found = directions.worst(whole);
    ReportRow& row = report.rows[i];
    conclude(row, found, projections);
    if (found.verdict == Verdict::Pass) continue;
    const Stretch part = narrowed(directions, whole);
    judge_elements(
        Probe(part_of(f, probe.inputs(), i, part.first, part.count), {part_of(probe.inputs()[i], part.first, part.count)}), options,
        {part}, report);
    if (row.verdict == Verdict::Pass) {  // together they are wrong, by less than each by itself may be
      row.verdict = row.verdict.as(found.verdict == Verdict::Fail ? Verdict::Inconclusive : found.verdict);
      row.diagnosis =
          fmt::format("along a direction the derivative is {:.6g} ± {:.1g}, by the gradient {:.6g}; no single element shows it",
                      found.values.numerical.real(), found.values.error, found.values.analytic.real());
    }
  }
}

bool all_pass(const std::vector<Directions::Finding>& findings) {
  return std::all_of(findings.begin(), findings.end(), [](const auto& f) { return f.verdict == Verdict::Pass; });
}

}  // namespace

Report check_function(const DifferentiableFunction& given, const std::vector<AnyTensor>& inputs,
                      const FunctionCheckOptions& options) {
  require(options.tolerance > 0, "gradcheck", "the tolerance must be positive, got {}", options.tolerance);
  const DifferentiableFunction f = in_convention(given, options.convention);
  const Probe probe(f, inputs);
  const Directions directions(probe, options);
  Report report{.name = options.name};
  for (std::size_t i = 0; i < inputs.size(); ++i)
    report.rows.push_back(
        ReportRow::of(i < options.input_names.size() ? options.input_names[i] : fmt::format("input {}", i), inputs[i]));
  const std::vector<Directions::Finding> findings = directions.look();
  for (const Directions::Finding& finding : findings) report.directions.push_back(finding.values);
  if (all_pass(findings))
    for (ReportRow& row : report.rows) conclude(row, Directions::worst_of(findings), findings.size());
  if (!all_pass(findings) || options.every_element) {
    std::int64_t elements = 0;
    std::vector<Stretch> places;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      places.push_back({i, 0, probe.input_size(i)});
      elements += probe.input_size(i);
    }
    if (options.every_element || elements <= options.most_elements)
      judge_elements(probe, options, places, report);
    else
      judge_stretches(f, probe, directions, options, report);
  }
  report.independent = independent_checks(probe, options.tolerance, options.seed);
  report.independent.insert(report.independent.begin(), differences_check(report));

  const bool has_complex = std::any_of(inputs.begin(), inputs.end(), [](const AnyTensor& x) { return x.index() == 1; });
  if (report.verdict() == Verdict::Fail && has_complex) {
    const bool conjugate = options.convention == Convention::Conjugate;
    const Probe other(in_convention(given, conjugate ? Convention::Plain : Convention::Conjugate), inputs);
    if (all_pass(Directions(other, options).look()))
      report.explanation = fmt::format("conjugated: this is the convention of {}", conjugate ? "JAX" : "PyTorch and TensorFlow");
  }
  return report;
}

}  // namespace argand
