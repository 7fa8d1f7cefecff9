#pragma once
/// CRAT's Imaginary Reflection Window: the imaginary part of the states queries a knowledge base of passages, and a gate scales the
/// term added to the state.

#include <optional>

#include "nn/attention/self_attention.h"
#include "nn/knowledge.h"

namespace argand {

/// Mean embeddings of passages, mean_tokens(E + b_E), the input that every window of a forward pass encodes.
template <RealScalar R>
class PassageMeans {
 public:
  /// `embedding` [V, d], `bias` [d].
  PassageMeans(const Ids& passages, Var<R> embedding, Var<R> bias);
  const Ids& passages() const { return passages_; }
  /// The means for all passages, [P, d]; computed once.
  const Var<R>& all();
  /// The means for the passages with these indices, [rows.size(), d].
  Var<R> of(const std::vector<Ids::value_type>& rows) const;

 private:
  const Ids& passages_;
  Var<R> embedding_, bias_;
  std::optional<Var<R>> all_;
};

/// Passage encodings reused from one token to the next during generation.
template <RealScalar R>
struct CachedEncodings final : FamilyCache {
  const Ids* of = nullptr;
  std::optional<Var<R>> encodings;
};

/// How a window searches in one forward pass.
template <RealScalar R>
struct Lookup {
  const RowIndex* index = nullptr;          ///< over the window's encodings; null: exact search in fresh encodings
  std::span<const RowRange> excluded = {};  ///< excluded rows as in nearest_rows(), one range per row of the batch
  const Knowledge* knowledge = nullptr;     ///< its callbacks may replace and observe the passages found; may be null
  CachedEncodings<R>* cached = nullptr;     ///< null unless generating
};

/// z += g ⊙ (W_c c) with
///   q = W_R Im(z) + b, Enc(r) = W_enc mean_tokens(E + b_E) + b; S = the top-k passages by q·Enc (a selection without a gradient);
///   β = softmax(q·Enc/τ) over S, c = Σ β Enc, g = σ(W_g [Re z; c] + b).
/// Real states (T real) use z for both Im z and Re z. The encodings in c are always fresh (in generation, those computed at the
/// text's first token); an index, if there is one, only proposes S. Source: CRAT, Imaginary Reflection Window.
template <Scalar T>
class ReflectionWindow final : public Module<RealOf<T>> {
 public:
  using R = RealOf<T>;
  /// States have n components, embeddings d.
  ReflectionWindow(Init& init, std::int64_t n, std::int64_t d, std::int64_t dim, std::int64_t top_k, double temperature);

  /// z [B, T, n] -> g ⊙ (W_c c), to be added to z.
  Var<T> operator()(const Var<T>& z, PassageMeans<R>& means, const Lookup<R>& lookup) const;
  /// Encodes passages from their means [.., d] -> [.., dim].
  Var<R> encode(const Var<R>& means) const { return encoder_(means); }
  /// The query of z, [.., n] -> [.., dim].
  Var<R> query(const Var<T>& z) const;
  ARGAND_FIELDS(R, query_, encoder_, gate_, fuse_)

 private:
  /// Encodings of all passages, [P, dim]; taken from the cache in generation.
  Var<R> encodings(PassageMeans<R>& means, CachedEncodings<R>* cached) const;

  std::int64_t top_k_;
  double temperature_;
  Linear<R> query_, encoder_, gate_;
  Linear<T> fuse_;
};

}  // namespace argand
