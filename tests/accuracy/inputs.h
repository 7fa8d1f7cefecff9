#pragma once
/// Seeded random numbers for the measurements, of all sizes and directions, and close to the points where formulas cancel.

#include <complex>
#include <vector>

#include "core/tensor.h"
#include "tests/accuracy/table.h"

namespace accuracy {

/// The number of random inputs per measurement.
constexpr std::int64_t samples = 1500;

/// Real numbers of both signs, or positive ones. |x| is log-uniform in 1e-3 ... 1e3 (ordinary range) or in all of the type,
/// subnormal numbers included (extreme range). For the ordinary range they are followed by every point of `near` and its
/// surroundings, point · (1 ± 2^-k).
template <argand::RealScalar R>
argand::Tensor<R> real_numbers(Range range, std::uint64_t stream, bool positive = false, const std::vector<double>& near = {});

/// Complex numbers with |z| as above. Three quarters have any direction, the others lie close to one of the four half-axes; then
/// come the points of `near` and their surroundings in four directions. In the extreme range, some have two parts of independent
/// sizes.
template <argand::RealScalar R>
argand::Tensor<std::complex<R>> complex_numbers(Range range, std::uint64_t stream,
                                                const std::vector<std::complex<double>>& near = {});

}  // namespace accuracy
