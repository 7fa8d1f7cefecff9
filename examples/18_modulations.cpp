/// 18. Which modulation is it? A complex convolutional network, and a real one of equal size.
///
/// A receiver gets 96 complex samples, three per symbol, of an unknown signal: two phases (BPSK),
/// four (QPSK), eight (8-PSK) or a grid (16-QAM), filtered, rotated by an unknown, drifting phase (the oscillators of transmitter
/// and receiver differ slightly), with noise of 4 % of the symbols' power. Which of the four is it?
///
/// The complex network has two convolutions, each with a modReLU, then the power of each channel over time and a linear map; its
/// answer does not change when the whole signal is rotated. The real baseline, of equal size, reads real and imaginary parts as two
/// real channels, with biases and ReLU, and has to learn this invariance. Both train on the same 300 batches of 32 new signals,
/// each with its best learning rate among 0.015, 0.03, 0.06 and 0.12. How many of 1000 other signals are misclassified (chance:
/// 75 %)?
///
/// Run:       build/examples/18_modulations
/// Try next:  a phase that is always 0; crelu instead of modrelu; less noise.

#include "autograd/ops.h"
#include "autograd/tape.h"
#include "nn/layers.h"
#include "nn/layers/activation.h"
#include "nn/layers/convolution.h"
#include "nn/layers/sequential.h"
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
  Tensor<C> x;  ///< [B, 1, samples]
  Ids kind;
};
Signals receive(std::int64_t B, std::uint64_t seed, std::uint64_t number) {
  Signals signals{randn<C>({B, 1, samples}, Random(seed, 2 * number), 0.2f), Ids(Shape{B})};
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
      signals.x(b, 0, t) += C((0.7 * now + 0.3 * before) * std::polar(1.0, phase));
    }
  }
  return signals;
}

/// Two convolutions over time, the mean power of each output channel, and logits [B, kinds].
auto complex_network(Init& init) {
  return Sequential{Conv1d<C>(init, 1, 6, 7, {.bias = false}),        ModRelu<float>(init, 6, 1, -0.3),
                    Conv1d<C>(init, 6, 8, 5, {.bias = false}),        ModRelu<float>(init, 8, 1, -0.3),
                    [](const Var<C>& h) { return mean(abs2(h), 2); }, Linear<float>(init, 8, kinds)};
}

/// The baseline: real and imaginary parts as two real channels, with biases and ReLU.
auto real_network(Init& init) {
  const auto as_channels = [](const Var<C>& x) { return concatenate<float>({real(x), imag(x)}, 1); };
  const auto activation = [](const Var<float>& h) { return relu(h); };
  Sequential net{as_channels,
                 Conv1d<float>(init, 2, 9, 7),
                 activation,
                 Conv1d<float>(init, 9, 10, 5),
                 activation,
                 [](const Var<float>& h) { return mean(square(h), 2); },
                 Linear<float>(init, 10, kinds)};
  for (auto* bias : {&*net.stage<1>().bias, &*net.stage<3>().bias}) bias->value().fill(-0.3F);
  return net;
}

template <class Make>
void compare(const std::string& name, const Make& make_network, double learning_rate) {
  std::string line;
  double mean_error = 0;
  std::int64_t reals = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Init init(seed);
    const auto network = make_network(init);
    const ParameterList<float> parameters = parameters_of<float>(network);
    reals = count_parameters(parameters);
    AdamW<float> optimizer(parameters, {.beta2 = 0.99, .weight_decay = 0, .complex_moments = ComplexMoments::Modulus});
    const Rate rate = cosine_rate(learning_rate, 0, 300);
    for (std::int64_t step = 0; step < 300; ++step) {
      const Signals batch = receive(32, seed, static_cast<std::uint64_t>(step));
      zero_grad(parameters);
      backward(cross_entropy(network(constant(batch.x)), batch.kind));
      optimizer.step(rate(step));
    }
    const Signals test = receive(1000, seed + 100, 0);
    const Tensor<float> logits = network(constant(test.x)).value();
    double wrong = 0;  // in per cent
    for (std::int64_t b = 0; b < 1000; ++b)
      wrong += std::max_element(&logits(b, 0), &logits(b, 0) + kinds) - &logits(b, 0) == test.kind[b] ? 0 : 0.1;
    line += fmt::format("{:7.1f}", wrong), mean_error += wrong / 5;
  }
  fmt::print("{:<14}{:>4} reals{}   mean {:.1f} % of the signals wrong\n", name, reals, line, mean_error);
}

int main() {
  compare("complex", complex_network, 0.06);
  compare("real baseline", real_network, 0.015);
}
