/// 13. A nonlinear channel: a complex equaliser, and a real baseline with as many parameters.
///
/// Symbols s_n of 16-QAM, (a + bi)/√10 with a and b each ±1 or ±3, go through an amplifier that saturates large signals and rotates
/// their phase (Saleh 1981),
///
///     a(s) = g |s|/(1 + |s|²/4) e^{iφ},  φ = arg s + (π/6) |s|²/(1 + |s|²/4),
///
/// then along three paths with noise. A network reads eleven received samples and predicts the symbol in the middle. It learns from
/// 600 known symbols and is tested on 4000 others: how many are read incorrectly? Rotating all samples by one phase does not change
/// the problem. A complex network with modReLU and no biases is equivariant to this rotation by construction; its real baseline,
/// which reads 22 reals, has to learn that. Each uses its best learning rate among 0.005, 0.01, 0.02, 0.04, 0.06, 0.1 and 0.2.
///
/// Run:       build/examples/13_nonlinear_channel
/// Try next:  3000 known symbols; crelu in place of modrelu; samples rotated by 1 radian in the test (and the result rotated
/// back).

#include <numbers>

#include "autograd/ops.h"
#include "autograd/tape.h"
#include "nn/layers.h"
#include "optim/adamw.h"
#include "optim/rate.h"

using namespace argand;
using C = std::complex<double>;
constexpr std::int64_t taps = 11;

/// The received signal, as windows [N, taps], and the symbol sent in the middle of each.
struct Signal {
  Tensor<C> windows, sent;
};

Signal transmit(std::int64_t N, std::uint64_t seed) {
  const C paths[] = {1, std::polar(0.45, 2.0), std::polar(0.25, -1.0)};
  const Random coin(seed, 1);
  const Tensor<C> noise = randn<C>({N + taps}, Random(seed, 2), /*std=*/0.03);
  std::vector<C> s, amplified, r;
  for (std::int64_t n = 0; n < N + taps; ++n) {
    const std::uint64_t q = coin.below(static_cast<std::uint64_t>(n), 16);
    s.push_back(C(2.0 * static_cast<double>(q % 4) - 3, 2.0 * static_cast<double>(q / 4) - 3) / std::sqrt(10.0));
    const double square = std::norm(s.back()), damped = 1 + square / 4;
    amplified.push_back(s.back() * std::polar(1 / damped, std::numbers::pi / 6 * square / damped));
    r.push_back(noise(n));
    for (std::size_t k = 0; k < 3 && k < amplified.size(); ++k) r.back() += paths[k] * amplified[amplified.size() - 1 - k];
  }
  Signal signal{Tensor<C>(Shape{N, taps}), Tensor<C>(Shape{N, 1})};
  for (std::int64_t n = 0; n < N; ++n) {
    std::copy_n(r.begin() + n, taps, signal.windows.data() + n * taps);
    signal.sent(n, 0) = s[static_cast<std::size_t>(n + taps / 2)];
  }
  return signal;
}

struct ComplexNet : Module<double> {
  static constexpr double rate = 0.02;
  explicit ComplexNet(Init& init)
      : in(init, taps, 12, false), c(init.full<double>(Role::Bias, {12}, -0.1)), out(init, 12, 1, false) {}
  Complex operator()(const Complex& r) const { return out(modrelu(in(r), c)); }
  ARGAND_FIELDS(double, in, c, out)
  Linear<C> in;
  Real c;
  Linear<C> out;
};

struct RealBaseline : Module<double> {
  static constexpr double rate = 0.1;
  explicit RealBaseline(Init& init) : in(init, 2 * taps, 12), out(init, 12, 2) {}
  Complex operator()(const Complex& r) const { return view_as_complex(out(relu(in(view_as_real(r))))); }
  ARGAND_FIELDS(double, in, out)
  Linear<double> in, out;
};

double nearest_level(double x) { return std::clamp(2 * std::floor(x * std::sqrt(10.0) / 2) + 1, -3.0, 3.0) / std::sqrt(10.0); }

template <class Net>
void compare(const std::string& name) {
  std::string line;
  double mean_error = 0;
  std::int64_t reals = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Signal known = transmit(600, seed), fresh = transmit(4000, seed + 100);
    Init init(seed);
    const Net net(init);
    const ParameterList<double> parameters = parameters_of<double>(net);
    reals = count_parameters(parameters);
    AdamW<double> optimizer(parameters, {.beta2 = 0.99, .weight_decay = 0, .complex_moments = ComplexMoments::Modulus});
    const Rate rate = cosine_rate(Net::rate, 0, 1000);
    for (std::int64_t step = 0; step < 1000; ++step) {
      zero_grad(parameters);
      backward(mean(abs2(net(constant(known.windows)) - constant(known.sent))));
      optimizer.step(rate(step));
    }
    const NoGrad no_grad;
    const Tensor<C> y = net(constant(fresh.windows)).value();
    double wrong = 0;
    for (std::int64_t n = 0; n < y.size(); ++n)
      wrong += std::abs(C(nearest_level(y(n, 0).real()), nearest_level(y(n, 0).imag())) - fresh.sent(n, 0)) > 1e-6;
    line += fmt::format("{:7.2f}", 100 * wrong / 4000);
    mean_error += 100 * wrong / 4000 / 5;
  }
  fmt::print("{:<14}{:>4} reals{}   mean {:.2f} % of the symbols wrong\n", name, reals, line, mean_error);
}

int main() {
  compare<ComplexNet>("complex");
  compare<RealBaseline>("real baseline");
}
