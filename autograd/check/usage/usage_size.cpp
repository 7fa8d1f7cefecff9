#include "autograd/check/usage/usage_size.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace argand {
namespace {

/// The first `period` elements, repeated up to a length of n.
template <class T>
std::vector<T> cycle(const std::vector<T>& numbers, std::size_t period, std::int64_t n) {
  std::vector<T> all(static_cast<std::size_t>(n));
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = numbers[k % period];
  return all;
}

AnyTensor cycle(const AnyTensor& x, std::int64_t n) {
  const Numbers numbers = numbers_of<double>(x);
  const AnyTensor like = x.index() == 1 ? AnyTensor(Tensor<std::complex<double>>(Shape{n})) : AnyTensor(Tensor<double>(Shape{n}));
  return with_numbers<double>(like, cycle(numbers, numbers.size(), n));
}

/// A random direction in the space of the inputs, of the same size as the inputs.
std::vector<Numbers> direction_of(const Subject& s) {
  std::vector<Numbers> direction;
  for (std::size_t i = 0; i < s.inputs.size(); ++i) direction.push_back(random_incoming(s.inputs[i], 0xD1 + i));
  return direction;
}

struct SlopePair {
  double analytic = 0, numerical = 0, bar = 0;
  bool agree() const { return std::abs(analytic - numerical) <= bar; }
};

SlopePair slopes(const Subject& s, const std::vector<Numbers>& direction) {
  constexpr double tolerance = 1e-7;  // of the sum of magnitudes, which one wrong element among tens of thousands exceeds by far
  SlopePair pair;
  for (std::size_t i = 0; i < direction.size(); ++i)
    for (std::size_t k = 0; k < direction[i].size(); ++k) {
      const std::complex<double> g = s.sample.gradients[i][k], v = direction[i][k];
      pair.analytic += real_of(conj_mul(g, v));
      pair.bar += tolerance * std::abs(g) * std::abs(v);
    }
  const Slope slope = slope_along(s.f, s.inputs, s.incoming, direction);
  pair.numerical = slope.value;
  pair.bar += 8 * slope.rounding;
  return pair;
}

WrongElement place_of(const Subject& s, std::size_t input, std::size_t element) {
  const Shape& shape = shape_of(s.inputs[input]);
  return {static_cast<std::int64_t>(element), shape.size(), shape.rank() == 0 ? 1 : shape.back()};
}

}  // namespace

std::vector<std::int64_t> lengths(std::int64_t longest) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(short_length));
  std::iota(all.begin(), all.end(), 1);
  all.push_back(longest_length);
  std::erase_if(all, [&](std::int64_t n) { return n > longest; });
  return all;
}

bool maps_elements(const Subject& s) {
  for (const AnyTensor& x : s.inputs)
    if (shape_of(x) != s.output) return false;
  const Numbers before = numbers_of<double>(Passes<double>(s.f, s.inputs).value());
  for (std::size_t k = 0; k < before.size(); ++k) {
    std::vector<AnyTensor> moved;
    for (const AnyTensor& x : s.inputs) {
      Numbers numbers = numbers_of<double>(x);
      numbers[k] *= 1.01;
      moved.push_back(with_numbers<double>(x, numbers));
    }
    const Numbers after = numbers_of<double>(Passes<double>(s.f, moved).value());
    for (std::size_t other = 0; other < before.size(); ++other)
      if (other != k && after[other] != before[other]) return false;
  }
  return true;
}

Subject sized_case(const OpCheck::SizedCases& sized, const OpCheck::Case& c, std::int64_t n) {
  const std::string name = sized.label + (sized.label.empty() || c.label.empty() ? "" : ", ") + c.label;
  return Subject::of(c, fmt::format("{}, n = {}", name, n));
}

Subject repeated(const Subject& base, std::int64_t n) {
  Subject s = base;
  s.label = fmt::format("{}, n = {}", base.label, n);
  s.output = Shape{n};
  s.incoming = cycle(base.incoming, base.incoming.size(), n);
  for (AnyTensor& x : s.inputs) x = cycle(x, n);
  return s;
}

Repeated::Repeated(const Subject& base) : base_(base) {
  const Subject whole = repeated(base, 64 * base.output.size());
  whole_ = Passes<double>(whole.f, whole.inputs).fresh(whole.incoming);
  const std::size_t period = base.incoming.size();
  whole_.value.resize(period);
  for (Numbers& g : whole_.gradients) g.resize(period);
}

Subject Repeated::at(std::int64_t n) const {
  const std::size_t period = base_.incoming.size();
  Subject s = repeated(base_, n);
  s.sample.value = cycle(whole_.value, period, n);
  s.condition.value = cycle(base_.condition.value, period, n);
  for (std::size_t i = 0; i < s.inputs.size(); ++i) {
    s.sample.gradients[i] = cycle(whole_.gradients[i], period, n);
    s.condition.gradients[i] = cycle(base_.condition.gradients[i], period, n);
  }
  return s;
}

std::optional<WrongElement> first_difference(const Subject& s) {
  const Sample got = Passes<double>(s.f, s.inputs).fresh(s.incoming);
  for (std::size_t i = 0; i < got.gradients.size(); ++i)
    for (std::size_t k = 0; k < got.gradients[i].size(); ++k) {
      const std::complex<double> want = s.sample.gradients[i][k];
      if (!(std::abs(got.gradients[i][k] - want) <= 1e-6 * std::abs(want))) return place_of(s, i, k);
    }
  return {};
}

bool slope_agrees(const Subject& s, std::string& explanation) {
  const SlopePair pair = slopes(s, direction_of(s));
  if (!pair.agree())
    explanation = fmt::format("float64, along a random direction the gradient gives {:.9g}, differences give {:.9g} ± {:.0e}",
                              pair.analytic, pair.numerical, pair.bar);
  return pair.agree();
}

std::optional<WrongElement> first_wrong_slope(const Subject& s) {
  const std::vector<Numbers> all = direction_of(s);
  for (std::size_t i = 0; i < all.size(); ++i) {
    // The direction restricted to elements [0, k) of input i.
    const auto agrees_below = [&](std::size_t k) {
      std::vector<Numbers> cut;
      for (const Numbers& v : all) cut.emplace_back(v.size());
      std::copy_n(all[i].begin(), k, cut[i].begin());
      return slopes(s, cut).agree();
    };
    std::size_t right = 0, wrong = all[i].size();
    if (wrong == 0 || agrees_below(wrong)) continue;
    while (wrong - right > 1) {
      const std::size_t middle = right + (wrong - right) / 2;
      (agrees_below(middle) ? right : wrong) = middle;
    }
    return place_of(s, i, right);
  }
  return {};
}

std::string common_pattern(const std::vector<WrongElement>& places) {
  const auto all_in_tails = [&](std::int64_t width, bool of_rows) {
    return std::all_of(places.begin(), places.end(), [&](const WrongElement& p) {
      const std::int64_t n = of_rows ? p.last_axis : p.size, element = of_rows ? p.element % p.last_axis : p.element;
      return element >= n - n % width;
    });
  };
  if (places.empty()) return "";
  if (places.size() >= 3)  // a single fault might be in the last element by chance
    for (const std::int64_t width : {2, 4, 8, 16, 32})
      for (const bool of_rows : {false, true})
        if (all_in_tails(width, of_rows))
          return fmt::format("in the last n mod {} elements of {}", width, of_rows ? "a row of n" : "n");
  const auto first =
      std::min_element(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.element < b.element; });
  return first->element > short_length ? fmt::format("from element {} on", first->element) : "";
}

}  // namespace argand
