#include "tests/hostile/exact_tape.h"

#include <utility>

namespace hostile {
namespace {

enum class Step { Leaf, Add, Sub, Mul, Div, Conj, Real, Sqrt, Exp, Log, Log1p, Abs };
struct Node {
  Step step = Step::Leaf;
  int a = -1, b = -1;
  Z value, gradient;
};
std::vector<Node>& tape() {
  thread_local std::vector<Node> nodes;
  return nodes;
}

// Most numbers are real, and a real product takes a quarter of the time of a complex one.
bool is_real(const Z& a) { return a.y == 0; }
Z product(const Z& a, const Z& b) {
  if (is_real(a) && is_real(b)) return Z(a.x * b.x);
  return a * b;
}
Z quotient(const Z& a, const Z& b) {
  if (is_real(a) && is_real(b)) return Z(a.x / b.x);
  return a / b;
}
Z product_of_conjugate(const Z& a, const Z& b) { return product(accuracy::conj(a), b); }
void add_to(Z& sum, const Z& term) {
  sum.x += term.x;
  if (!is_real(term)) sum.y += term.y;
}

Exact pushed(Step step, int a, int b, Z value) {
  tape().push_back({step, a, b, std::move(value), Z()});
  Exact x;
  x.at = static_cast<int>(tape().size()) - 1;
  return x;
}
Node& node(int at) { return tape()[static_cast<std::size_t>(at)]; }

void pass_on(const Node& w) {
  const Z& g = w.gradient;
  if (w.step == Step::Leaf || (g.x == 0 && g.y == 0)) return;
  Z& ga = node(w.a).gradient;
  const Z& a = node(w.a).value;
  switch (w.step) {
    case Step::Leaf: break;
    case Step::Add: add_to(ga, g), add_to(node(w.b).gradient, g); break;
    case Step::Sub: add_to(ga, g), add_to(node(w.b).gradient, -g); break;
    case Step::Mul: {
      const Z to_a = product_of_conjugate(node(w.b).value, g), to_b = product_of_conjugate(a, g);
      add_to(ga, to_a), add_to(node(w.b).gradient, to_b);
      break;
    }
    case Step::Div: {
      const Z to_a = quotient(g, accuracy::conj(node(w.b).value));
      add_to(ga, to_a), add_to(node(w.b).gradient, -product_of_conjugate(w.value, to_a));
      break;
    }
    case Step::Conj: add_to(ga, accuracy::conj(g)); break;
    case Step::Real: add_to(ga, Z(g.x)); break;
    case Step::Sqrt: add_to(ga, quotient(g, Z(2.0) * accuracy::conj(w.value))); break;
    case Step::Exp: add_to(ga, product_of_conjugate(w.value, g)); break;
    case Step::Log: add_to(ga, quotient(g, accuracy::conj(a))); break;
    case Step::Log1p: add_to(ga, quotient(g, Z(1.0) + accuracy::conj(a))); break;
    case Step::Abs:
      if (w.value.x != 0) add_to(ga, product(Z(g.x / w.value.x), a));
      break;
  }
}

int largest_row(const Matrix& A, int k) {
  int best = k;
  N most = -1;
  for (int i = k; i < A.m; ++i) {
    const N size = accuracy::modulus(A(i, k).value());
    if (size > most) best = i, most = size;
  }
  return best;
}
void swap_rows(Matrix& A, int i, int k) {
  for (int j = 0; i != k && j < A.n; ++j) std::swap(A(i, j), A(k, j));
}

}  // namespace

Exact::Exact(const Z& constant) { at = pushed(Step::Leaf, -1, -1, constant).at; }
const Z& Exact::value() const { return node(at).value; }

Exact operator+(Exact a, Exact b) { return pushed(Step::Add, a.at, b.at, a.value() + b.value()); }
Exact operator-(Exact a, Exact b) { return pushed(Step::Sub, a.at, b.at, a.value() - b.value()); }
Exact operator*(Exact a, Exact b) { return pushed(Step::Mul, a.at, b.at, product(a.value(), b.value())); }
Exact operator/(Exact a, Exact b) { return pushed(Step::Div, a.at, b.at, quotient(a.value(), b.value())); }
Exact conj(Exact a) {
  return is_real(a.value()) ? pushed(Step::Conj, a.at, -1, a.value()) : pushed(Step::Conj, a.at, -1, accuracy::conj(a.value()));
}
Exact real(Exact a) { return pushed(Step::Real, a.at, -1, Z(a.value().x)); }
Exact sqrt(Exact a) { return pushed(Step::Sqrt, a.at, -1, accuracy::sqrt(a.value())); }
Exact exp(Exact a) { return pushed(Step::Exp, a.at, -1, accuracy::exp(a.value())); }
Exact log(Exact a) { return pushed(Step::Log, a.at, -1, accuracy::log(a.value())); }
Exact log1p(Exact a) { return pushed(Step::Log1p, a.at, -1, accuracy::log1p(a.value())); }
Exact abs(Exact a) { return pushed(Step::Abs, a.at, -1, Z(accuracy::modulus(a.value()))); }

Matrix Matrix::identity(int n) {
  Matrix I(n, n);
  for (int i = 0; i < n; ++i) I(i, i) = Exact(1.0);
  return I;
}
Matrix operator*(const Matrix& A, const Matrix& B) {
  Matrix C(A.m, B.n);
  for (int i = 0; i < A.m; ++i)
    for (int j = 0; j < B.n; ++j)
      for (int k = 0; k < A.n; ++k) {
        const Exact term = A(i, k) * B(k, j);
        C(i, j) = k == 0 ? term : C(i, j) + term;
      }
  return C;
}
Matrix operator+(const Matrix& A, const Matrix& B) {
  Matrix C(A.m, A.n);
  for (std::size_t k = 0; k < C.numbers.size(); ++k) C.numbers[k] = A.numbers[k] + B.numbers[k];
  return C;
}
Matrix adjoint(const Matrix& A) {
  Matrix C(A.n, A.m);
  for (int i = 0; i < A.m; ++i)
    for (int j = 0; j < A.n; ++j) C(j, i) = conj(A(i, j));
  return C;
}
Matrix scaled(const Matrix& A, double by) {
  Matrix C(A.m, A.n);
  for (std::size_t k = 0; k < C.numbers.size(); ++k) C.numbers[k] = A.numbers[k] * Exact(by);
  return C;
}
Matrix columns(const Matrix& A, int begin, int end) {
  Matrix C(A.m, end - begin);
  for (int i = 0; i < A.m; ++i)
    for (int j = begin; j < end; ++j) C(i, j - begin) = A(i, j);
  return C;
}

Matrix solved(Matrix A, Matrix B) {
  const int n = A.m;
  for (int k = 0; k < n; ++k) {
    const int pivot = largest_row(A, k);
    swap_rows(A, pivot, k), swap_rows(B, pivot, k);
    N largest = 0;
    for (int i = 0; i < n; ++i) largest = std::max(largest, accuracy::modulus(A(i, k).value()));
    if (accuracy::modulus(A(k, k).value()) <= largest * N("1e-100")) throw NoValue();
    for (int i = k + 1; i < n; ++i) {
      const Exact l = A(i, k) / A(k, k);
      for (int j = k + 1; j < n; ++j) A(i, j) = A(i, j) - l * A(k, j);
      for (int j = 0; j < B.n; ++j) B(i, j) = B(i, j) - l * B(k, j);
    }
  }
  for (int k = n; k-- > 0;)
    for (int j = 0; j < B.n; ++j) {
      Exact x = B(k, j);
      for (int i = k + 1; i < n; ++i) x = x - A(k, i) * B(i, j);
      B(k, j) = x / A(k, k);
    }
  return B;
}

namespace {
/// The determinant by Laplace expansion, which never divides, so that the gradient of a singular matrix is correct. Computes the
/// minors of the rows from i on for each of the 2^n sets of columns.
Exact minors(const Matrix& A) {
  const int n = A.n;
  std::vector<Exact> of_columns(std::size_t{1} << n, Exact(0.0));
  of_columns[0] = Exact(1.0);
  for (std::size_t set = 1; set < of_columns.size(); ++set) {
    const int row = n - __builtin_popcountll(set);
    Exact sum(0.0);
    bool minus = false;
    for (int j = 0; j < n; ++j) {
      if ((set >> j & 1) == 0) continue;
      const Exact term = A(row, j) * of_columns[set & ~(std::size_t{1} << j)];
      sum = minus ? sum - term : sum + term;
      minus = !minus;
    }
    of_columns[set] = sum;
  }
  return of_columns.back();
}
}  // namespace

Exact determinant(Matrix A) { return minors(A); }

Reference on_tape(std::function<std::vector<Exact>(const Matrix& A, const std::vector<Z>& got)> f) {
  return [f = std::move(f)](const std::vector<Z>& numbers, int m, int n, const std::vector<Z>& G, const std::vector<Z>& got) {
    tape().clear();
    Matrix A(m, n);
    for (std::size_t k = 0; k < numbers.size(); ++k) A.numbers[k] = Exact(numbers[k]);
    const std::vector<Exact> w = f(A, got);
    Result result;
    for (std::size_t k = 0; k < w.size(); ++k) {
      result.value.push_back(w[k].value());
      add_to(node(w[k].at).gradient, G.at(k));
    }
    for (std::size_t k = tape().size(); k-- > 0;) pass_on(tape()[k]);
    for (const Exact a : A.numbers) result.gradient.push_back(node(a.at).gradient);
    return result;
  };
}

}  // namespace hostile
