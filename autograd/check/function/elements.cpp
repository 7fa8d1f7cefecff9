#include "autograd/check/function/elements.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "autograd/check/function/part.h"
#include "autograd/check/gradcheck_diagnosis.h"
#include "autograd/check/second_look.h"

namespace argand {
namespace {

constexpr std::int64_t neighbourhood = 16;   // elements judged one by one when many are suspected
constexpr std::int64_t most_suspects = 200;  // elements examined closely once one is known to be wrong

/// Describes the failure of some elements.
std::string diagnosed(const ScalarProjection& projected, const FunctionCheckOptions& options, const ElementRange& where,
                      const ReportRow& row) {
  GradcheckOptions gradcheck_options;
  gradcheck_options.tolerance = options.tolerance;
  gradcheck_options.seed = options.seed;
  const std::int64_t size = projected.input_size(where.input);
  if (size <= most_suspects) return diagnose(projected, where.input, gradcheck_options);
  const ElementCheck* worst = row.worst(Verdict::Fail);
  const std::int64_t first =
      std::clamp(worst->element - neighbourhood / 2, where.first, std::max(where.first, where.first + where.count - neighbourhood));
  const std::int64_t count = std::min(neighbourhood, where.count);
  const ScalarProjection part(part_of(projected.function(), projected.inputs(), where.input, first, count),
                              {part_of(projected.inputs()[where.input], first, count)});
  return diagnose(part, 0, gradcheck_options);
}

/// Bisects the range towards the larger error until its elements can be judged one by one.
ElementRange bisected(const Directions& directions, ElementRange s) {
  while (s.count > neighbourhood) {
    const ElementRange low{s.input, s.first, s.count / 2}, high{s.input, s.first + s.count / 2, s.count - s.count / 2};
    s = directions.worst(high).is_worse_than(directions.worst(low)) ? high : low;
  }
  return s;
}

}  // namespace

void conclude_elements(ReportRow& row) {
  double scale = 0;
  for (const ElementCheck& e : row.elements) scale = std::max(scale, e.values.size());
  for (ElementCheck& e : row.elements)
    e.relative_error = std::abs(e.values.analytic - e.values.numerical) / (scale > 0 ? scale : 1);
  row.unit = "element";
  row.conclude();
}

void judge_elements(const ScalarProjection& projected, const Directions& directions, const FunctionCheckOptions& options,
                    const ElementRange& where, ReportRow& row) {
  std::string kink, doubt;
  std::int64_t suspects = 0, wrong = 0;
  row.elements.clear();
  for (std::int64_t k = where.first; k < where.first + where.count; ++k) {
    // Once one element is known to be wrong, judging thousands more adds nothing, and each costs as much as a hundred correct ones.
    if (suspects >= most_suspects && wrong > 0) break;
    ElementCheck e = directions.element(where.input, k);
    const bool finite = std::isfinite(std::abs(e.values.analytic));
    if (e.verdict == Verdict::Kink) {
      const std::string outside = settle_kink(projected, e, options.seed);
      if (kink.empty()) kink = outside;
    } else if (e.verdict == Verdict::Fail && finite && wrong < 2) {  // after two confirmed failures, others need no second look
      const SecondLook opinion = second_look(projected, e, options.seed, directions.noise());
      if (opinion == SecondLook::Stands) {
        ++wrong;
      } else {
        e.verdict = e.verdict.as(Verdict::Inconclusive);
        doubt = opinion == SecondLook::Kink ? "there is a kink nearby" : "the difference is within the rounding of f";
      }
    } else if (e.verdict == Verdict::Fail) {
      ++wrong;
    }
    suspects += e.verdict == Verdict::Pass ? 0 : 1;
    row.elements.push_back(std::move(e));
  }
  conclude_elements(row);
  if (row.verdict == Verdict::Inconclusive) row.diagnosis = doubt;
  if (row.verdict != Verdict::Fail) return;
  const bool finite = std::all_of(row.elements.begin(), row.elements.end(),
                                  [](const ElementCheck& e) { return std::isfinite(std::abs(e.values.analytic)); });
  if (!finite)
    row.diagnosis = "the gradient is not finite";
  else
    row.diagnosis = wrong > 0 ? diagnosed(projected, options, where, row) : kink;
}

void judge_suspects(const ScalarProjection& projected, const Directions& directions, const FunctionCheckOptions& options,
                    const Finding& found, std::size_t input, ReportRow& row) {
  const ElementRange whole{input, 0, projected.input_size(input)};
  const bool few = whole.count <= (directions.noise() > 0 ? neighbourhood : options.most_elements);
  judge_elements(projected, directions, options, few ? whole : bisected(directions, whole), row);
  if (row.verdict != Verdict::Pass) return;
  // The elements fail together, though each deviation is within its own bar.
  row.verdict = row.verdict.as(found.verdict == Verdict::Fail ? Verdict::Inconclusive : found.verdict);
  row.diagnosis = fmt::format(
      "the derivative along one direction is {:.6g} ± {:.1g}, but the gradient gives {:.6g}; no single element exceeds its bar",
      found.values.numerical.real(), found.values.error, found.values.analytic.real());
}

}  // namespace argand
