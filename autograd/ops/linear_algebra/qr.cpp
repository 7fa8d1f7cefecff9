#include "autograd/op_check.h"
#include "autograd/ops/linear_algebra/factors.h"
#include "autograd/ops/linear_algebra/lu_factors.h"
#include "autograd/ops/linear_algebra/solve.h"

namespace argand {
namespace {

template <Scalar T>
OrthogonalFactors<T> qr_factors_of(const Var<T>& packed, std::int64_t m, std::int64_t n) {
  matrices::Pieces<T> pieces(packed);
  Var<T> Q = pieces.matrix(m, n);
  return {std::move(Q), pieces.matrix(n, n)};
}

/// Independent columns: 2 on the diagonal, plus a small multiple of A.
template <Scalar T>
Tensor<T> independent(Tensor<T> A) {
  const std::int64_t m = A.dim(-2), n = A.dim(-1);
  for (std::int64_t k = 0; k < A.size(); ++k) {
    A.data()[k] = A.data()[k] * RealOf<T>(0.4) / std::sqrt(RealOf<T>(m));
    if (k / n % m == k % n) A.data()[k] += T(2);
  }
  return A;
}

constexpr auto qr_product = [](auto A) {  // a function to which both factors matter
  const auto f = qr(A);
  return matmul(f.Q * f.Q, f.R * f.R);
};

}  // namespace

static const Op qr_op(
    {.name = "qr",
     .kind = Kind::General,
     .equation = "A = Q R, A [m, n], m >= n, batched: QᴴQ = I, R upper triangular with a real diagonal; side by side in one tensor "
                 "on the tape. For a wide A = (A₁ A₂), Q and R₁ are those of the square A₁, and R = (R₁ QᴴA₂)",
     .dz = "in differential form, dR = Π(C) R, dQ = (dA) R⁻¹ - Q Π(C), C = Qᴴ (dA) R⁻¹",
     .dzbar = "from Cᴴ in Π(C), which is C + Cᴴ above the diagonal, Re C = (C + Cᴴ)/2 on it and 0 below",
     .vjp = "dA = (dQ + Q N⁺) R⁻ᴴ, N = dR Rᴴ - Qᴴ dQ, N⁺ the Hermitian matrix equal to N above its diagonal and to Re N on it",
     .jvp = "Ṙ = Π(C) R, Q̇ = Ȧ R⁻¹ - Q Π(C), C = Qᴴ Ȧ R⁻¹",
     .derivation = "Along any direction Ȧ = Q̇ R + Q Ṙ; multiplying by Qᴴ from the left and R⁻¹ from the right gives C = Ω + Ṙ R⁻¹ "
                   "with Ω = Qᴴ Q̇. QᴴQ = I makes Ω anti-Hermitian, and Ṙ R⁻¹ is upper triangular with a real diagonal. So below "
                   "the diagonal Ω = C, above it Ω = -Cᴴ, and on it Ω = i Im C. The rest is Ṙ R⁻¹ = Π(C), and the first equation "
                   "gives Q̇. Backward, Re tr(dQᴴ Q̇ + dRᴴ Ṙ) = Re tr(dQᴴ Ȧ R⁻¹) + Re tr(Nᴴ Π(C)), and Re Σ conj(N_ij) (C_ij + "
                   "conj(C_ji)) over i < j pairs C_ij with N_ij and C_ji with conj(N_ij): Re tr((N⁺)ᴴ C).",
     .singular = "linearly dependent columns: R_jj = 0, and the gradient throws. Columns dependent to within rounding: R_jj is "
                 "pure rounding error, and so is the gradient, which divides by it",
     .source = "Walter & Lehmann, arXiv:1009.6112 (real); Roberts & Roberts, arXiv:2009.10071"},
    [](OpCheck& check) {
      const auto Q = [](auto A) { return qr(A).Q; };
      const auto R = [](auto A) { return qr(A).R; };
      check.function("real, Q", Q, independent(check.real({3, 2})));
      check.function("real, R", R, independent(check.real({3, 2})));
      check.function("complex, Q", Q, independent(check.complex({3, 3})));
      check.function("complex, R", R, independent(check.complex({2, 3, 2})));
      check.function("real, both", qr_product, independent(check.real({2, 2, 2})));
      check.function("complex, wide", qr_product, independent(check.complex({2, 4})));
      check.position_dependent();
      check.sizes("batch", [](OpCheck& at, std::int64_t n) {
        at.function("real", qr_product, independent(at.real({matrices::batch_of(n), 2, 2})));
        at.function("complex", qr_product, independent(at.complex({matrices::batch_of(n), 2, 2})));
      });
      check.sizes(
          "",
          [](OpCheck& at, std::int64_t n) {
            at.function("rows", qr_product, independent(at.real({n + 1, 2})));
          },
          67);
      check.sizes(
          "",
          [](OpCheck& at, std::int64_t n) {
            at.function("size", qr_product, independent(at.complex({n, n})));
          },
          67);
    });

namespace {

/// B R⁻¹ for variables, as (R⁻ᴴ Bᴴ)ᴴ.
template <Scalar T>
Var<T> divided_by(const Var<T>& B, const Var<T>& R) {
  return matrices::adjoint(solve(matrices::adjoint(R), matrices::adjoint(B)));
}

/// N⁺: N above the diagonal, its adjoint below, and its real part on the diagonal.
template <Scalar T>
Tensor<T> hermitian_of_upper(const Tensor<T>& N) {
  const std::int64_t n = N.dim(-1);
  return matrices::map_places(N, [&](std::int64_t at, std::int64_t i, std::int64_t j, T a) {
    return i == j ? T(real_of(a)) : i < j ? a : conj_of(N.data()[(at * n + j) * n + i]);
  });
}

/// Q and R of a tall A, m >= n.
template <Scalar T>
OrthogonalFactors<T> tall_qr(const Var<T>& A) {
  const matrices::Stack stack("qr", A.shape());
  const std::int64_t m = stack.m, n = stack.n;
  const Shape leading = matrices::Stack::leading(A.shape());
  Shape shape = leading;
  shape.push_back(m * n + n * n);
  Tensor<T> w(shape), Q(A.shape()), R = Tensor<T>::zeros(matrices::shape_of(leading, n, n));
  T *const out = w.data(), *const q = Q.data(), *const r = R.data();
  matrices::each(stack, [&](std::int64_t i) {
    if (matrices::holds_nan(A.value().data() + i * m * n, m * n)) {
      matrices::fill_with_nan(q + i * m * n, m * n);
      for (std::int64_t row = 0; row < n; ++row) matrices::fill_with_nan(r + (i * n + row) * n + row, n - row);
    } else {
      std::vector<T> columns = matrices::by_columns(m, n, A.value().data() + i * m * n), upper(static_cast<std::size_t>(n * n));
      lapack_qr(m, n, columns.data(), upper.data());
      matrices::transpose_into(n, m, columns.data(), q + i * m * n);
      matrices::transpose_into(n, n, upper.data(), r + i * n * n);
    }
    T* const to = out + i * (m * n + n * n);
    std::copy_n(q + i * m * n, m * n, to);
    std::copy_n(r + i * n * n, n * n, to + m * n);
  });
  const Var<T> packed = record(
      qr_op, w,
      [=, dA = accumulator(A)](const Tensor<T>& dw) {
        const Tensor<T> dQ = matrices::piece(dw, 0, m, n), dR = matrices::piece(dw, m * n, n, n);
        const matrices::LuFactors<T> factors("qr", R);
        for (std::int64_t i = 0; i < stack.count; ++i)
          require(!factors.is_singular(i), "qr", "the columns of {} are linearly dependent, so Q has no derivative",
                  matrices::name_of(i, stack, Q.shape()));
        const Tensor<T> N = map([](T a, T b) { return a - b; }, matrices::product(dR, R, Transpose::No, Transpose::Conjugate),
                                matrices::product(Q, dQ, Transpose::Conjugate));
        Tensor<T> sum = matrices::product(Q, hermitian_of_upper(N));
        sum.add(dQ);
        dA.add(matrices::adjoint_of(factors.solved(matrices::adjoint_of(sum), false)));  // (R⁻¹ ·ᴴ)ᴴ = · R⁻ᴴ
      },
      [&](const Var<T>& w) {
        using Number = RealOf<T>;
        const OrthogonalFactors<T> f = qr_factors_of(w, m, n);
        const Var<T> right = divided_by(tangent(A), f.R), C = matmul(f.Q, right, Transpose::Conjugate);
        const Var<T> twice = C + matrices::adjoint(C);
        const Var<T> Pi = twice * matrices::constant_matrix<Number>(n, n, [](auto i, auto j) {
                            return i == j ? 0.5 : i < j ? 1.0 : 0.0;
                          });
        return matrices::packed<T>({right - matmul(f.Q, Pi), matmul(Pi, f.R)});
      },
      A);
  return qr_factors_of(packed, m, n);
}

}  // namespace

template <Scalar T>
OrthogonalFactors<T> qr(const Var<T>& A) {
  const matrices::Stack stack("qr", A.shape());
  if (stack.m >= stack.n) return tall_qr(A);
  const OrthogonalFactors<T> first = tall_qr(slice(A, -1, 0, stack.m));
  const Var<T> rest = matmul(first.Q, slice(A, -1, stack.m, stack.n), Transpose::Conjugate);
  return {first.Q, concatenate(std::vector<Var<T>>{first.R, rest}, -1)};
}

#define ARGAND_QR(T) template OrthogonalFactors<T> qr(const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_QR)

}  // namespace argand
