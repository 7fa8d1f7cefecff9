/// Measures reductions and scans along the rows of matrices.

#include <fmt/format.h>

#include <algorithm>

#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/rows/softmax.h"
#include "autograd/ops/rows/vector_norm.h"
#include "autograd/ops/scans/scan.h"
#include "tests/hostile/references.h"
#include "tests/hostile/tasks.h"

namespace hostile {
namespace {

using Row = std::vector<Exact>;
Exact sum_of(const Row& x) {
  Exact sum(0.0);
  for (const Exact v : x) sum = sum + v;
  return sum;
}
Exact mean_of(const Row& x) { return sum_of(x) / Exact(static_cast<double>(x.size())); }
Exact square(Exact x) { return real(x * conj(x)); }
Reference of_rows(std::function<Row(const Row&)> f) {
  return on_tape([f = std::move(f)](const Matrix& A, const auto&) { return row_by_row(A, f); });
}
/// x minus its maximum, and Σ e^{x_j - max} over the other elements. The sum 1 + Σ would lose the digits of Σ if the maximum were
/// far larger than the rest.
struct Shifted {
  std::size_t top = 0;
  Row rest;
  Exact others;
};
Shifted shifted(const Row& x) {
  Shifted s;
  for (std::size_t i = 1; i < x.size(); ++i)
    if (x[i].value().x > x[s.top].value().x) s.top = i;
  s.others = Exact(0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    s.rest.push_back(x[i] - x[s.top]);
    if (i != s.top) s.others = s.others + exp(s.rest.back());
  }
  return s;
}
Exact logsumexp(const Row& x) {
  const Shifted s = shifted(x);
  return x[s.top] + log1p(s.others);
}

/// Measures p-norms. Zeros get no gradient and, for p = ∞, neither do elements below the maximum.
void add_norms(Tasks& tasks) {
  const auto moduli_of = [](const Row& x) {
    Row magnitudes;
    for (const Exact v : x) magnitudes.push_back(v.value().x == 0 && v.value().y == 0 ? Exact(0.0) : abs(v));
    return magnitudes;
  };
  for (const double p : {0.0, 0.5, 1.0, 3.0})
    tasks.all({"vector_norm", fmt::format("p = {}", p), Condition::Entries, of_rows([=](const Row& x) {
                 if (p == 0) {
                   int count = 0;
                   for (const Exact v : x) count += v.value().x != 0 || v.value().y != 0 ? 1 : 0;
                   return Row{Exact(double(count))};
                 }
                 Exact sum(0.0);
                 for (const Exact a : moduli_of(x))
                   if (a.value().x != 0) sum = sum + (p == 3 ? a * a * a : p == 1 ? a : sqrt(a));
                 if (sum.value().x == 0) return Row{Exact(0.0)};
                 return Row{p == 3 ? exp(log(sum) / Exact(3.0)) : p == 1 ? sum : sum * sum};
               }),
               1},
              [=]<Scalar T>(const Var<T>& x) { return argand::vector_norm(x, static_cast<RealOf<T>>(p), -1); });
  tasks.all({"vector_norm", "p = ∞", Condition::Entries, of_rows([=](const Row& x) {
               Row magnitudes = moduli_of(x);
               return Row{*std::max_element(magnitudes.begin(), magnitudes.end(),
                                            [](Exact a, Exact b) { return a.value().x < b.value().x; })};
             }),
             1},
            []<Scalar T>(const Var<T>& x) { return argand::vector_norm(x, std::numeric_limits<RealOf<T>>::infinity(), -1); });
}

}  // namespace

void add_reductions(Tasks& tasks) {
  const auto entries = Condition::Entries;
  tasks.all({"sum", "", entries, of_rows([](const Row& x) { return Row{sum_of(x)}; })},
            [](const auto& x) { return argand::sum(x, -1); });
  tasks.all({"mean", "", entries, of_rows([](const Row& x) { return Row{mean_of(x)}; }), 1},
            [](const auto& x) { return argand::mean(x, -1); });
  tasks.all({"prod", "", entries, of_rows([](const Row& x) {
               Exact p(1.0);
               for (const Exact v : x) p = p * v;
               return Row{p};
             })},
            [](const auto& x) { return argand::prod(x, -1); });
  tasks.all({"variance", "", entries, of_rows([](const Row& x) {
               const Exact mean = mean_of(x);
               Row squares;
               for (const Exact v : x) squares.push_back(square(v - mean));
               return Row{mean_of(squares)};
             }),
             1},
            [](const auto& x) { return argand::variance(x, -1); });
  tasks.all({"vector_norm", "", entries, of_rows([](const Row& x) {
               Row squares;
               for (const Exact v : x) squares.push_back(square(v));
               const Exact s = sum_of(squares);
               return Row{s.value().x == 0 ? Exact(0.0) : sqrt(s)};
             }),
             1},
            []<Scalar T>(const Var<T>& x) { return argand::vector_norm(x, RealOf<T>(2), -1); });
  tasks.all({"stddev", "", entries, of_rows([](const Row& x) {
               const Exact mean = mean_of(x);
               Row squares;
               for (const Exact v : x) squares.push_back(square(v - mean));
               const Exact s = mean_of(squares);
               return Row{s.value().x == 0 ? Exact(0.0) : sqrt(s)};
             }),
             1},
            [](const auto& x) { return argand::stddev(x, -1); });
  add_norms(tasks);
  tasks.all({"cumsum", "", entries, of_rows([](const Row& x) {
               Row sums;
               for (const Exact v : x) sums.push_back(sums.empty() ? v : sums.back() + v);
               return sums;
             })},
            [](const auto& x) { return argand::cumsum(x, -1); });
  tasks.all({"cumprod", "", entries, of_rows([](const Row& x) {
               Row products;
               for (const Exact v : x) products.push_back(products.empty() ? v : products.back() * v);
               return products;
             })},
            [](const auto& x) { return argand::cumprod(x, -1); });
  tasks.real({"logsumexp", "", entries, of_rows([](const Row& x) { return Row{logsumexp(x)}; }), 1},
             [](const auto& x) { return argand::logsumexp(x); });
  tasks.real({"logcumsumexp", "", entries, of_rows([](const Row& x) {
                Row all;
                for (std::ptrdiff_t k = 1; k <= std::ssize(x); ++k) all.push_back(logsumexp(Row(x.begin(), x.begin() + k)));
                return all;
              }),
              1, 6},
             [](const auto& x) { return argand::logcumsumexp(x, -1); });
  tasks.real({"log_softmax", "", entries, of_rows([](const Row& x) {
                Shifted s = shifted(x);
                const Exact log_sum = log1p(s.others);
                for (Exact& v : s.rest) v = v - log_sum;
                return s.rest;
              }),
              1},
             [](const auto& x) { return argand::log_softmax(x); });
  tasks.real({"softmax", "", entries, of_rows([](const Row& x) {
                Shifted s = shifted(x);
                const Exact sum = Exact(1.0) + s.others;
                for (std::size_t i = 0; i < x.size(); ++i) s.rest[i] = (i == s.top ? Exact(1.0) : exp(s.rest[i])) / sum;
                return s.rest;
              }),
              1},
             [](const auto& x) { return argand::softmax(x); });
  tasks.real({"median", "", entries, of_rows([](const Row& x) {
                Row order = x;  // equal values stay in order, and the first one is chosen
                std::stable_sort(order.begin(), order.end(), [](Exact a, Exact b) { return a.value().x < b.value().x; });
                const Exact middle = order[(x.size() - 1) / 2];
                return Row{*std::find_if(order.begin(), order.end(), [&](Exact v) { return v.value().x == middle.value().x; })};
              }),
              1},
             [](const auto& x) { return argand::median(x, -1); });
  for (const bool largest : {true, false})
    tasks.real({largest ? "max" : "min", "", entries, of_rows([=](const Row& x) {
                  Exact best = x[0];
                  for (const Exact v : x)
                    if (largest ? v.value().x > best.value().x : v.value().x < best.value().x) best = v;
                  return Row{best};
                }),
                1},
               [=](const auto& x) { return largest ? argand::max(x, -1) : argand::min(x, -1); });
}

}  // namespace hostile
