#include "autograd/hessian.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace argand {

template <RealScalar R>
Tensor<R> hessian(const std::function<Var<R>()>& loss, const ParameterList<R>& parameters) {
  const std::int64_t N = count_parameters(parameters);
  Tensor<R> H(Shape{N, N});
  std::vector<AnyTensorOf<R>> v;
  for (const Parameter<R>& p : parameters)
    v.push_back(std::visit([]<class T>(const Var<T>& x) -> AnyTensorOf<R> { return Tensor<T>::zeros(x.shape()); }, p.var));
  // Reals in the order of the list: those of a complex tensor lie as (Re, Im) in memory.
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

std::vector<double> symmetric_eigenvalues(const Tensor<double>& matrix) {
  require(matrix.rank() == 2 && matrix.dim(0) == matrix.dim(1), "symmetric_eigenvalues", "needs a square matrix, got {}",
          matrix.shape());
  const auto n = static_cast<std::size_t>(matrix.dim(0));
  std::vector<std::vector<double>> a(n, std::vector<double>(n));
  double size = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      a[i][k] = a[k][i] = matrix.data()[i * n + k];
      size += a[i][k] * a[i][k];
    }
  if (!std::isfinite(size)) return std::vector<double>(n, std::numeric_limits<double>::quiet_NaN());
  const auto rest = [&] {
    double squares = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < i; ++k) squares += a[i][k] * a[i][k];
    return squares;
  };
  // Converges quadratically: six sweeps are many.
  for (int sweep = 0; sweep < 50 && rest() > 1e-32 * size; ++sweep)
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a[p][q] == 0) continue;
        // The rotation by the smaller angle that makes a_pq vanish: t² + 2 τ t = 1, τ = (a_qq - a_pp)/(2 a_pq).
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
      }
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(a[i][i]);
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace argand
