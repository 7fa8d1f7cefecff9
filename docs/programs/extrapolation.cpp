/// Neville's triangle for the derivative of 1/(1 + x²) at x = 1/2: errors of central differences (first column) and of
/// Richardson's extrapolations. The step shrinks by 1.8 from row to row; each column cancels one more even power of the step.

#include <fmt/core.h>

#include <cmath>
#include <vector>

int main() {
  const auto f = [](double x) { return 1 / (1 + x * x); };
  const double x = 0.5, truth = -0.64, c = 1.8;

  std::vector<double> older;
  double h = 0.1;
  for (int level = 0; level < 9; ++level, h /= c) {
    std::vector<double> row = {(f(x + h) - f(x - h)) / (2 * h)};
    double power = c * c;
    for (std::size_t j = 1; j <= older.size() && j < 6; ++j, power *= c * c)
      row.push_back(row[j - 1] + (row[j - 1] - older[j - 1]) / (power - 1));
    fmt::print("{:8.5f}", h);
    for (const double value : row) fmt::print("  {:5.0e}", std::abs(value - truth));
    fmt::print("\n");
    older = row;
  }
}
