/// 18. Which modulation is it? A convolutional network of complex numbers, and its real twin.
///
/// A receiver that scans the air hears 96 complex samples, three a symbol, of a signal that it does not know: two phases (BPSK),
/// four (QPSK), eight (8-PSK) or a grid (16-QAM), behind a filter, turned by an unknown phase that drifts (the transmitter's
/// oscillator is not quite the receiver's), under noise of 4 % of the symbols' power. Which of the four is it?
///
/// Two convolutions, each with a modReLU, then the power of each channel over time and a linear map: turned as a whole, a signal
/// gets the same answer from the complex network. The real twin reads real and imaginary part as two channels of reals, with biases
/// and ReLU, and has to learn that. Both see the same 300 batches of 32 fresh signals, each at the best for itself of the learning
/// rates 0.015, 0.03, 0.06 and 0.12. How many of 1000 others are taken for something else (chance: 75 %)?
///
/// Run:       build/examples/18_modulations
/// Try next:  a phase that is always 0; crelu in the place of modrelu; less noise.

#include "autograd/ops.h"
#include "autograd/tape.h"
#include "nn/layers.h"
#include "optim/adamw.h"
#include "optim/rate.h"

using namespace argand;
using C = std::complex<float>;
constexpr double pi = 3.14159265358979324;
constexpr std::int64_t samples = 96, held = 3, kinds = 4;

std::complex<double> symbol(Ids::value_type kind, std::uint64_t q) {
  const auto n = static_cast<double>(q);
  if (kind < 3) return std::polar(1.0, 2 * pi * n / std::exp2(kind + 1));  // 2, 4 or 8 phases
  return std::complex<double>(2 * std::fmod(n, 4) - 3, 2 * std::floor(n / 4) - 3) / std::sqrt(10.0);
}

struct Signals {
  Tensor<C> x;  ///< [B, samples, 1]
  Ids kind;
};
Signals receive(std::int64_t B, std::uint64_t seed, std::uint64_t number) {
  Signals signals{randn<C>({B, samples, 1}, Random(seed, 2 * number), 0.2f), Ids(Shape{B})};
  const Random draw(seed, 2 * number + 1);
  std::uint64_t next = 0;
  for (std::int64_t b = 0; b < B; ++b) {
    const auto kind = signals.kind[b] = static_cast<Ids::value_type>(draw.below(next++, kinds));
    double phase = 2 * pi * draw.uniform(next++);
    const double drift = 0.04 * (draw.uniform(next++) - 0.5);
    std::complex<double> now = 0;
    for (std::int64_t t = 0; t < samples; ++t, phase += drift) {
      const std::complex<double> before = now;
      if (t % held == 0) now = symbol(kind, draw.below(next++, std::uint64_t{1} << (kind + 1)));
      signals.x(b, t, 0) += C((0.7 * now + 0.3 * before) * std::polar(1.0, phase));
    }
  }
  return signals;
}

Var<C> read(const Tensor<C>& x, Var<C>) { return x; }
Var<float> read(const Tensor<C>& x, Var<float>) { return as_real(x); }
Var<C> bend(const Var<C>& z, const Var<float>& threshold) { return modrelu(z, threshold); }
Var<float> bend(const Var<float>& x, const Var<float>& bias) { return relu(x + bias); }

/// A convolution over time, then a bend for each channel: [B, channels, T] -> [B, other channels, T - k + 1].
template <Scalar T>
Var<T> listened(const Var<T>& x, const Var<T>& W, const Var<float>& c) {
  const std::vector<int> channels_last{0, 2, 1};
  const std::int64_t in = x.dim(1);
  return permute(bend(permute(conv1d(x, reshape(W, {W.dim(0), in, W.dim(1) / in})), channels_last), c), channels_last);
}

/// T = C: 1, 6 and 8 channels; T = float, the twin: 2, 9 and 10.
template <Scalar T>
struct Listener : Module<float> {
  static constexpr std::int64_t in = ComplexScalar<T> ? 1 : 2, middle = ComplexScalar<T> ? 6 : 9, last = ComplexScalar<T> ? 8 : 10;
  explicit Listener(Init& init)
      : W1(init.he<T>(Role::Matrix, {middle, 7 * in})),
        W2(init.he<T>(Role::Matrix, {last, 5 * middle})),
        c1(init.full<float>(Role::Bias, {middle}, -0.3)),
        c2(init.full<float>(Role::Bias, {last}, -0.3)),
        out(init, last, kinds) {}
  Var<float> operator()(const Tensor<C>& x) const {
    const Var<T> h = listened(permute(read(x, W1), {0, 2, 1}), W1, c1);
    return out(mean(abs2(listened(h, W2, c2)), 2));
  }
  void visit(const Visit<float>& f) const override { f("W1", W1), f("W2", W2), f("c1", c1), f("c2", c2), f("out", out); }
  Var<T> W1, W2;
  Var<float> c1, c2;
  Linear<float> out;
};

template <Scalar T>
void compare(const std::string& name, double learning_rate) {
  std::string line;
  double mean_error = 0;
  std::int64_t reals = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Init init(seed);
    const Listener<T> listener(init);
    const ParameterList<float> parameters = parameters_of<float>(listener);
    reals = count_parameters(parameters);
    AdamW<float> optimizer(parameters, {.beta2 = 0.99, .weight_decay = 0, .complex_moments = ComplexMoments::Modulus});
    const Rate rate = cosine_rate(learning_rate, 0, 300);
    for (std::int64_t step = 0; step < 300; ++step) {
      const Signals batch = receive(32, seed, static_cast<std::uint64_t>(step));
      zero_grad(parameters);
      backward(cross_entropy(listener(batch.x), batch.kind));
      optimizer.step(rate(step));
    }
    const Signals test = receive(1000, seed + 100, 0);
    const Tensor<float> logits = listener(test.x).value();
    double wrong = 0;  // per cent
    for (std::int64_t b = 0; b < 1000; ++b)
      wrong += std::max_element(&logits(b, 0), &logits(b, 0) + kinds) - &logits(b, 0) == test.kind[b] ? 0 : 0.1;
    line += fmt::format("{:7.1f}", wrong), mean_error += wrong / 5;
  }
  fmt::print("{:<14}{:>4} reals{}   mean {:.1f} % of the signals wrong\n", name, reals, line, mean_error);
}

int main() {
  compare<C>("complex", 0.06);
  compare<float>("its real twin", 0.015);
}
