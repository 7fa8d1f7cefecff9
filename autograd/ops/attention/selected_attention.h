#pragma once
/// Attention over a few rows of a large memory, selected beforehand for each query.

#include "autograd/var.h"

namespace argand {

/// o_n = Σ_j β_nj M[s_nj], β_n = softmax_j(scale · q_n·M[s_nj]): q [..., r], memory M [P, r], selected rows s [..., k] with the
/// queries' leading shape -> [..., r]. The selection has no gradient; a row selected twice counts twice. Throws for mismatched
/// shapes or a row outside [0, P).
template <RealScalar R>
Var<R> selected_attention(const Var<R>& q, const Var<R>& memory, const Ids& selected, double scale);

/// The weights β [N, k] for N queries. Arguments as for selected_attention(), not checked again.
template <RealScalar R>
Tensor<R> selection_weights(const Tensor<R>& q, const Tensor<R>& memory, const Ids& selected, R scale);

}  // namespace argand
