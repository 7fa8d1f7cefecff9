/// Measures matrix products, linear systems and determinants.

#include "autograd/ops/linear_algebra/solve.h"
#include "autograd/ops/products/matmul.h"
#include "tests/hostile/tasks.h"

namespace hostile {
namespace {

/// The numbers 1, 2, ..., n as a column.
Matrix counting(int n) {
  Matrix b(n, 1);
  for (int i = 0; i < n; ++i) b(i, 0) = Exact(i + 1.0);
  return b;
}
template <Scalar T>
Var<T> counting(std::int64_t count, std::int64_t n) {
  Tensor<T> b(Shape{count, n, 1});
  for (std::int64_t k = 0; k < b.size(); ++k) b.data()[k] = T(static_cast<RealOf<T>>(k % n + 1));
  return Var<T>(b);
}

}  // namespace

void add_systems(Tasks& tasks) {
  using argand::Transpose;
  tasks.all({"matmul", "A A", Condition::Entries, on_tape([](const Matrix& A, const auto&) { return numbers(A * A); })},
            [](const auto& A) { return argand::matmul(A, A); });
  tasks.all(
      {"solve", "", Condition::Norm, on_tape([](const Matrix& A, const auto&) { return numbers(solved(A, counting(A.n))); }), 1},
      []<Scalar T>(const Var<T>& A) { return argand::solve(A, counting<T>(A.dim(0), A.dim(-1))); });
  tasks.all(
      {"inv", "", Condition::Norm, on_tape([](const Matrix& A, const auto&) { return numbers(solved(A, Matrix::identity(A.n))); })},
      [](const auto& A) { return argand::inv(A); });
  tasks.all(
      {"det", "", Condition::Norm, on_tape([](const Matrix& A, const auto&) { return std::vector<Exact>{determinant(A)}; }), 0, 7},
      [](const auto& A) { return argand::det(A); });
  tasks.all({"slogdet", "logabsdet", Condition::Norm, on_tape([](const Matrix& A, const auto&) {
               const Exact d = abs(determinant(A));
               if (d.value().x == 0) throw NoValue();
               return std::vector<Exact>{log(d)};
             }),
             0, 7},
            [](const auto& A) { return argand::slogdet(A).logabsdet; });
}

}  // namespace hostile
