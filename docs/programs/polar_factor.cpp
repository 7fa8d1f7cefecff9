/// What Muon's Newton-Schulz iteration does to complex matrices: to a diagonal one, whose singular values and phases can be read
/// off, and to a random one, compared with its real 2×2-block expansion.

#include <algorithm>

#include "core/random.h"
#include "optim/muon.h"

using namespace argand;
using C = std::complex<double>;

namespace {

/// Expands every entry a + ib to the block [[a, -b], [b, a]].
Tensor<double> expand(const Tensor<C>& z) {
  Tensor<double> x(Shape{2 * z.dim(0), 2 * z.dim(1)});
  for (std::int64_t i = 0; i < x.dim(0); ++i)
    for (std::int64_t j = 0; j < x.dim(1); ++j) {
      const C w = z(i / 2, j / 2);
      x(i, j) = i % 2 == j % 2 ? w.real() : i % 2 == 0 ? -w.imag() : w.imag();
    }
  return x;
}

}  // namespace

int main() {
  const std::vector<C> entries = {std::polar(3.0, 0.5), std::polar(1.0, -2.0), std::polar(0.1, 1.5), std::polar(0.01, 3.0)};
  Tensor<C> diagonal = Tensor<C>::zeros({4, 4});
  for (std::int64_t i = 0; i < 4; ++i) diagonal(i, i) = entries[static_cast<std::size_t>(i)];
  fmt::print("steps   the diagonal: modulus, phase\n");
  for (const int steps : {0, 1, 2, 3, 4, 5, 10}) {
    const Tensor<C> x = newton_schulz(diagonal, steps);
    fmt::print("{:>5}", steps);
    for (std::int64_t i = 0; i < 4; ++i) fmt::print("   {:.4f}, {:+.2f}", std::abs(x(i, i)), std::arg(x(i, i)));
    fmt::print("\n");
  }

  const Tensor<C> u = randn<C>({6, 4}, Random(1));
  const Tensor<double> complex_way = expand(newton_schulz(u)), real_way = newton_schulz(expand(u));
  double difference = 0;
  for (std::int64_t k = 0; k < real_way.size(); ++k)
    difference = std::max(difference, std::abs(complex_way.data()[k] - real_way.data()[k]));
  fmt::print("a random [6, 4] and its expansion [12, 8] differ by at most {:.0e}\n", difference);
}
