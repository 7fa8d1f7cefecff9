#include "autograd/check/usage/usage_pass.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "autograd/tape.h"
#include "autograd/trace/slot_gradient.h"

namespace argand {

template <RealScalar R>
AnyTensorOf<R> with_numbers(const AnyTensorOf<R>& like, const Numbers& numbers) {
  return std::visit(
      [&]<class T>(const Tensor<T>& t) -> AnyTensorOf<R> {
        Tensor<T> x(t.shape());
        std::transform(numbers.begin(), numbers.end(), x.begin(), [](std::complex<double> z) {
          if constexpr (ComplexScalar<T>) return static_cast<T>(z);
          return static_cast<T>(z.real());
        });
        return x;
      },
      like);
}

template <RealScalar R>
Passes<R>::Passes(FunctionOf<R> f, const std::vector<AnyTensor>& inputs) : f_(std::move(f)) {
  for (const AnyTensor& x : inputs) std::visit([&](const auto& t) { inputs_.emplace_back(in_precision<R>(t)); }, x);
}

template <RealScalar R>
AnyTensorOf<R> Passes<R>::value() const {
  const NoGrad none;
  Variables x;
  for (const auto& input : inputs_) std::visit([&](const auto& t) { x.emplace_back(constant(t)); }, input);
  return std::visit([](const auto& y) -> AnyTensorOf<R> { return y.value(); }, f_(x));
}

template <RealScalar R>
typename Passes<R>::Variables Passes<R>::variables() const {
  Variables x;
  for (const auto& input : inputs_) std::visit([&](const auto& t) { x.emplace_back(variable(t)); }, input);
  return x;
}

template <RealScalar R>
typename Passes<R>::Variables Passes<R>::variable_among_constants(std::size_t i) const {
  Variables x;
  for (const auto& input : inputs_)
    std::visit([&](const auto& t) { x.emplace_back(x.size() == i ? variable(t) : constant(t)); }, input);
  return x;
}

template <RealScalar R>
Numbers Passes<R>::pass(const Variables& x, std::span<const Numbers> incoming, const std::function<void()>& between) const {
  Tape tape;
  Numbers value;
  for (const Numbers& dy : incoming)
    std::visit(
        [&]<class T>(const Var<T>& y) {
          value = Numbers(y.value().begin(), y.value().end());
          GradientAccumulator<T>(y).add(std::get<Tensor<T>>(with_numbers<R>(AnyTensorOf<R>(y.value()), dy)));
        },
        f_(x));
  if (between) between();
  KeptGradients others(tape);  // f may read variables of the caller: restore their gradients
  for (const auto& input : x) std::visit([&](const auto& v) { others.except(v.slot()); }, input);
  tape.backward(variable(Tensor<R>::scalar(0)));  // a dummy loss: the outputs already have their gradients
  return value;
}

template <RealScalar R>
Sample Passes<R>::fresh(const Numbers& incoming) const {
  const Variables x = variables();
  Numbers value = pass(x, std::array{incoming});
  return {std::move(value), gradients(x)};
}

template <RealScalar R>
std::vector<Numbers> Passes<R>::gradients(const Variables& x) {
  std::vector<Numbers> all;
  for (const auto& v : x) all.push_back(numbers_of<R>(std::visit([](const auto& t) -> AnyTensorOf<R> { return t.grad(); }, v)));
  return all;
}

template <RealScalar R>
void Passes<R>::set_gradient(const AnyVarOf<R>& x, const Numbers& gradient) {
  std::visit([&]<class T>(Var<T> v) { v.set_grad(std::get<Tensor<T>>(with_numbers<R>(AnyTensorOf<R>(v.value()), gradient))); }, x);
}

template <RealScalar R>
Condition condition_of(const FunctionOf<R>& f, const std::vector<AnyTensor>& inputs, const Numbers& incoming, const Sample& sample,
                       double step) {
  // In float32, rounding errors that cancel have few distinct values, so four draws may well repeat one.
  constexpr int draws = std::same_as<R, float> ? 16 : 4;
  Condition condition{.value = std::vector<double>(sample.value.size())};
  for (const Numbers& g : sample.gradients) condition.gradients.emplace_back(g.size());
  const auto widen = [step](std::vector<double>& bar, const Numbers& a, const Numbers& b) {
    for (std::size_t k = 0; k < bar.size(); ++k) bar[k] = std::max(bar[k], modulus(a[k] - b[k]) / step);
  };
  for (int draw = 0; draw < draws; ++draw) {
    std::uint64_t stream = 0;
    const auto moved = [&](Numbers numbers) {
      const Random random(0x5EED + static_cast<std::uint64_t>(draw), stream++);
      // Changes of many sizes: if all were equal, those of two cancelling terms would cancel in every second draw.
      const auto change = [step](std::uint64_t byte) {
        return (byte & 1U ? step : -step) * (0.5 + static_cast<double>(byte) / 256);
      };
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        const std::uint64_t bytes = random.below(k, 1U << 16U);
        numbers[k] *= std::complex(1 + change(bytes & 0xFFU), numbers[k].imag() == 0 ? 0.0 : change(bytes >> 8U));
      }
      return numbers;
    };
    std::vector<AnyTensor> shaken;
    for (const AnyTensor& x : inputs) shaken.push_back(with_numbers<double>(x, moved(numbers_of<double>(x))));
    const Sample other = Passes<R>(f, shaken).fresh(moved(incoming));
    widen(condition.value, other.value, sample.value);
    for (std::size_t i = 0; i < sample.gradients.size(); ++i)
      widen(condition.gradients[i], other.gradients[i], sample.gradients[i]);
  }
  return condition;
}

Slope slope_along(const CheckedFunction& f, const std::vector<AnyTensor>& inputs, const Numbers& incoming,
                  const std::vector<Numbers>& direction) {
  // Central differences of fourth order: (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h.
  constexpr double h = 0x1p-12;
  Slope slope;
  for (const double steps : {1.0, 2.0}) {
    std::array<Numbers, 2> y;
    for (const double sign : {1.0, -1.0}) {
      std::vector<AnyTensor> moved;
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        Numbers x = numbers_of<double>(inputs[i]);
        for (std::size_t k = 0; k < x.size(); ++k) x[k] += sign * steps * h * direction[i][k];
        moved.push_back(with_numbers<double>(inputs[i], x));
      }
      y[sign > 0] = numbers_of<double>(Passes<double>(f, moved).value());
    }
    const double weight = steps == 1 ? 8 / (12 * h) : -1 / (12 * h);
    for (std::size_t k = 0; k < incoming.size(); ++k) {
      slope.value += weight * real_of(conj_mul(incoming[k], y[1][k] - y[0][k]));
      slope.rounding += std::numeric_limits<double>::epsilon() * std::abs(weight) * std::abs(incoming[k]) * std::abs(y[1][k]);
    }
  }
  return slope;
}

Numbers random_incoming(const AnyTensor& y, std::uint64_t seed) {
  const Random random(seed, 1);
  Numbers W(static_cast<std::size_t>(shape_of(y).size()));
  for (std::size_t k = 0; k < W.size(); ++k) {
    const double turn = random.uniform(2 * k + 1), size = 0.5 + random.uniform(2 * k);
    const auto w = y.index() == 1 ? std::polar(size, 2 * std::numbers::pi * turn) : std::complex(turn < 0.5 ? -size : size);
    W[k] = static_cast<std::complex<double>>(static_cast<std::complex<float>>(w));
  }
  return W;
}

template AnyTensorOf<float> with_numbers<float>(const AnyTensorOf<float>&, const Numbers&);
template AnyTensorOf<double> with_numbers<double>(const AnyTensorOf<double>&, const Numbers&);
template Condition condition_of(const FunctionOf<float>&, const std::vector<AnyTensor>&, const Numbers&, const Sample&, double);
template Condition condition_of(const FunctionOf<double>&, const std::vector<AnyTensor>&, const Numbers&, const Sample&, double);
template class Passes<float>;
template class Passes<double>;

}  // namespace argand
