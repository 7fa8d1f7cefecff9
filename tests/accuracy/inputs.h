#pragma once
/// Seeded random numbers for the measurements: of all magnitudes and directions, and close to points where formulas cancel.

#include <complex>
#include <vector>

#include "core/tensor.h"
#include "tests/accuracy/table.h"

namespace accuracy {

/// The number of random inputs per measurement.
constexpr std::int64_t samples = 1500;

/// Real numbers, positive or of both signs. |x| is log-uniform in 1e-3 ... 1e3 (ordinary range) or over the whole type, including
/// subnormal numbers (extreme range). In the ordinary range, every point of `near` and its neighbours point · (1 ± 2^-k) follow.
template <argand::RealScalar R>
argand::Tensor<R> real_numbers(Range range, std::uint64_t stream, bool positive = false, const std::vector<double>& near = {});

/// Complex numbers whose |z| is distributed like |x| in real_numbers. Three quarters point in any direction, the others lie close
/// to one of the four half-axes; the points of `near` and their neighbours in four directions follow. In the extreme range, some
/// numbers have parts of independent magnitudes.
template <argand::RealScalar R>
argand::Tensor<std::complex<R>> complex_numbers(Range range, std::uint64_t stream,
                                                const std::vector<std::complex<double>>& near = {});

}  // namespace accuracy
