#pragma once
/// Judges the elements of one input one by one, and finds the faulty ones among very many.

#include "autograd/check/function/directions.h"

namespace argand {

/// Judges the elements of the range and adds them to the row with a diagnosis.
void judge_elements(const ScalarProjection& projected, const Directions& directions, const FunctionCheckOptions& options,
                    const ElementRange& where, ReportRow& row);

/// Judges the elements of an input that does not pass along a direction: all of them if there are few, otherwise some neighbours
/// found by bisection.
void judge_suspects(const ScalarProjection& projected, const Directions& directions, const FunctionCheckOptions& options,
                    const Finding& found, std::size_t input, ReportRow& row);

/// Sets verdict, errors and bar of a row from its elements, relative to the largest gradient among them.
void conclude_elements(ReportRow& row);

}  // namespace argand
