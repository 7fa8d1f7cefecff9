#include "autograd/check/usage/usage.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "autograd/check/usage/usage_size.h"
#include "autograd/check/verdict.h"

namespace argand {
namespace {

CheckLevel level_of(std::int64_t n) { return n > short_length ? CheckLevel::Long : CheckLevel::Short; }

/// The types of a case's inputs: "real, complex".
std::string types_of(const OpCheck::Case& c) {
  std::vector<std::string> types;
  for (const AnyTensor& x : c.inputs) types.emplace_back(x.index() == 1 ? "complex" : "real");
  return joined(types, ", ");
}

class UsageCheck {
 public:
  UsageCheck(std::string name, const OpCheck& check, const UsageOptions& options)
      : check_(check), options_(options), name_(std::move(name)), comparisons_(tally_) {}

  Report run() {
    const ThreadCount one(1);  // at these sizes threads would only cost time; Use::Threads tests several
    for (const OpCheck::Case& c : check_.cases()) check_case(c);
    for (const OpCheck::SizedCases& sized : check_.sized_cases()) check_sized(sized);
    for (const OpCheck::Case& c : check_.cases())
      if (!sized_.contains(types_of(c)) && !done())
        tally_.faults.push_back(
            {Use::Size, c.label, fmt::format("no case with inputs ({}) has sizes without a limit; call check.sizes", types_of(c))});
    return tally_.report(std::move(name_));
  }

 private:
  bool done() const { return options_.first_fault_only && !tally_.faults.empty(); }

  void check_case(const OpCheck::Case& c) {
    if (done()) return;
    Subject s = Subject::of(c, c.label);
    const bool elements = !check_.is_position_dependent() && maps_elements(s);
    if (elements) sized_.insert(types_of(c));
    if (!comparisons_.check(s, CheckLevel::All) || !elements) return;
    const Repeated repeated(s);
    s.sample = repeated.expected();
    const auto place_at = [&](std::int64_t n) { return first_difference(repeated.at(n)); };
    if (!comparisons_.check_sample(s, Use::Size, use_name(Use::Size))) return describe_places(lengths(options_.longest), place_at);
    for (const std::int64_t n : lengths(options_.longest)) {
      Subject grown = repeated.at(n);
      if (!comparisons_.check_sample(grown, Use::Size, use_name(Use::Size)))
        return describe_places(lengths(options_.longest), place_at);
      if (!comparisons_.check(grown, level_of(n))) return;
    }
  }

  void check_sized(const OpCheck::SizedCases& sized) {
    for (const std::int64_t n : lengths(std::min(sized.longest, options_.longest))) {
      OpCheck at;
      sized.add_cases(at, n);
      for (std::size_t k = 0; k < at.cases().size(); ++k) {
        if (done()) return;
        const OpCheck::Case& c = at.cases()[k];
        if (sized.longest >= longest_length) sized_.insert(types_of(c));
        Subject s = sized_case(sized, c, n);
        if (!comparisons_.check(s, level_of(n))) return;
        tally_.compared[static_cast<std::size_t>(Use::Size)] += s.gradient_size();
        std::string explanation;
        if (slope_agrees(s, explanation)) continue;
        tally_.faults.push_back({Use::Size, s.label, fmt::format("{}: {}", use_name(Use::Size), explanation)});
        // Tries only a few other lengths, since locating an element takes many slopes.
        std::vector<std::int64_t> others(24);
        std::iota(others.begin(), others.end(), 1);
        if (n > others.back()) others.push_back(n);
        return describe_places(others, [&](std::int64_t m) {
          OpCheck other;
          sized.add_cases(other, m);
          Subject t = Subject::of(other.cases()[k], "");
          t.sample = Passes<double>(t.f, t.inputs).fresh(t.incoming);
          return first_wrong_slope(t);
        });
      }
    }
  }

  /// Adds to the last fault's message what the wrong elements at these lengths have in common.
  template <class PlaceAt>
  void describe_places(const std::vector<std::int64_t>& at, const PlaceAt& place_at) {
    std::vector<WrongElement> places;
    for (const std::int64_t n : at)
      if (const auto place = place_at(n)) places.push_back(*place);
    std::string& message = tally_.faults.back().message;
    if (const std::string where = common_pattern(places); !where.empty())
      message = fmt::format("wrong {}{}", where, message.substr(use_name(Use::Size).size()));
  }

  const OpCheck& check_;
  const UsageOptions options_;
  std::string name_;
  UsageTally tally_;
  UsageComparisons comparisons_;
  std::set<std::string> sized_ = {};  ///< types of the cases that grow
};

}  // namespace

std::string_view use_name(Use use) {
  switch (use) {
    case Use::Again: return "wrong in a later backward pass";
    case Use::Added: return "wrong when it is added to a gradient";
    case Use::Twice: return "wrong when the same input is used twice";
    case Use::SameVariable: return "wrong when one variable is passed as two inputs";
    case Use::Scaled: return "wrong for large or small incoming gradients";
    case Use::Split: return "wrong when parts of the incoming gradient are 0";
    case Use::Alone: return "wrong when the other inputs are constants";
    case Use::Overwritten: return "wrong when an input is written to before the backward pass";
    case Use::Float32: return "wrong in float32";
    case Use::Size: return "wrong at another length";
    case Use::Threads: return "different bits for another number of threads";
  }
  return "?";
}

std::string use_row_name(Use use) {
  constexpr std::array<std::string_view, number_of_uses> names{
      "again", "added", "twice", "same variable", "scaled", "split", "alone", "overwritten", "float32", "size", "threads"};
  return fmt::format("use: {}", names[static_cast<std::size_t>(use)]);
}

Report UsageTally::report(std::string name) const {
  Report report{.name = std::move(name), .subject = "what"};
  for (std::size_t k = 0; k < number_of_uses; ++k) {
    const Use use = static_cast<Use>(k);
    std::vector<std::string> said;
    for (const UsageFault& f : faults)
      if (f.use == use) said.push_back(fmt::format("{}: {}", f.label, f.message));
    const std::int64_t n = std::max(compared[k], static_cast<std::int64_t>(said.size()));
    // Errors are relative to the largest that counts as rounding: 64 units in the last place of the value and of the effect of
    // rounding its operands.
    report.rows.push_back(ReportRow::of(RowKind::Use, use_row_name(use), n, "number", worst[k], 1, std::move(said)));
  }
  return report;
}

Report check_usage(std::string name, const OpCheck& check, const UsageOptions& options) {
  return UsageCheck(std::move(name), check, options).run();
}

Report check_usage(const Op& op, const UsageOptions& options) {
  OpCheck check;
  op.check(check);
  return check_usage(op.name(), check, options);
}

}  // namespace argand
