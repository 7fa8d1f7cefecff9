#pragma once
/// Splits a text into chunks and tracks which tokens may read a chunk's passages, as in RETRO's chunked cross-attention.

#include <functional>
#include <optional>

#include "nn/attention/self_attention.h"
#include "nn/knowledge.h"

namespace argand {

/// State kept during generation: the tokens [B, t] and states [B, t, D] of the incomplete chunk, the passages found for the last
/// complete chunk, [B, k], and their encodings [B, 1, K, D].
template <RealScalar R>
struct ChunkCache final : FamilyCache {
  Ids tokens;
  Tensor<R> states;
  Ids found;
  Tensor<R> memory;
};

/// One pass over the tokens at positions first, ..., first + T - 1. Chunk u consists of the tokens u·m, ..., u·m + m - 1. Its
/// passages may be read only once the whole chunk is known: by tokens u·m + m - 1, ..., u·m + 2m - 2, until the next chunk is
/// complete. The first m - 1 tokens read nothing. Source: Borgeaud et al., "Improving language models by retrieving from
/// trillions of tokens", ICML 2022, section 2.4 and figure 2.
template <RealScalar R>
class ChunkReader {
 public:
  /// tokens [B, T], in chunks of m. `past` is initially empty and is updated; it is null unless generating.
  ChunkReader(const Ids& tokens, std::int64_t first, std::int64_t m, ChunkCache<R>* past);

  /// The chunks that these tokens complete, row by row: [B·U, m]; U may be 0.
  const Ids& chunks() const { return chunks_; }
  std::int64_t count() const { return U_; }
  /// Retrieves passages for the chunks and notifies the observer. The passages stay in `knowledge`.
  void look_up(const Knowledge& knowledge, std::int64_t k, std::span<const RowRange> excluded);
  /// The indices of the passages found, [B·U, k].
  const Ids& found() const { return found_; }
  /// The tokens of the passages found, [B·U, k, L].
  Ids passages(const Knowledge& knowledge) const;

  /// The states of the chunks, taken from h [B, T, D]: [B·U, m, D]. Call once per pass.
  Var<R> states(const Var<R>& h);
  /// Sets the encodings [B·U, K, D] used by read(). Call once per pass, with an empty optional if U is 0.
  void set_encodings(const std::optional<Var<R>>& encodings);

  /// h [B, T, D] -> [B, T, D]: f(queries [B·V, m, D], memory [B·V, K, D]) for the tokens that may read, 0 for the others.
  using Read = std::function<Var<R>(const Var<R>& queries, const Var<R>& memory)>;
  Var<R> read(const Var<R>& h, const Read& f) const;
  /// Reports to Knowledge::watch_reading which passages each token attends to, [B·T, k] (-1: none), and the weights shares(queries,
  /// memory) [B·V, m, k] (0: none).
  using Shares = std::function<Tensor<R>(const Var<R>& queries, const Var<R>& memory)>;
  void show_attention(const Knowledge& knowledge, const Var<R>& h, const Shares& shares) const;

 private:
  /// The queries in h, in the form that read() passes to f.
  Var<R> queries(const Var<R>& h) const;

  std::int64_t B_, T_, m_, U_, before_;  ///< before: how many tokens of the first chunk were seen earlier
  bool has_old_ = false;                 ///< whether the passages of an earlier chunk are read here
  std::int64_t skip_, lead_, V_;         ///< tokens that read nothing; positions before the first reader in the first of V chunks
  Ids chunks_, found_, old_found_;
  std::optional<Var<R>> memory_;  ///< [B, V, K, D]
  ChunkCache<R>* past_;
};

}  // namespace argand
