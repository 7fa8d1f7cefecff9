#include "autograd/ops/linear_algebra/eig.h"

#include "autograd/op_check.h"
#include "autograd/ops/linear_algebra/functions/schur.h"
#include "autograd/ops/linear_algebra/gauge.h"
#include "autograd/ops/linear_algebra/lu_factors.h"
#include "autograd/ops/linear_algebra/matrix_functions.h"
#include "autograd/ops/linear_algebra/solve.h"
#include "autograd/ops/products/einsum.h"

namespace argand {
namespace {

/// A matrix with eigenvalues near 1, 2, ..., and eigenvectors far from both orthogonal and parallel.
template <Scalar T>
Tensor<T> well_apart(Tensor<T> A) {
  const std::int64_t n = A.dim(-1);
  for (std::int64_t k = 0; k < A.size(); ++k) {
    A.data()[k] = A.data()[k] * RealOf<T>(0.2) / std::sqrt(RealOf<T>(n));
    if (k / n % n == k % n) A.data()[k] += T(RealOf<T>(k % n + 1));
  }
  return A;
}

template <RealScalar R>
GeneralEigen<R> general_eigen_of(const Var<std::complex<R>>& packed, std::int64_t n) {
  matrices::Pieces<std::complex<R>> pieces(packed);
  Var<std::complex<R>> values = pieces.vector(n);
  return {std::move(values), pieces.matrix(n, n)};
}

/// Losses that do not depend on the phases: the values; |v|², element by element; and a function of the matrix.
constexpr auto general_values = [](auto A) { return eigvals(A); };
constexpr auto general_moduli = [](auto A) { return abs2(eig(A).vectors); };
constexpr auto values_and_moduli = [](auto A) {
  const auto e = eig(A);
  Shape row = e.values.shape();
  row[-1] = 1;
  row.push_back(e.values.dim(-1));
  return abs2(e.vectors) * reshape(e.values, row);
};
constexpr auto through_eigenvectors = [](auto A) {
  const auto e = eig(A);
  Shape row = e.values.shape();
  row[-1] = 1;
  row.push_back(e.values.dim(-1));
  return matmul(e.vectors * reshape(e.values * e.values + 1.0, row), inv(e.vectors));
};

}  // namespace

static const Op eig_op(
    {.name = "eig",
     .kind = Kind::General,
     .equation = "A V = V diag(λ), batched, |v_k| = 1, the largest entry of v_k real and positive; λ and V side by side in one "
                 "tensor on the tape",
     .dz = "in differential form, dλ = diag P, dV = V (Ω - diag Re diag(VᴴV Ω)), P = V⁻¹ (dA) V, Ω_ij = P_ij/(λ_j - λ_i), Ω_ii = 0",
     .dzbar = "from |v_k| = 1: the real part in dV brings half of diag(VᴴV Ω) and half of its conjugate",
     .vjp = "dA = V⁻ᴴ (diag dλ + N ∘ conj(F)) Vᴴ, N = M - VᴴV diag(Re M), M = Vᴴ dV, F_ij = 1/(λ_j - λ_i), F_ii = 0",
     .jvp = "λ̇ = diag P, V̇ = V (Ω - diag Re diag(VᴴV Ω)), P = V⁻¹ Ȧ V",
     .derivation = "Along any direction Ȧ V + A V̇ = V̇ Λ + V Λ̇; multiplying by V⁻¹ from the left, with V̇ = V X, gives P + Λ X = X Λ "
                   "+ Λ̇. The diagonal gives λ̇ = diag P, the rest X_ij (λ_j - λ_i) = P_ij, so X equals Ω off the diagonal. X_jj "
                   "scales and turns v_j: |v_j| = 1 requires Re (VᴴV X)_jj = 0, so Re X_jj = -Re (VᴴV Ω)_jj, since (VᴴV)_jj = 1; "
                   "the imaginary part, a phase, is arbitrary and set to 0. Backward, Re tr(dVᴴ V X) = Re Σ conj(M_ij) Ω_ij - Σ_j "
                   "Re M_jj Re Σ_i (VᴴV)_ji Ω_ij = Re tr(Nᴴ Ω), and P = V⁻¹ Ȧ V gives dA. If the loss does not depend on the "
                   "phases, Im M_jj = 0; the backward pass checks this. A real A gets the real part.",
     .singular = "λ_i = λ_j to within the accuracy to which A determines them: throws if the loss depends on the two vectors or "
                 "distinguishes the values, and, whatever the loss, if the two values share one vector. Always throws if the loss "
                 "depends on a phase. A non-finite entry (±inf or NaN) makes the whole result NaN",
     .source = "Giles (2008), 3.1; Boeddeker, Hanebrink et al., arXiv:1701.00392 (vectors of length 1)"},
    [](OpCheck& check) {
      check.function("real, values", general_values, well_apart(check.real({3, 3})));
      check.function("real, conjugate values", general_values, Tensor<double>({2, 2}, {0.1, -1.5, 1, 0.2}));
      check.function("complex, values", general_values, well_apart(check.complex({2, 3, 3})));
      check.function("real, |V|²", general_moduli, well_apart(check.real({3, 3})));
      check.function("real, conjugate vectors", general_moduli, Tensor<double>({2, 2}, {0.1, -1.5, 1, 0.2}));
      check.function("complex, |V|²", general_moduli, well_apart(check.complex({3, 3})));
      check.function("complex, λ |V|²", values_and_moduli, well_apart(check.complex({2, 2})));
      check.function("real, function of A", through_eigenvectors, well_apart(check.real({2, 3, 3})));
      check.function("complex, function of A", through_eigenvectors, well_apart(check.complex({3, 3})));
      check.position_dependent();
      check.sizes("batch", [](OpCheck& at, std::int64_t n) {
        at.function("real", general_values, well_apart(at.real({matrices::batch_of(n), 2, 2})));
        at.function("complex", general_values, well_apart(at.complex({matrices::batch_of(n), 2, 2})));
      });
      check.sizes(
          "size",
          [](OpCheck& at, std::int64_t n) {
            at.function("complex", through_eigenvectors, well_apart(at.complex({n, n})));
          },
          19);
    });

namespace {

using Z = std::complex<double>;

/// Inputs of the backward pass: A and its factors, in float64 by rows.
struct EigFactors {
  Tensor<Z> A, values, vectors;
};

/// Normalizes v to |v| = 1 with its largest element real and positive. (LAPACK's vectors have length 1 only up to rounding.)
void fix_phase(std::int64_t n, Z* column) {
  const Z largest = *std::max_element(column, column + n, [](Z a, Z b) { return std::abs(a) < std::abs(b); });
  double square = 0;
  for (std::int64_t i = 0; i < n; ++i) square += std::norm(column[i]);
  const Z factor = std::conj(largest) / std::abs(largest) / std::sqrt(square);
  for (std::int64_t i = 0; i < n; ++i) column[i] *= factor;
}

template <Scalar T>
EigFactors eig_factors(const Tensor<T>& A) {
  using Doubled = std::conditional_t<ComplexScalar<T>, Z, double>;
  const matrices::Stack stack = matrices::square("eig", A.shape());
  const std::int64_t n = stack.n;
  Shape row = matrices::Stack::leading(A.shape());
  row.push_back(n);
  EigFactors f{matrices::to_complex128(A), Tensor<Z>(row), Tensor<Z>(A.shape())};
  Z *const values = f.values.data(), *const vectors = f.vectors.data();
  std::vector<char> failed(static_cast<std::size_t>(stack.count));
  matrices::each(stack, [&](std::int64_t at) {
    const T* const from = A.data() + at * n * n;
    if (!matrices::all_finite(from, n * n)) {
      matrices::fill_with_nan(values + at * n, n);
      return matrices::fill_with_nan(vectors + at * n * n, n * n);
    }
    std::vector<Doubled> a(from, from + n * n), columns(a.size());
    matrices::transpose_into(n, n, a.data(), columns.data());
    std::vector<Z> V(a.size());
    failed[static_cast<std::size_t>(at)] = lapack_eig(n, columns.data(), values + at * n, V.data()) != 0;
    for (std::int64_t k = 0; k < n; ++k) fix_phase(n, V.data() + k * n);
    matrices::transpose_into(n, n, V.data(), vectors + at * n * n);
  });
  for (std::int64_t i = 0; i < stack.count; ++i)
    require(failed[static_cast<std::size_t>(i)] == 0, "eig", "LAPACK's iteration for {} did not converge",
            matrices::name_of(i, stack, A.shape()));
  return f;
}

/// by_number: the diagonal of |V⁻¹| |A| |V|, the change in eigenvalue i per relative change in every element of A. by_norm: |row i
/// of V⁻¹|, the change per change in A as a whole; large where v_i is almost parallel to another vector.
struct Sensitivity {
  std::vector<double> by_number, by_norm;
};
Sensitivity sensitivity_of(std::int64_t n, const Z* A, const Z* V, const Z* V_inverse) {
  Sensitivity s;
  for (std::int64_t i = 0; i < n; ++i) {
    double sum = 0, square = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      double row = 0;
      for (std::int64_t k = 0; k < n; ++k) row += std::abs(A[j * n + k]) * std::abs(V[k * n + i]);
      sum += std::abs(V_inverse[i * n + j]) * row;
      square += std::norm(V_inverse[i * n + j]);
    }
    s.by_number.push_back(sum), s.by_norm.push_back(std::sqrt(square));
  }
  return s;
}
/// Above this, the vectors of coinciding eigenvalues count as parallel: half of float64's digits.
constexpr double one_vector = 1e7;

/// For one matrix: replaces M by diag dλ + N ∘ conj(F). Throws if the loss depends on a gauge. R is the type in which the loss
/// was computed.
template <RealScalar R>
class EigMiddle {
 public:
  EigMiddle(std::int64_t n, const Z* lambda, const Z* dlambda, const Sensitivity& s, std::string name)
      : n_(n), lambda_(lambda), dlambda_(dlambda), s_(s), name_(std::move(name)) {}

  void write(const Z* VhV, Z* M) const {
    const double bar = rounding(largest_of(M, n_ * n_)), slope_bar = rounding(largest_of(dlambda_, n_));
    for (std::int64_t j = 0; j < n_; ++j) {
      const double violation = std::abs(M[j * n_ + j].imag());
      require(!(violation > bar), "eig",
              "the loss depends on the phase of eigenvector {} of {}, which is arbitrary: it changes by {:.3g} per radian; use "
              "|v|² or v vᴴ, or fix the phase",
              j, name_, violation);
    }
    std::vector<double> along(static_cast<std::size_t>(n_));
    for (std::int64_t j = 0; j < n_; ++j) along[static_cast<std::size_t>(j)] = M[j * n_ + j].real();
    for (std::int64_t i = 0; i < n_; ++i)
      for (std::int64_t j = 0; j < n_; ++j) {
        Z& m = M[i * n_ + j];
        if (i == j) {
          m = dlambda_[i];
          continue;
        }
        m -= VhV[i * n_ + j] * along[static_cast<std::size_t>(j)];
        if (!coincide(i, j)) {
          m /= std::conj(lambda_[j] - lambda_[i]);
          continue;
        }
        require_independent(std::min(i, j), std::max(i, j), std::abs(m), bar, slope_bar);
        m = 0;
      }
  }

 private:
  double rounding(double largest) const { return matrices::rounding_of<R>(R(1), n_) * largest; }
  static double largest_of(const Z* x, std::int64_t size) {
    double largest = 0;
    for (std::int64_t k = 0; k < size; ++k) largest = std::max(largest, std::abs(x[k]));
    return largest;
  }
  bool coincide(std::int64_t i, std::int64_t j) const {
    const double blur = s_.by_number[static_cast<std::size_t>(i)] + s_.by_number[static_cast<std::size_t>(j)];
    // Rounding splits a Jordan block of size m into eigenvalues that are 2π/m times this distance apart.
    return std::abs(lambda_[i] - lambda_[j]) <= 4 * matrices::closest_of(blur, n_);
  }
  void require_independent(std::int64_t i, std::int64_t j, double depends, double bar, double slope_bar) const {
    const auto text = [](Z z) {
      return z.imag() == 0 ? fmt::format("{:.6g}", z.real()) : fmt::format("{:.6g}{:+.6g}i", z.real(), z.imag());
    };
    const double lost = std::min(s_.by_norm[static_cast<std::size_t>(i)], s_.by_norm[static_cast<std::size_t>(j)]);
    require(!(lost > one_vector), "eig",
            "eigenvalues {} and {} of {} coincide (both {}) and so do their eigenvectors: {} is defective, or nearly so, and "
            "its eigenvalues have no derivative; use sqrtm, logm or matrix_exp instead",
            i, j, name_, text(lambda_[i]), name_);
    require(
        !(depends > bar), "eig",
        "eigenvalues {} and {} of {} coincide (both {}) and the loss depends on their eigenvectors (slope {:.3g}), which have no "
        "derivative",
        i, j, name_, text(lambda_[i]), depends);
    const double apart = std::abs(dlambda_[i] - dlambda_[j]);
    require(!(apart > slope_bar), "eig",
            "eigenvalues {} and {} of {} coincide (both {}), but the loss's derivatives with respect to them differ (by {:.3g}), "
            "so the "
            "loss has no derivative at this matrix",
            i, j, name_, text(lambda_[i]), apart);
  }

  std::int64_t n_;
  const Z *lambda_, *dlambda_;
  const Sensitivity& s_;
  std::string name_;
};

/// dA in one precision, from the gradients dλ and dV of the packed output.
template <RealScalar R>
Tensor<Z> eig_gradient(const EigFactors& f, const Tensor<std::complex<R>>& dw) {
  const NoGrad none;
  const NoForward still;
  const Shape& shape = f.A.shape();
  const matrices::Stack stack("map", shape);
  const std::int64_t n = stack.n;
  const matrices::LuFactors<Z> factors("eig", f.vectors);
  for (std::int64_t i = 0; i < stack.count; ++i)
    require(!factors.is_singular(i), "eig",
            "{} is defective: it has fewer eigenvectors than rows, and its eigenvalues have no derivative; use sqrtm, logm or "
            "matrix_exp instead",
            matrices::name_of(i, stack, shape));
  const Tensor<Z> V_inverse = factors.inverse(false), d = matrices::to_complex128(dw);
  const Tensor<Z> dlambda = matrices::piece(d, 0, 1, n), dV = matrices::piece(d, n, n, n);
  const Tensor<Z> VhV = matrices::product(f.vectors, f.vectors, Transpose::Conjugate);
  Tensor<Z> M = matrices::product(f.vectors, dV, Transpose::Conjugate);
  for (std::int64_t i = 0; i < stack.count; ++i) {
    const std::int64_t at = i * n * n;
    const Sensitivity s = sensitivity_of(n, f.A.data() + at, f.vectors.data() + at, V_inverse.data() + at);
    const EigMiddle<R> one(n, f.values.data() + i * n, dlambda.data() + i * n, s, matrices::name_of(i, stack, shape));
    one.write(VhV.data() + at, M.data() + at);
  }
  return matrices::product(V_inverse, matrices::product(M, f.vectors, Transpose::No, Transpose::Conjugate), Transpose::Conjugate);
}

template <RealScalar R, Scalar T>
Var<std::complex<R>> eig_tangent(const GeneralEigen<R>& e, const Var<T>& dot) {
  using C = std::complex<R>;
  const std::int64_t n = e.vectors.dim(-1);
  const Shape leading = matrices::Stack::leading(e.vectors.shape()), row = matrices::shape_of(leading, 1, n);
  const Var<R> I = matrices::identity<R>(n);
  const Var<C> P = matmul(inv(e.vectors), matmul(dot, e.vectors));
  const Var<C> gaps = reshape(e.values, row) - transpose(reshape(e.values, row));
  const Var<C> omega = P * (R(1) - I) / (gaps + I);
  const Var<C> VhV = matmul(e.vectors, e.vectors, Transpose::Conjugate);
  const Var<R> stretch = sum(real(matmul(VhV, omega)) * I, -2, true);
  return matrices::packed<C>({sum(P * I, -2, true), matmul(e.vectors, omega) - e.vectors * stretch});
}

}  // namespace

template <Scalar T>
GeneralEigen<RealOf<T>> eig(const Var<T>& A) {
  using R = RealOf<T>;
  using C = std::complex<R>;
  const EigFactors f = eig_factors(A.value());
  const std::int64_t n = A.dim(-1), count = matrices::Stack("eig", A.shape()).count;
  Shape shape = matrices::Stack::leading(A.shape());
  shape.push_back(n + n * n);
  Tensor<C> w(shape);
  const auto rounded = [](const Z* from, std::int64_t size, C* to) {
    std::transform(from, from + size, to, [](Z z) { return static_cast<C>(z); });
  };
  for (std::int64_t i = 0; i < count; ++i) {
    rounded(f.values.data() + i * n, n, w.data() + i * (n + n * n));
    rounded(f.vectors.data() + i * n * n, n * n, w.data() + i * (n + n * n) + n);
  }
  const Var<C> packed = record(
      eig_op, w,
      [f, dA = accumulator(A)](const Tensor<C>& dw) {
        if (dA) dA.add(matrices::rounded_to<T>(eig_gradient<R>(f, dw)));
      },
      [&](const Var<C>& w) { return eig_tangent<R>(general_eigen_of<R>(w, n), tangent(A)); }, A);
  return general_eigen_of<R>(packed, n);
}

#define ARGAND_EIG(T) template GeneralEigen<RealOf<T>> eig(const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_EIG)

}  // namespace argand
