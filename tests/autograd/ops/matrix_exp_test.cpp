/// Exponentials of matrices that are far from normal, compared with the closed form for 2 x 2 triangular matrices and with results
/// that must be exact.

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "autograd/ops.h"
#include "autograd/tape.h"
#include "core/random.h"

#ifndef ARGAND_PLAIN_BLAS

using namespace argand;

BOOST_AUTO_TEST_SUITE(matrix_exponential)

namespace {

template <Scalar T>
double far(T got, T expected) {
  return expected == T(0)
             ? static_cast<double>(std::abs(got))
             : static_cast<double>(std::abs(got - expected) / std::abs(expected)) / std::numeric_limits<RealOf<T>>::epsilon();
}

/// For the matrix ((a, c), (0, b)): the corner of its exponential, c (e^a - e^b)/(a - b), and the derivatives of this corner with
/// respect to a, b and c, in long double.
struct Corner {
  long double value, by_a, by_b, by_c;
  Corner(long double a, long double c, long double b) {
    const long double difference = (std::exp(a) - std::exp(b)) / (a - b);
    value = c * difference;
    by_a = c * (std::exp(a) - difference) / (a - b);
    by_b = c * (difference - std::exp(b)) / (a - b);
    by_c = difference;
  }
};

/// Compares the exponential W of ((a, c), (0, b)), or of its transpose, and the gradient of its corner with the closed form, to
/// within a few units of rounding.
template <RealScalar R>
void compare(R a, R c, R b, bool transposed) {
  const Corner exact(a, c, b);
  const Tensor<R> A = transposed ? Tensor<R>({2, 2}, {a, 0, c, b}) : Tensor<R>({2, 2}, {a, c, 0, b});
  const int i = transposed ? 1 : 0, j = 1 - i;
  Tensor<R> corner = Tensor<R>::zeros({2, 2});
  corner(i, j) = 1;
  const Var<R> x = variable(A), W = matrix_exp(x);
  BOOST_TEST(far(W.value()(0, 0), std::exp(a)) < 4);
  BOOST_TEST(far(W.value()(1, 1), std::exp(b)) < 4);
  BOOST_TEST(W.value()(j, i) == 0);
  BOOST_TEST(far(W.value()(i, j), static_cast<R>(exact.value)) < 8);
  backward(sum(W * Var<R>(corner)));
  const Tensor<R> dx = x.grad();
  BOOST_TEST(far(dx(0, 0), static_cast<R>(exact.by_a)) < 32);
  BOOST_TEST(far(dx(1, 1), static_cast<R>(exact.by_b)) < 32);
  BOOST_TEST(far(dx(i, j), static_cast<R>(exact.by_c)) < 32);
}

}  // namespace

BOOST_AUTO_TEST_CASE(triangular_matrices_far_from_normal) {
  for (const bool transposed : {false, true}) {
    for (const double c : {1.0, 1e3, 1e4, 1e9, 1e13, 1e20, 1e100, 1e300, 1e-300}) compare<double>(-1, c, -2, transposed);
    for (const float c : {1.f, 1e3f, 1e4f, 1e9f, 1e20f, 1e38f, 1e-30f}) compare<float>(-1, c, -2, transposed);
    compare<double>(-40, 1e5, 3, transposed);
    compare<double>(700, 1, -700, transposed);
  }
}

/// If A has the entry a all along the first superdiagonal, e^A has a^k/k! along the k-th. For large k this is a product of many
/// numbers, which a low-degree approximant leaves out although the balanced A is small. With a nonzero entry in the lower corner,
/// the triangle becomes a single block.
BOOST_AUTO_TEST_CASE(long_products_are_not_left_out) {
  for (const std::int64_t n : {5, 12, 20, 33, 40})
    for (const double a : {1e-3, 0.1, 1.0, 10.0, 1e5})
      for (const double corner : {0.0, 1e-280})
        for (const bool transposed : {false, true}) {
          Tensor<double> A = Tensor<double>::zeros({n, n});
          const auto at = [&](std::int64_t i, std::int64_t j) { return transposed ? j * n + i : i * n + j; };
          for (std::int64_t i = 0; i + 1 < n; ++i) A.data()[at(i, i + 1)] = a;
          A.data()[at(n - 1, 0)] = corner;
          const Tensor<double> W = matrix_exp(Real(A)).value();
          double error = 0, size = 0;  // in the first row, which holds the longest product
          long double exact = 1;
          for (std::int64_t k = 0; k < n; exact *= a / ++k) {
            error = std::max(error, static_cast<double>(std::abs(W.data()[at(0, k)] - exact)));
            size = std::max(size, static_cast<double>(exact));
          }
          // The error reaches 3e-10 at a = 1e5 and n = 40 with the corner, where high powers cancel; for a < 10 it is below 1e-13.
          BOOST_TEST(error <= (a > 1 ? 1e-9 : 1e-13) * size,
                     n << " x " << n << ", a = " << a << ", corner " << corner << ": " << error / size);
        }
}

BOOST_AUTO_TEST_CASE(nilpotent_matrices_are_exact) {
  for (const double a : {1e13, 1e20, 1e-200, 1e307}) {
    const Real x = variable(Tensor<double>({2, 2}, {0, a, 0, 0})), W = matrix_exp(x);
    const double expected[] = {1, a, 0, 1};
    for (int k = 0; k < 4; ++k) BOOST_TEST(W.value().data()[k] == expected[k]);
    backward(sum(W * Real(Tensor<double>({2, 2}, {0, 1, 0, 0}))));
    const Tensor<double> dx = x.grad();
    // W_01 = a + a (x_00 + x_11)/2 + ... + a² x_10/6
    BOOST_TEST(dx(0, 1) == 1);
    BOOST_TEST(far(dx(0, 0), a / 2) < 4);
    BOOST_TEST(far(dx(1, 1), a / 2) < 4);
    if (a < 1e100 && a > 1e-100) BOOST_TEST(far(dx(1, 0), a * a / 6) < 4);
  }
  // In a chain, W_03 = abc/6 for any magnitudes of a, b and c.
  const Real chain(Tensor<double>({4, 4}, {0, 1e200, 0, 0, 0, 0, 1e-150, 0, 0, 0, 0, 1e90, 0, 0, 0, 0}));
  const Tensor<double> W = matrix_exp(chain).value();
  BOOST_TEST(far(W(0, 3), 1e140 / 6) < 4);
  BOOST_TEST(far(W(1, 3), 1e-60 / 2) < 4);
  BOOST_TEST(far(W(0, 2), 1e50 / 2) < 4);
}

/// Reordered rows and columns, and blocks: structural zeros are exactly 0.
BOOST_AUTO_TEST_CASE(the_order_of_rows_does_not_matter) {
  const int order[] = {2, 0, 3, 1};
  const Tensor<double> A({4, 4}, {-1, 1e6, 3, 1e9, 0, -2, 1e7, 1, 0, 0, 0.5, 1e4, 0, 0, 0, -3});
  Tensor<double> P({4, 4});
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) P(order[i], order[j]) = A(i, j);
  const Tensor<double> W = matrix_exp(Real(A)).value(), V = matrix_exp(Real(P)).value();
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      BOOST_TEST(V(order[i], order[j]) == W(i, j));
      if (i > j) BOOST_TEST(W(i, j) == 0);
    }
  // ((B, 1e12 I), (0, B)), two rotations by 2 that are coupled: the off-diagonal block becomes 1e12 e^B.
  const Real blocks(Tensor<double>({4, 4}, {0, 2, 1e12, 0, -2, 0, 0, 1e12, 0, 0, 0, 2, 0, 0, -2, 0}));
  const Tensor<double> R = matrix_exp(blocks).value();
  BOOST_TEST(std::abs(R(0, 0) - std::cos(2)) < 1e-15);
  BOOST_TEST(std::abs(R(0, 1) - std::sin(2)) < 1e-15);
  BOOST_TEST(std::abs(R(0, 2) - 1e12 * std::cos(2)) < 1e-3);
  BOOST_TEST(R(2, 0) == 0);
}

/// ((0, a), (1/a, 0)) has the exponential ((cosh 1, a sinh 1), (sinh 1/a, cosh 1)).
BOOST_AUTO_TEST_CASE(badly_scaled_matrices_are_balanced) {
  for (const double a : {1e3, 1e10, 1e100}) {
    const Tensor<double> W = matrix_exp(Real(Tensor<double>({2, 2}, {0, a, 1 / a, 0}))).value();
    BOOST_TEST(far(W(0, 0), std::cosh(1.0)) < 8);
    BOOST_TEST(far(W(0, 1), a * std::sinh(1.0)) < 8);
    BOOST_TEST(far(W(1, 0), std::sinh(1.0) / a) < 8);
  }
}

BOOST_AUTO_TEST_SUITE_END()

#endif
