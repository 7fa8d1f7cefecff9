/// 15. An image from a third of its Fourier transform, as in magnetic resonance imaging.
///
/// A scanner measures the Fourier transform of a complex image z (the density of spins, and their phase), line by line, and each
/// line takes time. Here 22 of 64 are measured: the 8 in the middle and 14 at random. Setting the others to 0 smears the image;
/// the prior knowledge that it is flat between edges restores it (Lustig, Donoho, Pauly, "Sparse MRI", 2007):
///
///     L = Σ |S F z - k|² + λ Σ sqrt(|z(x+1, y) - z(x, y)|² + |z(x, y+1) - z(x, y)|² + ε²)
///
/// S selects the measured lines, F is the unitary transform. The root is the length of a complex gradient: an edge of
/// any phase costs the same, and real and imaginary parts share their edges. The real baseline has the same unknowns, stored as
/// two real images, and a cost for the edges of each, Σ sqrt((Re ...)²...) + Σ sqrt((Im ...)² ...). λ = 0.003 is the best of 0.001
/// to 0.04 for both. How large is the remaining error, in decibels below the image's largest modulus (PSNR: higher is better)?
///
/// Run:       build/examples/15_mri
/// Try next:  12 lines; a constant phase; λ = 0.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "autograd/ops.h"
#include "autograd/tape.h"
#include "optim/lbfgs.h"

using namespace argand;
using C = std::complex<double>;
constexpr std::int64_t n = 64;

/// Ellipses of different brightness and phase, under a slowly varying phase (the field is never quite uniform).
Tensor<C> phantom(std::uint64_t seed) {
  const Random draw(seed, 1);
  Tensor<C> z = Tensor<C>::zeros({n, n});
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const double x = static_cast<double>(2 * i - n) / n, y = static_cast<double>(2 * j - n) / n;
      if (x * x / 0.8 + y * y / 0.6 > 1) continue;
      C value = 0.4;
      for (std::uint64_t e = 0; e < 7; ++e) {
        const auto u = [&](std::uint64_t k) { return draw.uniform(8 * e + k); };
        const double dx = x - 1.2 * (u(0) - 0.5), dy = y - 1.2 * (u(1) - 0.5), turn = 3 * u(2);
        const double a = dx * std::cos(turn) + dy * std::sin(turn), b = dy * std::cos(turn) - dx * std::sin(turn);
        if (a * a / (0.02 + 0.15 * u(3)) + b * b / (0.01 + 0.05 * u(4)) < 1) value = std::polar(0.2 + 0.8 * u(5), 3 * u(6));
      }
      z(i, j) = value * std::polar(1.0, draw.uniform(100) * x + draw.uniform(101) * y * y);
    }
  return z;
}

Complex transform(const Complex& z) { return fft2(z, {}, {-2, -1}, FourierNorm::Ortho); }

/// Σ sqrt(|∂x u|² + |∂y u|² + ε²), real or complex.
template <Scalar T>
Real edges(const Var<T>& u) {
  const auto inner = [&](std::int64_t i, std::int64_t j) { return slice(slice(u, 0, i, n - 1 + i), 1, j, n - 1 + j); };
  const Var<T> down = inner(1, 0) - inner(0, 0), right = inner(0, 1) - inner(0, 0);
  return sum(pow(abs2(down) + abs2(right) + 1e-6, 0.5));
}

double psnr(const Tensor<C>& z, const Tensor<C>& truth) {
  double error = 0, greatest = 0;
  for (std::int64_t k = 0; k < z.size(); ++k) {
    error += std::norm(z.data()[k] - truth.data()[k]) / static_cast<double>(z.size());
    greatest = std::max(greatest, std::abs(truth.data()[k]));
  }
  return 10 * std::log10(greatest * greatest / error);
}

void report(const std::string& name, const std::vector<double>& figures) {
  fmt::print("{:<14}{:>4} reals{:7.2f}   mean {:.2f} dB\n", name, 2 * n * n, fmt::join(figures, ""),
             std::accumulate(figures.begin(), figures.end(), 0.0) / static_cast<double>(figures.size()));
}

int main() {
  std::vector<double> smeared, by_complex, by_baseline;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Tensor<C> truth = phantom(seed);
    Tensor<double> S = Tensor<double>::zeros({n, n});  // line 0 is the centre of k-space
    const Random draw(seed, 2);
    for (std::int64_t line = 0, other = 0; line < n; ++line) {
      const bool middle = line < 4 || line >= n - 4;
      // Selects a line outside the middle with probability (lines still to select)/(lines left).
      const bool taken = middle || static_cast<std::int64_t>(draw.below(static_cast<std::uint64_t>(line),
                                                                        static_cast<std::uint64_t>(n - 4 - line))) < 14 - other;
      other += taken && !middle;
      for (std::int64_t j = 0; j < n; ++j) S(line, j) = taken ? 1 : 0;
    }
    const Complex noise(randn<C>({n, n}, Random(seed, 3), 0.01)), k = (transform(constant(truth)) + noise) * Real(S);
    const Tensor<C> zeros_filled = ifft2(k, {}, {-2, -1}, FourierNorm::Ortho).value();
    smeared.push_back(psnr(zeros_filled, truth));

    const auto reconstruct = [&](bool complex) {
      const Complex z = variable(zeros_filled.clone());
      Lbfgs<double>({{"z", z}}, {})
          .minimise(
              [&] {
                const Real cost = complex ? edges(z) : edges(real(z)) + edges(imag(z));
                return sum(abs2(transform(z) * Real(S) - k)) + cost * 0.003;
              },
              150);
      return psnr(z.value(), truth);
    };
    by_complex.push_back(reconstruct(true));
    by_baseline.push_back(reconstruct(false));
  }
  report("zeros", smeared);
  report("complex", by_complex);
  report("real baseline", by_baseline);
}
