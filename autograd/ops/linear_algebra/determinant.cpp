#include <memory>

#include "autograd/op_check.h"
#include "autograd/ops/linear_algebra/lu_factors.h"
#include "autograd/ops/linear_algebra/solve.h"

namespace argand {

// ------------------------------------------------------------------------------------------------ det

static const Op det_op(
    {.name = "det",
     .kind = Kind::Holomorphic,
     .equation = "w = det A, batched: the product of U's diagonal times the sign of the permutation, from the LU factors of A",
     .dz = "∂w/∂A_ij = C_ij, the cofactor",
     .dzbar = "0",
     .vjp = "dA = conj(C) dw, conj(C) = conj(w) A⁻ᴴ; near a singular A it is computed as conj(det U det Vᴴ) U diag(Π_{j≠i} s_j) "
            "Vᴴ, A = U diag(s) Vᴴ",
     .jvp = "ẇ = Σ_j det(A with column j replaced by column j of Ȧ)",
     .derivation = "Expanding along row i, w = Σ_j A_ij C_ij, and no C_ij depends on row i: ∂w/∂A_ij = C_ij. For nonsingular A, C "
                   "= w A⁻ᵀ (Jacobi); the adjugate Cᵀ = adj(A) always exists, and with adj(XY) = adj(Y) adj(X) the singular value "
                   "decomposition gives the formula above. It divides by nothing, so it holds for singular A too, and vanishes "
                   "when two or more singular values vanish. Tangent: det is linear in each column.",
     .singular = "none: for singular A the gradient comes from the cofactors, which are not all 0 if the rank is n - 1. Products "
                 "carry their exponents separately, so the value and the gradient overflow only where the exact result does",
     .source = "Horn & Johnson, Matrix Analysis, 0.8.2 and 0.8.10"},
    [](OpCheck& check) {
      const auto f = [](auto A) { return det(A); };
      check.function("real", f, check.real({3, 3}));
      check.function("complex", f, check.complex({2, 3, 3}));
      check.function("rows and columns of very different sizes", f,
                     Tensor<double>({3, 3}, {1e-8, 2e-3, 0, 3, 4e7, 1e3, 2e-6, 0, 5}));
      check.function("rank n - 1", f, Tensor<double>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}));
      check.function("complex, rank n - 1", f, Tensor<std::complex<double>>({2, 2}, {{1, 1}, {2, 0}, {0, 2}, {2, 2}}));
      matrices::sizes_regular(check, f);
    });

namespace {

/// The determinant of a unitary A [n, n], stored by columns or by rows. Overwrites A.
template <Scalar T>
T determinant_in_place(std::int64_t n, T* A) {
  std::vector<int> pivots;
  lapack_lu(n, A, pivots);
  return matrices::product_of_diagonal(n, A, pivots).value();
}

/// 2^-e conj(C) for one matrix, computed without division: U diag(Π_{j≠i} s_j) Vᴴ times conj(det U det Vᴴ). Returns e.
template <Scalar T>
std::int64_t conjugate_cofactors(std::int64_t n, const T* A, T* C) {
  using R = RealOf<T>;
  std::vector<T> a = matrices::by_columns(n, n, A), U(a.size()), V(a.size());
  std::vector<R> s(static_cast<std::size_t>(n)), others(s.size());
  lapack_svd(n, n, a.data(), U.data(), s.data(), V.data());
  std::vector<matrices::Scaled<R>> products(s.size());
  std::int64_t largest = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 0; i < s.size(); ++i) {
    for (std::size_t j = 0; j < s.size(); ++j)
      if (j != i) products[i] *= s[j];
    if (products[i].m != 0) largest = std::max(largest, products[i].exponent);
  }
  for (std::size_t i = 0; i < s.size(); ++i)
    others[i] = products[i].m == 0 ? R(0) : matrices::Scaled<R>::times_power(products[i].m, products[i].exponent - largest);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      T sum(0);
      for (std::int64_t k = 0; k < n; ++k)
        sum += mul(U[static_cast<std::size_t>(k * n + i)] * others[static_cast<std::size_t>(k)],
                   V[static_cast<std::size_t>(j * n + k)]);
      C[i * n + j] = sum;
    }
  const T turn = conj_of(mul(determinant_in_place(n, U.data()), determinant_in_place(n, V.data())));
  for (std::int64_t k = 0; k < n * n; ++k) C[k] = mul(turn, C[k]);
  return largest == std::numeric_limits<std::int64_t>::min() ? 0 : largest;
}

/// g <- conj(C) dw for matrix i of A, by rows.
template <Scalar T>
void det_gradient(const matrices::LuFactors<T>& factors, std::int64_t i, const T* A, T dw, T* g) {
  const std::int64_t n = factors.stack().n;
  if (factors.is_nan(i)) return matrices::fill_with_nan(g, n * n);
  std::int64_t exponent = 0;
  matrices::Scaled<T> c;
  if (factors.is_far_from_singular(i)) {
    const std::vector<T> W = factors.scaled_inverse(i);
    std::copy(W.begin(), W.end(), g);
    c = factors.determinant(i);
    exponent = c.exponent - factors.all_exponents(i);
    c = {conj_of(c.m), 0};
  } else {
    std::vector<T> B(static_cast<std::size_t>(n * n));
    factors.scale_down(i, A, B.data());
    if (!matrices::all_finite(B.data(), n * n)) return matrices::fill_with_nan(g, n * n);
    exponent = conjugate_cofactors(n, B.data(), g);
  }
  c *= dw;
  for (std::int64_t row = 0, k = 0; row < n; ++row)
    for (std::int64_t column = 0; column < n; ++column, ++k)
      g[k] = matrices::Scaled<T>::times_power(mul(c.m, g[k]), c.exponent + exponent + factors.exponent_of_minor(i, row, column));
}

}  // namespace

template <Scalar T>
Var<T> det(const Var<T>& A) {
  using R = RealOf<T>;
  const auto factors = std::make_shared<const matrices::LuFactors<T>>("det", A.value());
  const std::int64_t n = factors->stack().n;
  Tensor<T> w(matrices::Stack::leading(A.shape()));
  for (std::int64_t i = 0; i < w.size(); ++i) {
    w.data()[i] = factors->determinant(i).value();
    if (factors->is_nan(i)) matrices::fill_with_nan(w.data() + i, 1);
  }
  return record(
      det_op, w,
      [factors, n, a = A.value(), dA = accumulator(A)](const Tensor<T>& dw) {
        if (!dA) return;
        Tensor<T> g(a.shape());
        T* const out = g.data();
        matrices::each(factors->stack(),
                       [&](std::int64_t i) { det_gradient(*factors, i, a.data() + i * n * n, dw.data()[i], out + i * n * n); });
        dA.add(g);
      },
      [&](const Var<T>&) {
        Tensor<R> own = Tensor<R>::ones({n, 1, n}), other = Tensor<R>::zeros({n, 1, n});
        for (std::int64_t j = 0; j < n; ++j) own(j, 0, j) = 0, other(j, 0, j) = 1;
        Shape shape = matrices::Stack::leading(A.shape());
        for (const std::int64_t size : {std::int64_t{1}, n, n}) shape.push_back(size);
        return sum(det(reshape(A, shape) * Var<R>(own) + reshape(tangent(A), shape) * Var<R>(other)), -1);
      },
      A);
}

// ------------------------------------------------------------------------------------------------ slogdet

static const Op slogdet_op(
    {.name = "slogdet",
     .kind = Kind::General,
     .equation = "(σ, ℓ): σ = det A/|det A|, ℓ = log |det A|, batched; side by side in one tensor on the tape",
     .dz = "∂ℓ/∂A = A⁻ᵀ/2, ∂σ/∂A = σ A⁻ᵀ/2 (complex); A⁻ᵀ and 0 (real)",
     .dzbar = "∂ℓ/∂Ā = A⁻ᴴ/2, ∂σ/∂Ā = -σ A⁻ᴴ/2",
     .vjp = "dA = (Re dℓ - i Im(conj(dσ) σ)) A⁻ᴴ",
     .jvp = "ℓ̇ = Re τ, σ̇ = i σ Im τ, τ = tr(A⁻¹ Ȧ)",
     .derivation =
         "Jacobi's formula: (log det A)˙ = tr(A⁻¹ Ȧ) = τ. The real part of log det A is ℓ, its imaginary part the angle of σ: ℓ̇ = "
         "Re τ, σ̇ = i σ Im τ, which is 0 for a real A. Since Re(conj(dσ) i σ Im τ) = -Im(conj(dσ) σ) Im τ, the loss changes by "
         "Re(conj(c) τ) with c = Re dℓ - i Im(conj(dσ) σ), and Re(conj(c) tr(A⁻¹ Ȧ)) = Re tr((c A⁻ᴴ)ᴴ Ȧ).",
     .singular = "det A = 0: σ = 0, ℓ = -∞, and the gradient throws",
     .source = "Giles (2008), 2.2.4; Hjørungnes, Complex-Valued Matrix Derivatives, table 3.1"},
    [](OpCheck& check) {
      const auto sign = [](auto A) { return slogdet(A).sign; };
      const auto log = [](auto A) { return slogdet(A).logabsdet; };
      const auto both = [](auto A) {
        const auto d = slogdet(A);
        return d.sign * d.logabsdet;
      };
      check.function("real, log", log, matrices::regular(check.real({3, 3})));
      check.function("complex, both", both, matrices::regular(check.complex({2, 3, 3})));
      check.function("complex, sign", sign, matrices::regular(check.complex({3, 3})));
      matrices::sizes_regular(check, both);
    });

namespace {

/// σ and ℓ, packed as [..., 2].
template <Scalar T>
Var<T> packed_slogdet(const Var<T>& A) {
  using R = RealOf<T>;
  const auto factors = std::make_shared<const matrices::LuFactors<T>>("slogdet", A.value());
  Shape shape = matrices::Stack::leading(A.shape());
  shape.push_back(2);
  Tensor<T> w(shape);
  for (std::int64_t i = 0; i < factors->stack().count; ++i) {
    matrices::Scaled<T> d = factors->determinant(i);
    R modulus = std::abs(d.m);
    const T sign = modulus == 0 ? T(0) : T(d.m / modulus);
    if (modulus > R(1.5)) modulus /= 2, ++d.exponent;  // keeps modulus near 1 if |det A| is, to avoid cancellation
    const R log = modulus == 0 ? -std::numeric_limits<R>::infinity()
                               : static_cast<R>(std::log(modulus) + static_cast<double>(d.exponent) * 0.693147180559945309);
    w.data()[2 * i] = sign, w.data()[2 * i + 1] = log;
    if (factors->is_nan(i)) matrices::fill_with_nan(w.data() + 2 * i, 2);
  }
  return record(
      slogdet_op, w,
      [factors, w, dA = accumulator(A)](const Tensor<T>& dw) {
        factors->require_regular("slogdet");
        if (dA)
          dA.add(matrices::map_places(factors->inverse(true), [&](std::int64_t at, std::int64_t, std::int64_t, T a) {
            if constexpr (ComplexScalar<T>)
              return mul(T(dw.data()[2 * at + 1].real(), -conj_mul(dw.data()[2 * at], w.data()[2 * at]).imag()), a);
            else
              return dw.data()[2 * at + 1] * a;
          }));
      },
      [&](const Var<T>& w) {
        Shape column = matrices::Stack::leading(A.shape());
        column.push_back(1);
        const Var<T> t = reshape(matrices::trace(solve(A, tangent(A))), column);
        if constexpr (ComplexScalar<T>)
          return concatenate(std::vector<Var<T>>{slice(w, -1, 0, 1) * T(0, 1) * imag(t), to_complex(real(t))}, -1);
        else
          return concatenate(std::vector<Var<T>>{Var<T>(Tensor<T>::zeros(column)), t}, -1);
      },
      A);
}

}  // namespace

template <Scalar T>
SignAndLog<T> slogdet(const Var<T>& A) {
  matrices::Pieces<T> pieces(packed_slogdet(A));
  Var<T> sign = pieces.number();
  return {std::move(sign), matrices::real_part(pieces.number())};
}

#define ARGAND_DETERMINANT(T)         \
  template Var<T> det(const Var<T>&); \
  template SignAndLog<T> slogdet(const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_DETERMINANT)

}  // namespace argand
