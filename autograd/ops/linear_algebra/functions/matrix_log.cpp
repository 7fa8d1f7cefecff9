#include "autograd/op_check.h"
#include "autograd/ops/linear_algebra/functions/schur.h"
#include "autograd/ops/linear_algebra/functions/triangular_functions.h"
#include "autograd/ops/linear_algebra/lu_factors.h"
#include "autograd/ops/linear_algebra/matrix_functions.h"

namespace argand {

static const Op logm_op(
    {.name = "logm",
     .kind = Kind::Holomorphic,
     .equation = "e^W = A with -π < Im log λ <= π for every eigenvalue λ of A, batched",
     .dz = "in differential form, dW = ∫₀¹ (I + t (A - I))⁻¹ (dA) (I + t (A - I))⁻¹ dt",
     .dzbar = "0",
     .vjp = "dA = the adjoint of the upper right block of log ((A, dWᴴ), (0, A))",
     .jvp = "Ẇ = the upper right block of log ((A, Ȧ), (0, A))",
     .derivation =
         "log A is the integral over t in [0, 1] of (A - I) M⁻¹ with M = I + t (A - I), and along any direction ((A - I) M⁻¹)˙ = Ȧ "
         "M⁻¹ - (A - I) M⁻¹ t Ȧ M⁻¹ = M⁻¹ Ȧ M⁻¹. A function of the block matrix ((A, Ȧ), (0, A)) has its derivative along Ȧ in the "
         "upper right block, as every power does: Σ_j A^j Ȧ A^{k-1-j}. Nothing is divided by the gaps between eigenvalues. "
         "Backward, tr(dWᴴ M⁻¹ Ȧ M⁻¹) = tr(M⁻¹ dWᴴ M⁻¹ Ȧ): the same map applied to dWᴴ, then the adjoint.",
     .singular =
         "eigenvalue 0: throws. Eigenvalue λ on the negative real axis: throws if A is real; if A is complex, the logarithm "
         "of λ is log|λ| + iπ, the limit from above. A non-finite entry (±inf or NaN) makes the whole result NaN",
     .source = "Al-Mohy & Higham, SIAM J. Sci. Comput. 34 (2012), C153; Al-Mohy, Higham & Relton, 35 (2013), C394"},
    [](OpCheck& check) {
      const auto f = [](auto A) { return logm(A); };
      check.function("real", f, matrices::regular(check.real({3, 3})));
      check.function("complex", f, matrices::regular(check.complex({2, 3, 3})));
      check.function("real, conjugate eigenvalues", f, Tensor<double>({2, 2}, {0.1, -1.5, 1, 0.2}));
      check.function("real, equal eigenvalues", f, Tensor<double>({2, 2}, {2, 0, 0, 2}));
      check.function("complex, defective", f, Tensor<std::complex<double>>({2, 2}, {{2, 1}, 1, 0, {2, 1}}));
      matrices::sizes_regular(check, f, 19);
    });

template <Scalar T>
Var<T> logm(const Var<T>& A) {
  static constexpr const char* singular = "is singular, and has no logarithm";
  const matrices::MatrixFunction f{logm_op, matrices::log_of_triangle, singular, singular};
  return matrices::apply(f, A, matrices::schur_form("logm", A.value()));
}

#define ARGAND_LOGM(T) template Var<T> logm(const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_LOGM)

}  // namespace argand
