#include "autograd/ops/products/output_layer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/gemm.h"
#include "core/kernels/bf16_gemm.h"
#include "core/kernels/packed_gemm.h"
#include "core/kernels/quantized.h"
#include "core/kernels/vector_math.h"
#include "core/memory.h"
#include "core/parallel.h"

namespace argand {
namespace {

/// Vocabulary entries per panel: a chunk's logits for a panel and its weights fit into the second-level cache.
constexpr std::int64_t panel = 256;
/// Upper bound on the segments (runs of panels, one per task): each reads its weights only once per chunk of rows.
constexpr std::int64_t most_segments = 8;

/// e^{x - y}; 1 if x and y are equal, even if infinite.
double relative(double x, double y) { return x == y ? 1 : std::exp(x - y); }

/// Running state of a row's logits. The target is excluded from the sum: in a well-predicted row, 1 - softmax would lose all
/// digits, so the gradient at the target is minus the sum of the others' exponentials.
struct RowSum {
  double top = -std::numeric_limits<double>::infinity();  ///< the largest logit
  double others = 0;                                      ///< Σ e^{x_v - top} over v other than the target

  /// The shift subtracted in the exponentials, finite even if all logits so far are -inf.
  double shift() const { return top == -std::numeric_limits<double>::infinity() ? 0 : top; }
  /// Adds logits whose largest is `largest` and whose exponentials, relative to the new top, sum to sum(top). Returns the factor by
  /// which earlier exponentials must be multiplied.
  template <class Sum>
  double add(double largest, const Sum& sum) {
    const double before = top;
    top = std::max(top, largest);
    const double scale = relative(before, shift());
    others = others * scale + sum(shift());
    return scale;
  }
};

/// Computes p in the calling thread's share of the work: in R, or with rounded factors if requested (Bf16Products).
template <RealScalar R>
void multiply(const Product<R>& p) {
  if constexpr (std::same_as<R, float>)
    if (bf16_products_enabled()) return bf16_gemm(p);
  own_gemm(p);
}

template <RealScalar R>
class Sweep {
 public:
  Sweep(const Tensor<R>& h, const Tensor<R>& W, const Tensor<R>* b, const Ids& targets, bool gradients, std::int64_t chunk)
      : V_(W.dim(0)),
        D_(W.dim(1)),
        N_(targets.size()),
        panels_((V_ + panel - 1) / panel),
        segments_(std::min(panels_, most_segments)),
        chunk_(std::min(N_, chunk)),
        gradients_(gradients),
        h_(h.data()),
        W_(W.data()),
        b_(b != nullptr ? b->data() : nullptr),
        targets_(targets),
        sums_(count(segments_ * chunk_)),
        of_targets_(count(chunk_)),
        rows_(count(chunk_)),
        exponentials_(gradients ? count(panels_ * chunk_ * panel) : 0),
        tops_(gradients ? count(panels_ * chunk_) : 0),
        to_rows_(gradients ? count(segments_ * chunk_ * D_) : 0) {
    note_product({N_, V_, D_, false});
    if constexpr (std::same_as<R, float>)
      rounded_ = QuantizedRows({Transpose::No, Transpose::Yes, N_, V_, D_, 1, h_, D_, W_, D_, 0, nullptr, V_}).matrix;
    if (!gradients) return;
    note_product({N_, D_, V_, false});
    note_product({V_, D_, N_, false});
    result_.dh = Tensor<R>(h.shape());
    result_.dW = Tensor<R>(W.shape());
    if (b != nullptr) result_.db = Tensor<R>(b->shape());
  }

  OutputLayerSweep<R> run() {
    for (std::int64_t first = 0; first < N_; first += chunk_) {
      const std::int64_t rows = std::min(chunk_, N_ - first);
      parallel_for(segments_, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t s = begin; s < end; ++s) read_segment(s, first, rows);
      });
      parallel_for(rows, 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) finish_row(first, r);
      });
      for (std::int64_t r = 0; r < rows; ++r) result_.loss += rows_[count(r)].loss;
      if (gradients_)
        parallel_for(panels_, 1, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t p = begin; p < end; ++p) add_word_gradients(p, first, rows);
        });
    }
    result_.loss /= static_cast<double>(N_);
    return std::move(result_);
  }

 private:
  /// The result for a row after reading all its logits.
  struct Row {
    double loss;    ///< log Σ e^{x_v} - x_target
    double top;     ///< the largest logit
    double factor;  ///< 1/(N Σ_v e^{x_v - top})
    double others;  ///< Σ e^{x_v - top} over v other than the target, times the factor
  };

  static std::size_t count(std::int64_t n) { return static_cast<std::size_t>(n); }
  std::int64_t words(std::int64_t p) const { return std::min(panel, V_ - p * panel); }

  /// Processes the rows [first, first + rows) and one segment of the vocabulary, panel by panel: logits, exponentials, and their
  /// contribution to dh. An exponential is e^{x - top} with the largest logit *so far*; when a larger one is found, earlier sums
  /// are scaled down (Dao et al. 2022, FlashAttention, section 3.1), so each panel is read only once, while it is in the cache.
  void read_segment(std::int64_t s, std::int64_t first, std::int64_t rows) {
    Scratch<R> own(gradients_ ? 0 : count(rows * panel));
    RowSum* const sums = sums_.data() + s * chunk_;
    std::fill_n(sums, rows, RowSum());
    R* const dh = gradients_ ? to_rows_.data() + s * chunk_ * D_ : nullptr;
    const std::int64_t begin = s * panels_ / segments_, end = (s + 1) * panels_ / segments_;
    for (std::int64_t p = begin; p < end; ++p) {
      const std::int64_t n = words(p);
      R* const x = gradients_ ? exponentials_.data() + p * chunk_ * panel : own.data();
      const R* const W = W_ + p * panel * D_;
      read_logits({Transpose::No, Transpose::Yes, rows, n, D_, R(1), h_ + first * D_, D_, W, D_, R(0), x, panel}, p * panel);
      for (std::int64_t r = 0; r < rows; ++r) {
        const R scale = read_panel(x + r * panel, p * panel, n, targets_[first + r], sums[r], of_targets_[count(r)]);
        if (!gradients_) continue;
        tops_[count(p * chunk_ + r)] = static_cast<R>(sums[r].shift());
        if (p > begin && scale != R(1)) for_packs<R>(r * D_, (r + 1) * D_, [&](auto at) { at.store(dh, at.load(dh) * scale); });
      }
      if (gradients_) multiply<R>({Transpose::No, Transpose::No, rows, D_, n, R(1), x, panel, W, D_, R(p > begin ? 1 : 0), dh, D_});
    }
  }

  /// Computes p, whose factor W begins at token `first`.
  void read_logits(const Product<R>& p, std::int64_t first) const {
    if constexpr (std::same_as<R, float>)
      if (rounded_ != nullptr) return rounded_->multiply(p, first);
    multiply<R>(p);
  }

  /// Replaces x, the logits of the tokens [first, first + n), by their exponentials, with 0 at the target. Returns the factor by
  /// which the exponentials of earlier panels must be multiplied.
  R read_panel(R* __restrict x, std::int64_t first, std::int64_t n, std::int64_t target, RowSum& row, double& of_target) const {
    if (b_ != nullptr) for_packs<R>(0, n, [&](auto at) { at.add(x, at.load(b_ + first)); });
    const R largest = pack_max(0, n, x), infinity = std::numeric_limits<R>::infinity();
    if (target >= first && target < first + n) {
      of_target = static_cast<double>(x[target - first]);
      x[target - first] = -infinity;
    }
    const bool infinite = largest == infinity;  // entries of +inf count as 1 each, all others as 0
    if (infinite)
      for (std::int64_t v = 0; v < n; ++v) x[v] = std::isnan(x[v]) ? x[v] : x[v] == infinity ? R(0) : -infinity;
    // Adds 256 terms at a time in R, and their sums in double: float alone would lose three digits over 33 000 terms.
    return static_cast<R>(row.add(static_cast<double>(largest), [&](double shift) {
      const R top = infinite ? R(0) : static_cast<R>(shift);
      return static_cast<double>(pack_sum<R>(0, n, [&](auto at) {
        const Pack<R> e = math::exp(at.load(x) - top);
        at.store(x, e);
        return e;
      }));
    }));
  }

  /// Combines the segments of row r of the chunk.
  void finish_row(std::int64_t first, std::int64_t r) {
    RowSum sum;
    for (std::int64_t s = 0; s < segments_; ++s) {
      const RowSum& part = sums_[count(s * chunk_ + r)];
      sum.add(part.top, [&](double shift) { return part.others * relative(part.shift(), shift); });
    }
    Row& row = rows_[count(r)];
    const double target = of_targets_[count(r)], below = target == sum.top ? 0 : sum.top - target;
    const double total = sum.others + std::exp(-below);
    row.loss = below == 0 ? std::log1p(sum.others) : below + std::log(total);
    row.top = sum.shift();
    row.factor = 1 / (total * static_cast<double>(N_));
    if (sum.top == -std::numeric_limits<double>::infinity() && target == sum.top && !std::isnan(sum.others))
      row.loss = -sum.top;  // all logits are -inf: e^{x - 0} = 0, so no gradient
    row.others = sum.others * row.factor;
    if (!gradients_) return;
    R* const dh = result_.dh.data() + (first + r) * D_;
    const R* const of_target = W_ + targets_[first + r] * D_;
    const R others = static_cast<R>(row.others);
    for_packs<R>(0, D_, [&](auto at) { at.store(dh, -at.load(of_target) * others); });
    for (std::int64_t s = 0; s < segments_; ++s) {
      const R factor = static_cast<R>(row.factor * relative(sums_[count(s * chunk_ + r)].shift(), row.top));
      const R* const part = to_rows_.data() + (s * chunk_ + r) * D_;
      for_packs<R>(0, D_, [&](auto at) { at.add(dh, at.load(part) * factor); });
    }
  }

  /// Adds a chunk's contribution to the gradients of panel p's weights and biases.
  void add_word_gradients(std::int64_t p, std::int64_t first, std::int64_t rows) {
    const std::int64_t n = words(p), from = p * panel;
    const R* const e = exponentials_.data() + p * chunk_ * panel;
    R* const dW = result_.dW.data() + from * D_;
    R* const db = b_ != nullptr ? result_.db.data() + from : nullptr;
    Scratch<R> scaled(count(rows * D_));
    if (db != nullptr && first == 0) std::fill_n(db, n, R(0));
    for (std::int64_t r = 0; r < rows; ++r) {
      const R factor =
          static_cast<R>(rows_[count(r)].factor * relative(static_cast<double>(tops_[count(p * chunk_ + r)]), rows_[count(r)].top));
      const R* const h = h_ + (first + r) * D_;
      for_packs<R>(0, D_, [&](auto at) { at.store(scaled.data() + r * D_, at.load(h) * factor); });
      if (db != nullptr) for_packs<R>(0, n, [&](auto at) { at.add(db, at.load(e + r * panel) * factor); });
    }
    multiply<R>({Transpose::Yes, Transpose::No, n, D_, rows, R(1), e, panel, scaled.data(), D_, R(first > 0 ? 1 : 0), dW, D_});
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t word = targets_[first + r] - from;
      if (word < 0 || word >= n) continue;
      const R others = static_cast<R>(rows_[count(r)].others);
      const R* const h = h_ + (first + r) * D_;
      R* const to = dW + word * D_;
      for_packs<R>(0, D_, [&](auto at) { at.store(to, at.load(to) - at.load(h) * others); });
      if (db != nullptr) db[word] -= others;
    }
  }

  const std::int64_t V_, D_, N_, panels_, segments_, chunk_;
  const bool gradients_;
  const R *const h_, *const W_, *const b_;
  const Ids& targets_;
  const QuantizedMatrix* rounded_ = nullptr;  ///< read instead of W for logits if not null
  // State of the current chunk:
  std::vector<RowSum> sums_;        ///< [segments, chunk]
  std::vector<double> of_targets_;  ///< [chunk]: logits
  std::vector<Row> rows_;           ///< [chunk]
  Scratch<R> exponentials_;         ///< [panels, chunk, panel]
  Scratch<R> tops_;                 ///< [panels, chunk]: the shifts of the exponentials
  Scratch<R> to_rows_;              ///< [segments, chunk, D]: Σ_v e_v W_v over the segment's tokens, relative to its top
  OutputLayerSweep<R> result_;
};

}  // namespace

template <RealScalar R>
OutputLayerSweep<R> sweep_output_layer(const Tensor<R>& h, const Tensor<R>& W, const Tensor<R>* b, const Ids& targets,
                                       bool gradients, std::int64_t chunk) {
  return Sweep<R>(h, W, b, targets, gradients, chunk).run();
}

#define ARGAND_OUTPUT_LAYER(R)                                                                                               \
  template OutputLayerSweep<R> sweep_output_layer<R>(const Tensor<R>&, const Tensor<R>&, const Tensor<R>*, const Ids&, bool, \
                                                     std::int64_t);
ARGAND_FOR_REAL(ARGAND_OUTPUT_LAYER)

}  // namespace argand
