#pragma once
/// Runs a row-wise op forwards and backwards, and compares each element of its results with the exact one.

#include "tests/accuracy/measure.h"

namespace accuracy {

/// An exact number and the scale of its error: its formula evaluated with the absolute value of every term, because any program
/// loses digits in a sum that cancels.
struct Term {
  Z exact;
  N size = 0;
  Term() = default;
  Term(const Z& z) : exact(z), size(modulus(z)) {}
  Term(Z z, N scale) : exact(std::move(z)), size(std::move(scale)) {}
};
using Terms = std::vector<Term>;

inline Term operator+(const Term& a, const Term& b) { return {a.exact + b.exact, a.size + b.size}; }
inline Term operator-(const Term& a, const Term& b) { return {a.exact - b.exact, a.size + b.size}; }
inline Term operator*(const Term& a, const Term& b) { return {a.exact * b.exact, a.size * b.size}; }
/// Multiplies by a number that is exact, or whose formula does not cancel.
inline Term operator*(const Term& a, const N& c) { return {a.exact * Z(c), N(a.size * abs(c))}; }
inline Term operator/(const Term& a, const N& c) { return a * N(1 / c); }
inline Term conj(const Term& a) { return {conj(a.exact), a.size}; }
inline Term real_part(const Term& a) { return {Z(a.exact.x), a.size}; }

/// Σ f(i) for i in [0, n).
template <class F>
Term sum_of(std::size_t n, const F& f) {
  Term total;
  for (std::size_t i = 0; i < n; ++i) total = total + Term(f(i));
  return total;
}

/// The outputs of an op for one row, and the gradients with respect to each of its inputs.
struct RowJet {
  Terms value;
  std::vector<Terms> gradients;
};
/// Computes a RowJet from the row, the inputs that all rows share, and the incoming gradients of the row's outputs.
using RowExact = std::function<RowJet(const std::vector<std::vector<Z>>& inputs, const std::vector<Z>& g)>;

template <Scalar T>
std::vector<Z> exact_numbers(std::span<const T> x) {
  return {x.begin(), x.end()};
}

/// Updates the largest error. Exact gradients beyond the range of the type are skipped.
template <Scalar T>
void compare_terms(Worst& worst, std::span<const T> got, const Terms& expected, const std::string& where, bool value) {
  using R = RealOf<T>;
  argand::require(got.size() == expected.size(), "accuracy", "{}: {} results, {} expected", where, got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!value && expected[i].size > std::numeric_limits<R>::max()) continue;
    worst.update(ulps(got[i], expected[i].exact, expected[i].size), fmt::format("{}, entry {}", where, i));
  }
}

/// Measures w = f(x, shared...) for the rows of x [rows, n]; `shared` are inputs such as a gain that all rows share.
template <class F, Scalar T, Scalar... S>
void measure_rows(Cell& cell, const F& f, const RowExact& exact, const Tensor<T>& x, const Tensor<S>&... shared) {
  const Var<T> v = argand::variable(x);
  std::tuple<Var<S>...> parameters(argand::variable(shared)...);
  const auto w = std::apply([&](const auto&... p) { return f(v, p...); }, parameters);
  using Out = typename std::decay_t<decltype(w)>::value_type;
  const Tensor<Out> g = incoming<Out>(w.size());
  argand::backward(argand::projection(w, g.reshape(w.shape())));

  const auto rows = static_cast<std::size_t>(x.dim(0)), n = static_cast<std::size_t>(x.dim(1));
  const std::size_t outputs = static_cast<std::size_t>(w.size()) / rows;
  const Tensor<T> dx = v.grad();
  std::vector<Terms> sums(sizeof...(S));  // gradients of the shared inputs
  for (std::size_t row = 0; row < rows; ++row) {
    const std::string where = fmt::format("n = {}, row {}", n, row);
    const RowJet jet = exact({exact_numbers<T>(x.span().subspan(row * n, n)), exact_numbers<S>(shared.span())...},
                             exact_numbers<Out>(g.span().subspan(row * outputs, outputs)));
    compare_terms<Out>(cell.value, w.value().span().subspan(row * outputs, outputs), jet.value, where, true);
    compare_terms<T>(cell.gradient, std::as_const(dx).span().subspan(row * n, n), jet.gradients.at(0), where, false);
    for (std::size_t k = 0; k < sums.size(); ++k) {
      sums[k].resize(jet.gradients.at(k + 1).size());
      for (std::size_t i = 0; i < sums[k].size(); ++i) sums[k][i] = sums[k][i] + jet.gradients[k + 1][i];
    }
  }
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    const std::tuple gradients{std::get<k>(parameters).grad()...};
    (compare_terms<S>(cell.gradient, std::get<k>(gradients).span(), sums[k], fmt::format("n = {}, input {}", n, k + 1), false),
     ...);
  }
  (std::index_sequence_for<S...>());
}

/// Three rows of n seeded random numbers, [3, n]: of magnitudes 1e-3 ... 1e3, within 1 of 100, and within 10 of 0; all are
/// multiplied by `factor`.
template <Scalar T>
Tensor<T> rows_of(std::int64_t n, RealOf<T> factor = 1, std::uint64_t stream = 30);
/// Each of these rows as a separate [1, n].
template <Scalar T>
std::vector<Tensor<T>> single_rows(std::int64_t n, RealOf<T> factor = 1);
/// Random numbers within `bound` of 0, for gains, biases and matrices.
template <Scalar T>
Tensor<T> small_numbers(const argand::Shape& shape, std::uint64_t stream, RealOf<T> bound = 1);

/// The row lengths measured: one element, less than a SIMD vector, whole vectors, and many vectors with a remainder.
constexpr std::int64_t row_lengths[] = {1, 7, 64, 1000};

}  // namespace accuracy
