/// Measures functions of matrices that need not be Hermitian.

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/linear_algebra/eig.h"
#include "autograd/ops/linear_algebra/matrix_exp.h"
#include "autograd/ops/linear_algebra/matrix_functions.h"
#include "autograd/ops/linear_algebra/solve.h"
#include "autograd/ops/products/matmul.h"
#include "tests/hostile/references.h"
#include "tests/hostile/tasks.h"

namespace hostile {

void add_functions(Tasks& tasks) {
  Op exp{"matrix_exp", "", Condition::Entries, exponential, 0, 6};
  // e^A of these matrices exceeds the range of the type.
  exp.takes = [](Kind kind) { return kind != Kind::Large && kind != Kind::Ends; };
  tasks.all(exp, [](const auto& A) { return argand::matrix_exp(A); });
  Op cube{"matrix_power", "A³", Condition::Entries, on_tape([](const Matrix& A, const auto&) { return numbers(A * A * A); }), 0, 5};
  cube.takes = [](Kind kind) { return !at_the_ends(kind); };
  tasks.all(cube, [](const auto& A) { return argand::matrix_power(A, 3); });
  Op inverse{"matrix_power",
             "A⁻²",
             Condition::Norm,
             on_tape([](const Matrix& A, const auto&) { return numbers(solved(A * A, Matrix::identity(A.n))); }),
             1,
             5};
  inverse.takes = cube.takes, inverse.loosely_refused = true;
  tasks.all(inverse, [](const auto& A) { return argand::matrix_power(A, -2); });
  for (const bool root : {true, false}) {
    Op op{root ? "sqrtm" : "logm", "", Condition::Norm, root ? square_root : logarithm, 1, root ? 4 : 3, 0, 1};
    op.takes = cube.takes, op.loosely_refused = true;
    tasks.all(op, [=](const auto& A) { return root ? argand::sqrtm(A) : argand::logm(A); });
  }
  Op eigen{"eig",
           "V f(λ) V⁻¹, f = λ/(λ² + 2)",
           Condition::Norm,
           on_tape([](const Matrix& A, const auto&) { return numbers(solved(A * A + scaled(Matrix::identity(A.n), 2), A)); }),
           1,
           4,
           0,
           1};
  eigen.loosely_refused = true;
  tasks.all(eigen, [](const auto& A) {
    const auto e = argand::eig(A);
    const auto f = e.values / (e.values * e.values + 2);
    return argand::matmul(e.vectors * argand::reshape(f, Shape{f.dim(0), 1, f.dim(1)}), argand::inv(e.vectors));
  });
}

}  // namespace hostile
