#include "nn/families/crat/chunk_reader.h"

#include <algorithm>

#include "autograd/ops/shape.h"

namespace argand {
namespace {

/// Columns from, ..., to - 1 of ids [B, n].
Ids columns(const Ids& ids, std::int64_t from, std::int64_t to) {
  const std::int64_t B = ids.shape()[0], n = ids.shape()[1];
  Ids part(Shape{B, to - from});
  for (std::int64_t b = 0; b < B; ++b) std::copy_n(ids.data() + b * n + from, to - from, part.data() + b * (to - from));
  return part;
}

Ids concatenate_ids(const Ids& left, const Ids& right) {
  if (left.size() == 0) return right;
  const std::int64_t B = right.shape()[0], l = left.shape()[1], r = right.shape()[1];
  Ids both(Shape{B, l + r});
  for (std::int64_t b = 0; b < B; ++b) {
    std::copy_n(left.data() + b * l, l, both.data() + b * (l + r));
    std::copy_n(right.data() + b * r, r, both.data() + b * (l + r) + l);
  }
  return both;
}

template <RealScalar R>
Var<R> nothing(std::int64_t B, std::int64_t n, std::int64_t D) {
  return Var<R>(Tensor<R>::zeros({B, n, D}));
}

}  // namespace

template <RealScalar R>
ChunkReader<R>::ChunkReader(const Ids& tokens, std::int64_t first, std::int64_t m, ChunkCache<R>* past)
    : B_(tokens.shape()[0]), T_(tokens.shape()[1]), m_(m), U_((first % m + T_) / m), before_(first % m), past_(past) {
  const Ids open = past_ != nullptr ? concatenate_ids(past_->tokens, tokens) : tokens;  // starts at the beginning of a chunk
  chunks_ = columns(open, 0, U_ * m_);
  chunks_ = Ids(Shape{B_ * U_, m_}, {chunks_.span().begin(), chunks_.span().end()});
  if (past_ != nullptr) past_->tokens = columns(open, U_ * m_, open.shape()[1]);
  // The readers of chunk u are numbered from its last token, which has position 0. Unless the first token of this pass completes a
  // chunk, it reads the previous chunk's passages, and its position follows those of that chunk's earlier readers.
  has_old_ = first >= m_ && before_ != m_ - 1;
  skip_ = first >= m_ - 1 ? 0 : std::min(T_, m_ - 1 - first);
  lead_ = has_old_ ? before_ + 1 : 0;
  V_ = (lead_ + T_ - skip_ + m_ - 1) / m_;
  if (has_old_) old_found_ = past_->found;
}

template <RealScalar R>
void ChunkReader<R>::look_up(const Knowledge& knowledge, std::int64_t k, std::span<const RowRange> excluded) {
  found_ = Ids(Shape{0, k});
  if (U_ == 0) return;
  found_ = knowledge.search(chunks_, k, excluded);
  if (knowledge.exchange) knowledge.exchange(found_);
  if (knowledge.watch) knowledge.watch(found_);
  if (past_ == nullptr) return;
  past_->found = Ids(Shape{B_, k});
  for (std::int64_t b = 0; b < B_; ++b) std::copy_n(found_.data() + (b * U_ + U_ - 1) * k, k, past_->found.data() + b * k);
}

template <RealScalar R>
Ids ChunkReader<R>::passages(const Knowledge& knowledge) const {
  const Ids& all = *knowledge.passages;
  const std::int64_t k = found_.shape()[1], L = all.shape()[1];
  Ids tokens(Shape{B_ * U_, k, L});
  for (std::int64_t i = 0; i < found_.size(); ++i) std::copy_n(all.data() + found_[i] * L, L, tokens.data() + i * L);
  return tokens;
}

template <RealScalar R>
Var<R> ChunkReader<R>::states(const Var<R>& h) {
  const std::int64_t D = h.dim(2);
  Var<R> open = h;
  if (past_ != nullptr) {
    if (before_ > 0) open = concatenate<R>({Var<R>(past_->states), h}, 1);
    past_->states = slice(open, 1, U_ * m_, open.dim(1)).value().clone();
  }
  return reshape(slice(open, 1, 0, U_ * m_), {B_ * U_, m_, D});
}

template <RealScalar R>
void ChunkReader<R>::set_encodings(const std::optional<Var<R>>& encodings) {
  std::vector<Var<R>> parts;
  if (has_old_) parts.push_back(Var<R>(past_->memory));
  if (encodings) parts.push_back(reshape(*encodings, {B_, U_, encodings->dim(1), encodings->dim(2)}));
  if (parts.empty()) return;
  memory_ = parts.size() == 1 ? parts.front() : concatenate<R>(parts, 1);
  if (past_ != nullptr) past_->memory = slice(*memory_, 1, memory_->dim(1) - 1, memory_->dim(1)).value().clone();
}

template <RealScalar R>
Var<R> ChunkReader<R>::queries(const Var<R>& h) const {
  const std::int64_t D = h.dim(2), readers = T_ - skip_, tail = V_ * m_ - lead_ - readers;
  std::vector<Var<R>> parts;
  if (lead_ > 0) parts.push_back(nothing<R>(B_, lead_, D));
  parts.push_back(skip_ > 0 ? slice(h, 1, skip_, T_) : h);
  if (tail > 0) parts.push_back(nothing<R>(B_, tail, D));
  return reshape(parts.size() == 1 ? parts.front() : concatenate<R>(parts, 1), {B_ * V_, m_, D});
}

template <RealScalar R>
Var<R> ChunkReader<R>::read(const Var<R>& h, const Read& f) const {
  const std::int64_t D = h.dim(2), readers = T_ - skip_;
  if (readers == 0) return nothing<R>(B_, T_, D);
  const Var<R> memory = reshape(*memory_, {B_ * V_, memory_->dim(2), memory_->dim(3)});
  const Var<R> all = reshape(f(queries(h), memory), {B_, V_ * m_, D}), read = slice(all, 1, lead_, lead_ + readers);
  return skip_ > 0 ? concatenate<R>({nothing<R>(B_, skip_, D), read}, 1) : read;
}

template <RealScalar R>
void ChunkReader<R>::show_attention(const Knowledge& knowledge, const Var<R>& h, const Shares& shares) const {
  if (!knowledge.watch_reading) return;
  const std::int64_t k = found_.shape()[1];
  Ids chosen(Shape{B_ * T_, k}, std::vector<Ids::value_type>(static_cast<std::size_t>(B_ * T_ * k), -1));
  Tensor<double> weights = Tensor<double>::zeros({B_ * T_, k});
  if (T_ > skip_) {
    const Tensor<R> share = shares(queries(h), reshape(*memory_, {B_ * V_, memory_->dim(2), memory_->dim(3)}));
    for (std::int64_t b = 0; b < B_; ++b)
      for (std::int64_t t = skip_; t < T_; ++t) {
        const std::int64_t place = lead_ + t - skip_, v = place / m_, u = v - (has_old_ ? 1 : 0);
        const Ids::value_type* passages = u < 0 ? old_found_.data() + b * k : found_.data() + (b * U_ + u) * k;
        for (std::int64_t j = 0; j < k; ++j) {
          chosen[(b * T_ + t) * k + j] = passages[j];
          weights.data()[(b * T_ + t) * k + j] = static_cast<double>(share.data()[(b * V_ * m_ + place) * k + j]);
        }
      }
  }
  knowledge.watch_reading(chosen, weights, Tensor<double>(Shape{B_ * T_, 0}));
}

template class ChunkReader<float>;
template class ChunkReader<double>;

}  // namespace argand
