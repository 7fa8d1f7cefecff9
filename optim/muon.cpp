#include "optim/muon.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/gemm.h"
#include "core/kernels/elementwise.h"
#include "core/parallel.h"
#include "optim/state.h"

namespace argand {
namespace {

/// The gradient, or zeros if there is none.
template <Scalar T>
Tensor<T> gradient_of(const Var<T>& p, double scale) {
  if (!p.has_grad()) return Tensor<T>::zeros(p.shape());
  return map([factor = static_cast<RealOf<T>>(scale)](T g) { return g * factor; }, p.slot()->grad);
}

template <Scalar T>
RealOf<T> largest_part(T v) {
  if constexpr (ComplexScalar<T>)
    return std::max(std::abs(v.real()), std::abs(v.imag()));
  else
    return std::abs(v);
}

/// u/(‖u‖_F + 1e-7), where a complex matrix has sqrt 2 ‖u‖_F. Scales u by a power of two if squares overflow or underflow.
template <Scalar T>
Tensor<T> normalised(const Tensor<T>& u) {
  using R = RealOf<T>;
  const auto square_of = [&](R unit) {
    double square = 0;
    for (const T& v : u.span()) square += static_cast<double>(abs2_of(v * unit));
    return square;
  };
  R unit = 1;
  double square = square_of(unit);
  R largest = 0;
  if (!(square > std::numeric_limits<R>::min() && square < std::numeric_limits<R>::max()))
    for (const T& v : u.span()) largest = std::max(largest, largest_part(v));
  if (largest > 0 && std::isfinite(largest)) {
    unit = std::ldexp(
        R(1), -std::clamp(std::ilogb(largest), std::numeric_limits<R>::min_exponent, std::numeric_limits<R>::max_exponent - 2));
    square = square_of(unit);
  }
  const double expansion = ComplexScalar<T> ? std::sqrt(2.0) : 1.0;
  const R factor = static_cast<R>(1 / (expansion * std::sqrt(square) + 1e-7 * unit));
  return map([=](T v) { return v * unit * factor; }, u);
}

template <Scalar T>
void step_matrix(Var<T>& p, Tensor<T>& buf, const MuonOptions& options, double lr, double gradient_scale) {
  using R = RealOf<T>;
  const R mu = static_cast<R>(options.momentum);
  Tensor<T> u = gradient_of(p, gradient_scale);
  T *nesterov = u.data(), *mean = buf.data();
  for (std::int64_t i = 0; i < u.size(); ++i) {
    const T g = nesterov[i];
    mean[i] += (1 - mu) * (g - mean[i]);
    nesterov[i] = g + mu * (mean[i] - g);
  }
  const Tensor<T> x = newton_schulz(u);
  const double aspect = static_cast<double>(p.dim(0)) / static_cast<double>(p.dim(1));
  const R keep = static_cast<R>(1 - lr * options.weight_decay), rate = static_cast<R>(lr * std::sqrt(std::max(1.0, aspect)));
  T* to = p.value().data();
  const T* direction = x.data();
  for (std::int64_t i = 0; i < x.size(); ++i) to[i] = keep * to[i] - rate * direction[i];
}

}  // namespace

template <Scalar T>
Tensor<T> newton_schulz(const Tensor<T>& u, int steps) {
  using R = RealOf<T>;
  require(u.rank() == 2, "newton_schulz", "expects a matrix, got {}", u.shape());
  constexpr R a = static_cast<R>(3.4445), b = static_cast<R>(-4.7750), c = static_cast<R>(2.0315);
  // For a tall matrix, iterating on Xᴴ equals iterating on X with the products reversed: S = Xᴴ X, X <- a X + X (b S + c S²).
  const bool tall = u.dim(0) > u.dim(1);
  const std::int64_t rows = u.dim(0), columns = u.dim(1), m = std::min(rows, columns);
  Tensor<T> X = normalised(u), next(u.shape()), S(Shape{m, m}), P(Shape{m, m});
  for (int i = 0; i < steps; ++i) {
    if (tall)
      gemm<T>(Transpose::Conjugate, Transpose::No, m, m, rows, T(1), X.data(), columns, X.data(), columns, T(0), S.data(), m);
    else
      gemm<T>(Transpose::No, Transpose::Conjugate, m, m, columns, T(1), X.data(), columns, X.data(), columns, T(0), S.data(), m);
    std::copy(S.begin(), S.end(), P.begin());
    gemm<T>(Transpose::No, Transpose::No, m, m, m, T(c), S.data(), m, S.data(), m, T(b), P.data(), m);
    std::copy(X.begin(), X.end(), next.begin());
    if (tall)
      gemm<T>(Transpose::No, Transpose::No, rows, m, m, T(1), X.data(), m, P.data(), m, T(a), next.data(), m);
    else
      gemm<T>(Transpose::No, Transpose::No, m, columns, m, T(1), P.data(), m, X.data(), columns, T(a), next.data(), columns);
    std::swap(X, next);
  }
  return X;
}

bool is_muon_parameter(Role role, const Shape& shape) { return role == Role::Matrix && shape.rank() == 2; }

template <RealScalar R>
Muon<R>::Muon(ParameterList<R> matrices, const MuonOptions& options)
    : parameters_(std::move(matrices)), options_(options), buf_(zeros_like_each(parameters_)) {
  require_variables(parameters_, "muon");
  require(options.momentum >= 0 && options.momentum < 1, "muon", "momentum must be in [0, 1), got {}", options.momentum);
  require(options.weight_decay >= 0, "muon", "weight_decay must not be negative, got {}", options.weight_decay);
  for (const auto& p : parameters_) require(p.shape().rank() == 2, "muon", "{} must be a matrix, got shape {}", p.name, p.shape());
}

template <RealScalar R>
void Muon<R>::check() const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) require_unchanged(parameters_[i], buf_[i]);
}

template <RealScalar R>
void Muon<R>::step(double lr, double gradient_scale) {
  require_rate(lr);
  check();
  ++steps_;
  // One task per matrix, with single-threaded products: hidden matrices are many and small, and separate tasks need no barriers.
  parallel_for(static_cast<std::int64_t>(parameters_.size()), 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const auto at = static_cast<std::size_t>(i);
      std::visit([&]<Scalar T>(Var<T>& p) { step_matrix(p, std::get<Tensor<T>>(buf_[at]), options_, lr, gradient_scale); },
                 parameters_[at].var);
    }
  });
}

template <RealScalar R>
OptimizerState<R> Muon<R>::state() const {
  OptimizerState<R> state{.steps = steps_, .tensors = {}};
  for (std::size_t i = 0; i < parameters_.size(); ++i) state.tensors.push_back({"buf." + parameters_[i].name, buf_[i]});
  return state;
}

template <RealScalar R>
void Muon<R>::load_state(const OptimizerState<R>& saved) {
  check_state(saved, state());
  for (std::size_t i = 0; i < parameters_.size(); ++i) buf_[i] = saved.tensor("buf." + parameters_[i].name);
  steps_ = saved.steps;
}

#define ARGAND_NEWTON_SCHULZ(T) template Tensor<T> newton_schulz(const Tensor<T>&, int);
ARGAND_FOR_SCALAR(ARGAND_NEWTON_SCHULZ)
template class Muon<float>;
template class Muon<double>;

}  // namespace argand
