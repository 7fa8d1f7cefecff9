#pragma once
/// Measurements of the ops by kind; each op is compared with its exact formula.

#include "tests/accuracy/table.h"

namespace accuracy {

void measure_holomorphic(Table& table);  ///< exp, log, ... tanh, pow
void measure_real(Table& table);         ///< relu, gelu, silu, swiglu, erf
void measure_arithmetic(Table& table);   ///< add ... div, for all pairs of real and complex operands
void measure_parts(Table& table);        ///< abs, angle, polar, ... rotations
void measure_complex(Table& table);      ///< complex and magnitude-based activations
void measure_row_norms(Table& table);    ///< sum, mean, variance, norms
void measure_row_softmax(Table& table);  ///< softmax, cross entropies, attention, matrix products

}  // namespace accuracy
