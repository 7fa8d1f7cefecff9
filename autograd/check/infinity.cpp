#include "autograd/check/infinity.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>

namespace argand {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <RealScalar R>
const FunctionOf<R>& function_of(const OpCheck::Case& c) {
  if constexpr (std::same_as<R, double>)
    return c.f;
  else
    return c.f32;
}

template <RealScalar R>
Sample sample_at(const OpCheck::Case& c, std::size_t input, const Numbers& numbers, const Numbers& incoming) {
  std::vector<AnyTensor> inputs = c.inputs;
  inputs[input] = with_numbers<double>(c.inputs[input], numbers);
  return Passes<R>(function_of<R>(c), inputs).fresh(incoming);
}

AnyTensor output_of(const OpCheck::Case& c) {
  return std::visit([](const auto& y) -> AnyTensor { return y; }, Passes<double>(c.f, c.inputs).value());
}

bool maps_real_numbers(const OpCheck& check, const OpCheck::Case& c) {
  if (!check.sized_cases().empty() || check.is_position_dependent() || c.inputs.size() != 1 || c.inputs[0].index() != 0)
    return false;
  const AnyTensor y = output_of(c);
  return y.index() == 0 && shape_of(y) == shape_of(c.inputs[0]);
}

template <RealScalar R>
Limits real_limits(const OpCheck::Case& c) {
  Numbers numbers = numbers_of<double>(c.inputs[0]);
  const Numbers ones(numbers.size(), 1.0);
  numbers[0] = infinity;
  const Sample above = sample_at<R>(c, 0, numbers, ones);
  numbers[0] = -infinity;
  const Sample below = sample_at<R>(c, 0, numbers, ones);
  return {above.value[0].real(), above.gradients[0][0].real(), below.value[0].real(), below.gradients[0][0].real()};
}

std::string short_number(double x) { return std::isnan(x) ? "NaN" : fmt::format("{:.4g}", x == 0 ? 0.0 : x); }

std::string limits_text(const Limits& l) {
  return fmt::format("x = inf: value {}, gradient {}. x = -inf: value {}, gradient {}.", short_number(l.value),
                     short_number(l.derivative), short_number(l.value_below), short_number(l.derivative_below));
}

std::string inputs_text(const InfiniteInputs& inputs, std::string_view which) {
  return fmt::format("{}: the value {}, the gradient {}{}.", which, inputs.value.str(), inputs.gradient.str(),
                     inputs.refused ? "; or it throws" : "");
}

}  // namespace

void NotFinite::add(std::complex<double> z) {
  if (std::isinf(z.real()) || std::isinf(z.imag()))
    infinite = true;
  else if (std::isnan(z.real()) || std::isnan(z.imag()))
    nan = true;
}

void NotFinite::add(const NotFinite& other) {
  infinite = infinite || other.infinite;
  nan = nan || other.nan;
}

std::string NotFinite::str() const {
  if (none()) return "stays finite";
  return infinite && nan ? "may be infinite or NaN" : infinite ? "may be infinite" : "may be NaN";
}

template <RealScalar R>
void put_infinities(const OpCheck::Case& c, const std::function<void(const InfinitePlace&, const Sample*)>& visit) {
  const Numbers incoming = random_incoming(output_of(c), 3);
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const bool is_complex = c.inputs[i].index() == 1;
    const Numbers finite = numbers_of<double>(c.inputs[i]);
    for (std::size_t k = 0; k < finite.size(); k += std::max<std::size_t>(1, finite.size() / 3))
      for (const double x : {infinity, -infinity})
        for (const bool imaginary : {false, true}) {
          if (imaginary && !is_complex) continue;
          Numbers numbers = finite;
          numbers[k] = imaginary ? std::complex<double>(numbers[k].real(), x) : std::complex<double>(x, numbers[k].imag());
          const InfinitePlace place{i, k, numbers[k], is_complex};
          try {
            const Sample sample = sample_at<R>(c, i, numbers, incoming);
            visit(place, &sample);
          } catch (const Error&) {
            visit(place, nullptr);
          }
        }
  }
}

template <RealScalar R>
InfinityReport at_infinity(const Op& op) {
  OpCheck check;
  op.check(check);
  InfinityReport report;
  bool one_function = true;
  for (const OpCheck::Case& c : check.cases()) {
    if (maps_real_numbers(check, c)) {
      const Limits here = real_limits<R>(c);
      if (report.limits && limits_text(*report.limits) != limits_text(here)) one_function = false;
      report.limits = here;
    }
    put_infinities<R>(c, [&](const InfinitePlace& place, const Sample* sample) {
      InfiniteInputs& seen = place.is_complex ? report.complex : report.real;
      ++seen.tried;
      if (!sample) {
        seen.refused = true;
        return;
      }
      for (const auto z : sample->value) seen.value.add(z);
      for (const Numbers& gradient : sample->gradients)
        for (const auto z : gradient) seen.gradient.add(z);
    });
  }
  if (!one_function) report.limits.reset();
  return report;
}

std::string InfinityReport::text() const {
  std::string text;
  if (limits)
    text = limits_text(*limits);
  else if (real.tried > 0)
    text = inputs_text(real, "An infinite real input");
  if (complex.tried > 0) text += (text.empty() ? "" : " ") + inputs_text(complex, "An infinite complex input");
  return text;
}

template InfinityReport at_infinity<float>(const Op&);
template InfinityReport at_infinity<double>(const Op&);
template void put_infinities<float>(const OpCheck::Case&, const std::function<void(const InfinitePlace&, const Sample*)>&);
template void put_infinities<double>(const OpCheck::Case&, const std::function<void(const InfinitePlace&, const Sample*)>&);

}  // namespace argand
