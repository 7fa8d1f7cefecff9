#include "autograd/check/function/directions.h"

#include <algorithm>
#include <cmath>

#include "autograd/check/function/few_steps.h"
#include "autograd/check/function/noisy_slope.h"

namespace argand {
namespace {

bool any(const std::vector<Finding>& findings, Verdict verdict) {
  return std::any_of(findings.begin(), findings.end(), [verdict](const Finding& f) { return f.verdict == verdict; });
}

bool all_pass(const std::vector<Finding>& findings) {
  return std::all_of(findings.begin(), findings.end(), [](const Finding& f) { return f.verdict == Verdict::Pass; });
}

Finding finding_of(const Comparison& c, Judged verdict, double tolerance) {
  const double allowed = tolerance * std::max(std::abs(c.analytic), std::abs(c.numerical)) + c.rounding + c.error;
  const double off = std::abs(c.analytic - c.numerical);
  return {c, verdict, std::isnan(off) ? HUGE_VAL : off / allowed};
}

}  // namespace

bool Finding::is_worse_than(const Finding& other) const {
  return std::pair(precedence(verdict), excess) > std::pair(precedence(other.verdict), other.excess);
}

Directions::Directions(const ScalarProjection& projected, const FunctionCheckOptions& options)
    : projected_(projected), options_(options) {
  for (std::uint64_t p = 0; p < projections; ++p) {
    const ComplexValues W = projected.random_weights(options.seed, p);
    functionals_.push_back(Functional::of(W));
    double squares = 0;
    for (std::size_t k = 0; k < W.size(); ++k) squares += std::norm(W[k] * projected.output()[k]);
    sizes_.push_back(std::sqrt(squares));
    gradients_.push_back(projected.analytic(W));
    rounding_.push_back(projected.rounding_of(gradients_.back(), W));
    scales_.emplace_back();
    for (const ComplexValues& g : gradients_.back()) {
      double scale = 0;
      for (const auto& z : g)
        if (std::isfinite(std::abs(z))) scale = std::max(scale, std::abs(z));
      scales_.back().push_back(scale);
      largest_ = std::max(largest_, scale);
    }
  }
  require_deterministic();
}

double Directions::tolerance(std::size_t input) const {
  return options_.tolerances.empty() ? options_.tolerance : options_.tolerances[input];
}

double Directions::absolute(std::size_t input) const { return options_.absolute.empty() ? 0 : options_.absolute[input]; }

std::vector<Finding> Directions::look(const ElementRange& where) const {
  const std::vector<ComplexValues> v = direction(where);
  const bool one = where.count == 1;
  const auto at_steps = [&](const RiddersOptions& ridders) {
    return one ? judged_element(where, ridders) : judged(v, where, ridders);
  };
  if (options_.noise.value_or(0) > 0 || noise_ > 0)
    if (auto fitted = judged_by_fit(v, where)) return *fitted;
  if (auto few = pass_with_few_steps(v, where)) return *few;
  std::vector<Finding> findings = at_steps({});
  if (any(findings, Verdict::Inconclusive)) {
    const std::vector<Finding> finer = at_steps(RiddersOptions().finer());
    for (std::size_t p = 0; p < findings.size(); ++p)
      if (findings[p].verdict == Verdict::Inconclusive && finer[p].verdict == Verdict::Pass) findings[p] = finer[p];
  }
  if (all_pass(findings) || options_.noise == 0.0) return findings;
  if (auto fitted = judged_by_fit(v, where)) return *fitted;
  return findings;
}

Finding Directions::worst(const ElementRange& where) const {
  const std::vector<Finding> all = look(where);
  return *std::max_element(all.begin(), all.end(), [](const Finding& a, const Finding& b) { return b.is_worse_than(a); });
}

ElementCheck Directions::element(std::size_t input, std::int64_t element) const {
  const std::vector<Finding> all = look({input, element, 1});
  const auto worst =
      std::max_element(all.begin(), all.end(), [](const Finding& a, const Finding& b) { return b.is_worse_than(a); });
  ElementCheck check;
  check.input = input;
  check.element = element;
  check.projection = static_cast<std::size_t>(worst - all.begin());
  check.values = worst->values;
  check.verdict = worst->verdict;
  return check;
}

/// One random number per element of the range, 0 elsewhere. A single element gets 1, since only the axis matters.
std::vector<ComplexValues> Directions::direction(const ElementRange& where) const {
  std::vector<ComplexValues> v;
  for (std::size_t i = 0; i < projected_.inputs().size(); ++i) {
    v.emplace_back(static_cast<std::size_t>(projected_.input_size(i)));
    if (where.input != i) continue;
    const auto first = static_cast<std::size_t>(where.first), count = static_cast<std::size_t>(where.count);
    if (count == 1) {
      v[i][first] = 1;
      continue;
    }
    const ComplexValues all = random_numbers(Random(options_.seed, projections + i), v[i].size(), projected_.input_is_complex(i));
    for (std::size_t k = first; k < first + count; ++k) v[i][k] = all[k];
  }
  return v;
}

Comparison Directions::by_gradient(const std::vector<ComplexValues>& v, const ElementRange& where, std::uint64_t p,
                                   double& size) const {
  Comparison c;
  double squares = 0;
  const std::size_t i = where.input;
  for (std::size_t k = 0; k < v[i].size(); ++k) {
    if (v[i][k] == 0.0) continue;
    const std::complex<double> g = gradients_[p][i][k];
    const double share = g.real() * v[i][k].real() + g.imag() * v[i][k].imag();
    c.analytic += share;
    c.rounding += std::abs(v[i][k]) * (rounding_[p][i][k] + 1e-12 * std::abs(g) + absolute(i));
    squares += share * share;
  }
  size = std::sqrt(squares);
  return c;
}

std::optional<std::vector<Finding>> Directions::pass_with_few_steps(const std::vector<ComplexValues>& v,
                                                                    const ElementRange& where) const {
  const std::size_t n = functionals_.size(), i = where.input;
  const bool element = where.count == 1, both = element && projected_.input_is_complex(i);
  std::vector<FewSteps> axes;
  for (const bool imaginary : {false, true}) {
    if (imaginary && !both) break;
    std::vector<ComplexValues> along = v;
    if (element) along[i][static_cast<std::size_t>(where.first)] = imaginary ? std::complex(0.0, 1.0) : std::complex(1.0, 0.0);
    axes.emplace_back(projected_.changes_along(along, functionals_), n);
  }
  for (std::size_t step = 1; step <= FewSteps::most; ++step) {
    for (FewSteps& axis : axes) axis.add_step();
    if (step < FewSteps::fewest) continue;
    std::vector<Comparison> comparisons(n);
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const std::vector<Derivative> derivatives = axes[a].derivatives();
      for (std::size_t p = 0; p < n; ++p) comparisons[p].add(derivatives[p], a == 1);
    }
    std::vector<Finding> findings;
    for (std::size_t p = 0; p < n; ++p)
      findings.push_back(element ? of_element(comparisons[p], where, p) : of_direction(comparisons[p], v, where, p));
    if (all_pass(findings)) return findings;
  }
  return std::nullopt;
}

Finding Directions::of_direction(Comparison c, const std::vector<ComplexValues>& v, const ElementRange& where,
                                 std::uint64_t p) const {
  double size = 0;
  const Comparison by = by_gradient(v, where, p, size);
  c.analytic = by.analytic;
  c.rounding = by.rounding;
  c.allow_rounding(largest_);
  return finding_of(c, relative_to_others(c, judge(c, size, tolerance(where.input)), where.input, p), tolerance(where.input));
}

Finding Directions::of_element(Comparison c, const ElementRange& where, std::uint64_t p) const {
  const std::size_t i = where.input, k = static_cast<std::size_t>(where.first);
  c.analytic = gradients_[p][i][k];
  c.rounding = rounding_[p][i][k] + absolute(i);
  const double scale = std::max(c.size(), scales_[p][i]);  // the largest gradient of this input: precision is relative to it
  c.allow_rounding(largest_);
  return finding_of(c, relative_to_others(c, judge(c, scale, tolerance(i)), i, p), tolerance(i));
}

std::vector<Finding> Directions::judged(const std::vector<ComplexValues>& v, const ElementRange& where,
                                        const RiddersOptions& ridders) const {
  const std::vector<Derivative> derivatives = projected_.along(v, functionals_, ridders);
  std::vector<Finding> findings;
  for (std::size_t p = 0; p < derivatives.size(); ++p) {
    Comparison c;
    c.add(derivatives[p], false);
    findings.push_back(of_direction(c, v, where, p));
  }
  return findings;
}

std::vector<Finding> Directions::judged_element(const ElementRange& where, const RiddersOptions& ridders) const {
  std::vector<Comparison> comparisons(functionals_.size());
  for (const bool imaginary : {false, true}) {
    if (imaginary && !projected_.input_is_complex(where.input)) break;
    const std::vector<Derivative> derivatives = projected_.numerical(where.input, where.first, imaginary, functionals_, ridders);
    for (std::size_t p = 0; p < comparisons.size(); ++p) comparisons[p].add(derivatives[p], imaginary);
  }
  std::vector<Finding> findings;
  for (std::size_t p = 0; p < comparisons.size(); ++p) findings.push_back(of_element(comparisons[p], where, p));
  return findings;
}

Judged Directions::relative_to_others(const Comparison& c, Judged own, std::size_t input, std::uint64_t p) const {
  if (own != Verdict::Inconclusive || !std::isfinite(c.error)) return own;
  const double size = std::max(std::abs(c.analytic), std::abs(c.numerical)), off = std::abs(c.analytic - c.numerical);
  double largest = 0;
  for (const double scale : scales_[p]) largest = std::max(largest, scale);
  const bool precise = c.error <= 1e-3 * size && c.error <= 0.5 * tolerance(input) * largest;
  return precise && off <= own.bar() ? own.as(Verdict::Pass) : own;
}

std::optional<std::vector<Finding>> Directions::judged_by_fit(const std::vector<ComplexValues>& v,
                                                              const ElementRange& where) const {
  const std::size_t n = functionals_.size(), i = where.input;
  std::vector<double> allowed(n), stated(n);
  for (std::size_t p = 0; p < n; ++p) {
    allowed[p] = double_epsilon * sizes_[p];
    stated[p] = options_.noise.value_or(0) * sizes_[p];
  }
  std::vector<Finding> findings(n);
  const bool element = where.count == 1;
  std::vector<Comparison> comparisons(n);
  std::vector<double> kinks(n);
  for (const bool imaginary : {false, true}) {
    if (imaginary && !(element && projected_.input_is_complex(i))) break;
    std::vector<ComplexValues> along = v;
    if (element) along[i][static_cast<std::size_t>(where.first)] = imaginary ? std::complex(0.0, 1.0) : std::complex(1.0, 0.0);
    const auto slopes = noisy_slopes(projected_.changes_along(along, functionals_), allowed, stated);
    for (std::size_t p = 0; p < n; ++p) {
      if (!slopes[p]) return std::nullopt;
      double size = 0;
      const Comparison by = by_gradient(along, where, p, size);
      Comparison& c = comparisons[p];
      const auto unit = imaginary ? std::complex(0.0, 1.0) : std::complex(1.0, 0.0);
      c.analytic += unit * by.analytic;
      c.numerical += unit * slopes[p]->slope.value;
      c.error = std::hypot(c.error, slopes[p]->slope.error);
      kinks[p] += slopes[p]->kink;
      // The gradient is as noisy as f, with independent noise in each of its terms.
      const double noise = sizes_[p] > 0 ? slopes[p]->noise / sizes_[p] : 0;
      noise_ = std::max(noise_, noise);
      c.rounding += by.rounding + 4 * noise * std::max(size, std::abs(by.analytic));
      c.varies = true;
    }
  }
  for (std::size_t p = 0; p < n; ++p) {
    const Comparison& c = comparisons[p];
    const double own = std::max(std::abs(c.analytic), std::abs(c.numerical)), off = std::abs(c.analytic - c.numerical);
    const double bar = tolerance(i) * own + c.rounding + c.error;
    double scale = own;  // the reference for the noise
    for (std::size_t k = 0; k < v[i].size(); ++k)
      if (v[i][k] != 0.0 && !element) scale = std::max(scale, std::abs(gradients_[p][i][k]));
    Verdict verdict = Verdict::Inconclusive;
    if (std::isfinite(c.error) && !(off <= 2.5 * bar + kinks[p]))
      verdict = Verdict::Fail;
    else if (off <= bar && bar <= 0.1 * scale)
      verdict = Verdict::Pass;
    if (verdict == Verdict::Pass && scale > 0) precision_ = std::max(precision_, bar / scale);
    findings[p] = {c, Judged(verdict, bar), std::isnan(off) ? HUGE_VAL : off / bar};
  }
  return findings;
}

/// A gradient that differs between calls could be correct for one projection and wrong for the next. Differences within rounding
/// are allowed: some libraries choose their kernels by memory alignment.
void Directions::require_deterministic() const {
  const std::vector<ComplexValues> again = projected_.analytic(projected_.random_weights(options_.seed, 0));
  for (std::size_t i = 0; i < again.size(); ++i) {
    double largest = 0, apart = 0, rounding = double_epsilon * sizes_[0];
    for (std::size_t k = 0; k < again[i].size(); ++k) {
      largest = std::max(largest, std::abs(again[i][k]));
      apart = std::max(apart, std::abs(again[i][k] - gradients_[0][i][k]));
      rounding = std::max(rounding, 4 * rounding_[0][i][k]);
    }
    require(!(apart > 1e-10 * largest + rounding), "gradcheck",
            "two calls of the gradient at the same inputs differ by {:.1g} in input {}; fix the random seed", apart, i);
  }
}

std::optional<ElementCheck> Directions::moved() const {
  const std::vector<ComplexValues> again = projected_.analytic(projected_.random_weights(options_.seed, 0));
  std::optional<ElementCheck> worst;
  for (std::size_t i = 0; i < again.size(); ++i) {
    double largest = 0;
    for (const auto& g : gradients_[0][i]) largest = std::max(largest, std::abs(g));
    for (std::size_t k = 0; k < again[i].size(); ++k) {
      const double apart = std::abs(again[i][k] - gradients_[0][i][k]);
      const double relative = largest > 0 ? apart / largest : HUGE_VAL;
      if (!(apart > 1e-10 * largest + 4 * rounding_[0][i][k]) || (worst && worst->relative_error >= relative)) continue;
      worst = ElementCheck{.input = i,
                           .element = static_cast<std::int64_t>(k),
                           .relative_error = relative,
                           .verdict = Judged(Verdict::Fail, 1e-10 * largest)};
    }
  }
  if (!worst) return worst;
  const auto k = static_cast<std::size_t>(worst->element);
  const std::complex<double> before = gradients_[0][worst->input][k], after = again[worst->input][k];
  worst->values = judged_element({worst->input, worst->element, 1}, {})[0].values;
  const std::complex<double> numerical = worst->values.numerical;
  worst->values.analytic = std::abs(after - numerical) < std::abs(before - numerical) ? before : after;  // whichever is wrong
  return worst;
}

}  // namespace argand
