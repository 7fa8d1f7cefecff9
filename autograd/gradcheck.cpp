#include "autograd/gradcheck.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/check/gradcheck_diagnosis.h"
#include "autograd/check/independent/incoming_check.h"
#include "autograd/check/op_report.h"
#include "autograd/check/second_look.h"
#include "autograd/check/usage/usage_pass.h"
#include "core/parallel.h"

namespace argand {
namespace {

/// Orders verdicts by severity: an element with several gets the most severe.
int severity(Verdict verdict) {
  switch (verdict) {
    case Verdict::Pass: return 0;
    case Verdict::Inconclusive: return 1;
    case Verdict::Fail: return 2;
    case Verdict::Kink: return 3;
    case Verdict::BranchCut: return 4;
  }
  return 0;
}

std::vector<ComplexValues> projections_of(const ScalarProjection& projected, const GradcheckOptions& options) {
  std::vector<ComplexValues> weights;
  if (!options.full_jacobian) {
    for (int p = 0; p < options.projections; ++p)
      weights.push_back(projected.random_weights(options.seed, static_cast<std::uint64_t>(p)));
    return weights;
  }
  for (std::size_t k = 0; k < projected.output().size(); ++k)
    for (const bool imaginary : {false, true}) {
      if (imaginary && !projected.output_is_complex()) break;
      ComplexValues unit(projected.output().size());
      unit[k] = imaginary ? std::complex(0.0, 1.0) : std::complex(1.0, 0.0);
      weights.push_back(std::move(unit));
    }
  return weights;
}

/// The largest gradient of this tensor.
double scale_of(const std::vector<std::vector<Comparison>>& pairs) {
  double scale = 0;
  for (const auto& element : pairs)
    for (const Comparison& pair : element) scale = std::max(scale, pair.size());
  return scale;
}

class Check {
 public:
  Check(const ScalarProjection& projected, const GradcheckOptions& options)
      : projected_(projected), options_(options), weights_(projections_of(projected, options)) {
    for (const ComplexValues& W : weights_) {
      functionals_.push_back(Functional::of(W));
      analytic_.push_back(projected.analytic(W));
      rounding_.push_back(projected.rounding_of(analytic_.back(), W));
    }
  }

  Report run() {
    std::vector<std::vector<std::vector<Comparison>>> pairs;
    for (std::size_t i = 0; i < projected_.inputs().size(); ++i) pairs.push_back(compare_input(i));
    std::vector<double> scales;
    for (const auto& input : pairs) scales.push_back(scale_of(input));
    const double largest = *std::max_element(scales.begin(), scales.end());
    for (std::size_t i = 0; i < pairs.size(); ++i) judge_input(i, pairs[i], scales[i], largest);
    return std::move(report_);
  }

 private:
  /// The analytic and the numerical gradient of one element, for each projection.
  std::vector<Comparison> compare_element(std::size_t input, std::int64_t element, const RiddersOptions& ridders) const {
    std::vector<Comparison> pairs(functionals_.size());
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      pairs[p].analytic = analytic_[p][input][static_cast<std::size_t>(element)];
      pairs[p].rounding = rounding_[p][input][static_cast<std::size_t>(element)];
    }
    for (const bool imaginary : {false, true}) {
      if (imaginary && !projected_.input_is_complex(input)) break;
      const auto derivatives = projected_.numerical(input, element, imaginary, functionals_, ridders);
      for (std::size_t p = 0; p < pairs.size(); ++p) pairs[p].add(derivatives[p], imaginary);
    }
    return pairs;
  }

  /// [element][projection]
  std::vector<std::vector<Comparison>> compare_input(std::size_t input) const {
    const std::int64_t size = projected_.input_size(input);
    std::vector<std::vector<Comparison>> pairs(static_cast<std::size_t>(size));
    const auto compare = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t e = begin; e < end; ++e) pairs[static_cast<std::size_t>(e)] = compare_element(input, e, options_.ridders);
    };
    if (options_.parallel)
      parallel_for(size, 1, compare);
    else
      compare(0, size);
    return pairs;
  }

  /// Repeats inconclusive comparisons with finer steps and keeps those that then pass. (Never those that fail: a staircase at one
  /// ratio of steps can look smooth at another.)
  void recheck(std::size_t input, std::int64_t element, std::vector<Comparison>& pairs, double scale, double largest) const {
    const auto verdict = [&](Comparison pair) {
      pair.allow_rounding(largest);
      return judge(pair, scale, options_.tolerance);
    };
    const auto open = [&](const Comparison& pair) { return verdict(pair) == Verdict::Inconclusive; };
    if (std::none_of(pairs.begin(), pairs.end(), open)) return;
    const std::vector<Comparison> finer = compare_element(input, element, options_.ridders.finer());
    for (std::size_t p = 0; p < pairs.size(); ++p)
      if (open(pairs[p]) && verdict(finer[p]) == Verdict::Pass) pairs[p] = finer[p];
  }

  /// `scale`: the largest gradient of this input; `largest`: that of all inputs.
  void judge_input(std::size_t input, std::vector<std::vector<Comparison>>& pairs, double scale, double largest) {
    ReportRow row = ReportRow::of(fmt::format("input {}", input), projected_.inputs()[input]);
    std::string outside;
    for (std::size_t e = 0; e < pairs.size(); ++e) {
      recheck(input, static_cast<std::int64_t>(e), pairs[e], scale, largest);
      ElementCheck worst;
      for (std::size_t p = 0; p < functionals_.size(); ++p) {
        Comparison& pair = pairs[e][p];
        pair.allow_rounding(largest);
        const ElementCheck check{.input = input,
                                 .element = static_cast<std::int64_t>(e),
                                 .projection = p,
                                 .output = output_name(p),
                                 .values = pair,
                                 .relative_error = pair.relative_error(scale),
                                 .verdict = judge(pair, scale, options_.tolerance)};
        if (options_.full_jacobian)
          row.elements.push_back(check);
        else if (p == 0 || severity(check.verdict) > severity(worst.verdict) ||
                 (check.verdict == worst.verdict && check.relative_error > worst.relative_error))
          worst = check;
      }
      if (options_.full_jacobian) continue;
      if (const std::string text = settle_kink(projected_, worst, options_.seed); outside.empty()) outside = text;
      row.elements.push_back(worst);
    }
    row.conclude();
    if (row.verdict == Verdict::Fail) row.diagnosis = outside.empty() ? diagnose(projected_, input, options_) : outside;
    report_.rows.push_back(std::move(row));
  }

  std::string output_name(std::size_t projection) const {
    if (!options_.full_jacobian) return "";
    const auto k = static_cast<std::int64_t>(projection);
    if (!projected_.output_is_complex()) return fmt::format("output {}", element_name(projected_.output_shape(), k));
    return fmt::format("{} part of output {}", k % 2 == 0 ? "real" : "imaginary", element_name(projected_.output_shape(), k / 2));
  }

  const ScalarProjection& projected_;
  const GradcheckOptions& options_;
  std::vector<ComplexValues> weights_;
  std::vector<Functional> functionals_;
  std::vector<std::vector<ComplexValues>> analytic_;        // [projection][input]
  std::vector<std::vector<std::vector<double>>> rounding_;  // rounding errors of `analytic_`, [projection][input]
  Report report_;
};

}  // namespace

Report gradcheck(const ScalarProjection& projected, const GradcheckOptions& options) {
  require(options.projections >= 1 || options.full_jacobian, "gradcheck", "projections must be at least 1, got {}",
          options.projections);
  require(options.tolerance > 0, "gradcheck", "the tolerance must be positive, got {}", options.tolerance);
  Report report = Check(projected, options).run();
  report.name = options.name;
  std::vector<IndependentCheck> checks = independent_checks(projected, options.tolerance, options.seed);
  checks.insert(checks.begin(), differences_check(report));
  report.independent = std::move(checks);
  return report;
}

namespace {

/// Whether a pass adds to the gradients that the inputs already hold.
IndependentCheck adds(const ScalarProjection& projected, const CheckedFunction& f, const GradcheckOptions& options) {
  const ComplexValues W = projected.random_weights(options.seed, 0);
  const std::vector<ComplexValues> g = projected.analytic(W);
  const Passes<double> passes(f, projected.inputs());
  const auto added = [&](const std::vector<ComplexValues>& c, std::span<const std::complex<double>> weights) {
    const auto x = passes.variables();
    for (std::size_t i = 0; i < x.size(); ++i) Passes<double>::set_gradient(x[i], c[i]);
    const Numbers incoming(weights.begin(), weights.end());
    passes.pass(x, std::span(&incoming, 1));
    return Passes<double>::gradients(x);
  };
  try {
    return adds_check(added, W, g, projected.rounding_of(g, W), options.tolerance);
  } catch (const Error& error) {
    return {"adds", Opinion::Silent, error.what()};
  }
}

}  // namespace

Report detail::gradcheck(const CheckedFunction& f, const std::vector<AnyTensor>& inputs, const GradcheckOptions& options) {
  ScalarProjection projected(f, inputs);
  if (options.complex_extension) projected.extend(options.complex_extension);
  Report report = argand::gradcheck(projected, options);
  report.independent.push_back(adds(projected, f, options));
  if (options.blame_ops && report.count(Verdict::Fail) > 0) report.blamed = failing_ops(projected.recorded_ops());
  return report;
}

}  // namespace argand
