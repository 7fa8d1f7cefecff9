#include "autograd/op_check.h"
#include "autograd/ops/linear_algebra/functions/schur.h"
#include "autograd/ops/linear_algebra/functions/triangular_functions.h"
#include "autograd/ops/linear_algebra/lu_factors.h"
#include "autograd/ops/linear_algebra/matrix_functions.h"

namespace argand {

static const Op sqrtm_op(
    {.name = "sqrtm",
     .kind = Kind::Holomorphic,
     .equation = "W W = A with Re √λ >= 0 for every eigenvalue, batched",
     .dz = "(dW) W + W (dW) = dA in differentials",
     .dzbar = "0",
     .vjp = "Wᴴ (dA) + (dA) Wᴴ = dW, solved for dA",
     .jvp = "W Ẇ + Ẇ W = Ȧ, solved as the upper right block of the root of ((A, Ȧ), (0, A))",
     .derivation =
         "W W = A along a direction: Ẇ W + W Ẇ = Ȧ, Sylvester's equation, which the upper right block of ((W, Ẇ), (0, W))² says "
         "as well. It has one solution where no two roots add up to 0: of principal ones, where 0 is no eigenvalue. Equal "
         "eigenvalues do not matter. Backwards, the map X -> W X + X W has the adjoint X -> Wᴴ X + X Wᴴ, and so have the inverses.",
     .singular = "an eigenvalue 0: the value is there unless 0 has a Jordan block, the gradient throws; on the negative real axis: "
                 "i√|λ|, seen from above, and a real A throws. A number that is not finite, ±inf too, makes all NaN",
     .source = "Björck & Hammarling, Linear Algebra Appl. 52/53 (1983); Higham, Functions of Matrices (2008), 6.1"},
    [](OpCheck& check) {
      const auto f = [](auto A) { return sqrtm(A); };
      check.function("real", f, matrices::regular(check.real({3, 3})));
      check.function("complex", f, matrices::regular(check.complex({2, 3, 3})));
      check.function("real, turning", f, Tensor<double>({2, 2}, {0.1, -1.5, 1, 0.2}));
      check.function("real, equal eigenvalues", f, Tensor<double>({2, 2}, {2, 0, 0, 2}));
      check.function("complex, defective", f, Tensor<std::complex<double>>({2, 2}, {{2, 1}, 1, 0, {2, 1}}));
      matrices::sizes_regular(check, f, 19);
    });

template <Scalar T>
Var<T> sqrtm(const Var<T>& A) {
  static constexpr const char* zero = "has the eigenvalue 0, where the square root has no derivative";
  const matrices::MatrixFunction f{sqrtm_op, matrices::sqrt_of_triangle,
                                   "has no square root: 0 is an eigenvalue with a Jordan block of its own", zero};
  return matrices::apply(f, A, matrices::schur_form("sqrtm", A.value()));
}

#define ARGAND_SQRTM(T) template Var<T> sqrtm(const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_SQRTM)

}  // namespace argand
