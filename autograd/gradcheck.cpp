#include "autograd/gradcheck.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/gradcheck_diagnosis.h"
#include "autograd/op_report.h"
#include "core/parallel.h"

namespace argand {
namespace {

/// Both gradients of one element, for each projection.
std::vector<Comparison> compare_element(const Probe& probe, std::size_t input, std::int64_t element,
                                        const std::vector<Functional>& functionals,
                                        const std::vector<std::vector<ComplexValues>>& analytic, const RiddersOptions& ridders) {
  std::vector<Comparison> pairs(functionals.size());
  for (std::size_t p = 0; p < pairs.size(); ++p) pairs[p].analytic = analytic[p][input][static_cast<std::size_t>(element)];
  for (const bool imaginary : {false, true}) {
    if (imaginary && !probe.input_is_complex(input)) break;
    const auto derivatives = probe.numerical(input, element, imaginary, functionals, ridders);
    for (std::size_t p = 0; p < pairs.size(); ++p) pairs[p].add(derivatives[p], imaginary);
  }
  return pairs;
}

/// Which of two verdicts describes an element that has both.
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

std::vector<ComplexValues> projections_of(const Probe& probe, const GradcheckOptions& options) {
  std::vector<ComplexValues> weights;
  if (!options.full_jacobian) {
    for (int p = 0; p < options.projections; ++p)
      weights.push_back(probe.random_weights(options.seed, static_cast<std::uint64_t>(p)));
    return weights;
  }
  for (std::size_t k = 0; k < probe.output().size(); ++k)
    for (const bool imaginary : {false, true}) {
      if (imaginary && !probe.output_is_complex()) break;
      ComplexValues unit(probe.output().size());
      unit[k] = imaginary ? std::complex(0.0, 1.0) : std::complex(1.0, 0.0);
      weights.push_back(std::move(unit));
    }
  return weights;
}

/// The largest gradient of the tensor. Where all of it is rounding, the size that a gradient could have had.
double scale_of(const Probe& probe, std::size_t input, const std::vector<std::vector<Comparison>>& pairs,
                const std::vector<ComplexValues>& weights) {
  double scale = 0, natural = 0;
  for (const auto& element : pairs)
    for (const Comparison& pair : element) scale = std::max(scale, pair.size());
  for (const ComplexValues& W : weights) {
    double size = 0;
    for (std::size_t k = 0; k < W.size(); ++k) size += std::abs(W[k] * probe.output()[k]);
    if (std::isfinite(size)) natural = std::max(natural, size);
  }
  natural /= std::max(1.0, probe.input_magnitude(input));
  return scale <= rounding_floor * natural ? natural : scale;
}

class Check {
 public:
  Check(const Probe& probe, const GradcheckOptions& options)
      : probe_(probe), options_(options), weights_(projections_of(probe, options)) {
    for (const ComplexValues& W : weights_) {
      functionals_.push_back(Functional::of(W));
      analytic_.push_back(probe.analytic(W));
    }
  }

  GradcheckResult run() {
    for (std::size_t i = 0; i < probe_.inputs().size(); ++i) check_input(i);
    for (const ElementCheck& e : result_.elements)
      if (e.verdict == Verdict::Pass || e.verdict == Verdict::Fail)
        result_.worst_relative_error =
            std::max(result_.worst_relative_error,
                     std::isnan(e.relative_error) ? std::numeric_limits<double>::infinity() : e.relative_error);
    return std::move(result_);
  }

 private:
  void check_input(std::size_t input) {
    const std::int64_t size = probe_.input_size(input);
    std::vector<std::vector<Comparison>> pairs(static_cast<std::size_t>(size));
    const auto compare = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t e = begin; e < end; ++e)
        pairs[static_cast<std::size_t>(e)] = compare_element(probe_, input, e, functionals_, analytic_, options_.ridders);
    };
    if (options_.parallel)
      parallel_for(size, 1, compare);
    else
      compare(0, size);
    const double scale = scale_of(probe_, input, pairs, weights_);
    const std::size_t begin = result_.elements.size();
    for (std::size_t e = 0; e < pairs.size(); ++e) {
      ElementCheck worst;
      for (std::size_t p = 0; p < functionals_.size(); ++p) {
        const Comparison& pair = pairs[e][p];
        const double difference = std::abs(pair.analytic - pair.numerical);
        const ElementCheck check{.input = input,
                                 .element = static_cast<std::int64_t>(e),
                                 .projection = p,
                                 .values = pair,
                                 .relative_error = scale > 0 ? difference / scale : difference,
                                 .verdict = judge(pair, scale, options_.tolerance)};
        if (options_.full_jacobian)
          result_.elements.push_back(check);
        else if (p == 0 || severity(check.verdict) > severity(worst.verdict) ||
                 (check.verdict == worst.verdict && check.relative_error > worst.relative_error))
          worst = check;
      }
      if (!options_.full_jacobian) result_.elements.push_back(worst);
    }
    report(input, begin);
  }

  /// One line a kind of trouble, about its worst element.
  void report(std::size_t input, std::size_t begin) {
    for (const Verdict verdict : {Verdict::Fail, Verdict::Inconclusive, Verdict::Kink, Verdict::BranchCut}) {
      const ElementCheck* worst = nullptr;
      for (std::size_t k = begin; k < result_.elements.size(); ++k) {
        const ElementCheck& e = result_.elements[k];
        if (e.verdict == verdict && (worst == nullptr || e.relative_error > worst->relative_error)) worst = &e;
      }
      if (worst == nullptr) continue;
      const std::string line = fmt::format("{}: input {}, element {}{}: {}", options_.name, input,
                                           element_name(probe_.input_shape(input), worst->element), output_name(*worst),
                                           describe(worst->values, verdict, probe_.input_is_complex(input)));
      if (verdict == Verdict::Fail) {
        const std::string diagnosis = diagnose(probe_, input, options_);
        result_.failures.push_back({input, fmt::format("{}: {}", line, diagnosis), diagnosis});
      } else {
        result_.notes.push_back(line);
      }
    }
  }

  std::string output_name(const ElementCheck& e) const {
    if (!options_.full_jacobian) return "";
    if (!probe_.output_is_complex())
      return fmt::format(", output {}", element_name(probe_.output_shape(), static_cast<std::int64_t>(e.projection)));
    return fmt::format(", {} part of output {}", e.projection % 2 == 0 ? "real" : "imaginary",
                       element_name(probe_.output_shape(), static_cast<std::int64_t>(e.projection / 2)));
  }

  const Probe& probe_;
  const GradcheckOptions& options_;
  std::vector<ComplexValues> weights_;
  std::vector<Functional> functionals_;
  std::vector<std::vector<ComplexValues>> analytic_;  // [projection][input]
  GradcheckResult result_;
};

}  // namespace

std::int64_t GradcheckResult::count(Verdict verdict) const {
  return std::count_if(elements.begin(), elements.end(), [verdict](const ElementCheck& e) { return e.verdict == verdict; });
}

bool GradcheckResult::ok() const { return count(Verdict::Pass) == static_cast<std::int64_t>(elements.size()); }

std::string GradcheckResult::message() const {
  std::vector<std::string> lines;
  for (const InputFailure& failure : failures) lines.push_back(failure.message);
  lines.insert(lines.end(), notes.begin(), notes.end());
  if (!blamed.empty()) lines.push_back(fmt::format("the check of {} fails as well", joined(blamed, ", ")));
  return joined(lines, "\n");
}

GradcheckResult detail::gradcheck(const CheckedFunction& f, const std::vector<AnyTensor>& inputs, const GradcheckOptions& options) {
  require(options.projections >= 1 || options.full_jacobian, "gradcheck", "{} projections; at least one is needed",
          options.projections);
  const Probe probe(f, inputs);
  GradcheckResult result = Check(probe, options).run();
  if (options.blame_ops && !result.failures.empty())
    for (const std::string& name : probe.recorded_ops())
      if (!check_op(*Op::find(name)).gradients_ok()) result.blamed.push_back(name);
  return result;
}

}  // namespace argand
