#include "train/evaluation/attention_figures.h"

#include <algorithm>
#include <cmath>

#include "autograd/tape.h"
#include "data/labelled_texts.h"

namespace argand {
namespace {

using C = std::complex<double>;

/// Sums for one layer so far: one entry per head; for phases, one per head and pair.
struct LayerSums {
  std::vector<double> entropy, largest;
  std::int64_t rows = 0;
  std::vector<C> q, k;
  std::int64_t positions = 0;
};

/// Calls f(row, b, t) for every position of the batch that is not padding.
template <class F>
void for_each_position(const Ids& tokens, bool padded, const F& f) {
  const std::int64_t T = tokens.shape()[1];
  for (std::int64_t row = 0; row < tokens.size(); ++row)
    if (!padded || tokens[row] != pad_id) f(row, row / T, row % T);
}

void add_weights(LayerSums& sums, const Tensor<double>& w, const Ids& tokens, bool padded) {
  const std::int64_t T = w.dim(1), H = w.dim(2), keys = w.dim(3);
  sums.entropy.resize(static_cast<std::size_t>(H)), sums.largest.resize(static_cast<std::size_t>(H));
  for_each_position(tokens, padded, [&](std::int64_t, std::int64_t b, std::int64_t t) {
    const double* row = w.data() + (b * T + t) * H * keys;
    const auto seen = padded ? keys - std::count(tokens.data() + b * T, tokens.data() + (b + 1) * T, pad_id) : t + 1;
    if (seen < 2) return;
    for (std::int64_t h = 0; h < H; ++h) {
      double entropy = 0, largest = 0;
      for (std::int64_t n = 0; n < keys; ++n) {
        const double x = row[h * keys + n];
        if (x > 0) entropy -= x * std::log(x);
        largest = std::max(largest, x);
      }
      sums.entropy[static_cast<std::size_t>(h)] += entropy / std::log(static_cast<double>(seen));
      sums.largest[static_cast<std::size_t>(h)] += largest;
    }
    ++sums.rows;
  });
}

void add_phases(std::vector<C>& sums, const AttentionWatch::Phasors& z, const Ids& tokens, bool padded) {
  const std::int64_t width = z.dim(2) * z.dim(3);
  sums.resize(static_cast<std::size_t>(width));
  for_each_position(tokens, padded, [&](std::int64_t row, std::int64_t, std::int64_t) {
    for (std::int64_t i = 0; i < width; ++i) {
      const C x = z.data()[row * width + i];
      if (x != 0.0) sums[static_cast<std::size_t>(i)] += x / std::abs(x);
    }
  });
}

/// |Σ e^{iθ}| / positions, averaged over the pairs of a head.
double resultant(const std::vector<C>& sums, std::size_t head, std::size_t heads, std::int64_t positions) {
  const std::size_t n = sums.size() / heads;
  double total = 0;
  for (std::size_t j = 0; j < n; ++j) total += std::abs(sums[head * n + j]);
  return total / static_cast<double>(n) / static_cast<double>(positions);
}

}  // namespace

template <RealScalar R>
std::vector<HeadFigures> attention_figures(Model<R>& model, const EvaluationSet& set, const ContextOf& context_of) {
  const NoGrad none;
  const bool padded = model.config().task == TextTask::Classify;
  std::vector<LayerSums> layers(static_cast<std::size_t>(model.config().n_layers));
  for (std::int64_t i = 0; i < set.size; ++i) {
    const Batch batch = set.at(i);
    std::size_t weights = 0, pairs = 0;  // layers seen so far in this pass
    // If the number of queries or keys differs, the layer is not self-attention: it reads passages or encodes them.
    const auto is_own = [&](std::int64_t B, std::int64_t T) {
      return B == batch.tokens.shape()[0] && T == batch.tokens.shape()[1];
    };
    const AttentionWatch watch{.pairs =
                                   [&](const auto& q, const auto& k) {
                                     if (!is_own(q.dim(0), q.dim(1)) || pairs == layers.size()) return;
                                     LayerSums& layer = layers[pairs++];
                                     add_phases(layer.q, q, batch.tokens, padded);
                                     add_phases(layer.k, k, batch.tokens, padded);
                                     for_each_position(batch.tokens, padded, [&](auto...) { ++layer.positions; });
                                   },
                               .weights =
                                   [&](const Tensor<double>& w) {
                                     if (!is_own(w.dim(0), w.dim(1)) || w.dim(3) != w.dim(1) || weights == layers.size()) return;
                                     add_weights(layers[weights++], w, batch.tokens, padded);
                                   }};
    ForwardContext context = context_of ? context_of(batch) : ForwardContext();
    context.watch = &watch;
    model.logits(batch.tokens, context);
  }
  std::vector<HeadFigures> all;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const LayerSums& layer = layers[i];
    const std::size_t heads = layer.entropy.size();
    for (std::size_t h = 0; h < heads; ++h) {
      const auto rows = static_cast<double>(layer.rows);
      HeadFigures head{.layer = static_cast<std::int64_t>(i),
                       .head = static_cast<std::int64_t>(h),
                       .entropy = layer.entropy[h] / rows,
                       .largest = layer.largest[h] / rows};
      if (layer.positions > 0) {
        head.phases_of_q = resultant(layer.q, h, heads, layer.positions);
        head.phases_of_k = resultant(layer.k, h, heads, layer.positions);
      }
      all.push_back(head);
    }
  }
  return all;
}

#define ARGAND_ATTENTION_FIGURES(R) \
  template std::vector<HeadFigures> attention_figures(Model<R>&, const EvaluationSet&, const ContextOf&);
ARGAND_FOR_REAL(ARGAND_ATTENTION_FIGURES)

}  // namespace argand
