#pragma once
/// Rows by index: the embedding of token ids, the mean embedding of passages, and embedding's adjoint.

#include "autograd/var.h"

namespace argand {

/// table [V, D], ids of any shape -> [ids.shape..., D]: y[i] = table[ids[i]]. The gradient is added to the table's rows in the
/// order of the ids, without a [V, D] temporary when the table already has a gradient (tied embeddings).
/// Throws `embedding: id 9 at [0, 3] is outside the vocabulary of 8`, or when table is not a matrix.
template <Scalar T>
Var<T> embedding(const Var<T>& table, const Ids& ids);

/// table [V, D], ids [..., L] -> [..., D]: the mean of the L rows indexed along the last axis. Equals mean(embedding(table, ids),
/// -2) without forming the embedding, which is L times as large. The gradient skips rows of dy that are 0, so unused passages cost
/// nothing. Throws as embedding does, and when L = 0.
template <Scalar T>
Var<T> embedding_mean(const Var<T>& table, const Ids& ids);

/// rows [ids.shape..., D] -> [V, D]: y[v] = Σ rows[i] over the i with ids[i] = v, summed in the order of i.
/// Throws for an id outside [0, V) or rows of the wrong shape.
template <Scalar T>
Var<T> scatter_add(const Var<T>& rows, const Ids& ids, std::int64_t V);

}  // namespace argand
