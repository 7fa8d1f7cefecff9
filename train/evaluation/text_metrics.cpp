#include "train/evaluation/text_metrics.h"

#include <algorithm>
#include <set>

#include "autograd/ops/rows/cross_entropy.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"

namespace argand {
namespace {

using Gram = std::vector<std::int32_t>;

/// Adds the n-grams of one row and returns their number.
std::int64_t add_grams(const Ids& texts, std::int64_t row, std::int64_t n, std::set<Gram>& grams) {
  require(texts.shape().rank() == 2 && n >= 1 && texts.shape()[1] >= n, "metrics", "there are no {}-grams in texts of shape {}", n,
          texts.shape());
  const std::int64_t N = texts.shape()[1];
  const std::int32_t* text = texts.data() + row * N;
  for (std::int64_t i = 0; i + n <= N; ++i) grams.emplace(text + i, text + i + n);
  return N - n + 1;
}

}  // namespace

double distinct(const Ids& texts, std::int64_t n) {
  std::set<Gram> grams;
  std::int64_t all = 0;
  for (std::int64_t b = 0; b < texts.shape()[0]; ++b) all += add_grams(texts, b, n, grams);
  return static_cast<double>(grams.size()) / static_cast<double>(all);
}

double repetition(const Ids& texts, std::int64_t n) {
  double sum = 0;
  for (std::int64_t b = 0; b < texts.shape()[0]; ++b) {
    std::set<Gram> grams;
    const std::int64_t all = add_grams(texts, b, n, grams);
    sum += 1 - static_cast<double>(grams.size()) / static_cast<double>(all);
  }
  return sum / static_cast<double>(texts.shape()[0]);
}

template <RealScalar R>
double negative_log_likelihood(Model<R>& judge, const Ids& texts, std::int64_t from, const ForwardContext& context) {
  const std::int64_t B = texts.shape()[0], N = texts.shape()[1], L = judge.config().max_seq_len;
  require(from >= 1 && from < N, "metrics", "cannot score from token {} onwards in texts of {} tokens", from, N);
  const NoGrad none;
  double sum = 0;
  // The inputs in the window [start, end) predict the tokens (start, end]; those before `judged` have already been scored.
  for (std::int64_t judged = from; judged < N;) {
    const std::int64_t end = std::min(N - 1, judged == from ? std::max(judged, L) : judged + std::max<std::int64_t>(1, L / 2) - 1);
    const std::int64_t start = std::max<std::int64_t>(0, end - L);
    for (std::int64_t b = 0; b < B; ++b) {  // one text at a time, because T x V logits are large
      const std::int32_t* text = texts.data() + b * N;
      const Var<R> logits =
          judge.logits(Ids({1, end - start}, std::vector<std::int32_t>(text + start, text + end)), context).value();
      const std::int64_t n = end + 1 - judged;
      const Ids targets({1, n}, std::vector<std::int32_t>(text + judged, text + end + 1));
      sum += static_cast<double>(n) *
             static_cast<double>(cross_entropy(slice(logits, 1, judged - 1 - start, end - start), targets).value().item());
    }
    judged = end + 1;
  }
  return sum / static_cast<double>(B * (N - from));
}

template double negative_log_likelihood(Model<float>&, const Ids&, std::int64_t, const ForwardContext&);
template double negative_log_likelihood(Model<double>&, const Ids&, std::int64_t, const ForwardContext&);

}  // namespace argand
