#include "autograd/ops/linear_algebra/eigh.h"

#include "autograd/op_check.h"
#include "autograd/ops/linear_algebra/gauge.h"
#include "autograd/ops/linear_algebra/matrices.h"
#include "autograd/ops/own_name.h"
#include "core/machine/lapack.h"

namespace argand {
namespace {

template <Scalar T>
Var<T> packed_eigh(const Var<T>& A, const EighOptions& options);

template <Scalar T>
Eigen<T> eigen_of(const Var<T>& packed, std::int64_t n) {
  matrices::Pieces<T> pieces(packed);
  const Var<T> values = pieces.vector(n);
  return {matrices::real_part(values), pieces.matrix(n, n)};
}

/// A matrix whose Hermitian part has eigenvalues near 0, 1, 2, ...
template <Scalar T>
Tensor<T> well_separated(Tensor<T> A) {
  const std::int64_t n = A.dim(-1);
  for (std::int64_t k = 0; k < A.size(); ++k) {
    A.data()[k] = A.data()[k] * RealOf<T>(0.2) / std::sqrt(RealOf<T>(n));
    if (k / n % n == k % n) A.data()[k] += T(RealOf<T>(k % n));
  }
  return A;
}

/// Gauge-invariant losses: the values; |v|², element by element; and a function of the matrix.
constexpr auto eigenvalues = [](auto A) { return eigvalsh(A); };
constexpr auto squared_vectors = [](auto A) { return abs2(eigh(A).vectors); };
constexpr auto function_of_matrix = [](auto A) {
  const auto e = eigh(A);
  const auto f = e.values / (e.values * e.values + 2.0);
  Shape row = f.shape();
  row[-1] = 1;
  row.push_back(f.dim(-1));
  return matmul(e.vectors * reshape(f, row), e.vectors, Transpose::No, Transpose::Conjugate);
};

constexpr auto values_turned = [](auto A) {
  const auto lambda = eigh(A).values;
  return make_complex(lambda, lambda);
};

}  // namespace

static const Op eigh_op(
    {.name = "eigh",
     .kind = Kind::General,
     .equation = "H = V diag(λ) Vᴴ, H = (A + Aᴴ)/2, VᴴV = I, λ ascending; λ and V side by side in one tensor on the tape",
     .dz = "in differential form, dλ_k = v_kᴴ (dH) v_k, dV = V (F ∘ Vᴴ (dH) V), F_ij = 1/(λ_j - λ_i), F_ii = 0",
     .dzbar = "from dH = (dA + (dA)ᴴ)/2: half of dA and half of its adjoint",
     .vjp = "dA = V (diag(Re dλ) + F ∘ (M - Mᴴ)/2) Vᴴ, M = Vᴴ dV",
     .jvp = "λ̇ = Re diag P, V̇ = V (F ∘ P), P = Vᴴ Ḣ V",
     .derivation = "Along any direction Ḣ V + H V̇ = V̇ Λ + V Λ̇; multiplying by Vᴴ from the left, with V̇ = V Ω, gives P + Λ Ω = Ω Λ "
                   "+ Λ̇. The diagonal gives λ̇ = diag P, the rest Ω_ij (λ_j - λ_i) = P_ij. VᴴV = I makes Ω anti-Hermitian; its "
                   "imaginary diagonal turns the phase of each v, is arbitrary, and is set to 0. Backward, Re tr(dVᴴ V (F ∘ P)) = "
                   "Re tr((F ∘ M)ᴴ P) as F is real, and since P is Hermitian and F antisymmetric, only (M - Mᴴ)/2 counts. If the "
                   "loss does not depend on the phases, Re(conj(M_kk) i φ) = 0 for all φ, so Im M_kk = 0; the backward "
                   "pass checks this.",
     .singular = "λ_i = λ_j, or a gap below 100 ε max |λ|: throws if the loss depends on their vectors, whose derivative does not "
                 "exist or is 0/0 (for V f(λ) Vᴴ use a function of the matrix itself), or distinguishes coinciding values. For "
                 "wider gaps the gradient has a relative error of about ε max |λ|/(λ_i - λ_j). With a broadening, Δ/(Δ² + ε²) in "
                 "place of 1/Δ, neither case throws, but the contribution of such pairs is omitted. Always throws if the loss "
                 "depends on a phase. A non-finite entry makes the whole result NaN",
     .source = "Giles (2008), 3.1; Wan & Zhang, arXiv:1909.02659 (gauge); Liao et al., Phys. Rev. X 9, 031041 (2019) (broadening)"},
    [](OpCheck& check) {
      check.function("real, values", eigenvalues, well_separated(check.real({3, 3})));
      check.function("complex, values", eigenvalues, well_separated(check.complex({2, 3, 3})));
      check.function("real, |V|²", squared_vectors, well_separated(check.real({3, 3})));
      check.function("complex, |V|²", squared_vectors, well_separated(check.complex({3, 3})));
      check.function("real, function of A", function_of_matrix, well_separated(check.real({2, 2, 2})));
      check.function("complex, function of A", function_of_matrix, well_separated(check.complex({3, 3})));
      check.function("complex, (1 + i) λ", values_turned, well_separated(check.complex({2, 2})));
      check.position_dependent();
      check.sizes("batch", [](OpCheck& at, std::int64_t n) {
        at.function("real", eigenvalues, well_separated(at.real({matrices::batch_of(n), 2, 2})));
        at.function("complex", eigenvalues, well_separated(at.complex({matrices::batch_of(n), 2, 2})));
      });
      check.sizes(
          "size",
          [](OpCheck& at, std::int64_t n) {
            at.function("complex", function_of_matrix, well_separated(at.complex({n, n})));
          },
          19);
    });

namespace {

/// For one matrix: replaces M by diag(Re dλ) + F ∘ (M - Mᴴ)/2. Throws if the loss depends on a gauge.
template <Scalar T>
void eigh_middle(std::int64_t n, const RealOf<T>* lambda, const T* dlambda, const EighOptions& options, T* M,
                 const std::string& name) {
  using R = RealOf<T>;
  const double broadening = options.broadening;
  R largest = 0, scale = 0, steepest = 0;
  for (std::int64_t k = 0; k < n; ++k) steepest = std::max(steepest, std::abs(real_of(dlambda[k])));
  for (std::int64_t k = 0; k < n * n; ++k) largest = std::max(largest, static_cast<R>(std::abs(M[k])));
  for (std::int64_t k = 0; k < n; ++k) scale = std::max(scale, std::abs(lambda[k]));
  const R bar = matrices::rounding_of(largest, n), closest = matrices::closest_of(scale, n),
          too_close = matrices::too_close_of(scale, n);
  for (std::int64_t i = 0; i < n; ++i) {
    if constexpr (ComplexScalar<T>) {
      const R violation = std::abs(M[i * n + i].imag());
      require(!(violation > bar), "eigh",
              "the loss depends on the phase of eigenvector {} of {}, which is arbitrary: it changes by {:.3g} per radian; use "
              "|v|² or v vᴴ, or fix the phase",
              i, name, violation);
    }
    for (std::int64_t j = 0; j < i; ++j) {
      const R gap = lambda[i] - lambda[j];
      const T m = R(0.5) * (M[j * n + i] - conj_of(M[i * n + j]));
      const R rotates = 2 * std::abs(m), depends = std::max(std::abs(M[i * n + j]), std::abs(M[j * n + i]));
      const bool is_free = broadening > 0 || !(gap <= too_close) || !(depends > bar);
      require(is_free || gap <= closest, "eigh",
              "eigenvalues {} and {} of {} are too close ({:.6g}, {:.3g} apart) and the loss depends on their eigenvectors, "
              "whose derivative would have no correct digits; use a function of the matrix itself (matrix_exp, sqrtm, logm)",
              j, i, name, lambda[i], gap);
      require(is_free || !(rotates > bar), "eigh",
              "eigenvalues {} and {} of {} coincide (both {:.6g}) and the loss depends on their eigenvectors (slope {:.3g}), "
              "which have no derivative",
              j, i, name, lambda[i], rotates);
      require(is_free, "eigh",
              "eigenvalues {} and {} of {} coincide (both {:.6g}), and the gradient of the loss through their eigenvectors is "
              "0/0; use a function of the matrix itself (matrix_exp, sqrtm, logm)",
              j, i, name, lambda[i]);
      const R apart = std::abs(real_of(dlambda[i]) - real_of(dlambda[j]));
      require(options.values_only || broadening > 0 || !(gap <= closest) || !(apart > matrices::rounding_of(steepest, n)), "eigh",
              "eigenvalues {} and {} of {} coincide (both {:.6g}), but the loss's derivatives with respect to them differ (by "
              "{:.3g}), so the eigenvalues alone do not determine the gradient; if the loss uses no eigenvectors, eigvalsh gives "
              "one of the possible gradients",
              j, i, name, lambda[i], apart);
      M[j * n + i] = matrices::inverse_of(gap, closest, broadening) * m;
      M[i * n + j] = conj_of(M[j * n + i]);
    }
    M[i * n + i] = real_of(dlambda[i]);
  }
}

template <Scalar T>
Var<T> packed_eigh(const Var<T>& A, const EighOptions& options) {
  using R = RealOf<T>;
  const matrices::Stack stack = matrices::square("eigh", A.shape());
  const std::int64_t n = stack.n;
  const Tensor<T> H = matrices::hermitian_part(A.value());
  Shape shape = matrices::Stack::leading(A.shape());
  shape.push_back(n + n * n);
  Tensor<T> w(shape), vectors(A.shape());
  std::vector<R> values(static_cast<std::size_t>(stack.count * n));
  T *const out = w.data(), *const V = vectors.data();
  matrices::each(stack, [&](std::int64_t i) {
    T* const to = out + i * (n + n * n);
    R* const lambda = values.data() + i * n;
    if (!matrices::all_finite(H.data() + i * n * n, n * n)) {
      matrices::fill_with_nan(lambda, n);
      matrices::fill_with_nan(V + i * n * n, n * n);
    } else {
      std::vector<T> columns = matrices::by_columns(n, n, H.data() + i * n * n);
      lapack_eigh(n, columns.data(), lambda);
      matrices::transpose_into(n, n, columns.data(), V + i * n * n);
    }
    std::copy(lambda, lambda + n, to);
    std::copy_n(V + i * n * n, n * n, to + n);
  });
  return record(
      eigh_op, w,
      [=, shape = A.shape(), values = std::move(values), dA = accumulator(A)](const Tensor<T>& dw) {
        if (!dA) return;
        Tensor<T> dV(shape);
        for (std::int64_t i = 0; i < stack.count; ++i) std::copy_n(dw.data() + i * (n + n * n) + n, n * n, dV.data() + i * n * n);
        Tensor<T> M = matrices::product(vectors, dV, Transpose::Conjugate);
        for (std::int64_t i = 0; i < stack.count; ++i)
          eigh_middle(n, values.data() + i * n, dw.data() + i * (n + n * n), options, M.data() + i * n * n,
                      matrices::name_of(i, stack, shape));
        dA.add(matrices::product(vectors, matrices::product(M, vectors, Transpose::No, Transpose::Conjugate)));
      },
      [&](const Var<T>& w) {
        const Eigen<T> e = eigen_of(w, n);
        const Var<T> dot = tangent(A), Hdot = scale(dot + matrices::adjoint(dot), R(0.5));
        const Var<T> P = matmul(matmul(e.vectors, Hdot, Transpose::Conjugate), e.vectors);
        Shape row = matrices::shape_of(matrices::Stack::leading(A.shape()), 1, n);
        const Var<R> I = matrices::identity<R>(n);
        const Var<R> gaps = reshape(e.values, row) - transpose(reshape(e.values, row));
        const Var<T> lambda_dot = sum(P * I, -1), V_dot = matmul(e.vectors, P * matrices::inverse_of(gaps, I, options.broadening));
        Shape flat = matrices::Stack::leading(A.shape());
        flat.push_back(n * n);
        if constexpr (ComplexScalar<T>)
          return concatenate(std::vector<Var<T>>{to_complex(real(lambda_dot)), reshape(V_dot, flat)}, -1);
        else
          return concatenate(std::vector<Var<T>>{lambda_dot, reshape(V_dot, flat)}, -1);
      },
      A);
}

}  // namespace

template <Scalar T>
Eigen<T> eigh(const Var<T>& A, const EighOptions& options) {
  matrices::check_broadening("eigh", options.broadening);
  require_axis("eigh", A.shape(), -1);
  return eigen_of(packed_eigh(A, options), A.dim(-1));
}

#define ARGAND_EIGH(T) template Eigen<T> eigh(const Var<T>&, const EighOptions&);
ARGAND_FOR_SCALAR(ARGAND_EIGH)

}  // namespace argand
