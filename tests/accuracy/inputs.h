#pragma once
/// Seeded numbers for measurements: of all sizes and directions, and close to the points where formulas cancel.

#include <complex>
#include <vector>

#include "core/tensor.h"
#include "tests/accuracy/table.h"

namespace accuracy {

/// The number of random inputs per measurement.
constexpr std::int64_t samples = 1500;

/// |x| log-uniform in 1e-3 ... 1e3 (ordinary) or in all of the type, subnormal numbers included (extreme), both signs unless
/// `positive`; then, for the ordinary range, every point of `near` and its surroundings, point · (1 ± 2^-k).
template <argand::RealScalar R>
argand::Tensor<R> real_numbers(Range range, std::uint64_t stream, bool positive = false, const std::vector<double>& near = {});

/// |z| as above; three quarters have any direction, the others lie close to one of the four half-axes. Then the points of `near`
/// and their surroundings, in four directions. In the extreme range a part has two components of independent sizes.
template <argand::RealScalar R>
argand::Tensor<std::complex<R>> complex_numbers(Range range, std::uint64_t stream,
                                                const std::vector<std::complex<double>>& near = {});

}  // namespace accuracy
