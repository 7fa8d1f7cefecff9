#pragma once
/// Matrix functions by the Schur form A = Q S Qᴴ, S upper triangular: f(A) = Q f(S) Qᴴ. The derivative along E is the upper right
/// block of f applied to ((A, E), (0, A)), whose Schur form is ((S, QᴴEQ), (0, S)); eigenvalues need not be distinct. Computed in
/// float64 for every type.

#include <complex>
#include <optional>

#include "autograd/ops/linear_algebra/gauge.h"
#include "autograd/ops/linear_algebra/matrices.h"
#include "core/kernels/complex_math.h"
#include "core/machine/lapack.h"

namespace argand::matrices {

/// Stacks of Q and S, by rows.
struct SchurForm {
  Tensor<std::complex<double>> Q, S;
};

/// f of an upper triangular S [n, n], by rows. Returns false if f has no value.
using TriangularFunction = bool (*)(std::int64_t n, const std::complex<double>* S, std::complex<double>* F);

template <Scalar T>
Tensor<std::complex<double>> to_complex128(const Tensor<T>& A) {
  return map([](T a) { return static_cast<std::complex<double>>(a); }, A);
}
/// Keeps only the real part for a real T.
template <Scalar T>
Tensor<T> rounded_to(const Tensor<std::complex<double>>& A) {
  return map(
      [](std::complex<double> a) {
        if constexpr (ComplexScalar<T>)
          return static_cast<T>(a);
        else
          return static_cast<T>(a.real());
      },
      A);
}
/// Q X Qᴴ
inline Tensor<std::complex<double>> from_schur(const Tensor<std::complex<double>>& Q, const Tensor<std::complex<double>>& X) {
  return product(product(Q, X), Q, Transpose::No, Transpose::Conjugate);
}
/// Qᴴ X Q
inline Tensor<std::complex<double>> into_schur(const Tensor<std::complex<double>>& Q, const Tensor<std::complex<double>>& X) {
  return product(product(Q, X, Transpose::Conjugate), Q);
}

/// Makes the 2 × 2 diagonal blocks of a real Schur form, stored by rows, upper triangular.
inline void split_pairs(std::int64_t n, const std::complex<double>* lambda, std::complex<double>* S, std::complex<double>* Q) {
  using Z = std::complex<double>;
  for (std::int64_t m = n - 1; m > 0; --m) {
    const Z below = S[m * n + m - 1];
    if (below == 0.0) continue;
    // (λ - d, c) is an eigenvector of ((a, b), (c, d)).
    const Z shift = lambda[m - 1] - S[m * n + m];
    const double r = std::hypot(std::abs(shift), std::abs(below));
    const Z c = shift / r, s = below / r;
    for (std::int64_t j = m - 1; j < n; ++j) {
      const Z x = S[(m - 1) * n + j], y = S[m * n + j];
      S[(m - 1) * n + j] = std::conj(c) * x + s * y;
      S[m * n + j] = c * y - s * x;
    }
    const auto turn_columns = [&](Z* A, std::int64_t rows) {
      for (std::int64_t i = 0; i < rows; ++i) {
        const Z x = A[i * n + m - 1], y = A[i * n + m];
        A[i * n + m - 1] = c * x + s * y;
        A[i * n + m] = std::conj(c) * y - s * x;
      }
    };
    turn_columns(S, m + 1);
    turn_columns(Q, n);
    S[m * n + m - 1] = 0;
    S[(m - 1) * n + m - 1] = lambda[m - 1], S[m * n + m] = lambda[m];
  }
}

/// The Schur form of every matrix. An eigenvalue that differs from 0 by no more than rounding is set to 0, and one that is off the
/// negative real axis by no more than rounding is moved onto it, on the upper side of the cut; a triangular matrix keeps its
/// diagonal. Throws if A is real and an eigenvalue is on that axis, since the principal branch is complex there.
template <Scalar T>
SchurForm schur_form(const std::string& op, const Tensor<T>& A) {
  using Z = std::complex<double>;
  using Doubled = std::conditional_t<ComplexScalar<T>, Z, double>;
  const Stack stack = square(op, A.shape());
  const std::int64_t n = stack.n;
  SchurForm form{Tensor<Z>(A.shape()), Tensor<Z>(A.shape())};
  Z *const all_Q = form.Q.data(), *const all_S = form.S.data();
  const T* const in = A.data();
  for (std::int64_t at = 0; at < stack.count; ++at) {
    Z *const Q = all_Q + at * n * n, *const S = all_S + at * n * n;
    if (!all_finite(in + at * n * n, n * n)) {
      fill_with_nan(Q, n * n), fill_with_nan(S, n * n);
      continue;
    }
    std::vector<Doubled> a(static_cast<std::size_t>(n * n)), q(a.size());
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) a[static_cast<std::size_t>(j * n + i)] = static_cast<Doubled>(in[(at * n + i) * n + j]);
    std::vector<Z> lambda(static_cast<std::size_t>(n));
    require(lapack_schur(n, a.data(), q.data(), lambda.data()) == 0, op,
            "LAPACK's iteration for the eigenvalues of {} did not converge", name_of(at, stack, A.shape()));
    double norm = 0;
    bool moved_only = true;  // whether Q is a permutation
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        const auto k = static_cast<std::size_t>(j * n + i);
        Q[i * n + j] = q[k];
        S[i * n + j] = i > j + 1 || (ComplexScalar<T> && i > j) ? Z(0) : Z(a[k]);
        norm = std::hypot(norm, std::abs(S[i * n + j]));
        moved_only = moved_only && (q[k] == Doubled(0) || q[k] == Doubled(1));
      }
    if constexpr (RealScalar<T>) split_pairs(n, lambda.data(), S, Q);
    const double closest = moved_only ? 0 : closest_of(norm, n);
    for (std::int64_t i = 0; i < n; ++i) {
      Z& x = S[i * n + i];
      if (std::abs(x) <= closest) x = 0;
      if (x.real() < 0 && std::abs(x.imag()) <= (RealScalar<T> ? 0 : closest)) x = {x.real(), 0.0};
      require(ComplexScalar<T> || !(x.real() < 0) || x.imag() != 0, op,
              "eigenvalue {:.6g} of {} is on the negative real axis; pass a complex matrix", x.real(),
              name_of(at, stack, A.shape()));
    }
  }
  return form;
}

/// ((A, E), (0, A)) for variables.
template <Scalar T>
Var<T> blocks_of(const Var<T>& A, const Var<T>& E) {
  const Var<T> zeros(Tensor<T>::zeros(A.shape()));
  return concatenate(std::vector{concatenate(std::vector{A, E}, -1), concatenate(std::vector{zeros, A}, -1)}, -2);
}
template <Scalar T>
Var<T> upper_right_of(const Var<T>& W) {
  const std::int64_t n = W.dim(-1) / 2;
  return slice(slice(W, -2, 0, n), -1, n, 2 * n);
}
/// The Schur form of ((A, E), (0, A)).
inline SchurForm block_form(const SchurForm& of, const Tensor<std::complex<double>>& E) {
  using V = Var<std::complex<double>>;
  const NoGrad none;
  const NoForward still;
  const V zeros(Tensor<std::complex<double>>::zeros(E.shape()));
  const V QQ =
      concatenate(std::vector{concatenate(std::vector{V(of.Q), zeros}, -1), concatenate(std::vector{zeros, V(of.Q)}, -1)}, -2);
  return {QQ.value(), blocks_of(V(of.S), V(into_schur(of.Q, E))).value()};
}

/// A matrix function as an op: its value on triangular matrices, and the messages for a matrix without a value or a derivative.
struct MatrixFunction {
  const Op& op;
  TriangularFunction on_triangle;
  const char *no_value, *no_derivative;  ///< "{name of the matrix} ..."

  Tensor<std::complex<double>> of_triangles(const Tensor<std::complex<double>>& S, const Shape& shape, const char* without) const {
    const Stack stack("map", S.shape());
    Tensor<std::complex<double>> F(S.shape());
    std::complex<double>* const out = F.data();
    std::vector<char> found(static_cast<std::size_t>(stack.count));
    each(stack, [&](std::int64_t i) {
      const std::int64_t begin = i * stack.n * stack.n;
      found[static_cast<std::size_t>(i)] = on_triangle(stack.n, S.data() + begin, out + begin);
    });
    for (std::int64_t i = 0; i < stack.count; ++i)
      require(found[static_cast<std::size_t>(i)] != 0, op.name(), "{} {}", name_of(i, stack, shape), without);
    return F;
  }
};

/// The power of two that scales E so that its largest element is as large as A's; 1 if either is zero. Results linear in E are
/// computed from the scaled E.
template <Scalar T, Scalar U>
double as_large_as(const T* A, const U* E, std::int64_t size) {
  const auto exponent_of = [size](const auto* x) {
    double largest = 0;
    for (std::int64_t k = 0; k < size; ++k) largest = std::max(largest, static_cast<double>(std::abs(x[k])));
    return std::isfinite(largest) && largest > 0 ? std::optional(std::ilogb(largest)) : std::nullopt;
  };
  const auto a = exponent_of(A), e = exponent_of(E);
  return a && e ? std::ldexp(1.0, std::clamp(*a - *e, -1000, 1000)) : 1;
}

template <Scalar T>
Var<T> apply(const MatrixFunction& f, const Var<T>& A, const SchurForm& form) {
  const Tensor<T> W = rounded_to<T>(from_schur(form.Q, f.of_triangles(form.S, A.shape(), f.no_value)));
  return record(
      f.op, W,
      [f, form, shape = A.shape(), dA = accumulator(A)](const Tensor<T>& dW) {
        if (!dA) return;
        const NoGrad none;
        const NoForward still;
        // tr(dWᴴ L(E)) = tr(L(dWᴴ) E) for the derivative L of a power series.
        const std::int64_t n = shape[-1];
        std::vector<double> scales;
        Tensor<std::complex<double>> E = adjoint_of(to_complex128(dW));
        const Stack stack("map", shape);
        for (std::int64_t i = 0; i < stack.count; ++i)
          scales.push_back(as_large_as(form.S.data() + i * n * n, E.data() + i * n * n, n * n));
        const auto scale_of = [&](std::int64_t i) { return scales[static_cast<std::size_t>(i)]; };
        E = map_places(E, [&](std::int64_t at, auto, auto, std::complex<double> e) { return e * scale_of(at); });
        const Tensor<std::complex<double>> F = f.of_triangles(block_form(form, E).S, shape, f.no_derivative);
        const Tensor<std::complex<double>> L = from_schur(form.Q, upper_right_of(Var<std::complex<double>>(F)).value());
        dA.add(rounded_to<T>(
            map_places(adjoint_of(L), [&](std::int64_t at, auto, auto, std::complex<double> x) { return x / scale_of(at); })));
      },
      [&](const Var<T>&) {
        using R = RealOf<T>;
        const double limit = std::sqrt(static_cast<double>(std::numeric_limits<R>::max()));
        const R c =
            static_cast<R>(std::clamp(as_large_as(A.value().data(), tangent(A).value().data(), A.size()), 1 / limit, limit));
        const Var<T> E = scale(tangent(A), c);
        const MatrixFunction slope{f.op, f.on_triangle, f.no_derivative, f.no_derivative};
        return scale(upper_right_of(apply(slope, blocks_of(A, E), block_form(form, to_complex128(E.value())))), 1 / c);
      },
      A);
}

}  // namespace argand::matrices
