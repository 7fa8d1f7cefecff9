/// 8. An inherently complex problem: undoing what a radio channel does to a signal, without knowing what was sent.
///
/// Symbols s_n, the four numbers e^{iπ(2k+1)/4}, travel along several paths, each with its own delay, attenuation and phase;
/// what arrives, r_n = Σ_k h_k s_{n-k} + noise, is a blur. An equaliser y_n = Σ_k f_k r_{n-k} should undo it. All we know about the
/// symbols is that |s| = 1, so the loss measures how far |y| is from 1 (Godard 1980, the constant modulus algorithm):
///
///     L = mean (|y|² - 1)²,     grad(y) = 4 (|y|² - 1) y / N,     grad(f) = Rᴴ grad(y)     for y = R f.
///
/// L is the same for y and y e^{iφ}, so the symbols are recovered up to an unknown phase. A few known symbols determine it.
///
/// Run:       build/examples/08_channel_equalisation
/// Try next:  more noise; f of 3 taps; a start at f = 0 (why does it never leave?); 8 symbols on the circle instead of 4.

#include <numbers>

#include "autograd/ops.h"
#include "autograd/tape.h"
#include "core/random.h"

using namespace argand;
using C = std::complex<double>;
constexpr double pi = std::numbers::pi;

C nearest_symbol(C y) { return C(y.real() < 0 ? -1 : 1, y.imag() < 0 ? -1 : 1) / std::sqrt(2.0); }

int main() {
  constexpr std::int64_t N = 2000, taps = 15, centre = taps / 2;
  const std::vector<C> h = {C(1, 0), std::polar(0.7, 2.0), std::polar(0.35, -1.0)};  // the channel: three paths
  const Random coin(1);
  const Tensor<C> noise = randn<C>({N}, Random(2), /*std=*/0.05);
  std::vector<C> s(N), r(N);
  for (std::size_t n = 0; n < N; ++n) {
    s[n] = std::polar(1.0, pi * static_cast<double>(2 * coin.below(n, 4) + 1) / 4);
    r[n] = noise(n);
    for (std::size_t k = 0; k < h.size() && k <= n; ++k) r[n] += h[k] * s[n - k];
  }

  // Row n of R holds the terms of y_n = Σ_k f_k r_{n+centre-k}.
  Tensor<C> R = Tensor<C>::zeros({N, taps});
  for (std::int64_t n = 0; n < N; ++n)
    for (std::int64_t k = 0; k < taps; ++k)
      if (const std::int64_t m = n + centre - k; m >= 0 && m < N) R(n, k) = r[static_cast<std::size_t>(m)];

  // Uses the first 20 symbols, known to the receiver, to determine the phase, and counts the errors in the rest.
  const auto report = [&](const std::string& when, const Tensor<C>& y) {
    C agreement = 0;
    for (std::size_t n = 0; n < 20; ++n) agreement += s[n] * std::conj(y(n, 0));
    const C turn = agreement / std::abs(agreement);
    int wrong = 0;
    double error = 0;
    for (std::size_t n = 20; n < N; ++n) {
      wrong += std::abs(nearest_symbol(turn * y(n, 0)) - s[n]) > 0.1;
      error += std::norm(turn * y(n, 0) - s[n]) / (N - 20);
    }
    fmt::print("{:<12} {:4.1f} % of the symbols wrong, mean |y - s|² = {:.2f}\n", when, 100.0 * wrong / (N - 20), error);
  };

  Complex f = variable(Tensor<C>::zeros({taps, 1}));
  f.value()(centre, 0) = 1;  // start by passing the input through
  for (int step = 0; step <= 200; ++step) {
    f.zero_grad();
    const Complex y = matmul(constant(R), f);
    const Real loss = mean(square(abs2(y) - 1.0));
    backward(loss);
    if (step % 50 == 0) report(fmt::format("step {}", step), y.value());
    for (std::int64_t k = 0; k < taps; ++k) f.value()(k, 0) -= 0.02 * f.grad()(k, 0);
  }
}
