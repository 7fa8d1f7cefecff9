#include "autograd/hessian.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/arithmetic.h"

namespace argand {

template <RealScalar R>
Tensor<R> hessian(const std::function<Var<R>()>& loss, const ParameterList<R>& parameters) {
  const std::int64_t N = count_parameters(parameters);
  Tensor<R> H(Shape{N, N});
  std::vector<AnyTensorOf<R>> v;
  for (const Parameter<R>& p : parameters)
    v.push_back(std::visit([]<class T>(const Var<T>& x) -> AnyTensorOf<R> { return Tensor<T>::zeros(x.shape()); }, p.var));
  // Visits the reals in list order; a complex tensor is stored as (Re, Im) pairs.
  const auto for_each_real = [](std::vector<AnyTensorOf<R>>& tensors, const auto& f) {
    std::int64_t place = 0;
    for (AnyTensorOf<R>& any : tensors)
      std::visit(
          [&]<class T>(Tensor<T>& x) {
            R* numbers = reinterpret_cast<R*>(x.data());
            for (std::int64_t k = 0; k < x.size() * (ComplexScalar<T> ? 2 : 1); ++k) f(place++, numbers[k]);
          },
          any);
  };
  for (std::int64_t column = 0; column < N; ++column) {
    for_each_real(v, [column](std::int64_t place, R& x) { x = place == column ? R(1) : R(0); });
    std::vector<AnyTensorOf<R>> product = hvp<R>(loss, parameters, v);
    for_each_real(product, [&](std::int64_t row, R& x) { H.data()[row * N + column] = x; });
  }
  return H;
}

template Tensor<float> hessian(const std::function<Var<float>()>&, const ParameterList<float>&);
template Tensor<double> hessian(const std::function<Var<double>()>&, const ParameterList<double>&);

SymmetricEigen symmetric_eigen(const Tensor<double>& matrix) {
  require(matrix.rank() == 2 && matrix.dim(0) == matrix.dim(1), "symmetric_eigen", "expects a square matrix, got {}",
          matrix.shape());
  const auto n = static_cast<std::size_t>(matrix.dim(0));
  std::vector<std::vector<double>> a(n, std::vector<double>(n)), vectors = a;
  for (std::size_t i = 0; i < n; ++i) vectors[i][i] = 1;
  double size = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      a[i][k] = a[k][i] = matrix.data()[i * n + k];
      size += a[i][k] * a[i][k];
    }
  if (!std::isfinite(size)) {
    const std::vector<double> unknown(n, std::numeric_limits<double>::quiet_NaN());
    return {unknown, std::vector(n, unknown)};
  }
  const auto rest = [&] {
    double squares = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < i; ++k) squares += a[i][k] * a[i][k];
    return squares;
  };
  // Converges quadratically, usually in fewer than six sweeps.
  for (int sweep = 0; sweep < 50 && rest() > 1e-32 * size; ++sweep)
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a[p][q] == 0) continue;
        // The rotation by the smaller angle that annihilates a_pq: t² + 2 τ t = 1, τ = (a_qq - a_pp)/(2 a_pq).
        const double tau = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double t = std::copysign(1 / (std::abs(tau) + std::hypot(1.0, tau)), tau), c = 1 / std::hypot(1.0, t), s = t * c;
        for (std::size_t k = 0; k < n; ++k) {
          const double x = a[k][p], y = a[k][q];
          a[k][p] = c * x - s * y;
          a[k][q] = s * x + c * y;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double x = a[p][k], y = a[q][k];
          a[p][k] = c * x - s * y;
          a[q][k] = s * x + c * y;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double x = vectors[p][k], y = vectors[q][k];
          vectors[p][k] = c * x - s * y;
          vectors[q][k] = s * x + c * y;
        }
      }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t k) { return a[i][i] < a[k][k]; });
  SymmetricEigen eigen;
  for (const std::size_t i : order) {
    eigen.values.push_back(a[i][i]);
    eigen.vectors.push_back(std::move(vectors[i]));
  }
  return eigen;
}

std::vector<double> symmetric_eigenvalues(const Tensor<double>& matrix) { return symmetric_eigen(matrix).values; }

// ------------------------------------------------------------------------------------------------ lanczos

namespace {

/// Re Σ conj(a) b over all parameters.
template <RealScalar R>
double inner_product(const std::vector<AnyTensorOf<R>>& a, const std::vector<AnyTensorOf<R>>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    std::visit(
        [&]<class T>(const Tensor<T>& x) {
          const T *p = x.data(), *q = std::get<Tensor<T>>(b[i]).data();
          for (std::int64_t k = 0; k < x.size(); ++k) sum += static_cast<double>(real_of(conj_mul(p[k], q[k])));
        },
        a[i]);
  return sum;
}

/// a <- c a + d b
template <RealScalar R>
void combine(double c, std::vector<AnyTensorOf<R>>& a, double d, const std::vector<AnyTensorOf<R>>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    std::visit([&]<class T>(Tensor<T>& x) { x = static_cast<R>(c) * x + static_cast<R>(d) * std::get<Tensor<T>>(b[i]); }, a[i]);
}

}  // namespace

template <RealScalar R>
std::vector<RitzValue> lanczos(const std::function<Var<R>()>& loss, const ParameterList<R>& parameters, std::int64_t steps,
                               std::uint64_t seed) {
  require(steps >= 1, "lanczos", "steps must be at least 1, got {}", steps);
  steps = std::min(steps, count_parameters(parameters));
  std::vector<AnyTensorOf<R>> q;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    std::visit([&]<class T>(const Var<T>& p) { q.emplace_back(randn<T>(p.shape(), Random(seed, i))); }, parameters[i].var);
  std::vector<std::vector<AnyTensorOf<R>>> basis;
  std::vector<double> alpha, beta;  // the diagonal and the off-diagonal of the tridiagonal matrix
  double norm = std::sqrt(inner_product<R>(q, q)), size = 0;
  do {
    combine<R>(1 / norm, q, 0, q);
    basis.push_back(q);
    q = hvp<R>(loss, parameters, basis.back());
    alpha.push_back(inner_product<R>(basis.back(), q));
    size = std::max(size, std::sqrt(inner_product<R>(q, q)));
    // Orthogonalise against all earlier vectors, twice: the second pass removes the components that rounding left after the first.
    for (int twice = 0; twice < 2; ++twice)
      for (const auto& b : basis) combine<R>(1, q, -inner_product<R>(b, q), b);
    norm = std::sqrt(inner_product<R>(q, q));
    beta.push_back(norm);
  } while (static_cast<std::int64_t>(alpha.size()) < steps && norm > 100 * std::numeric_limits<R>::epsilon() * size);

  const auto n = static_cast<std::int64_t>(alpha.size());
  Tensor<double> T = Tensor<double>::zeros({n, n});
  for (std::int64_t j = 0; j < n; ++j) {
    T.data()[j * n + j] = alpha[static_cast<std::size_t>(j)];
    if (j + 1 < n) T.data()[(j + 1) * n + j] = beta[static_cast<std::size_t>(j)];
  }
  const SymmetricEigen eigen = symmetric_eigen(T);
  const double rounding = 10 * static_cast<double>(std::numeric_limits<R>::epsilon()) * size;
  std::vector<RitzValue> values;  // H y - λ y = s_last β q_next, up to rounding
  for (std::size_t i = 0; i < eigen.values.size(); ++i)
    values.push_back({eigen.values[i], beta.back() * std::abs(eigen.vectors[i].back()) + rounding});
  return values;
}

template std::vector<RitzValue> lanczos(const std::function<Var<float>()>&, const ParameterList<float>&, std::int64_t,
                                        std::uint64_t);
template std::vector<RitzValue> lanczos(const std::function<Var<double>()>&, const ParameterList<double>&, std::int64_t,
                                        std::uint64_t);

}  // namespace argand
