/// Sums, means, variances, and the norms.

#include <complex>

#include "tests/accuracy/cases.h"
#include "tests/accuracy/rows.h"

namespace accuracy {
namespace {

Term mean_of(const Terms& x) {
  return sum_of(x.size(), [&](std::size_t i) { return x[i]; }) / N(x.size());
}
Terms terms(const std::vector<Z>& x) { return {x.begin(), x.end()}; }

/// The sum Σ x times c.
RowExact sum_times(const std::function<N(std::size_t)>& c) {
  return [c](const std::vector<std::vector<Z>>& in, const std::vector<Z>& g) {
    const Terms x = terms(in[0]);
    const Term total = sum_of(x.size(), [&](std::size_t i) { return x[i]; });
    return RowJet{{total * c(x.size())}, {Terms(x.size(), Term(g[0]) * c(x.size()))}};
  };
}

RowJet variance_of(const std::vector<std::vector<Z>>& in, const std::vector<Z>& g) {
  const Terms x = terms(in[0]);
  const Term mu = mean_of(x);
  N v = 0;
  Terms dx;
  for (const Term& x_i : x) {
    const Term d = x_i - mu;
    v += d.exact.x * d.exact.x + d.exact.y * d.exact.y;
    dx.push_back(d * Term(g[0]) * N(N(2) / x.size()));
  }
  return {{Term(Z(N(v / x.size())))}, {dx}};
}

RowJet stddev_of(const std::vector<std::vector<Z>>& in, const std::vector<Z>& g) {
  RowJet jet = variance_of(in, g);
  const N sigma = sqrt(jet.value[0].exact.x);
  jet.value[0] = Term(Z(sigma));
  for (Term& d : jet.gradients[0]) d = sigma == 0 ? Term() : d / N(2 * sigma);
  return jet;
}

/// The two norms of argand/autograd/ops/norm.h: with a mean to subtract and a bias to add, or without either.
RowExact norm_by_squares(bool centred, const N& eps) {
  return [centred, eps](const std::vector<std::vector<Z>>& in, const std::vector<Z>& g) {
    const Terms x = terms(in[0]);
    const std::size_t n = x.size();
    const Term mu = centred ? mean_of(x) : Term();
    Terms d, G;
    N square = 0;
    for (std::size_t i = 0; i < n; ++i) {
      d.push_back(x[i] - mu);
      G.push_back(Term(g[i]) * Term(in[1][i]));
      square += d[i].exact.x * d[i].exact.x + d[i].exact.y * d[i].exact.y;
    }
    const N sigma = sqrt(N(square / n + eps));
    for (Term& d_i : d) d_i = d_i / sigma;
    const Term along = sum_of(n, [&](std::size_t i) { return real_part(conj(d[i]) * G[i]); }) / N(n);
    const Term average = centred ? mean_of(G) : Term();
    RowJet jet{{}, {{}, {}}};
    if (centred) jet.gradients.emplace_back();
    for (std::size_t i = 0; i < n; ++i) {
      const Term y = d[i] * Term(in[1][i]);
      jet.value.push_back(centred ? y + Term(in[2][i]) : y);
      jet.gradients[0].push_back((G[i] - average - d[i] * along) / sigma);
      jet.gradients[1].push_back(real_part(conj(d[i]) * Term(g[i])));
      if (centred) jet.gradients[2].emplace_back(g[i]);
    }
    return jet;
  };
}

/// The two norms computed from the magnitudes m = sqrt(a² + w b² + 1e-12) of QIC's algebra, with w = 1 - sin 2θ.
RowExact norm_by_magnitudes(bool centred) {
  return [centred](const std::vector<std::vector<Z>>& in, const std::vector<Z>& g) {
    const Terms x = terms(in[0]), gamma = terms(in[1]);
    const std::size_t n = gamma.size();
    const N theta = in[2][0].x, w = 1 - sin(N(2 * theta)), slope = -2 * cos(N(2 * theta));
    Terms m;
    for (std::size_t j = 0; j < n; ++j) {
      const N &a = in[0][2 * j].x, &b = in[0][2 * j + 1].x;
      m.push_back(Z(sqrt(N(a * a + w * b * b + N(1e-12)))));
    }
    const Term mu = centred ? mean_of(m) : Term();
    N square = 0, moved = 0;
    for (const Term& m_j : m) {
      const N d = m_j.exact.x - mu.exact.x;
      square += d * d;
      moved += abs(d) * m_j.exact.x;
    }
    const N variance = square / n + N(centred ? 1e-5 : 1e-6), s = 1 / sqrt(variance);
    // Magnitudes are rounded before their mean is subtracted; sigma_moves is the effect of this rounding on σ.
    const N sigma_moves = 1 + moved / n / variance;
    const auto product = [&](std::size_t j) { return (x[2 * j] - mu) * Term(g[2 * j]) + x[2 * j + 1] * Term(g[2 * j + 1]); };
    const Term A = sum_of(n, [&](std::size_t j) { return gamma[j] * product(j); });
    const Term total = centred ? sum_of(n, [&](std::size_t j) { return gamma[j] * Term(g[2 * j]); }) : Term();
    RowJet jet{{}, {{}, {}, {Term()}}};
    for (std::size_t j = 0; j < n; ++j) {
      const Term dm = (mu - m[j]) * A * N(s * s * s / n) - total * N(s / n);
      const Term &a = x[2 * j], &b = x[2 * j + 1], over_m = Term(Z(N(1 / m[j].exact.x)));
      jet.value.push_back((a - mu) * gamma[j] * s);
      jet.value.push_back(b * gamma[j] * s);
      jet.gradients[0].push_back(gamma[j] * Term(g[2 * j]) * s + dm * a * over_m);
      jet.gradients[0].push_back(gamma[j] * Term(g[2 * j + 1]) * s + dm * b * over_m * w);
      jet.gradients[1].push_back(product(j) * s);
      jet.gradients[2][0] = jet.gradients[2][0] + dm * b * b * over_m * N(slope / 2);
    }
    const auto widen = [&](Terms& all) {
      for (Term& t : all) t.size *= sigma_moves;
    };
    widen(jet.value);
    for (Terms& gradient : jet.gradients) widen(gradient);
    return jet;
  };
}

template <Scalar T>
void sums_of(Table& table, const std::string& what, RealOf<T> factor) {
  const auto scalar = argand::scalar_name<T>();
  const auto down = [](auto x) { return argand::sum(argand::permute(x, {1, 0}), 0); };
  const auto comma = what.empty() ? "" : ", " + what;
  for (const std::int64_t n : row_lengths) {
    const Tensor<T> x = rows_of<T>(n, factor);
    const auto one = [](std::size_t) { return N(1); };
    measure_rows(
        table.cell(Range::Rows, "sum", what, scalar), [](auto v) { return argand::sum(v, -1); }, sum_times(one), x);
    measure_rows(table.cell(Range::Rows, "sum", "down columns" + comma, scalar), down, sum_times(one), x);
    measure_rows(
        table.cell(Range::Rows, "mean", what, scalar), [](auto v) { return argand::mean(v, -1); },
        sum_times([](std::size_t length) { return N(N(1) / length); }), x);
    measure_rows(
        table.cell(Range::Rows, "stddev", what, scalar), [](auto v) { return argand::stddev(v, -1); }, stddev_of, x);
    if (what.empty())
      measure_rows(
          table.cell(Range::Rows, "variance", what, scalar), [](auto v) { return argand::variance(v, -1); }, variance_of, x);
  }
}

template <Scalar T>
void norms_of(Table& table, const std::string& what, RealOf<T> factor) {
  using R = RealOf<T>;
  const auto scalar = argand::scalar_name<T>();
  for (const std::int64_t n : row_lengths) {
    const Tensor<T> x = rows_of<T>(n, factor);
    const Tensor<R> gain = small_numbers<R>({n}, 40, 2);
    measure_rows(
        table.cell(Range::Rows, "layer_norm", what, scalar),
        [](auto v, auto gamma, auto b) { return argand::layer_norm(v, gamma, b); }, norm_by_squares(true, N(R(1e-5))), x, gain,
        small_numbers<T>({n}, 41));
    measure_rows(
        table.cell(Range::Rows, "rms_norm", what, scalar), [](auto v, auto gamma) { return argand::rms_norm(v, gamma); },
        norm_by_squares(false, N(R(1e-6))), x, gain);
  }
}

template <RealScalar R>
void magnitude_norms_of(Table& table, const std::string& what, R factor) {
  const auto scalar = argand::scalar_name<R>();
  const auto measure = [](auto theta) { return argand::Measure<R>{2, argand::Magnitude::Algebraic, theta}; };
  for (const std::int64_t n : row_lengths) {
    const Tensor<R> x = rows_of<R>(2 * std::min<std::int64_t>(n, 700), factor), gain = small_numbers<R>({x.dim(1) / 2}, 42, 2);
    const Tensor<R> theta({1}, {R(0.4)});
    measure_rows(
        table.cell(Range::Rows, "magnitude_layer_norm", what, scalar),
        [&](auto v, auto gamma, auto t) { return argand::magnitude_layer_norm(v, gamma, measure(t)); }, norm_by_magnitudes(true), x,
        gain, theta);
    measure_rows(
        table.cell(Range::Rows, "magnitude_rms_norm", what, scalar),
        [&](auto v, auto gamma, auto t) { return argand::magnitude_rms_norm(v, gamma, measure(t)); }, norm_by_magnitudes(false), x,
        gain, theta);
  }
}

}  // namespace

void measure_row_norms(Table& table) {
  const auto of = [&]<RealScalar R>(const std::string& what, R factor) {
    using C = std::complex<R>;
    sums_of<R>(table, what, factor);
    sums_of<C>(table, what, factor);
    norms_of<R>(table, what, factor);
    norms_of<C>(table, what, factor);
    magnitude_norms_of<R>(table, what, factor);
  };
  of("", 1.0f);
  of("", 1.0);
  of("huge", 1e20f);
  of("huge", 1e200);
}

}  // namespace accuracy
