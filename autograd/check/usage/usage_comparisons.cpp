#include "autograd/check/usage/usage_comparisons.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "autograd/check/verdict.h"

namespace argand {
namespace {

/// Errors up to this many units in the last place of a value, or of the effect of rounding its operands, count as rounding.
constexpr double ulps = 64;

/// For condition_of: above the rounding errors of both precisions, far below the scale on which functions vary.
constexpr double relative_step = 0x1p-20;

template <RealScalar R>
constexpr double epsilon_of = static_cast<double>(std::numeric_limits<R>::epsilon());
template <RealScalar R>
constexpr double smallest_of = static_cast<double>(std::numeric_limits<R>::min());

Numbers times(Numbers numbers, double factor) {
  for (auto& z : numbers) z *= factor;
  return numbers;
}

double largest_number(const Numbers& numbers) {
  double size = 0;
  for (const auto z : numbers) size = std::max(size, modulus(z));
  return size;
}

/// The allowed error of `times` the gradient plus c, given the rounding of each.
template <RealScalar R>
auto bar_of_sum(const Subject& s, const Sample& first, double times, const std::vector<Numbers>* c = nullptr) {
  return [&s, &first, times, c](std::size_t i, std::size_t k) {
    const double there = c == nullptr ? 0 : modulus((*c)[i][k]);
    return ulps * epsilon_of<R> * (there + times * (modulus(first.gradients[i][k]) + s.condition.gradients[i][k])) + smallest_of<R>;
  };
}

}  // namespace

Subject Subject::of(const OpCheck::Case& c, std::string label) {
  Subject s{std::move(label), c.f, c.f32, {}};
  for (const AnyTensor& x : c.inputs)
    std::visit([&](const auto& t) { s.inputs.emplace_back(in_precision<double>(in_precision<float>(t))); }, x);
  const AnyTensor y = Passes<double>(c.f, s.inputs).value();
  s.output = shape_of(y);
  s.complex_output = y.index() == 1;
  s.incoming = random_incoming(y, 0xD4);
  return s;
}

std::int64_t Subject::gradient_size() const {
  std::int64_t n = 0;
  for (const AnyTensor& x : inputs) n += shape_of(x).size();
  return n;
}

/// Compares got(k) with want(k), within bar(k), for the elements of one tensor and reports the first that exceeds its bar.
template <class Got, class Want, class Bar>
bool UsageComparisons::compare(Use use, const Subject& s, std::string_view precision, std::string_view how,
                               const std::string& tensor, const Shape& shape, bool is_complex, const Got& got, const Want& want,
                               const Bar& bar) {
  tally_.compared[static_cast<std::size_t>(use)] += shape.size();
  double& worst = tally_.worst[static_cast<std::size_t>(use)];
  for (std::int64_t element = 0; element < shape.size(); ++element) {
    const auto k = static_cast<std::size_t>(element);
    const std::complex<double> a = got(k), b = want(k);
    const double off = modulus(a - b), allowed = bar(k);
    if (off != 0) worst = std::max(worst, std::isnan(off) ? HUGE_VAL : off / allowed);
    if (off <= allowed) continue;
    tally_.faults.push_back({use, s.label,
                             fmt::format("{}: {}, {}, element {} is {}, should be {}", how, precision, tensor,
                                         element_name(shape, element), number_name(a, is_complex), number_name(b, is_complex))});
    return false;
  }
  return true;
}

/// The same for every input's gradient: want(i, k), bar(i, k).
template <class Want, class Bar>
bool UsageComparisons::compare_gradients(Use use, const Subject& s, std::string_view precision, std::string_view how,
                                         const std::vector<Numbers>& got, const Want& want, const Bar& bar) {
  for (std::size_t i = 0; i < s.inputs.size(); ++i)
    if (!compare(
            use, s, precision, how, fmt::format("gradient of input {}", i), shape_of(s.inputs[i]), s.inputs[i].index() == 1,
            [&](std::size_t k) { return got[i][k]; }, [&](std::size_t k) { return want(i, k); },
            [&](std::size_t k) { return bar(i, k); }))
      return false;
  return true;
}

/// Whether the sample equals s.sample up to rounding in this precision.
bool UsageComparisons::close(Use use, const Subject& s, std::string_view precision, std::string_view how, const Sample& got,
                             double epsilon) {
  const Sample& want = s.sample;
  const bool noisy = !s.noise.value.empty();
  const auto bar = [epsilon](std::complex<double> size, double condition, double noise) {
    return ulps * epsilon * (modulus(size) + condition + noise) + smallest_of<float>;
  };
  return compare(
             use, s, precision, how, "value", s.output, s.complex_output, [&](std::size_t k) { return got.value[k]; },
             [&](std::size_t k) { return want.value[k]; },
             [&](std::size_t k) { return bar(want.value[k], s.condition.value[k], noisy ? s.noise.value[k] : 0); }) &&
         compare_gradients(
             use, s, precision, how, got.gradients, [&](std::size_t i, std::size_t k) { return want.gradients[i][k]; },
             [&](std::size_t i, std::size_t k) {
               return bar(want.gradients[i][k], s.condition.gradients[i][k], noisy ? s.noise.gradients[i][k] : 0);
             });
}

/// Where intermediate results cancel, float32 is less accurate than the condition predicts. The loss of accuracy is measured by the
/// scatter of the same computation in float32; a systematic mistake does not scatter.
bool UsageComparisons::close_in_float32(Subject& s, const Sample& single) {
  UsageTally aside;
  if (!UsageComparisons(aside).close(Use::Float32, s, "", "", single, epsilon_of<float>))
    s.noise = condition_of<float>(s.f32, s.inputs, s.incoming, single, relative_step);
  return close(Use::Float32, s, "float32", use_name(Use::Float32), single, epsilon_of<float>);
}

bool UsageComparisons::same_bits(Use use, const Subject& s, std::string_view precision, std::string_view how, const Sample& got,
                                 const Sample& want) {
  const auto exactly = [](auto...) { return 0.0; };
  return compare(
             use, s, precision, how, "value", s.output, s.complex_output, [&](std::size_t k) { return got.value[k]; },
             [&](std::size_t k) { return want.value[k]; }, exactly) &&
         compare_gradients(
             use, s, precision, how, got.gradients, [&](std::size_t i, std::size_t k) { return want.gradients[i][k]; }, exactly);
}

template <RealScalar R>
bool UsageComparisons::again(const Subject& s, const Passes<R>& passes, const Sample& first) {
  for (const char* which : {"second", "third"})
    if (!same_bits(Use::Again, s, scalar_name<R>(), fmt::format("wrong from the {} backward pass on", which),
                   passes.fresh(s.incoming), first))
      return false;
  return true;
}

template <RealScalar R>
bool UsageComparisons::added(const Subject& s, const Passes<R>& passes, const Sample& first, int most) {
  auto x = passes.variables();
  std::vector<Numbers> c;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double size = largest_number(first.gradients[i]);
    c.push_back(times(random_incoming(s.inputs[i], 0xADD + i), size > 0 ? size : 1));
    for (auto& v : c[i]) v = static_cast<std::complex<double>>(static_cast<std::complex<R>>(v));
    Passes<R>::set_gradient(x[i], c[i]);
  }
  passes.pass(x, std::array{s.incoming});
  if (!compare_gradients(
          Use::Added, s, scalar_name<R>(), use_name(Use::Added), Passes<R>::gradients(x),
          [&](std::size_t i, std::size_t k) { return c[i][k] + first.gradients[i][k]; }, bar_of_sum<R>(s, first, 1, &c)))
    return false;
  x = passes.variables();
  for (int n = 1; n <= most; ++n) {
    passes.pass(x, std::array{s.incoming});
    if (!compare_gradients(
            Use::Added, s, scalar_name<R>(), fmt::format("{}, {} passes into one", use_name(Use::Added), n),
            Passes<R>::gradients(x), [&](std::size_t i, std::size_t k) { return static_cast<double>(n) * first.gradients[i][k]; },
            bar_of_sum<R>(s, first, n)))
      return false;
  }
  return true;
}

template <RealScalar R>
bool UsageComparisons::twice(const Subject& s, const Passes<R>& passes, const Sample& first) {
  const auto x = passes.variables();
  passes.pass(x, std::array{s.incoming, times(s.incoming, -0.5)});
  return compare_gradients(
      Use::Twice, s, scalar_name<R>(), use_name(Use::Twice), Passes<R>::gradients(x),
      [&](std::size_t i, std::size_t k) { return 0.5 * first.gradients[i][k]; }, bar_of_sum<R>(s, first, 1.5));
}

template <RealScalar R>
bool UsageComparisons::same_variable(const Subject& s, const FunctionOf<R>& f) {
  for (std::size_t j = 1; j < s.inputs.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      if (s.inputs[i].index() != s.inputs[j].index() || shape_of(s.inputs[i]) != shape_of(s.inputs[j])) continue;
      auto inputs = s.inputs;
      inputs[j] = inputs[i];
      const Passes<R> passes(f, inputs);
      const Sample apart = passes.fresh(s.incoming);
      auto x = passes.variables();
      x[j] = x[i];
      passes.pass(x, std::array{s.incoming});
      const Numbers together = Passes<R>::gradients(x)[i];
      const Numbers &gi = apart.gradients[i], &gj = apart.gradients[j];
      const double bar = ulps * epsilon_of<R> * (largest_number(gi) + largest_number(gj));
      if (!compare(
              Use::SameVariable, s, scalar_name<R>(), use_name(Use::SameVariable),
              fmt::format("gradient of inputs {} and {}", i, j), shape_of(inputs[i]), inputs[i].index() == 1,
              [&](std::size_t k) { return together[k]; }, [&](std::size_t k) { return gi[k] + gj[k]; },
              [&](std::size_t) { return bar; }))
        return false;
    }
  return true;
}

/// A gradient is linear in dw, and multiplying by a power of 2 commutes with rounding.
template <RealScalar R>
bool UsageComparisons::scaled(const Subject& s, const Passes<R>& passes, const Sample& first, CheckLevel level) {
  const double large = std::same_as<R, double> ? 0x1p100 : 0x1p33;
  for (const double factor : {-4.0, large, 1 / large}) {
    if (level != CheckLevel::All && factor != -4) break;
    if (!compare_gradients(
            Use::Scaled, s, scalar_name<R>(), fmt::format("wrong for incoming gradients times {:.2g}", factor),
            passes.fresh(times(s.incoming, factor)).gradients,
            [&](std::size_t i, std::size_t k) { return factor * first.gradients[i][k]; },
            [&](std::size_t i, std::size_t k) { return epsilon_of<R> * modulus(factor * first.gradients[i][k]) + smallest_of<R>; }))
      return false;
  }
  return true;
}

template <RealScalar R>
bool UsageComparisons::split(const Subject& s, const Passes<R>& passes, const Sample& first) {
  Numbers part = s.incoming, rest = s.incoming;
  for (std::size_t k = 0; k < part.size(); ++k) (k / 5 % 2 == 0 ? rest : part)[k] = 0;
  const Sample a = passes.fresh(part), b = passes.fresh(rest);
  // The condition of each part alone is not known, so errors are measured against the largest element of its gradient.
  std::vector<double> bars;
  for (std::size_t i = 0; i < s.inputs.size(); ++i)
    bars.push_back(ulps * epsilon_of<R> * (largest_number(a.gradients[i]) + largest_number(b.gradients[i])) + smallest_of<R>);
  const auto bar_of_whole = bar_of_sum<R>(s, first, 1);
  return compare_gradients(
      Use::Split, s, scalar_name<R>(), use_name(Use::Split), a.gradients,
      [&](std::size_t i, std::size_t k) { return first.gradients[i][k] - b.gradients[i][k]; },
      [&](std::size_t i, std::size_t k) { return bars[i] + bar_of_whole(i, k); });
}

template <RealScalar R>
bool UsageComparisons::alone(const Subject& s, const Passes<R>& passes, const Sample& first) {
  const auto bar = bar_of_sum<R>(s, first, 1);
  for (std::size_t i = 0; i < s.inputs.size(); ++i) {
    const auto x = passes.variable_among_constants(i);
    passes.pass(x, std::array{s.incoming});
    const Numbers got = Passes<R>::gradients({x[i]}).front();
    if (!compare(
            Use::Alone, s, scalar_name<R>(), use_name(Use::Alone), fmt::format("gradient of input {}", i), shape_of(s.inputs[i]),
            s.inputs[i].index() == 1, [&](std::size_t k) { return got[k]; }, [&](std::size_t k) { return first.gradients[i][k]; },
            [&](std::size_t k) { return bar(i, k); }))
      return false;
  }
  return true;
}

template <RealScalar R>
bool UsageComparisons::overwritten(const Subject& s, const Passes<R>& passes, const Sample& first) {
  const auto x = passes.variables();
  const auto overwrite = [&x] {
    for (const auto& input : x) std::visit([]<class T>(Var<T> v) { v.value().fill(T(RealOf<T>(0.375))); }, input);
  };
  Numbers value = passes.pass(x, std::array{s.incoming}, overwrite);
  return same_bits(Use::Overwritten, s, scalar_name<R>(), use_name(Use::Overwritten), {std::move(value), Passes<R>::gradients(x)},
                   first);
}

template <RealScalar R>
bool UsageComparisons::threads(const Subject& s, const Passes<R>& passes) {
  Sample one;
  for (const int n : {1, 2, 3}) {
    const ThreadCount fixed(n);
    Sample sample = passes.fresh(s.incoming);
    if (n == 1)
      one = std::move(sample);
    else if (!same_bits(Use::Threads, s, scalar_name<R>(), fmt::format("different bits with {} threads and with one", n), sample,
                        one))
      return false;
  }
  return true;
}

template <RealScalar R>
bool UsageComparisons::check_in(const Subject& s, const Passes<R>& passes, const Sample& first, CheckLevel level) {
  if (!added(s, passes, first, level == CheckLevel::All ? 3 : 0) || !twice(s, passes, first)) return false;
  if (!scaled(s, passes, first, level)) return false;
  if (level == CheckLevel::All && !(alone(s, passes, first) && overwritten(s, passes, first))) return false;
  return level == CheckLevel::Short || (split(s, passes, first) && threads(s, passes));
}

bool UsageComparisons::check_sample(Subject& s, Use use, std::string_view how) {
  if (s.condition.value.empty()) s.condition = condition_of<double>(s.f, s.inputs, s.incoming, s.sample, relative_step);
  return close(use, s, "float64", how, Passes<double>(s.f, s.inputs).fresh(s.incoming), epsilon_of<double>);
}

bool UsageComparisons::check(Subject& s, CheckLevel level) {
  const Passes<double> passes(s.f, s.inputs);
  const Passes<float> narrow(s.f32, s.inputs);
  const Sample first = passes.fresh(s.incoming);
  if (level == CheckLevel::All && !again(s, passes, first)) return false;
  if (s.sample.value.empty()) s.sample = first;
  const Sample single = narrow.fresh(s.incoming);
  if (level == CheckLevel::All && !again(s, narrow, single)) return false;
  if (s.condition.value.empty()) s.condition = condition_of<double>(s.f, s.inputs, s.incoming, s.sample, relative_step);
  if (!close_in_float32(s, single)) return false;
  if (!check_in(s, passes, first, level) || !check_in(s, narrow, single, level)) return false;
  return level != CheckLevel::All || (same_variable<double>(s, s.f) && same_variable<float>(s, s.f32));
}

}  // namespace argand
