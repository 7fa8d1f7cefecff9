#include "tests/hostile/references.h"

#include <algorithm>
#include <numeric>

namespace hostile {

std::vector<Exact> row_by_row(const Matrix& A, const std::function<std::vector<Exact>(const std::vector<Exact>&)>& f) {
  std::vector<Exact> all;
  for (int i = 0; i < A.m; ++i) {
    std::vector<Exact> row;
    for (int j = 0; j < A.n; ++j) row.push_back(A(i, j));
    for (const Exact x : f(row)) all.push_back(x);
  }
  return all;
}

Matrix cholesky_factor(const Matrix& A) {
  const Matrix H = scaled(A + adjoint(A), 0.5);
  Matrix L(A.n, A.n);
  for (int j = 0; j < A.n; ++j) {
    Exact d = real(H(j, j));
    for (int k = 0; k < j; ++k) d = d - real(L(j, k) * conj(L(j, k)));
    if (d.value().x <= H(j, j).value().x * N("1e-100") || d.value().x <= 0) throw NoValue();
    L(j, j) = sqrt(d);
    for (int i = j + 1; i < A.n; ++i) {
      Exact x = H(i, j);
      for (int k = 0; k < j; ++k) x = x - L(i, k) * conj(L(j, k));
      L(i, j) = x / L(j, j);
    }
  }
  return L;
}

Factors gram_schmidt(const Matrix& A) {
  Factors f{A, Matrix(A.n, A.n)};
  for (int j = 0; j < A.n; ++j) {
    const auto inner = [&](int k) {
      Exact sum(0.0);
      for (int i = 0; i < A.m; ++i) sum = sum + conj(f.Q(i, k)) * f.Q(i, j);
      return sum;
    };
    const N before = inner(j).value().x;
    for (int k = 0; k < j; ++k) {
      const Exact r = inner(k);
      f.R(k, j) = r;
      for (int i = 0; i < A.m; ++i) f.Q(i, j) = f.Q(i, j) - f.Q(i, k) * r;
    }
    const Exact square = real(inner(j));
    if (square.value().x <= before * N("1e-120")) throw NoValue();
    f.R(j, j) = sqrt(square);
    for (int i = 0; i < A.m; ++i) f.Q(i, j) = f.Q(i, j) / f.R(j, j);
  }
  return f;
}

namespace {

using Numbers = std::vector<Z>;

Z times(const Z& a, const Z& b) {
  if (a.y == 0 && b.y == 0) return Z(a.x * b.x);
  return a * b;
}
Numbers times(int n, const Numbers& A, const Numbers& B) {
  Numbers C(A.size());
  const auto at = [n](int i, int j) { return static_cast<std::size_t>(i * n + j); };
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      const Z& a = A[at(i, k)];
      if (a.x == 0 && a.y == 0) continue;
      for (int j = 0; j < n; ++j) C[at(i, j)] = C[at(i, j)] + times(a, B[at(k, j)]);
    }
  return C;
}
/// The block matrix ((X, E), (0, X)).
struct Pair {
  Numbers X, E;
};
Pair times(int n, const Pair& a, const Pair& b) {
  Pair c{times(n, a.X, b.X), times(n, a.X, b.E)};
  const Numbers other = times(n, a.E, b.X);
  for (std::size_t k = 0; k < other.size(); ++k) c.E[k] = c.E[k] + other[k];
  return c;
}
N largest_of(const Numbers& A) {
  N most = 0;
  for (const Z& a : A) most = std::max(most, accuracy::modulus(a));
  return most;
}

/// Powers t^k that scale the off-diagonal entries of a triangular matrix, or of one with blocks of two on the diagonal, down to at
/// most 1 in modulus. For a full matrix, the powers are 1.
std::vector<N> scales_of(int n, const Numbers& A) {
  std::vector<N> scales(static_cast<std::size_t>(n), N(1));
  for (const auto& [block, sign] : {std::pair{1, 1}, std::pair{1, -1}, std::pair{2, 1}, std::pair{2, -1}}) {
    N t = 1;
    bool is_triangular = true;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const int steps = sign * (j / block - i / block);
        const N size = accuracy::modulus(A[static_cast<std::size_t>(i * n + j)]);
        if (steps < 0 && size != 0) is_triangular = false;
        if (steps > 0 && size > 1) t = std::min(t, N(pow(size, N(-1) / steps)));
      }
    if (!is_triangular) continue;
    for (int i = 0; i < n; ++i) scales[static_cast<std::size_t>(i)] = pow(t, N(sign * (i / block)));
    return scales;
  }
  return scales;
}

/// e^A and the upper right block of e^((A, E), (0, A)).
Pair exponential_of(int n, Pair a) {
  const std::vector<N> scales = scales_of(n, a.X);
  const auto rescale = [&](Numbers& A, bool back) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const N by = scales[static_cast<std::size_t>(j)] / scales[static_cast<std::size_t>(i)];
        Z& x = A[static_cast<std::size_t>(i * n + j)];
        x = times(x, Z(back ? N(1 / by) : by));
      }
  };
  rescale(a.X, false), rescale(a.E, false);
  const N size = largest_of(a.X) * n;
  if (size > 5000) throw NoValue();  // e^A exceeds the range of every type
  int halvings = 12;
  for (N s = size; s > 1; s /= 2) ++halvings;
  for (Numbers* A : {&a.X, &a.E})
    for (Z& x : *A) x = {ldexp(x.x, -halvings), ldexp(x.y, -halvings)};
  const auto identity = [&] {
    Numbers I(a.X.size());
    for (int i = 0; i < n; ++i) I[static_cast<std::size_t>(i * n + i)] = Z(1.0);
    return I;
  };
  Pair sum{identity(), Numbers(a.X.size())};
  constexpr int terms = 30;  // (2^-12)^30 / 30! < 1e-140
  for (int k = terms; k > 0; --k) {
    sum = times(n, a, sum);
    for (Numbers* A : {&sum.X, &sum.E})
      for (Z& x : *A) x = {x.x / k, x.y / k};
    for (int i = 0; i < n; ++i) sum.X[static_cast<std::size_t>(i * n + i)].x += 1;
  }
  for (int k = 0; k < halvings; ++k) sum = times(n, sum, sum);
  rescale(sum.X, true), rescale(sum.E, true);
  return sum;
}

Numbers adjoint_of(int m, int n, const Numbers& A) {
  Numbers B(A.size());
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) B[static_cast<std::size_t>(j * m + i)] = accuracy::conj(A[static_cast<std::size_t>(i * n + j)]);
  return B;
}

Numbers identity_of(int n) {
  Numbers I(static_cast<std::size_t>(n * n));
  for (int i = 0; i < n; ++i) I[static_cast<std::size_t>(i * n + i)] = Z(1.0);
  return I;
}
/// The linear combination a A + b B.
Numbers combined(const N& a, const Numbers& A, const N& b, const Numbers& B) {
  Numbers C(A.size());
  for (std::size_t k = 0; k < A.size(); ++k) C[k] = {a * A[k].x + b * B[k].x, a * A[k].y + b * B[k].y};
  return C;
}
/// A⁻¹ by Gauss-Jordan elimination. Throws NoValue if A is singular to 100 digits.
Numbers inverse_of(int n, Numbers A) {
  Numbers B = identity_of(n);
  const auto at = [n](int i, int j) { return static_cast<std::size_t>(i * n + j); };
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    N most = -1, column = 0;
    for (int i = 0; i < n; ++i) {
      const N size = accuracy::modulus(A[at(i, k)]);
      column = std::max(column, size);
      if (i >= k && size > most) pivot = i, most = size;
    }
    if (most <= column * N("1e-100")) throw NoValue();
    for (int j = 0; j < n; ++j) std::swap(A[at(k, j)], A[at(pivot, j)]), std::swap(B[at(k, j)], B[at(pivot, j)]);
    const Z scale = Z(1.0) / A[at(k, k)];
    for (int j = 0; j < n; ++j) A[at(k, j)] = times(A[at(k, j)], scale), B[at(k, j)] = times(B[at(k, j)], scale);
    for (int i = 0; i < n; ++i) {
      const Z l = A[at(i, k)];
      if (i == k || (l.x == 0 && l.y == 0)) continue;
      for (int j = 0; j < n; ++j)
        A[at(i, j)] = A[at(i, j)] - times(l, A[at(k, j)]), B[at(i, j)] = B[at(i, j)] - times(l, B[at(k, j)]);
    }
  }
  return B;
}
/// √A by the iteration X <- (X + Y⁻¹)/2, Y <- (Y + X⁻¹)/2 from X = A and Y = I: X converges to √A, doubling its correct digits each
/// time, unless an eigenvalue is on the negative axis.
Numbers root_of(int n, const Numbers& A) {
  Numbers X = A, Y = identity_of(n);
  for (int step = 0; step < 40; ++step) {
    const Numbers before = X, inverse = inverse_of(n, X);
    X = combined(N(0.5), X, N(0.5), inverse_of(n, Y));
    Y = combined(N(0.5), Y, N(0.5), inverse);
    if (largest_of(combined(N(1), X, N(-1), before)) <= largest_of(X) * N("1e-70")) return X;
  }
  throw NoValue();
}
Numbers log_of(int n, Numbers A) {
  int roots = 0;
  const Numbers I = identity_of(n);
  while (largest_of(combined(N(1), A, N(-1), I)) * n > N("0.01")) {
    if (++roots > 400) throw NoValue();
    A = root_of(n, A);
  }
  // log A = 2 (X + X³/3 + X⁵/5 + ...), X = (A - I)(A + I)⁻¹
  const Numbers X = times(n, combined(N(1), A, N(-1), I), inverse_of(n, combined(N(1), A, N(1), I))), square = times(n, X, X);
  Numbers power = X, sum = X;
  for (int k = 3; k < 40; k += 2) {  // 0.005^40 < 1e-92
    power = times(n, power, square);
    sum = combined(N(1), sum, N(1) / k, power);
  }
  return combined(ldexp(N(2), roots), sum, N(0), sum);
}

/// f(A) and its gradient, from f of the block matrix ((Aᴴ, G), (0, Aᴴ)): its upper right block is the gradient, its diagonal block
/// is f(A)ᴴ.
Result by_blocks(int n, const Numbers& A, const Numbers& G, Numbers (*f)(int, Numbers)) {
  Numbers B(static_cast<std::size_t>(4 * n * n));
  const auto at = [n](int i, int j) { return static_cast<std::size_t>(i * n + j); };
  const auto place = [n](int i, int j) { return static_cast<std::size_t>(i * 2 * n + j); };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      B[place(i, j)] = B[place(n + i, n + j)] = accuracy::conj(A[at(j, i)]);
      B[place(i, n + j)] = G[at(i, j)];
    }
  const Numbers W = f(2 * n, std::move(B));
  Result result;
  result.value.resize(A.size()), result.gradient.resize(A.size());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      result.value[at(i, j)] = accuracy::conj(W[place(j, i)]), result.gradient[at(i, j)] = W[place(i, n + j)];
  return result;
}

/// H = V diag(λ) Vᴴ by Jacobi rotations; the λ are not sorted.
struct Spectrum {
  std::vector<N> lambda;
  Numbers V;
};
Spectrum spectrum_of(int n, Numbers H) {
  const auto at = [n](int i, int j) { return static_cast<std::size_t>(i * n + j); };
  Spectrum s;
  s.V.resize(H.size());
  for (int i = 0; i < n; ++i) s.V[at(i, i)] = Z(1.0);
  const N bar = largest_of(H) * N("1e-130");
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool done = true;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        const N r = accuracy::modulus(H[at(p, q)]);
        if (r <= bar) continue;
        done = false;
        // A phase makes h_pq real, then a rotation makes it 0.
        const Z phase{H[at(p, q)].x / r, H[at(p, q)].y / r};
        const N theta = (H[at(q, q)].x - H[at(p, p)].x) / (2 * r);
        const N t = (theta < 0 ? N(-1) : N(1)) / (abs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), sine = t * c;
        const Z back = accuracy::conj(phase);
        const auto turn = [&](Numbers& A, int size) {  // multiplies columns p and q by ((c, s), (-s back, c back))
          for (int i = 0; i < size; ++i) {
            const Z x = A[at(i, p)], y = times(A[at(i, q)], back);
            A[at(i, p)] = times(x, Z(c)) - times(y, Z(sine)), A[at(i, q)] = times(x, Z(sine)) + times(y, Z(c));
          }
        };
        turn(H, n), turn(s.V, n);
        for (int j = 0; j < n; ++j) {
          const Z x = H[at(p, j)], y = times(H[at(q, j)], phase);
          H[at(p, j)] = times(x, Z(c)) - times(y, Z(sine)), H[at(q, j)] = times(x, Z(sine)) + times(y, Z(c));
        }
      }
    if (done) break;
  }
  for (int i = 0; i < n; ++i) s.lambda.push_back(H[at(i, i)].x);
  return s;
}

/// Whether neighbouring values of a sorted list are distinct.
bool are_apart(const std::vector<N>& values, const N& scale) {
  for (std::size_t k = 1; k < values.size(); ++k)
    if (abs(values[k] - values[k - 1]) <= scale * N("1e-25")) return false;
  return true;
}

}  // namespace

Result exponential(const std::vector<Z>& A, int, int n, const std::vector<Z>& G, const std::vector<Z>&) {
  const Numbers g(G.begin(), G.begin() + n * n), none(A.size());
  return {exponential_of(n, {A, none}).X, exponential_of(n, {adjoint_of(n, n, A), g}).E};
}

Result square_root(const std::vector<Z>& A, int, int n, const std::vector<Z>& G, const std::vector<Z>&) {
  return by_blocks(n, A, G, [](int size, Numbers B) { return root_of(size, B); });
}
Result logarithm(const std::vector<Z>& A, int, int n, const std::vector<Z>& G, const std::vector<Z>&) {
  return by_blocks(n, A, G, [](int size, Numbers B) { return log_of(size, std::move(B)); });
}

Result eigenvalues(const std::vector<Z>& A, int, int n, const std::vector<Z>& G, const std::vector<Z>&) {
  Numbers H = A;
  const Numbers other = adjoint_of(n, n, A);
  for (std::size_t k = 0; k < H.size(); ++k) H[k] = times(H[k] + other[k], Z(0.5));
  const Spectrum s = spectrum_of(n, H);
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return s.lambda[static_cast<std::size_t>(a)] < s.lambda[static_cast<std::size_t>(b)]; });
  Result result;
  std::vector<N> sorted;
  for (const int k : order) sorted.push_back(s.lambda[static_cast<std::size_t>(k)]);
  result.value.assign(sorted.begin(), sorted.end());
  if (!are_apart(sorted, largest_of(H))) return result;
  result.gradient.resize(A.size());
  const auto at = [n](int i, int j) { return static_cast<std::size_t>(i * n + j); };
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const int from = order[static_cast<std::size_t>(k)];
        result.gradient[at(i, j)] = result.gradient[at(i, j)] + times(times(s.V[at(i, from)], accuracy::conj(s.V[at(j, from)])),
                                                                      G[static_cast<std::size_t>(k)]);
      }
  return result;
}

Result singular_values(const std::vector<Z>& A, int m, int n, const std::vector<Z>& G, const std::vector<Z>&) {
  const auto a = [&](int i, int j) -> const Z& { return A[static_cast<std::size_t>(i * n + j)]; };
  const auto at = [n](int i, int j) { return static_cast<std::size_t>(i * n + j); };
  Numbers H(static_cast<std::size_t>(n * n));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < m; ++k) H[at(i, j)] = H[at(i, j)] + times(accuracy::conj(a(k, i)), a(k, j));
  const Spectrum s = spectrum_of(n, H);
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int x, int y) { return s.lambda[static_cast<std::size_t>(x)] > s.lambda[static_cast<std::size_t>(y)]; });
  std::vector<N> sorted;
  for (const int k : order) {
    const N& square = s.lambda[static_cast<std::size_t>(k)];
    sorted.push_back(square > 0 ? N(sqrt(square)) : N(0));
  }
  Result result;
  result.value.assign(sorted.begin(), sorted.end());
  if (n > 0 && (sorted.back() <= sorted.front() * N("1e-25") || !are_apart(sorted, sorted.front()))) return result;
  result.gradient.resize(A.size());
  for (int k = 0; k < n; ++k) {  // u vᴴ with u = A v / s
    const int from = order[static_cast<std::size_t>(k)];
    for (int i = 0; i < m; ++i) {
      Z u;
      for (int j = 0; j < n; ++j) u = u + times(a(i, j), s.V[at(j, from)]);
      u = times(u, Z(N(1 / sorted[static_cast<std::size_t>(k)])));
      for (int j = 0; j < n; ++j)
        result.gradient[at(i, j)] =
            result.gradient[at(i, j)] + times(times(u, accuracy::conj(s.V[at(j, from)])), G[static_cast<std::size_t>(k)]);
    }
  }
  return result;
}

}  // namespace hostile
