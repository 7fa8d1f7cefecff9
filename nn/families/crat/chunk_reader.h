#pragma once
/// Chunks of a text, and which tokens may read what was found for them: the bookkeeping of RETRO's chunked cross-attention.

#include <functional>
#include <optional>

#include "nn/attention/self_attention.h"
#include "nn/knowledge.h"

namespace argand {

/// What generation remembers of the tokens it has seen: of the chunk that is not complete yet its tokens [B, t] and states
/// [B, t, D], and of the last complete one what was found for it, [B, k] and encoded [B, 1, K, D].
template <RealScalar R>
struct ChunkPast final : FamilyCache {
  Ids tokens;
  Tensor<R> states;
  Ids found;
  Tensor<R> memory;
};

/// One pass over tokens at the positions first, ..., first + T - 1. Chunk u are the tokens u·m, ..., u·m + m - 1. What is found
/// with them may only be read where all of them are known: from the last of them on, u·m + m - 1, ..., u·m + 2m - 2. Then the next
/// chunk is complete. The first m - 1 tokens read nothing. Source: Borgeaud et al., "Improving language models by retrieving from
/// trillions of tokens", ICML 2022, section 2.4 and figure 2.
template <RealScalar R>
class ChunkReader {
 public:
  /// tokens [B, T], chunks of m. `past` is empty at first, and is kept up to date; null outside generation.
  ChunkReader(const Ids& tokens, std::int64_t first, std::int64_t m, ChunkPast<R>* past);

  /// The chunks that are complete with these tokens and were not before, row by row [B·U, m]; U may be 0.
  const Ids& chunks() const { return chunks_; }
  std::int64_t count() const { return U_; }
  /// Retrieves for the chunks; tells the observer. `passages` stay the knowledge's own.
  void look_up(const Knowledge& knowledge, std::int64_t k, std::span<const RowRange> excluded);
  /// The passages that were found, by number [B·U, k].
  const Ids& found() const { return found_; }
  /// Their tokens, [B·U, k, L].
  Ids passages(const Knowledge& knowledge) const;

  /// Of states [B, T, D] those of the chunks, [B·U, m, D]. Call it once a pass.
  Var<R> states(const Var<R>& h);
  /// The encodings of what was found, [B·U, K, D], are what read() reads. Call it once a pass, also with an empty one when U is 0.
  void remember(const std::optional<Var<R>>& encodings);

  /// h [B, T, D] -> [B, T, D]: f(queries [B·V, m, D], memory [B·V, K, D]) for the tokens that may read, 0 for the others.
  using Read = std::function<Var<R>(const Var<R>& queries, const Var<R>& memory)>;
  Var<R> read(const Var<R>& h, const Read& f) const;
  /// What each token reads, [B·T, k], -1 where it reads nothing, and shares(queries, memory) [B·V, m, k] where it does, 0
  /// elsewhere, as Knowledge::watch_reading has them.
  using Shares = std::function<Tensor<R>(const Var<R>& queries, const Var<R>& memory)>;
  void tell(const Knowledge& knowledge, const Var<R>& h, const Shares& shares) const;

 private:
  /// The queries of h, as read() hands them to f.
  Var<R> queries(const Var<R>& h) const;

  std::int64_t B_, T_, m_, U_, before_;  ///< before: tokens of the first chunk that were there already
  bool has_old_ = false;                 ///< whether what was found for an earlier chunk is still read
  std::int64_t skip_, lead_, V_;         ///< tokens that read nothing; places of the first of V chunks before the first reader
  Ids chunks_, found_, old_found_;
  std::optional<Var<R>> memory_;  ///< [B, V, K, D]
  ChunkPast<R>* past_;
};

}  // namespace argand
