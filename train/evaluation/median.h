#pragma once
/// A median, which a single slow moment of a busy machine does not move.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace argand {

/// The middle one of the values; the mean of the two in the middle of an even number; 0 of none.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace argand
