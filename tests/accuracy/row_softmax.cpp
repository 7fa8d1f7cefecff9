/// Softmax, the ops built on it, and matrix products.

#include "tests/accuracy/cases.h"
#include "tests/accuracy/rows.h"

namespace accuracy {
namespace {

using Inputs = std::vector<std::vector<Z>>;

/// The probabilities e^{x_i}/Σ e^{x_j}. The differences x_i - top are rounded before the exponential is taken, and one ulp of x_i -
/// top becomes |x_i - top| ulp of the result. Scores computed as products have rounding errors of their own, proportional to the
/// sum of the absolute values of their terms.
struct Softmax {
  N top;
  Terms p;
  std::vector<N> moves;  ///< how much the rounding of a score changes its exponential: the size of p_i is p_i (1 + moves_i)

  explicit Softmax(const Terms& scores, bool computed) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < scores.size(); ++i)
      if (scores[i].exact.x > scores[first].exact.x) first = i;
    top = scores[first].exact.x;
    N total = 0;
    for (const Term& x : scores) {
      const N e = exp(N(x.exact.x - top));
      moves.push_back(top - x.exact.x + (computed ? x.size + scores[first].size : N(0)));
      p.push_back({Z(e), N(e * (1 + moves.back()))});
      total += e;
    }
    for (Term& p_i : p) p_i = p_i / total;
  }
  /// Σ p_i over all i except `one`.
  Term but(std::size_t one) const {
    return sum_of(p.size(), [&](std::size_t i) { return i == one ? Term() : p[i]; });
  }
};

Terms softmax_terms(const std::vector<Z>& x) { return {x.begin(), x.end()}; }

RowJet softmax_of(const Inputs& in, const std::vector<Z>& g) {
  const Softmax s(softmax_terms(in[0]), false);
  const Term mean = sum_of(g.size(), [&](std::size_t i) { return s.p[i] * Term(g[i]); });
  RowJet jet{s.p, {{}}};
  for (std::size_t i = 0; i < g.size(); ++i) jet.gradients[0].push_back(s.p[i] * (Term(g[i]) - mean));
  return jet;
}

RowJet logsumexp_of(const Inputs& in, const std::vector<Z>& g) {
  const Softmax s(softmax_terms(in[0]), false);
  // The largest score contributes exactly 1; only the contributions of the others are rounded.
  N others = -1, size = abs(s.top);
  for (const Z& x : in[0]) others += exp(N(x.x - s.top));
  for (std::size_t i = 0; i < s.p.size(); ++i) size += s.p[i].size - (s.moves[i] == 0 ? s.p[i].size : N(0));
  const N log_total = log1p(others);
  RowJet jet{{{Z(N(s.top + log_total)), N(size + log_total)}}, {{}}};
  for (const Term& p : s.p) jet.gradients[0].push_back(p * Term(g[0]));
  return jet;
}

/// The cross entropy log Σ e^{x_i} - x_t and its gradient with respect to the scores x.
std::pair<Term, Terms> cross_entropy_of(const Terms& scores, std::size_t target, bool computed, const Term& g) {
  const Softmax s(scores, computed);
  const N below = s.top - scores[target].exact.x;
  N others = 0;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (i != target) others += exp(N(scores[i].exact.x - s.top));
  const N loss = below == 0 ? log1p(others) : below + log(N(others + exp(N(-below))));
  const Term missing = s.but(target);
  Terms dx;
  for (std::size_t i = 0; i < scores.size(); ++i) dx.push_back((i == target ? Term() - missing : s.p[i]) * g);
  return {{Z(loss), N(loss + missing.size + missing.exact.x * s.moves[target])}, dx};
}

/// The scores W h + b, computed row by row.
Terms scores_of(const std::vector<Z>& h, const std::vector<Z>& W, const std::vector<Z>& b) {
  Terms scores;
  for (std::size_t v = 0; v < b.size(); ++v)
    scores.push_back(Term(b[v]) + sum_of(h.size(), [&](std::size_t d) { return Term(W[v * h.size() + d]) * Term(h[d]); }));
  return scores;
}

RowExact linear_cross_entropy_of(std::size_t target) {
  return [target](const Inputs& in, const std::vector<Z>& g) {
    const Terms h = softmax_terms(in[0]), W = softmax_terms(in[1]), scores = scores_of(in[0], in[1], in[2]);
    const auto [loss, dx] = cross_entropy_of(scores, target, true, Term(g[0]));
    RowJet jet{{loss}, {{}, {}, dx}};
    for (std::size_t d = 0; d < h.size(); ++d)
      jet.gradients[0].push_back(sum_of(dx.size(), [&, &dx = dx](std::size_t v) { return dx[v] * W[v * h.size() + d]; }));
    for (const Term& dx_v : dx)
      for (const Term& h_d : h) jet.gradients[1].push_back(dx_v * h_d);
    return jet;
  };
}

/// Attention of a query q to keys and values, o = Σ_j softmax(scale q·k)_j v_j; in selected_attention the keys are also the
/// values.
RowExact attention_of(const N& scale, bool keys_are_values) {
  return [scale, keys_are_values](const Inputs& in, const std::vector<Z>& g) {
    const Terms q = softmax_terms(in[0]), k = softmax_terms(in[1]), v = softmax_terms(keys_are_values ? in[1] : in[2]);
    const std::size_t d = q.size(), T = k.size() / d;
    Terms scores;
    for (std::size_t j = 0; j < T; ++j) scores.push_back(sum_of(d, [&](std::size_t c) { return q[c] * k[j * d + c]; }) * scale);
    const Softmax s(scores, true);
    RowJet jet{{}, {Terms(d), Terms(k.size()), Terms(v.size())}};
    for (std::size_t c = 0; c < d; ++c) jet.value.push_back(sum_of(T, [&](std::size_t j) { return s.p[j] * v[j * d + c]; }));
    Terms along;
    for (std::size_t j = 0; j < T; ++j) along.push_back(sum_of(d, [&](std::size_t c) { return Term(g[c]) * v[j * d + c]; }));
    const Term mean = sum_of(d, [&](std::size_t c) { return Term(g[c]) * jet.value[c]; });
    for (std::size_t j = 0; j < T; ++j) {
      // selected_attention computes Σ_i β_i (dβ_j - dβ_i), which leaves out the terms that would cancel when β_j is almost 1; the
      // tiles of attention compute dβ_j - Σ β_i dβ_i.
      const auto to_others = [&](std::size_t i) { return i == j ? Term() : s.p[i] * (along[j] - along[i]); };
      const Term da = s.p[j] * (keys_are_values ? sum_of(T, to_others) : along[j] - mean) * scale;
      for (std::size_t c = 0; c < d; ++c) {
        jet.gradients[0][c] = jet.gradients[0][c] + da * k[j * d + c];
        jet.gradients[1][j * d + c] = da * q[c];
        jet.gradients[2][j * d + c] = s.p[j] * Term(g[c]);
      }
    }
    if (keys_are_values) {
      for (std::size_t i = 0; i < v.size(); ++i) jet.gradients[1][i] = jet.gradients[1][i] + jet.gradients[2][i];
      jet.gradients.pop_back();
    }
    return jet;
  };
}

/// The matrix products x B and x Bᵀ + b.
RowJet product_of(const Inputs& in, const std::vector<Z>& g) {
  const Terms x = softmax_terms(in[0]), B = softmax_terms(in[1]);
  RowJet jet{{}, {{}, {}}};
  for (std::size_t j = 0; j < g.size(); ++j)
    jet.value.push_back(sum_of(x.size(), [&](std::size_t i) { return x[i] * B[i * g.size() + j]; }));
  for (std::size_t i = 0; i < x.size(); ++i) {
    jet.gradients[0].push_back(sum_of(g.size(), [&](std::size_t j) { return Term(g[j]) * conj(B[i * g.size() + j]); }));
    for (const Z& g_j : g) jet.gradients[1].push_back(conj(x[i]) * Term(g_j));
  }
  return jet;
}
RowJet linear_of(const Inputs& in, const std::vector<Z>& g) {
  const Terms x = softmax_terms(in[0]), W = softmax_terms(in[1]);
  RowJet jet{scores_of(in[0], in[1], in[2]), {{}, {}, softmax_terms(g)}};
  for (std::size_t i = 0; i < x.size(); ++i)
    jet.gradients[0].push_back(sum_of(g.size(), [&](std::size_t j) { return Term(g[j]) * conj(W[j * x.size() + i]); }));
  for (const Z& g_j : g)
    for (const Term& x_i : x) jet.gradients[1].push_back(conj(x_i) * Term(g_j));
  return jet;
}

template <RealScalar R>
void softmax_with(Table& table, const std::string& what, R factor) {
  const auto scalar = argand::scalar_name<R>();
  for (const std::int64_t n : row_lengths) {
    const Tensor<R> x = rows_of<R>(n, factor);
    measure_rows(
        table.cell(Range::Rows, "logsumexp", what, scalar), [](auto v) { return argand::logsumexp(v); }, logsumexp_of, x);
    measure_rows(
        table.cell(Range::Rows, "softmax", what, scalar), [](auto v) { return argand::softmax(v); }, softmax_of, x);
    const std::int64_t target = n / 2;
    const argand::Ids targets({1}, {static_cast<argand::Ids::value_type>(target)});
    const RowExact exact = [target](const Inputs& in, const std::vector<Z>& g) {
      const auto [loss, dx] = cross_entropy_of(softmax_terms(in[0]), static_cast<std::size_t>(target), false, Term(g[0]));
      return RowJet{{loss}, {dx}};
    };
    const auto f = [&](auto v) { return argand::cross_entropy(v, targets); };
    for (Tensor<R> row : single_rows<R>(n, factor)) {
      measure_rows(table.cell(Range::Rows, "cross_entropy", what, scalar), f, exact, row);
      if (!what.empty()) continue;
      // The target's score exceeds all others by 2, 4, ... 64: p - 1 must not suffer cancellation.
      for (int gap = 2; gap <= 64; gap *= 2) {
        row(0, target) = argand::max(Var<R>(row), 1).value().data()[0] + static_cast<R>(gap);
        measure_rows(table.cell(Range::Rows, "cross_entropy", "well predicted targets", scalar), f, exact, row);
      }
    }
  }
}

template <RealScalar R>
void products_for(Table& table) {
  const auto scalar = argand::scalar_name<R>();
  const std::int64_t d = 16;
  argand::AttentionOptions options;
  options.scale = 0.25;
  for (const std::int64_t n : {1, 7, 64, 300}) {
    const Tensor<R> q = rows_of<R>(d).reshape({3, d}), k = small_numbers<R>({n, d}, 50), v = small_numbers<R>({n, d}, 51);
    measure_rows(
        table.cell(Range::Rows, "attention", "", scalar),
        [&](auto query, auto keys, auto values) {
          return argand::attention(argand::reshape(query, {1, 3, d}), argand::reshape(keys, {1, n, d}),
                                   argand::reshape(values, {1, n, d}), options);
        },
        attention_of(N(options.scale), false), q, k, v);
    std::vector<argand::Ids::value_type> every;
    for (std::int64_t i = 0; i < 3 * n; ++i) every.push_back(static_cast<argand::Ids::value_type>(i % n));
    const argand::Ids selected({3, n}, every);
    measure_rows(
        table.cell(Range::Rows, "selected_attention", "", scalar),
        [&](auto query, auto memory) { return argand::selected_attention(query, memory, selected, options.scale); },
        attention_of(N(options.scale), true), q, k);
    const Tensor<R> W = small_numbers<R>({n, d}, 52), b = small_numbers<R>({n}, 53);
    for (const Tensor<R>& h : single_rows<R>(d)) {
      // The best-scoring class is also a target: p - 1 must not suffer cancellation.
      const auto scores = argand::linear(Var<R>(h), Var<R>(W), Var<R>(b)).value();
      const auto best = std::max_element(scores.span().begin(), scores.span().end()) - scores.span().begin();
      for (const std::int64_t target : {n / 2, static_cast<std::int64_t>(best)})
        measure_rows(
            table.cell(Range::Rows, "linear_cross_entropy", "", scalar),
            [&](auto x, auto weight, auto bias) {
              return argand::linear_cross_entropy(x, weight, &bias,
                                                  argand::Ids({1}, {static_cast<argand::Ids::value_type>(target)}));
            },
            linear_cross_entropy_of(static_cast<std::size_t>(target)), h, W, b);
    }
  }
}

template <Scalar T>
void matrices_of(Table& table) {
  const auto scalar = argand::scalar_name<T>();
  for (const std::int64_t n : row_lengths) {
    const Tensor<T> x = rows_of<T>(n);
    measure_rows(
        table.cell(Range::Rows, "matmul", "", scalar), [](auto v, auto B) { return argand::matmul(v, B); }, product_of, x,
        small_numbers<T>({n, 5}, 60));
    measure_rows(
        table.cell(Range::Rows, "linear", "", scalar), [](auto v, auto W, auto b) { return argand::linear(v, W, b); }, linear_of, x,
        small_numbers<T>({5, n}, 61), small_numbers<T>({5}, 62));
  }
}

}  // namespace

void measure_row_softmax(Table& table) {
  softmax_with<float>(table, "", 1);
  softmax_with<double>(table, "", 1);
  softmax_with<float>(table, "huge", 1e30f);
  softmax_with<double>(table, "huge", 1e200);
  products_for<float>(table);
  products_for<double>(table);
  matrices_of<float>(table);
  matrices_of<double>(table);
  matrices_of<std::complex<float>>(table);
  matrices_of<std::complex<double>>(table);
}

}  // namespace accuracy
