#include "autograd/op_check.h"
#include "autograd/ops/linear_algebra/factors.h"
#include "autograd/ops/linear_algebra/gauge.h"
#include "autograd/ops/linear_algebra/matrices.h"
#include "core/machine/lapack.h"

namespace argand {
namespace {

/// Singular values near 1, 2, ...: a diagonal plus a small multiple of A.
template <Scalar T>
Tensor<T> with_distinct_values(Tensor<T> A) {
  const std::int64_t m = A.dim(-2), n = A.dim(-1);
  for (std::int64_t k = 0; k < A.size(); ++k) {
    A.data()[k] = A.data()[k] * RealOf<T>(0.2) / std::sqrt(RealOf<T>(std::max(m, n)));
    if (k / n % m == k % n) A.data()[k] += T(RealOf<T>(k % n + 1));
  }
  return A;
}

/// [..., k] as [..., 1, k], to scale the columns of a matrix.
template <Scalar T>
Var<T> as_row(const Var<T>& x) {
  Shape row = x.shape();
  row[-1] = 1;
  row.push_back(x.dim(-1));
  return reshape(x, row);
}

/// Gauge-invariant losses: the values; |u|² and |v|², element by element; and a function of the matrix.
constexpr auto singular_values = [](auto A) { return svdvals(A); };
constexpr auto left_moduli = [](auto A) { return abs2(svd(A).U); };
constexpr auto right_moduli = [](auto A) { return abs2(svd(A).Vh); };
constexpr auto function_of_factors = [](auto A) {
  const auto f = svd(A);
  return matmul(f.U * as_row(f.S / (f.S * f.S + 2.0)), f.Vh);
};
constexpr auto polar_factor = [](auto A) {
  const auto f = svd(A);
  return matmul(f.U, f.Vh);
};

}  // namespace

static const Op svd_op(
    {.name = "svd",
     .kind = Kind::General,
     .equation =
         "A = U S Vᴴ, A [m, n], k = min(m, n), batched: UᴴU = VᴴV = I, S = diag(s), s descending; side by side in one tensor on "
         "the tape",
     .dz = "in differential form, ds_j = Re P_jj; dU = U Ω + (I - UUᴴ)(dA) V S⁻¹, P = Uᴴ (dA) V, 2 Ω = F⁻ ∘ (P + Pᴴ) + F⁺ ∘ (P - "
           "Pᴴ), F⁻_ij = 1/(s_j - s_i), F⁻_ii = 0, F⁺_ij = 1/(s_i + s_j); dV likewise with -F⁺",
     .dzbar = "from Pᴴ in ds and Ω, and from (dA)ᴴ in dV",
     .vjp =
         "dA = U (diag(ds) + (F⁻ ∘ K⁺ + F⁺ ∘ K⁻)/2) Vᴴ + (I - UUᴴ) dU S⁻¹ Vᴴ + U S⁻¹ dVᴴ (I - VVᴴ), K± = M - Mᴴ, M = Uᴴ dU ± Vᴴ dV",
     .jvp = "ṡ = Re diag P, U̇ = U Ω + (I - UUᴴ) Ȧ V S⁻¹, V̇ = V Ω' + (I - VVᴴ) Ȧᴴ U S⁻¹",
     .derivation =
         "Along any direction Ȧ = U̇ S Vᴴ + U Ṡ Vᴴ + U S V̇ᴴ; multiplying by Uᴴ from the left and V from the right gives P = Ω S + Ṡ "
         "- S Ω' with Ω = UᴴU̇, Ω' = VᴴV̇, both anti-Hermitian. So P + Pᴴ = (Ω + Ω') S - S (Ω + Ω') + 2 Ṡ and P - Pᴴ = (Ω - Ω') S + "
         "S (Ω - Ω'): elementwise, Ω + Ω' = F⁻ ∘ (P + Pᴴ), Ω - Ω' = F⁺ ∘ (P - Pᴴ), ṡ = Re diag P. The diagonal of Ω + Ω' turns the "
         "common phase of u_j and v_j, is arbitrary, and is set to 0. The part of U̇ outside the span of U is (I - UUᴴ) U̇ = (I - "
         "UUᴴ) Ȧ V S⁻¹; V likewise. Backward, Re tr(dUᴴ U Ω + dVᴴ V Ω') = Re tr(M₊ᴴ (Ω + Ω') + M₋ᴴ (Ω - Ω'))/2, M± = UᴴdU ± VᴴdV; "
         "F⁻ is real and antisymmetric, F⁺ real and symmetric, so the gradient of P is F⁻ ∘ (M₊ - M₊ᴴ)/2 + F⁺ ∘ (M₋ - M₋ᴴ)/2. The "
         "diagonal of M₊ is real if the loss does not depend on the common phases; the backward pass checks this.",
     .singular =
         "s_i = s_j, or a gap below 100 ε s_1: throws if the loss depends on their vectors or distinguishes coinciding values; for "
         "wider gaps the gradient has a relative error of about ε s_1/(s_i - s_j), and is NaN where the reciprocal of the gap "
         "overflows. s_j = 0: throws if the loss depends on s_j (unless A is real and square and no other s is 0), on the phase of "
         "u_j relative to v_j or, for m ≠ n, on these vectors. (Broadening: x/(x² + ε²) in place of 1/x, which omits these "
         "contributions.) Always throws if the loss depends on a common phase. A non-finite entry makes the whole result NaN",
     .source = "Giles (2008), 3.2; Wan & Zhang, arXiv:1909.02659 (complex); Townsend, Differentiating the SVD (2016)"},
    [](OpCheck& check) {
      check.function("real, S", singular_values, with_distinct_values(check.real({3, 2})));
      check.function("complex, S", singular_values, with_distinct_values(check.complex({2, 2, 3})));
      check.function("real, |U|²", left_moduli, with_distinct_values(check.real({3, 2})));
      check.function("complex, |U|²", left_moduli, with_distinct_values(check.complex({3, 3})));
      check.function("real, |V|²", right_moduli, with_distinct_values(check.real({2, 4})));
      check.function("complex, |V|²", right_moduli, with_distinct_values(check.complex({2, 3})));
      check.function("real, function of A", function_of_factors, with_distinct_values(check.real({2, 3, 2})));
      check.function("complex, function of A", function_of_factors, with_distinct_values(check.complex({3, 3})));
      check.function("complex, U Vᴴ", polar_factor, with_distinct_values(check.complex({3, 2})));
      check.position_dependent();
      check.sizes("batch", [](OpCheck& at, std::int64_t n) {
        at.function("real", singular_values, with_distinct_values(at.real({matrices::batch_of(n), 2, 2})));
        at.function("complex", polar_factor, with_distinct_values(at.complex({matrices::batch_of(n), 2, 2})));
      });
      check.sizes(
          "size",
          [](OpCheck& at, std::int64_t n) {
            at.function("complex", function_of_factors, with_distinct_values(at.complex({n, n})));
            at.function("real, tall", function_of_factors, with_distinct_values(at.real({n + 3, n})));
          },
          19);
    });

namespace {

/// The gradient of one matrix's factors, all stored by rows: turns M_u = Uᴴ dU and M_v = Vᴴ dV into the matrix between U and Vᴴ,
/// stored in M_u.
template <Scalar T>
class SvdMiddle {
 public:
  using R = RealOf<T>;
  SvdMiddle(std::int64_t m, std::int64_t n, const R* s, const SvdOptions& options, std::string name)
      : k_(std::min(m, n)),
        square_(m == n),
        s_(s),
        exact_(!options.values_only && options.broadening == 0),
        broadening_(options.broadening),
        closest_(matrices::closest_of(k_ == 0 ? R(0) : s[0], std::max(m, n))),
        too_close_(matrices::too_close_of(k_ == 0 ? R(0) : s[0], std::max(m, n))),
        name_(std::move(name)) {}

  /// Throws if the loss distinguishes coinciding values or depends on a value of 0: the derivative then involves vectors that do
  /// not enter ds, as for Σ W ∘ (U f(S) Vᴴ) where f(s) = 0.
  void check_values(const T* ds) const {
    R steepest = 0;
    for (std::int64_t j = 0; j < k_; ++j) steepest = std::max(steepest, std::abs(real_of(ds[j])));
    const R bar = matrices::rounding_of(steepest, k_);
    for (std::int64_t j = 0; exact_ && j < k_; ++j) {
      const bool alone = j == 0 || !(s_[j - 1] - s_[j] <= closest_), last = j + 1 == k_;
      const R slope = std::abs(real_of(ds[j])), apart = alone ? R(0) : std::abs(real_of(ds[j]) - real_of(ds[j - 1]));
      require(!(s_[j] <= closest_) || (RealScalar<T> && square_ && alone && last) || !(slope > bar), "svd",
              "singular value {} of {} is 0 and the loss depends on it (slope {:.3g}), so the value alone does not determine the "
              "gradient; if the loss uses no singular vectors, svdvals gives one of the possible gradients",
              j, name_, slope);
      require(!(apart > bar), "svd",
              "singular values {} and {} of {} coincide (both {:.6g}), but the loss's derivatives with respect to them differ (by "
              "{:.3g}), so the values alone do not determine the gradient; if the loss uses no singular vectors, svdvals gives one "
              "of the possible gradients",
              j - 1, j, name_, s_[j], apart);
    }
  }

  /// Writes diag(ds) + (F⁻ ∘ K⁺ + F⁺ ∘ K⁻)/2 to M_u. Throws if the loss depends on a gauge.
  void middle(const T* ds, T* M_u, const T* M_v) const {
    const R bar = matrices::rounding_of(largest_of(M_u, k_ * k_) + largest_of(M_v, k_ * k_), k_);
    for (std::int64_t i = 0; i < k_; ++i)
      for (std::int64_t j = 0; j <= i; ++j) {
        const std::int64_t ij = i * k_ + j, ji = j * k_ + i;
        if (i == j)
          require_no_phase(i, M_u[ij], M_v[ij], bar);
        else
          require_no_rotation(i, j, std::abs(M_u[ij] - conj_of(M_u[ji]) + M_v[ij] - conj_of(M_v[ji])),
                              std::max({std::abs(M_u[ij]), std::abs(M_u[ji]), std::abs(M_v[ij]), std::abs(M_v[ji])}), bar);
        const T u = M_u[ij] - conj_of(M_u[ji]), v = M_v[ij] - conj_of(M_v[ji]);
        const T common = R(0.5) * inverse(s_[j] - s_[i]) * (u + v), against = R(0.5) * inverse(s_[i] + s_[j]) * (u - v);
        M_u[ij] = common + against;
        M_u[ji] = i == j ? against + T(real_of(ds[i])) : conj_of(common - against);
      }
  }

  /// Divides X_j, vector j of the part of dU or dV outside the span of U or V, by s_j. `step` is the stride between its elements.
  void divide(T* X, std::int64_t size, std::int64_t vector, std::int64_t step, R scale) const {
    for (std::int64_t j = 0; j < k_; ++j) {
      R depends = 0;
      for (std::int64_t i = 0; i < size; ++i) depends = std::max(depends, static_cast<R>(std::abs(X[j * vector + i * step])));
      require(broadening_ > 0 || !(s_[j] <= closest_) || !(depends > matrices::rounding_of(scale, size)), "svd",
              "singular value {} of {} is 0 and the loss depends on its singular vectors (slope {:.3g}), which have no derivative",
              j, name_, depends);
      for (std::int64_t i = 0; i < size; ++i) X[j * vector + i * step] *= inverse(s_[j]);
    }
  }

  static R largest_of(const T* X, std::int64_t size) {
    R largest = 0;
    for (std::int64_t i = 0; i < size; ++i) largest = std::max(largest, static_cast<R>(std::abs(X[i])));
    return largest;
  }

 private:
  R inverse(R x) const { return matrices::inverse_of(x, closest_, broadening_); }

  void require_no_phase(std::int64_t j, T u, T v, R bar) const {
    if constexpr (ComplexScalar<T>) {
      const R violation = std::abs(u.imag() + v.imag()), against = std::abs(u.imag() - v.imag());
      require(!(violation > bar), "svd",
              "the loss depends on the common phase of singular vectors {} of {}, which is arbitrary: it changes by {:.3g} per "
              "radian; use |u|², |v|² or u vᴴ, or fix the phase",
              j, name_, violation);
      require(broadening_ > 0 || !(s_[j] <= closest_) || !(against > bar), "svd",
              "singular value {} of {} is 0 and the loss depends on the phase of its u relative to its v (by {:.3g}), which is "
              "then arbitrary",
              j, name_, against);
    }
  }

  /// `rotates` is the change in the loss per radian when both pairs of vectors rotate.
  void require_no_rotation(std::int64_t i, std::int64_t j, R rotates, R depends, R bar) const {
    const R gap = s_[j] - s_[i];
    const bool is_free = broadening_ > 0 || !(gap <= too_close_) || !(depends > bar);
    require(is_free || gap <= closest_, "svd",
            "singular values {} and {} of {} are too close ({:.6g}, {:.3g} apart) and the loss depends on their singular vectors, "
            "whose derivative would have no correct digits",
            j, i, name_, s_[i], gap);
    require(is_free || !(rotates > bar), "svd",
            "singular values {} and {} of {} coincide (both {:.6g}) and the loss depends on their singular vectors (slope {:.3g}), "
            "which have no derivative",
            j, i, name_, s_[i], rotates);
    require(is_free, "svd",
            "singular values {} and {} of {} coincide (both {:.6g}), and the gradient of the loss through their singular vectors "
            "is 0/0",
            j, i, name_, s_[i]);
  }

  std::int64_t k_;
  bool square_;
  const R* s_;
  bool exact_;
  double broadening_;
  R closest_, too_close_;
  std::string name_;
};

/// X - Q Y.
template <Scalar T>
Tensor<T> subtract_product(const Tensor<T>& X, const Tensor<T>& Q, const Tensor<T>& Y) {
  return map([](T x, T y) { return x - y; }, X, matrices::product(Q, Y));
}

template <Scalar T>
SingularFactors<T> factors_of(const Var<T>& packed, std::int64_t m, std::int64_t n) {
  const std::int64_t k = std::min(m, n);
  matrices::Pieces<T> pieces(packed);
  Var<T> U = pieces.matrix(m, k);
  Var<RealOf<T>> S = matrices::real_part(pieces.vector(k));
  return {std::move(U), std::move(S), pieces.matrix(k, n)};
}

/// The tangents U̇, Ṡ (converted to T, [..., k, 1]) and V̇ᴴ, packed side by side.
template <Scalar T>
Var<T> svd_tangent(const SingularFactors<T>& f, const Var<T>& dot, double broadening) {
  using R = RealOf<T>;
  const std::int64_t m = f.U.dim(-2), n = f.Vh.dim(-1), k = f.S.dim(-1);
  const Var<R> row = as_row(f.S), I = matrices::identity<R>(k), none(Tensor<R>::scalar(0));
  const Var<T> UA = matmul(f.U, dot, Transpose::Conjugate), P = matmul(UA, f.Vh, Transpose::No, Transpose::Conjugate);
  const Var<T> Ph = matrices::adjoint(P);
  const Var<T> both = (P + Ph) * matrices::inverse_of(row - transpose(row), I, broadening),
               against = (P - Ph) * matrices::inverse_of(row + transpose(row), none, broadening);
  const Var<R> S_inverse = matrices::inverse_of(row, none, broadening);
  Var<T> U_dot = scale(matmul(f.U, both + against), R(0.5)), Vh_dot = scale(matmul(against - both, f.Vh), R(0.5));
  if (m > k) U_dot = U_dot + (matmul(dot, f.Vh, Transpose::No, Transpose::Conjugate) - matmul(f.U, P)) * S_inverse;
  if (n > k) Vh_dot = Vh_dot + (UA - matmul(P, f.Vh)) * transpose(S_inverse);
  const Var<T> diagonal = scale(sum((P + Ph) * I, -1, true), R(0.5));
  return matrices::packed<T>({U_dot, diagonal, Vh_dot});
}

}  // namespace

template <Scalar T>
SingularFactors<T> svd(const Var<T>& A, const SvdOptions& options) {
  using R = RealOf<T>;
  matrices::check_broadening("svd", options.broadening);
  const matrices::Stack stack("svd", A.shape());
  const std::int64_t m = stack.m, n = stack.n, k = std::min(m, n), each = m * k + k + k * n;
  const Shape leading = matrices::Stack::leading(A.shape());
  Shape shape = leading;
  shape.push_back(each);
  Tensor<T> w(shape);
  Tensor<R> values({stack.count, k});
  T* const out = w.data();
  R* const all_values = values.data();
  matrices::each(stack, [&](std::int64_t i) {
    T* const to = out + i * each;
    R* const s = all_values + i * k;
    if (!matrices::all_finite(A.value().data() + i * m * n, m * n)) {
      matrices::fill_with_nan(s, k);
      return matrices::fill_with_nan(to, each);
    }
    std::vector<T> a = matrices::by_columns(m, n, A.value().data() + i * m * n), u(static_cast<std::size_t>(m * k)),
                   vh(static_cast<std::size_t>(k * n));
    lapack_svd(m, n, a.data(), u.data(), s, vh.data());
    matrices::transpose_into(k, m, u.data(), to);
    std::copy(s, s + k, to + m * k);
    matrices::transpose_into(n, k, vh.data(), to + m * k + k);
  });
  const Var<T> packed = record(
      svd_op, w,
      [=, shape = A.shape(), U = matrices::piece(w, 0, m, k), Vh = matrices::piece(w, m * k + k, k, n),
       dA = accumulator(A)](const Tensor<T>& dw) {
        if (!dA) return;
        const Tensor<T> dU = matrices::piece(dw, 0, m, k), dS = matrices::piece(dw, m * k, k, 1),
                        dVh = matrices::piece(dw, m * k + k, k, n);
        Tensor<T> M_u = matrices::product(U, dU, Transpose::Conjugate);
        const Tensor<T> M_v = matrices::product(Vh, dVh, Transpose::No, Transpose::Conjugate);
        Tensor<T> left = m > k ? subtract_product(dU, U, M_u) : Tensor<T>(), right;
        if (n > k) right = subtract_product(dVh, matrices::adjoint_of(M_v), Vh);
        for (std::int64_t i = 0; i < stack.count; ++i) {
          const SvdMiddle<T> one(m, n, values.data() + i * k, options, matrices::name_of(i, stack, shape));
          one.check_values(dS.data() + i * k);
          if (m > k) one.divide(left.data() + i * m * k, m, 1, k, one.largest_of(dU.data() + i * m * k, m * k));
          if (n > k) one.divide(right.data() + i * k * n, n, n, 1, one.largest_of(dVh.data() + i * k * n, k * n));
          one.middle(dS.data() + i * k, M_u.data() + i * k * k, M_v.data() + i * k * k);
        }
        Tensor<T> beside_U = matrices::product(M_u, Vh);
        if (n > k) beside_U.add(right);
        Tensor<T> g = matrices::product(U, beside_U);
        if (m > k) g.add(matrices::product(left, Vh));
        dA.add(g);
      },
      [&](const Var<T>& w) { return svd_tangent(factors_of(w, m, n), tangent(A), options.broadening); }, A);
  return factors_of(packed, m, n);
}

#define ARGAND_SVD(T) template SingularFactors<T> svd(const Var<T>&, const SvdOptions&);
ARGAND_FOR_SCALAR(ARGAND_SVD)

}  // namespace argand
