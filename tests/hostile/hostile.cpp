#include "tests/hostile/hostile.h"

#include <thread>

#include "tests/hostile/measure.h"
#include "tests/hostile/references.h"

namespace hostile {
namespace {

using accuracy::Range;
using argand::RealScalar;

/// [count, ...] -> [count, k]
template <Scalar T>
Var<T> flat(const Var<T>& w) {
  const std::int64_t count = w.dim(0);
  return argand::reshape(w, Shape{count, count == 0 ? 0 : w.size() / count});
}

/// One cell each of the two tables, to be measured by any thread.
class Tasks {
 public:
  explicit Tasks(accuracy::Table& table) : table_(table) {}

  /// f: Var<T> [count, m, n] -> Var of as many, any shape.
  template <Scalar T, class F>
  void add_for(const Op& op, const F& f, std::string_view scalar) {
    tasks_.emplace_back([this, op, f, scalar] {
      accuracy::Cell inside, ends;
      measure<T>(
          inside, ends, op, [&](const Var<T>& A) { return flat(f(A)); }, counts_);
      const std::scoped_lock lock(mutex_);
      cells_.push_back({op, std::string(scalar), inside, ends});
    });
  }
  template <class F>
  void real(const Op& op, const F& f) {
    order_.push_back(op.name + "," + op.what);
    add_for<float>(op, f, "float32");
    add_for<double>(op, f, "float64");
  }
  template <class F>
  void all(const Op& op, const F& f) {
    real(op, f);
    add_for<std::complex<float>>(op, f, "complex64");
    add_for<std::complex<double>>(op, f, "complex128");
  }

  Seen run() {
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i = next++; i < tasks_.size(); i = next++) tasks_[i]();
    };
    std::thread other(work);
    work();
    other.join();
    for (const std::string& name : order_)
      for (const Measured& m : cells_) {
        if (m.op.name + "," + m.op.what != name) continue;
        table_.cell(Range::Hostile, m.op.name, m.op.what, m.scalar) = m.inside;
        if (!m.ends.value.at.empty()) table_.cell(Range::Ends, m.op.name, m.op.what, m.scalar) = m.ends;
      }
    return {counts_.cases, counts_.refused};
  }

 private:
  struct Measured {
    Op op;
    std::string scalar;
    accuracy::Cell inside, ends;
  };
  accuracy::Table& table_;
  std::vector<std::function<void()>> tasks_;
  std::vector<std::string> order_;
  std::mutex mutex_;
  std::vector<Measured> cells_;
  Counts counts_;
};

std::vector<Exact> numbers(const Matrix& A) { return A.numbers; }

// ------------------------------------------------------------------------------------------------ systems and determinants

/// 1, 2, ..., n as a column.
Matrix counting(int n) {
  Matrix b(n, 1);
  for (int i = 0; i < n; ++i) b(i, 0) = Exact(i + 1.0);
  return b;
}
template <Scalar T>
Var<T> counting(std::int64_t count, std::int64_t n) {
  Tensor<T> b(Shape{count, n, 1});
  for (std::int64_t k = 0; k < b.size(); ++k) b.data()[k] = T(static_cast<RealOf<T>>(k % n + 1));
  return Var<T>(b);
}

void add_systems(Tasks& tasks) {
  using argand::Transpose;
  tasks.all({"matmul", "A A", Condition::Entries, on_tape([](const Matrix& A, const auto&) { return numbers(A * A); })},
            [](const auto& A) { return argand::matmul(A, A); });
  tasks.all(
      {"solve", "", Condition::Norm, on_tape([](const Matrix& A, const auto&) { return numbers(solved(A, counting(A.n))); }), 1},
      []<Scalar T>(const Var<T>& A) { return argand::solve(A, counting<T>(A.dim(0), A.dim(-1))); });
  tasks.all(
      {"inv", "", Condition::Norm, on_tape([](const Matrix& A, const auto&) { return numbers(solved(A, Matrix::identity(A.n))); })},
      [](const auto& A) { return argand::inv(A); });
  tasks.all(
      {"det", "", Condition::Norm, on_tape([](const Matrix& A, const auto&) { return std::vector<Exact>{determinant(A)}; }), 0, 7},
      [](const auto& A) { return argand::det(A); });
  tasks.all({"slogdet", "logabsdet", Condition::Norm, on_tape([](const Matrix& A, const auto&) {
               const Exact d = abs(determinant(A));
               if (d.value().x == 0) throw NoValue();
               return std::vector<Exact>{log(d)};
             }),
             0, 7},
            [](const auto& A) { return argand::slogdet(A).logabsdet; });
  Op exp{"matrix_exp", "", Condition::Entries, exponential, 0, 6};
  exp.takes = [](Kind kind) { return kind != Kind::Large && kind != Kind::Ends; };  // e^A is beyond the type
  tasks.all(exp, [](const auto& A) { return argand::matrix_exp(A); });
}

// ------------------------------------------------------------------------------------------------ factors

/// What is wrong with the signs of exact columns beside those of the library: LAPACK chooses R's.
Matrix with_signs_of(Matrix A, const std::vector<Z>& got, bool by_rows) {
  const auto at = [&](int i, int j) { return got[static_cast<std::size_t>(i * A.n + j)]; };
  for (int j = 0; j < A.n && !got.empty(); ++j) {
    N inner = 0;
    if (by_rows)
      inner = at(j, j).x;
    else
      for (int i = 0; i < A.m; ++i) inner += (accuracy::conj(A(i, j).value()) * at(i, j)).x;
    if (inner >= 0) continue;
    for (int i = 0; i < (by_rows ? A.n : A.m); ++i) {
      Exact& x = by_rows ? A(j, i) : A(i, j);
      x = Exact(0.0) - x;
    }
  }
  return A;
}

void add_factors(Tasks& tasks) {
  for (const int more : {0, 1}) {
    Op R{"qr",
         more == 0 ? "R" : "R, tall",
         Condition::Norm,
         on_tape([](const Matrix& A, const auto& got) { return numbers(with_signs_of(gram_schmidt(A).R, got, true)); }),
         1,
         6,
         more};
    tasks.all(R, [](const auto& A) { return argand::qr(A).R; });
    Op Q{"qr",
         more == 0 ? "Q" : "Q, tall",
         Condition::Norm,
         on_tape([](const Matrix& A, const auto& got) { return numbers(with_signs_of(gram_schmidt(A).Q, got, false)); }),
         1,
         6,
         more};
    tasks.all(Q, [](const auto& A) { return argand::qr(A).Q; });
  }
  Op L{"cholesky", "", Condition::Norm, on_tape([](const Matrix& A, const auto&) { return numbers(cholesky_factor(A)); }), 0, 8};
  L.positive = true;
  tasks.all(L, [](const auto& A) { return argand::cholesky(A); });

  const Op lambda{"eigh", "λ", Condition::Norm, eigenvalues, 0, 4, 0, 2};
  tasks.all(lambda, [](const auto& A) { return argand::eigvalsh(A); });
  Op function{"eigh",
              "V f(λ) Vᴴ, f = λ/(λ² + 2)",
              Condition::Norm,
              on_tape([](const Matrix& A, const auto&) {
                const Matrix H = scaled(A + adjoint(A), 0.5);
                return numbers(solved(H * H + scaled(Matrix::identity(A.n), 2), H));
              }),
              1,
              6};
  function.loosely_refused = true;
  tasks.all(function, [](const auto& A) {
    const auto e = argand::eigh(A);
    const auto f = e.values / (e.values * e.values + 2);
    return argand::matmul(e.vectors * argand::reshape(f, Shape{f.dim(0), 1, f.dim(1)}), e.vectors, argand::Transpose::No,
                          argand::Transpose::Conjugate);
  });
  for (const int more : {0, 1}) {
    tasks.all({"svd", more == 0 ? "S" : "S, tall", Condition::Norm, singular_values, 0, 4, more},
              [](const auto& A) { return argand::svdvals(A); });
    Op factors{"svd",
               more == 0 ? "U f(S) Vᴴ, f = s/(s² + 2)" : "U f(S) Vᴴ, tall",
               Condition::Norm,
               on_tape([](const Matrix& A, const auto&) {
                 const Matrix Ah = adjoint(A);
                 return numbers(adjoint(solved(Ah * A + scaled(Matrix::identity(A.n), 2), Ah)));
               }),
               1,
               5,
               more};
    factors.loosely_refused = true;
    tasks.all(factors, [](const auto& A) {
      const auto s = argand::svd(A);
      const auto f = s.S / (s.S * s.S + 2);
      return argand::matmul(s.U * argand::reshape(f, Shape{f.dim(0), 1, f.dim(1)}), s.Vh);
    });
    Op P{"lstsq",
         more == 0 ? "A⁺" : "A⁺, tall",
         Condition::Norm,
         on_tape([](const Matrix& A, const auto&) {
           const Matrix Ah = adjoint(A);
           return numbers(solved(Ah * A, Ah));
         }),
         1,
         6,
         more};
    P.full_rank = true;
    tasks.all(P, [](const auto& A) { return argand::pinv(A); });
  }
}

// ------------------------------------------------------------------------------------------------ reductions

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
/// x less the largest of them, as a constant; the exponentials of the rest.
Row shifted(const Row& x, Exact& largest) {
  largest = x[0];
  for (const Exact v : x)
    if (v.value().x > largest.value().x) largest = v;
  largest = Exact(largest.value());
  Row rest;
  for (const Exact v : x) rest.push_back(v - largest);
  return rest;
}

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
  const auto log_of_sum = [](const Row& rest) {
    Row e;
    for (const Exact v : rest) e.push_back(exp(v));
    return log(sum_of(e));
  };
  tasks.real({"logsumexp", "", entries, of_rows([=](const Row& x) {
                Exact largest;
                const Row rest = shifted(x, largest);
                return Row{log_of_sum(rest) + largest};
              }),
              1},
             [](const auto& x) { return argand::logsumexp(x); });
  tasks.real({"log_softmax", "", entries, of_rows([=](const Row& x) {
                Exact largest;
                Row rest = shifted(x, largest);
                const Exact log_sum = log_of_sum(rest);
                for (Exact& v : rest) v = v - log_sum;
                return rest;
              }),
              1},
             [](const auto& x) { return argand::log_softmax(x); });
  tasks.real({"softmax", "", entries, of_rows([=](const Row& x) {
                Exact largest;
                Row rest = shifted(x, largest);
                for (Exact& v : rest) v = exp(v);
                const Exact sum = sum_of(rest);
                for (Exact& v : rest) v = v / sum;
                return rest;
              }),
              1},
             [](const auto& x) { return argand::softmax(x); });
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

}  // namespace

Seen measure_hostile(accuracy::Table& table) {
  Tasks tasks(table);
  add_systems(tasks);
  add_factors(tasks);
  add_reductions(tasks);
  return tasks.run();
}

}  // namespace hostile
