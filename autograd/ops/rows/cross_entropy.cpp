#include "autograd/ops/rows/cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "autograd/op_check.h"
#include "autograd/ops/own_name.h"
#include "autograd/ops/products/matmul.h"
#include "autograd/ops/products/output_layer.h"
#include "autograd/ops/rows/log_loss.h"
#include "autograd/ops/selection/where.h"
#include "autograd/tape.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/reduce.h"
#include "core/kernels/vector_math.h"

namespace argand {
namespace {

/// The result for one row of logits.
template <RealScalar R>
struct RowLoss {
  double loss;       ///< log Σ e^{x_v} - x[target]
  double log_total;  ///< log Σ e^{x_v - max}
  R total;           ///< Σ e^{x_v - max}
};

/// Replaces a row whose largest logit is infinite: entries of +inf count as equal, all others as -inf. Returns true for a
/// row in which every entry is -inf.
template <RealScalar R>
bool replace_infinite(R* x, std::int64_t V, R& top) {
  const R infinite = top;
  const auto keep_nan = [](R v, R otherwise) { return std::isnan(v) ? v : otherwise; };
  for (std::int64_t v = 0; v < V; ++v) x[v] = keep_nan(x[v], infinite > 0 && x[v] != infinite ? -infinite : R(0));
  top = 0;
  return infinite < 0 && std::none_of(x, x + V, [](R v) { return std::isnan(v); });
}

/// Returns the loss of a row x and turns x into its gradient up to a factor: (softmax(x) - onehot(target)) · total. At the target
/// this is minus the sum of the others' exponentials, and the loss is log(1 + that sum) where the target is the largest: in a
/// well-predicted row, 1 - softmax and log(total) would lose all digits.
template <RealScalar R>
RowLoss<R> row_loss(R* __restrict x, std::int64_t V, std::int64_t target) {
  R top = pack_max(0, V, x);
  if (!std::isfinite(top) && replace_infinite(x, V, top)) return {std::numeric_limits<double>::infinity(), 0, R(1)};
  const double below = static_cast<double>(top) - static_cast<double>(x[target]);
  x[target] = -std::numeric_limits<R>::infinity();  // contributes nothing
  // Adds 1 024 terms at a time in R, and their sums in double: float alone would lose three digits over 33 000 terms.
  double others = 0;
  for (std::int64_t from = 0; from < V; from += 1024)
    others += static_cast<double>(pack_sum<R>(from, std::min(V, from + 1024), [&](auto at) {
      const Pack<R> e = math::exp(at.load(x) - top);
      at.store(x, e);
      return e;
    }));
  x[target] = static_cast<R>(-others);
  const double total = others + std::exp(-below);
  const double log_total = below == 0 ? std::log1p(others) : std::log(total);
  return {below + log_total, log_total, static_cast<R>(total)};
}

/// Σ_v (max x - x_v)/V: 0 for equal logits, infinite when one of them is -inf.
template <RealScalar R>
double mean_below_largest(const R* x, std::int64_t V) {
  const R top = pack_max(0, V, x);
  if (top == -std::numeric_limits<R>::infinity()) return std::numeric_limits<double>::infinity();
  const auto below = [&](std::int64_t v) { return x[v] == top ? 0.0 : static_cast<double>(top) - static_cast<double>(x[v]); };
  return lane_sum<double>(V, below) / static_cast<double>(V);
}

using Ignored = std::optional<std::int64_t>;

void check_targets(std::string_view op, const Shape& logits_or_h, const Ids& targets, std::int64_t V, Ignored ignored = {}) {
  Shape leading = logits_or_h;
  require(leading.rank() >= 1, op, "needs at least one axis");
  leading.erase(-1);
  require(targets.shape() == leading, op, "targets of shape {} do not match {}; expected shape {}", targets.shape(), logits_or_h,
          leading);
  require(targets.size() > 0, op, "there are no targets to average over");
  if (!ignored) return targets.check_below(V, op);
  Ids counted = targets;
  for (std::int64_t n = 0; n < counted.size(); ++n)
    if (counted[n] == *ignored) counted[n] = 0;
  counted.check_below(V, op);
}

/// 1 at the targets that are not ignored, [..., V].
template <RealScalar R>
Tensor<R> one_hot(const Shape& logits, const Ids& targets, Ignored ignored = {}) {
  Tensor<R> ones = Tensor<R>::zeros(logits);
  for (std::int64_t n = 0; n < targets.size(); ++n)
    if (!ignored || targets[n] != *ignored) ones.data()[n * logits.back() + targets[n]] = 1;
  return ones;
}

Ids some_targets() { return Ids({4}, {2, 0, 4, 2}); }
/// N target classes below V.
Ids targets_below(std::int64_t V, std::int64_t N) {
  std::vector<Ids::value_type> classes(static_cast<std::size_t>(N));
  for (std::int64_t n = 0; n < N; ++n) classes[static_cast<std::size_t>(n)] = static_cast<Ids::value_type>((7 * n + 2) % V);
  return Ids({N}, std::move(classes));
}

}  // namespace

// ------------------------------------------------------------------------------------------------ cross_entropy

static const Op cross_entropy_op(
    {.name = "cross_entropy",
     .kind = Kind::Real,
     .equation = "L = 1/N Σ_n Σ_v q_nv (logsumexp(x_n) - x_nv), q_nv = (1 - ε) [v = y_n] + ε/V; ε = 0: -log softmax(x_n)[y_n]",
     .dz = "∂L/∂x_nv = (softmax(x_n)_v - q_nv)/N",
     .dzbar = "no complex input",
     .vjp = "dx_nv = dL (softmax(x_n)_v - q_nv)/N, 0 in an ignored row",
     .jvp = "L̇ = 1/N Σ_n (Σ_v softmax(x_n)_v (ẋ_nv - ẋ_n[y_n]) + ε (ẋ_n[y_n] - mean_v ẋ_nv))",
     .derivation = "∂logsumexp(x)/∂x_v = e^{x_v}/Σ e^{x} = softmax(x)_v, and Σ_v q_nv = 1. The softmax sums to 1 as well, so "
                   "ẋ_n[y_n] may move into the sum. Ignored rows count neither in the sum nor in N.",
     .singular =
         "a row in which every logit is -inf: L = inf; its softmax is 0 and, for ε = 0, so is its gradient. A target logit of "
         "-inf, or any logit of -inf with ε > 0: L = inf. Logits of +inf share the probability as if they were equal. Every row "
         "ignored: L = 0",
     .source = "Bishop, Pattern Recognition and Machine Learning, eq. 4.108-4.109; Szegedy et al., CVPR 2016, sec. 7"},
    [](OpCheck& check) {
      const auto f = [](auto x) { return cross_entropy(x, some_targets()); };
      const auto ignoring = [](auto x) { return cross_entropy(x, some_targets(), {.ignore_index = 2}); };
      const auto smoothed = [](auto x) { return cross_entropy(x, some_targets(), {.label_smoothing = 0.3}); };
      const auto both = [](auto x) {
        return cross_entropy(x, targets_below(x.dim(1), x.dim(0)), {.ignore_index = 2, .label_smoothing = 0.1});
      };
      check.function("real", f, check.real({4, 5}));
      check.function("ignoring", ignoring, check.real({4, 5}));
      check.function("smoothed", smoothed, check.real({4, 5}));
      check.sizes("classes", [both](OpCheck& at, std::int64_t n) {
        at.function(
            "", [](auto x) { return cross_entropy(x, targets_below(x.dim(1), 3)); }, at.real({3, n}));
        at.function("ignoring, smoothed", both, at.real({3, n}));
      });
      check.sizes("rows", [both](OpCheck& at, std::int64_t n) {
        at.function(
            "", [](auto x) { return cross_entropy(x, targets_below(3, x.dim(0))); }, at.real({n, 3}));
        at.function("ignoring, smoothed", both, at.real({n, 4}));
      });
      check.finite("huge", f, check.real({4, 5}, -1e30, 1e30));
      check.finite("huge, smoothed", smoothed, check.real({4, 5}, -1e30, 1e30));
      check.finite(
          "every row ignored",
          [](auto x) {
            return cross_entropy(x, Ids({2}, {1, 1}), {.ignore_index = 1});
          },
          check.real({2, 3}));
    });

template <RealScalar R>
Var<R> cross_entropy(const Var<R>& logits, const Ids& targets, const CrossEntropyOptions& options) {
  require_axis("cross_entropy", logits.shape(), -1);
  const std::int64_t V = logits.shape().back(), N = targets.size();
  const double smoothing = options.label_smoothing;
  require(0 <= smoothing && smoothing <= 1, "cross_entropy", "label_smoothing must be between 0 and 1, got {}", smoothing);
  check_targets("cross_entropy", logits.shape(), targets, V, options.ignore_index);
  const auto is_ignored = [=](std::int64_t n) { return options.ignore_index && targets[n] == *options.ignore_index; };
  Tensor<R> residual = logits.value();  // becomes softmax - q
  R* const residuals = residual.data();
  std::vector<double> losses(static_cast<std::size_t>(N));
  parallel_for(N, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      R* row = residuals + n * V;
      if (is_ignored(n)) {
        std::fill_n(row, V, R(0));
        continue;
      }
      const double to_uniform = smoothing > 0 ? mean_below_largest(row, V) : 0;
      const auto [loss, log_total, total] = row_loss(row, V, targets[n]);
      losses[static_cast<std::size_t>(n)] = loss;
      for_packs<R>(0, V, [&, total = total](auto at) { at.store(row, at.load(row) / total); });
      if (smoothing == 0) continue;
      // With smoothing 1 the target must have no influence, even if its loss is infinite.
      losses[static_cast<std::size_t>(n)] = (smoothing < 1 ? (1 - smoothing) * loss : 0) + smoothing * (log_total + to_uniform);
      const R share = static_cast<R>(smoothing / static_cast<double>(V));
      for_packs<R>(0, V, [&](auto at) { at.store(row, at.load(row) - share); });
      row[targets[n]] += static_cast<R>(smoothing);
    }
  });
  double total_loss = 0;
  for (double loss : losses) total_loss += loss;
  std::int64_t kept = N;
  for (std::int64_t n = 0; n < N; ++n) kept -= is_ignored(n);
  const double count = static_cast<double>(std::max<std::int64_t>(kept, 1));
  return record(
      cross_entropy_op, Tensor<R>::scalar(static_cast<R>(total_loss / count)),
      [=, dx = accumulator(logits)](const Tensor<R>& dL) {
        const R scale = dL.item() / static_cast<R>(count);
        Tensor<R> g = map_packs([scale](auto r) { return r * scale; }, residual);
        for (std::int64_t n = 0; n < N; ++n)
          if (is_ignored(n)) std::fill_n(g.data() + n * V, V, R(0));  // even if dL is NaN
        dx.add(std::move(g));
      },
      [&](const auto&) {
        const Tensor<R> at_target = one_hot<R>(logits.shape(), targets, options.ignore_index);
        Var<R> x = logits, x_dot = tangent(logits);
        if (options.ignore_index) {  // the tangent of ignored rows is 0, even if they contain NaN
          Shape column = logits.shape();
          column[-1] = 1;
          std::vector<std::uint8_t> counts(static_cast<std::size_t>(N));
          for (std::int64_t n = 0; n < N; ++n) counts[static_cast<std::size_t>(n)] = !is_ignored(n);
          const Mask kept_rows(column, std::move(counts));
          x = where(kept_rows, x, number<R>(0));
          x_dot = where(kept_rows, x_dot, number<R>(0));
        }
        Var<R> moves = log_loss_tangent(x, x_dot, at_target);
        if (smoothing > 0) {
          const Var<R> to_target = sum(constant(at_target) * x_dot), to_all = sum(x_dot) / static_cast<R>(V);
          moves = moves + static_cast<R>(smoothing) * (to_target - to_all);
        }
        return moves / static_cast<R>(count);
      },
      logits);
}

// ------------------------------------------------------------------------------------------------ linear_cross_entropy

static const Op linear_cross_entropy_op(
    {.name = "linear_cross_entropy",
     .kind = Kind::Real,
     .equation = "L = 1/N Σ_n (logsumexp(x_n) - x_n[y_n]), x_n = W h_n + b",
     .dz = "∂L/∂x_nv = p_nv := (softmax(x_n)_v - [v = y_n])/N",
     .dzbar = "no complex input",
     .vjp = "with the matrix P of the p_nv:  dh = dL P W, dW = dL Pᵀ h, db = dL Σ_n p_n",
     .jvp = "L̇ as for cross_entropy, with ẋ_n = W ḣ_n + Ẇ h_n + ḃ",
     .derivation =
         "linear followed by cross_entropy. L is a scalar and dL only a factor, so P W and Pᵀ h are computed in the forward pass, "
         "one chunk of rows at a time, and each chunk's logits are discarded before the next, without an [N, V] array or a second "
         "product. With the unnormalised e_nv = e^{x_nv - max}, the row's factor 1/(N Σ_v e_nv) is applied to h_n and (P W)_n, "
         "which are short, rather than to the long row. The tangent takes all logits at once.",
     .singular = "infinite logits (from a bias of ±inf, say): as for cross_entropy",
     .source = "Bishop, Pattern Recognition and Machine Learning, eq. 4.108-4.109"},
    [](OpCheck& check) {
      const auto f = [](auto h, auto W, auto b) { return linear_cross_entropy(h, W, &b, some_targets(), 3); };
      check.function("with bias", f, check.real({4, 3}), check.real({5, 3}), check.real({5}));
      const auto no_bias = []<class R>(const Var<R>& h, const Var<R>& W) {
        return linear_cross_entropy(h, W, static_cast<const Var<R>*>(nullptr), some_targets(), 2);
      };
      check.function("no bias", no_bias, check.real({4, 3}), check.real({5, 3}));
      check.sizes("", [](OpCheck& at, std::int64_t n) {
        const auto grown = []<class R>(const Var<R>& h, const Var<R>& W, const Var<R>& b) {
          return linear_cross_entropy(h, W, &b, targets_below(W.dim(0), h.dim(0)), 7);
        };
        const auto unbiased = []<class R>(const Var<R>& h, const Var<R>& W) {
          return linear_cross_entropy(h, W, static_cast<const Var<R>*>(nullptr), targets_below(W.dim(0), h.dim(0)), 7);
        };
        const double size = 2 / std::sqrt(static_cast<double>(n));
        at.function("classes", grown, at.real({3, 4}), at.real({n, 4}), at.real({n}));
        at.function("rows", grown, at.real({n, 3}, -1, 1), at.real({5, 3}, -1, 1), at.real({5}));
        at.function("width", unbiased, at.real({3, n}, -size, size), at.real({5, n}));
      });
    });

template <RealScalar R>
Var<R> linear_cross_entropy(const Var<R>& h, const Var<R>& W, const Var<R>* b, const Ids& targets, std::int64_t chunk) {
  require(W.rank() == 2 && h.rank() >= 1 && h.shape().back() == W.dim(1), "linear_cross_entropy",
          "weight [V, D] = {} does not match h of shape {}", W.shape(), h.shape());
  const std::int64_t V = W.dim(0), N = targets.size();
  check_targets("linear_cross_entropy", h.shape(), targets, V);
  require(b == nullptr || b->shape() == Shape({V}), "linear_cross_entropy", "bias of shape {} does not match {} outputs",
          b ? b->shape() : Shape{}, V);
  require(chunk >= 1, "linear_cross_entropy", "a chunk must have at least one row, got {}", chunk);
  const Var<R> bias = b != nullptr ? *b : Var<R>();
  const bool wanted = wants_grad(h, W, bias);

  OutputLayerSweep<R> sweep =
      sweep_output_layer(h.value(), W.value(), b != nullptr ? &b->value() : nullptr, targets, wanted, chunk);
  return record(
      linear_cross_entropy_op, Tensor<R>::scalar(static_cast<R>(sweep.loss)),
      [dh = std::move(sweep.dh), dW = std::move(sweep.dW), db = std::move(sweep.db), to_h = accumulator(h), to_W = accumulator(W),
       to_b = accumulator(bias)](const Tensor<R>& dL) {
        const R factor = dL.item();
        const auto give = [factor](const GradientAccumulator<R>& to, const Tensor<R>& g) {
          if (to) to.add(factor == R(1) ? g : map_packs([factor](auto v) { return v * factor; }, g));
        };
        give(to_h, dh);
        give(to_W, dW);
        give(to_b, db);
      },
      [&](const auto&) {
        const Var<R> x = b != nullptr ? linear(h, W, *b) : linear(h, W);
        const Var<R> along_h = b != nullptr ? linear(tangent(h), W, tangent(*b)) : linear(tangent(h), W);
        return log_loss_tangent(x, along_h + linear(h, tangent(W)), one_hot<R>(x.shape(), targets)) / static_cast<R>(N);
      },
      h, W, bias);
}

#define ARGAND_CROSS_ENTROPY(R)                                                         \
  template Var<R> cross_entropy(const Var<R>&, const Ids&, const CrossEntropyOptions&); \
  template Var<R> linear_cross_entropy(const Var<R>&, const Var<R>&, const Var<R>*, const Ids&, std::int64_t);
ARGAND_FOR_REAL(ARGAND_CROSS_ENTROPY)

}  // namespace argand
