#include "tests/hostile/matrices.h"

#include <cmath>
#include <limits>

#include "core/random.h"

namespace hostile {
namespace {

using argand::ComplexScalar;
using argand::RealOf;

/// Pseudo-random numbers from a seed.
class DrawnNumbers {
 public:
  explicit DrawnNumbers(std::uint64_t seed) : random_(seed, 2036) {}
  double uniform(double low, double high) { return low + (high - low) * random_.uniform(at_++); }
  int whole(int low, int high) { return low + static_cast<int>(uniform(0, high - low + 0.999)); }
  template <argand::Scalar T>
  std::complex<double> number(double size = 1) {
    const double r = size * uniform(0.3, 1.7), turn = uniform(-3.1, 3.1);
    if constexpr (ComplexScalar<T>) return std::polar(r, turn);
    return turn < 0 ? -r : r;
  }

 private:
  argand::Random random_;
  std::uint64_t at_ = 0;
};

/// A random number between 10^-range and 10^range.
double any_size(DrawnNumbers& numbers, double range) { return std::pow(10, numbers.uniform(-range, range)); }

}  // namespace

std::string name(Kind kind) {
  static const char* const names[] = {"ordinary", "upper, huge", "lower, huge", "upper, tiny",     "blocks, huge", "nilpotent",
                                      "graded",   "rows",        "columns",     "nearly singular", "singular",     "defective",
                                      "repeated", "clustered",   "large",       "small",           "ends"};
  return names[static_cast<std::size_t>(kind)];
}

template <argand::Scalar T>
std::vector<T> matrix(Kind kind, int m, int n, std::uint64_t seed) {
  using C = std::complex<double>;
  using R = RealOf<T>;
  DrawnNumbers numbers(seed * 31 + static_cast<std::uint64_t>(kind) * 1009 + static_cast<std::uint64_t>(9 * m + n));
  const double decades = std::numeric_limits<R>::max_exponent10, eps = std::numeric_limits<R>::epsilon();
  std::vector<C> A(static_cast<std::size_t>(m * n));
  const auto at = [&](int i, int j) -> C& { return A[static_cast<std::size_t>(i * n + j)]; };
  for (C& a : A) a = numbers.number<T>();
  const auto each = [&](const auto& f) {
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) at(i, j) = f(i, j, at(i, j));
  };
  /// A matrix of rank at most r: the sum of r outer products of small integer vectors.
  const auto of_rank = [&](int r) {
    each([](int, int, C) { return C(0); });
    for (int k = 0; k < r; ++k) {
      std::vector<C> row;
      for (int j = 0; j < n; ++j) row.push_back(C(numbers.whole(-3, 3), ComplexScalar<T> ? numbers.whole(-2, 2) : 0));
      for (int i = 0; i < m; ++i) {
        const double x = numbers.whole(-3, 3);
        for (int j = 0; j < n; ++j) at(i, j) += x * row[static_cast<std::size_t>(j)];
      }
    }
  };
  const double huge = std::pow(10, numbers.uniform(1, decades / 3));
  std::vector<double> sizes;
  for (int i = 0; i < std::max(m, n); ++i) sizes.push_back(any_size(numbers, decades / 6));
  const auto size = [&](int i) { return sizes[static_cast<std::size_t>(i)]; };
  switch (kind) {
    case Kind::Ordinary: break;
    case Kind::UpperHuge: each([&](int i, int j, C a) { return i > j ? 0.0 : i < j ? a * huge : a; }); break;
    case Kind::LowerHuge: each([&](int i, int j, C a) { return i < j ? 0.0 : i > j ? a * huge : a; }); break;
    case Kind::UpperTiny: each([&](int i, int j, C a) { return i > j ? 0.0 : i < j ? a / huge : a; }); break;
    case Kind::BlockHuge: each([&](int i, int j, C a) { return i / 2 > j / 2 ? 0.0 : i / 2 < j / 2 ? a * huge : a; }); break;
    case Kind::Nilpotent: each([&](int i, int j, C a) { return j == i + 1 ? a * size(i) : 0.0; }); break;
    case Kind::Graded: each([&](int i, int j, C a) { return a * std::pow(10, -(i + j) * decades / 60); }); break;
    case Kind::Rows: each([&](int i, int, C a) { return a * size(i); }); break;
    case Kind::Columns: each([&](int, int j, C a) { return a * size(j); }); break;
    case Kind::NearlySingular: {
      of_rank(std::max(0, std::min(m, n) - 1));
      each([&](int, int, C a) { return a + numbers.number<T>(8 * eps); });
      break;
    }
    case Kind::Singular: of_rank(std::min(m, n) == 0 ? 0 : static_cast<int>(seed) % std::min(m, n)); break;
    case Kind::Defective: {
      // S J S⁻¹ with S = I + (ones below the diagonal), computed by adding and subtracting rows and columns, which is exact.
      const double lambda = numbers.whole(-2, 2);
      each([&](int i, int j, C) { return i == j ? lambda : j == i + 1 ? 1.0 : 0.0; });
      for (int i = std::min(m, n); i-- > 1;)
        for (int j = 0; j < n; ++j) at(i, j) += at(i - 1, j);
      for (int j = 0; j + 1 < std::min(m, n); ++j)
        for (int i = 0; i < m; ++i) at(i, j) -= at(i, j + 1);
      break;
    }
    case Kind::Repeated: {
      const double twice = numbers.whole(1, 3);
      each([&](int i, int j, C) { return i != j ? 0.0 : i < 2 || seed % 2 == 0 ? twice : twice + i; });
      break;
    }
    case Kind::Clustered:
      each([&](int i, int j, C a) { return (i == j ? 1 + 1e3 * eps * i : 0.0) + a * 10.0 * eps; });
      for (int i = 0; i < std::min(m, n); ++i) at(i, i) = at(i, i).real();
      break;
    case Kind::Large: each([&](int, int, C a) { return a * std::pow(10, decades - 1); }); break;
    case Kind::Small: each([&](int, int, C a) { return a * std::pow(10, 1 - decades); }); break;
    case Kind::Ends: each([&](int i, int, C a) { return a * std::pow(10, (i % 2 == 0 ? 1 : -1) * (decades - 2)); }); break;
  }
  std::vector<T> result;
  for (const C& a : A) {
    if constexpr (ComplexScalar<T>)
      result.emplace_back(static_cast<R>(a.real()), static_cast<R>(a.imag()));
    else
      result.push_back(static_cast<R>(a.real()));
  }
  return result;
}

#define HOSTILE_MATRIX(T) template std::vector<T> matrix<T>(Kind, int, int, std::uint64_t);
ARGAND_FOR_SCALAR(HOSTILE_MATRIX)

}  // namespace hostile
