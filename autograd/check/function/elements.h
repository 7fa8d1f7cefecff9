#pragma once
/// The elements of one input one by one, and which of very many are at fault.

#include "autograd/check/function/directions.h"

namespace argand {

/// Judges those of the stretch, and adds them to the row with a diagnosis.
void judge_elements(const ScalarProjection& projected, const Directions& directions, const FunctionCheckOptions& options,
                    const Stretch& where, ReportRow& row);

/// Judges the elements of an input whose direction does not pass: all where they are few, otherwise some neighbours that are found
/// by halving.
void judge_suspects(const ScalarProjection& projected, const Directions& directions, const FunctionCheckOptions& options,
                    const Finding& found, std::size_t input, ReportRow& row);

/// Verdict, errors and bar of a row from its elements, relative to the largest gradient among them.
void conclude_elements(ReportRow& row);

}  // namespace argand
