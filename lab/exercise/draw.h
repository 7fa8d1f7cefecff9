#pragma once
/// Draws the parameters of a problem one after the other from a stream of random numbers, and writes them as in a formula.

#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"

namespace argand {

class Draw {
 public:
  Draw(std::uint64_t seed, std::uint64_t stream) : random_(seed, stream) {}

  /// Uniform in {low, ..., high}.
  int integer(int low, int high) {
    return low + static_cast<int>(random_.below(next_++, static_cast<std::uint64_t>(high - low + 1)));
  }
  /// A nonzero number of either sign.
  int nonzero(int largest) {
    const int n = integer(1, largest);
    return integer(0, 1) == 0 ? n : -n;
  }
  /// x + iy, with parts that are nonzero and differ in magnitude.
  std::complex<double> gaussian(int largest) {
    const int x = nonzero(largest);
    int y = nonzero(largest);
    while (std::abs(y) == std::abs(x)) y = nonzero(largest);
    return {static_cast<double>(x), static_cast<double>(y)};
  }
  /// The same with two decimals, in [-1, 1].
  std::complex<double> decimal() {
    const std::complex<double> hundredths = gaussian(100);
    return {hundredths.real() / 100, hundredths.imag() / 100};
  }
  template <class T>
  T pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(integer(0, static_cast<int>(from.size()) - 1))];
  }
  template <class T>
  void shuffle(std::vector<T>& all) {
    for (std::size_t n = all.size(); n > 1; --n)
      std::swap(all[n - 1], all[static_cast<std::size_t>(integer(0, static_cast<int>(n) - 1))]);
  }

 private:
  Random random_;
  std::uint64_t next_ = 0;
};

/// The number as it is written on its own: "2-3i", "-i", "0.25".
std::string written(std::complex<double> z);
/// The number as a factor or a term: in parentheses if it has two parts or a minus sign.
std::string within(std::complex<double> z);
/// c zⁿ z̄ᵐ, written as in "3*z^2*z̄".
std::string monomial(int c, int n, int m);

}  // namespace argand
