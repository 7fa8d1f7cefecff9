#include "autograd/op_check.h"
#include "autograd/ops/linear_algebra/functions/schur.h"
#include "autograd/ops/linear_algebra/functions/triangular_functions.h"
#include "autograd/ops/linear_algebra/lu_factors.h"
#include "autograd/ops/linear_algebra/matrix_functions.h"

namespace argand {

static const Op sqrtm_op(
    {.name = "sqrtm",
     .kind = Kind::Holomorphic,
     .equation = "W W = A with Re √λ >= 0 for every eigenvalue λ of A, batched",
     .dz = "in differential form, (dW) W + W (dW) = dA",
     .dzbar = "0",
     .vjp = "Wᴴ (dA) + (dA) Wᴴ = dW, solved for dA",
     .jvp = "W Ẇ + Ẇ W = Ȧ, solved as the upper right block of the square root of ((A, Ȧ), (0, A))",
     .derivation = "Differentiating W W = A gives Sylvester's equation Ẇ W + W Ẇ = Ȧ, which is also the upper right block of ((W, "
                   "Ẇ), (0, W))² = ((A, Ȧ), (0, A)). The equation has a unique solution if no two eigenvalues of W sum to 0, hence "
                   "for the principal root if 0 is not an eigenvalue. Repeated eigenvalues need no special treatment. Backward, "
                   "the map X -> W X + X W has the adjoint X -> Wᴴ X + X Wᴴ, and the adjoint of its inverse is the inverse of that "
                   "adjoint.",
     .singular =
         "eigenvalue 0: the value exists unless 0 is defective; the gradient throws. Eigenvalue λ on the negative real axis: "
         "throws "
         "if A is real; if A is complex, the root of λ is i√|λ|, the limit from above. A non-finite entry (±inf or NaN) makes the "
         "whole result NaN",
     .source = "Björck & Hammarling, Linear Algebra Appl. 52/53 (1983); Higham, Functions of Matrices (2008), 6.1"},
    [](OpCheck& check) {
      const auto f = [](auto A) { return sqrtm(A); };
      check.function("real", f, matrices::regular(check.real({3, 3})));
      check.function("complex", f, matrices::regular(check.complex({2, 3, 3})));
      check.function("real, conjugate eigenvalues", f, Tensor<double>({2, 2}, {0.1, -1.5, 1, 0.2}));
      check.function("real, equal eigenvalues", f, Tensor<double>({2, 2}, {2, 0, 0, 2}));
      check.function("complex, defective", f, Tensor<std::complex<double>>({2, 2}, {{2, 1}, 1, 0, {2, 1}}));
      matrices::sizes_regular(check, f, 19);
    });

template <Scalar T>
Var<T> sqrtm(const Var<T>& A) {
  static constexpr const char* zero = "has eigenvalue 0, where the square root has no derivative";
  const matrices::MatrixFunction f{sqrtm_op, matrices::sqrt_of_triangle,
                                   "has no principal square root: its eigenvalue 0 is defective", zero};
  return matrices::apply(f, A, matrices::schur_form("sqrtm", A.value()));
}

#define ARGAND_SQRTM(T) template Var<T> sqrtm(const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_SQRTM)

}  // namespace argand
