#include "autograd/check/nan_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "autograd/check/usage/usage_size.h"
#include "autograd/check/verdict.h"

namespace argand {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
/// Lengths shorter than a pack, multiples of every pack width, and lengths with every kind of tail.
constexpr std::array<std::int64_t, 8> sampled_lengths{1, 2, 5, 8, 16, 19, 33, 67};
/// The number of elements replaced by NaN, one at a time, in each tensor of a grown case.
constexpr std::size_t places_by_size = 5;

bool is_nan(std::complex<double> z) { return std::isnan(z.real()) || std::isnan(z.imag()); }

/// The operands of an op: its inputs and, last, the gradient of its output. Its results: its value and the gradient of each input.
struct Operands {
  std::vector<Numbers> numbers;
  std::vector<Shape> shapes;
  std::vector<bool> is_complex;

  explicit Operands(const Subject& s) {
    for (const AnyTensor& x : s.inputs) {
      numbers.push_back(numbers_of<double>(x));
      shapes.push_back(shape_of(x));
      is_complex.push_back(x.index() == 1);
    }
    numbers.push_back(s.incoming);
    shapes.push_back(s.output);
    is_complex.push_back(s.complex_output);
  }
};

/// One real number among the operands.
struct Place {
  std::size_t operand, element;
  bool imaginary;

  double& of(std::vector<Numbers>& numbers) const { return reinterpret_cast<double*>(&numbers[operand][element])[imaginary]; }
  std::string name(const Operands& operands) const {
    const bool is_input = operand + 1 < operands.numbers.size();
    return fmt::format("{}{}, element {}",
                       operands.is_complex[operand] ? imaginary ? "the imaginary part of " : "the real part of " : "",
                       is_input ? fmt::format("input {}", operand) : "the incoming gradient",
                       element_name(operands.shapes[operand], static_cast<std::int64_t>(element)));
  }
};

/// At most `most` elements of each operand, both parts of each: the first, the last, and random others.
std::vector<Place> places(const Operands& operands, std::size_t most) {
  std::vector<Place> all;
  for (std::size_t i = 0; i < operands.numbers.size(); ++i) {
    const std::size_t n = operands.numbers[i].size();
    std::set<std::size_t> elements;
    if (n <= most)
      for (std::size_t k = 0; k < n; ++k) elements.insert(k);
    else
      elements = {0, n - 1};
    const Random random(0x4A4E, n);
    for (std::uint64_t draw = 0; elements.size() < std::min(n, most); ++draw)
      elements.insert(static_cast<std::size_t>(random.below(draw, static_cast<std::uint64_t>(n))));
    for (const std::size_t k : elements)
      for (const bool imaginary : {false, true})
        if (!imaginary || operands.is_complex[i]) all.push_back({i, k, imaginary});
  }
  return all;
}

/// Value and gradients of f in precision R.
template <RealScalar R>
std::vector<Numbers> results(const FunctionOf<R>& f, const Subject& s, const std::vector<Numbers>& operands) {
  std::vector<AnyTensor> inputs;
  for (std::size_t i = 0; i < s.inputs.size(); ++i) inputs.push_back(with_numbers<double>(s.inputs[i], operands[i]));
  Sample sample = Passes<R>(f, inputs).fresh(operands.back());
  std::vector<Numbers> all{std::move(sample.value)};
  for (Numbers& g : sample.gradients) all.push_back(std::move(g));
  return all;
}

class NanCheck {
 public:
  NanCheck(std::string name, std::size_t most) : name_(std::move(name)), most_(most) {}

  Report run(const OpCheck& check) {
    const ThreadCount one(1);
    const std::size_t most_by_size = std::min(most_, places_by_size);
    for (const OpCheck::Case& c : check.cases()) {
      Subject s = Subject::of(c, c.label);
      check_case(s, most_);
      if (check.is_position_dependent() || !maps_elements(s)) continue;
      for (const std::int64_t n : sampled_lengths) check_case(repeated(s, n), most_by_size);
    }
    for (const OpCheck::SizedCases& sized : check.sized_cases())
      for (const std::int64_t n : sampled_lengths) {
        OpCheck at;
        sized.add_cases(at, n);
        for (const OpCheck::Case& c : at.cases()) check_case(sized_case(sized, c, n), most_by_size);
      }
    const auto row = [](std::string name, std::int64_t n, std::vector<std::string>& faults) {
      const auto wrong = static_cast<double>(faults.size());
      return ReportRow::of(RowKind::Nan, std::move(name), n, "number", wrong, 0, std::move(faults));
    };
    Report report{.name = name_, .subject = "what"};
    report.rows = {row("must be NaN", expected_, lost_), row("must stay", spared_, spread_)};
    return report;
  }

 private:
  void check_case(const Subject& s, std::size_t most) {
    const Operands operands(s);
    const auto wide = results<double>(s.f, s, operands.numbers);
    const auto narrow = results<float>(s.f32, s, operands.numbers);
    for (const Place& place : places(operands, most)) {
      const auto depends = dependence(s, operands, place, wide);
      auto poisoned = operands.numbers;
      place.of(poisoned) = nan;
      compare(s, operands, place, depends, wide, results<double>(s.f, s, poisoned), "float64", 1e-12);
      compare(s, operands, place, depends, narrow, results<float>(s.f32, s, poisoned), "float32", 1e-4);
    }
  }

  /// Which results change when the number at this position changes sign, or becomes larger or smaller. Values that the function
  /// rejects (a matrix no longer positive definite) are skipped.
  static std::vector<std::vector<bool>> dependence(const Subject& s, const Operands& operands, const Place& place,
                                                   const std::vector<Numbers>& before) {
    std::vector<std::vector<bool>> depends;
    for (const Numbers& numbers : before) depends.emplace_back(numbers.size(), false);
    auto moved = operands.numbers;
    const double x = place.of(moved);
    for (const double other : {-x, 1.75 * x + 0.125, 0.25 * x, 9.0, -9.0}) {
      place.of(moved) = other;
      std::vector<Numbers> after;
      try {
        after = results<double>(s.f, s, moved);
      } catch (const Error&) {
        continue;
      }
      for (std::size_t i = 0; i < before.size(); ++i)
        for (std::size_t k = 0; k < before[i].size(); ++k)
          if (after[i][k] != before[i][k]) depends[i][k] = true;
    }
    return depends;
  }

  void compare(const Subject& s, const Operands& operands, const Place& place, const std::vector<std::vector<bool>>& depends,
               const std::vector<Numbers>& before, const std::vector<Numbers>& after, std::string_view precision, double rounding) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      double size = 0;
      for (const auto z : before[i]) size = std::max(size, std::abs(z));
      for (std::size_t k = 0; k < before[i].size(); ++k) {
        const bool lost = depends[i][k];
        ++(lost ? expected_ : spared_);
        if (lost ? is_nan(after[i][k]) : std::abs(after[i][k] - before[i][k]) <= rounding * size) continue;
        const std::size_t like = i == 0 ? operands.numbers.size() - 1 : i - 1;
        const auto number = [&](std::complex<double> z) { return number_name(z, operands.is_complex[like]); };
        (lost ? lost_ : spread_)
            .push_back(fmt::format("{}: {}: with NaN in {}, {} at {} is {}, should be {}", s.label, precision, place.name(operands),
                                   i == 0 ? "the value" : fmt::format("the gradient of input {}", like),
                                   element_name(operands.shapes[like], static_cast<std::int64_t>(k)), number(after[i][k]),
                                   lost ? "NaN" : number(before[i][k])));
      }
    }
  }

  std::string name_;
  std::size_t most_;
  std::int64_t expected_ = 0, spared_ = 0;
  std::vector<std::string> lost_, spread_;
};

}  // namespace

Report check_nan(std::string name, const OpCheck& check, std::size_t most) { return NanCheck(std::move(name), most).run(check); }

Report check_nan(const Op& op, std::size_t most) {
  OpCheck check;
  op.check(check);
  return check_nan(op.name(), check, most);
}

}  // namespace argand
