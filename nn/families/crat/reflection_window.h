#pragma once
/// CRAT's Imaginary Reflection Window: the imaginary part of the states queries a knowledge base of passages, and a gate scales
/// what is added to the state.

#include <optional>

#include "nn/attention/self_attention.h"
#include "nn/knowledge.h"

namespace argand {

/// Mean embeddings of passages, mean_tokens(E + b_E): the input that all windows of one forward pass encode.
template <RealScalar R>
class PassageMeans {
 public:
  /// `embedding` [V, d], `bias` [d].
  PassageMeans(const Ids& passages, Var<R> embedding, Var<R> bias);
  const Ids& passages() const { return passages_; }
  /// For all passages, [P, d]; computed once.
  const Var<R>& all();
  /// For the passages with these indices, [rows.size(), d].
  Var<R> of(const std::vector<Ids::value_type>& rows) const;

 private:
  const Ids& passages_;
  Var<R> embedding_, bias_;
  std::optional<Var<R>> all_;
};

/// Encodings kept from one token to the next in generation.
template <RealScalar R>
struct CachedEncodings final : FamilyCache {
  const Ids* of = nullptr;
  std::optional<Var<R>> encodings;
};

/// How a window searches in one pass.
template <RealScalar R>
struct Lookup {
  const RowIndex* index = nullptr;          ///< over its encodings; null: exact search among fresh ones
  std::span<const RowRange> excluded = {};  ///< excluded rows as for nearest_rows, one range per row of the batch
  const Knowledge* knowledge = nullptr;     ///< its callbacks may replace and observe what is found; may be null
  CachedEncodings<R>* cached = nullptr;     ///< in generation; null otherwise
};

/// z += g ⊙ (W_c c) with
///   q = W_R Im(z) + b, Enc(r) = W_enc mean_tokens(E + b_E) + b; S = the top-k passages by q·Enc (a choice, without a gradient);
///   β = softmax(q·Enc/τ) over S, c = Σ β Enc, g = σ(W_g [Re z; c] + b).
/// Real states (T real) use z for Im z and for Re z. The encodings that enter c are always fresh (in generation, as of the text's
/// first token); an index, when there is one, only proposes S. Source: CRAT, Imaginary Reflection Window.
template <Scalar T>
class ReflectionWindow final : public Module<RealOf<T>> {
 public:
  using R = RealOf<T>;
  /// States of n numbers, embeddings of d.
  ReflectionWindow(Init& init, std::int64_t n, std::int64_t d, std::int64_t dim, std::int64_t top_k, double temperature);

  /// z [B, T, n] -> g ⊙ (W_c c), to be added to z.
  Var<T> operator()(const Var<T>& z, PassageMeans<R>& means, const Lookup<R>& lookup) const;
  /// Enc of passages from their means [.., d] -> [.., dim].
  Var<R> encode(const Var<R>& means) const { return encoder_(means); }
  /// The query of z, [.., n] -> [.., dim].
  Var<R> query(const Var<T>& z) const;
  ARGAND_FIELDS(R, query_, encoder_, gate_, fuse_)

 private:
  /// Encodings of all passages, Var [P, dim]; from the cache in generation.
  Var<R> encodings(PassageMeans<R>& means, CachedEncodings<R>* cached) const;

  std::int64_t top_k_;
  double temperature_;
  Linear<R> query_, encoder_, gate_;
  Linear<T> fuse_;
};

}  // namespace argand
