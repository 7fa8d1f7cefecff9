/// 14. Phase retrieval: an image from the magnitudes of Fourier transforms.
///
/// A detector counts photons: it sees |X|² of a wave X and loses its phase. Here a complex image z of 16 x 16 pixels (how much a
/// sample absorbs and delays) is illuminated six times through known masks m_k of random phases, and only the intensities
/// |F(m_k z)|² are measured. Their square roots a_k have 1 % noise. The task is to find z, up to a global phase that cannot be
/// determined (Candès, Li, Soltanolkotabi, "Phase retrieval via Wirtinger flow", 2015). L-BFGS, started from a random image,
/// minimises
///
///     L = mean (|F(m_k z)| - a_k)²,   F the unitary Fourier transform
///
/// The unknowns are complex numbers; the real baseline has as many real unknowns, the magnitudes and phases in z = r e^{iφ}. Both
/// represent the same images and start from the same one; what differs is the landscape. A phase that is wrong by π has to go
/// around the circle, whereas z can go straight through 0; and where r is small, φ has little effect. How many iterations does it
/// take to get within 2 % of the truth?
///
/// Run:       build/examples/14_phase_retrieval
/// Try next:  3 masks; 8 masks; |·|² instead of |·| in the loss; an image of ones as the start.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numbers>
#include <numeric>

#include "autograd/ops.h"
#include "autograd/tape.h"
#include "optim/lbfgs.h"

using namespace argand;
using C = std::complex<double>;
constexpr std::int64_t n = 16, masks = 6;
constexpr double pi = std::numbers::pi;

/// Round, absorbing spots on a background that delays the phase.
Tensor<C> sample(std::uint64_t seed) {
  const Random draw(seed, 1);
  Tensor<C> z(Shape{n, n});
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double modulus = 1, phase = 2 * std::sin(0.3 * static_cast<double>(i) + draw.uniform(0)) * draw.uniform(1);
      for (std::uint64_t spot = 0; spot < 4; ++spot) {
        const double x = static_cast<double>(i) - n * draw.uniform(3 * spot + 2),
                     y = static_cast<double>(j) - n * draw.uniform(3 * spot + 3);
        const double inside = std::exp(-(x * x + y * y) / (2 + 10 * draw.uniform(3 * spot + 4)));
        modulus *= 1 - 0.8 * inside, phase += inside;
      }
      z(i, j) = std::polar(modulus, phase);
    }
  return z;
}

/// |F(m_k z)| for every mask, [masks, n, n].
Real magnitudes(const Complex& z, const Complex& m) { return abs(fft2(m * z, {}, {-2, -1}, FourierNorm::Ortho)); }

/// |z - c truth|/|truth| in per cent, with c the phase factor that minimises it.
double distance(const Tensor<C>& z, const Tensor<C>& truth) {
  C overlap = 0;
  double error = 0, size = 0;
  for (std::int64_t k = 0; k < z.size(); ++k) overlap += std::conj(truth.data()[k]) * z.data()[k];
  const C turn = overlap / std::abs(overlap);
  for (std::int64_t k = 0; k < z.size(); ++k) {
    error += std::norm(z.data()[k] - turn * truth.data()[k]);
    size += std::norm(truth.data()[k]);
  }
  return 100 * std::sqrt(error / size);
}

/// The number of iterations, in steps of ten, until the image is within 2 % of the truth; 1000 if it never is.
int iterations(Lbfgs<double> optimizer, const std::function<Complex()>& picture, const std::function<Real(const Complex&)>& loss,
               const Tensor<C>& truth) {
  int k = 0;
  for (; k < 1000 && distance(picture().value(), truth) > 2; k += 10) optimizer.minimise([&] { return loss(picture()); }, 10);
  return k;
}

void report(const std::string& name, const std::vector<int>& counts) {
  fmt::print("{:<14}{:>4} reals{:7}   mean {:.0f} iterations\n", name, 2 * n * n, fmt::join(counts, ""),
             std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(counts.size()));
}

int main() {
  std::vector<int> by_complex, by_baseline;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Tensor<C> truth = sample(seed), start = randn<C>({n, n}, Random(seed, 2));
    const Real phases(rand<double>({masks, n, n}, Random(seed, 3), -pi, pi)),
        noise(randn<double>({masks, n, n}, Random(seed, 4), 0.01));
    const Complex m = polar(Real(Tensor<double>::ones({masks, n, n})), phases);
    const Real measured = magnitudes(constant(truth), m) * (noise + 1.0);
    const auto loss = [&](const Complex& z) { return mean(square(magnitudes(z, m) - measured)); };

    const Complex z = variable(start.clone());
    by_complex.push_back(iterations(
        Lbfgs<double>({{"z", z}}, {}), [&] { return z; }, loss, truth));
    const Real r = variable(abs(constant(start)).value()), phi = variable(angle(constant(start)).value());
    by_baseline.push_back(iterations(
        Lbfgs<double>({{"r", r}, {"phi", phi}}, {}), [&] { return polar(r, phi); }, loss, truth));
  }
  report("complex", by_complex);
  report("real baseline", by_baseline);
}
