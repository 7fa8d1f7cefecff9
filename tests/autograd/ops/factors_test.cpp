/// Matrix factorisations: the products of the factors, losses that may depend on the factors, and errors for losses that may not.

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "autograd/ops.h"
#include "autograd/tape.h"
#include "core/random.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(matrix_factors)

namespace {

using C = std::complex<double>;

#ifndef ARGAND_PLAIN_BLAS
template <Scalar T>
double largest_difference(const Tensor<T>& a, const Tensor<T>& b) {
  BOOST_REQUIRE(a.shape().str() == b.shape().str());
  double largest = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) largest = std::max(largest, static_cast<double>(std::abs(a.data()[i] - b.data()[i])));
  return largest;
}
Complex adjoint_of_matrices(const Complex& A) { return conj(transpose(A)); }
Complex random_matrices(const Shape& shape, std::uint64_t seed) { return Complex(randn<C>(shape, Random(seed))); }
Complex identities(std::int64_t count, std::int64_t n) {
  Tensor<C> I = Tensor<C>::zeros({count, n, n});
  for (std::int64_t k = 0; k < count * n; ++k) I(k / n, k % n, k % n) = 1;
  return Complex(I);
}
#endif

}  // namespace

#ifdef ARGAND_PLAIN_BLAS

BOOST_AUTO_TEST_CASE(without_lapack_they_say_so) {
  const Real A(Tensor<double>::ones({2, 2}));
  const std::string rest = ": needs LAPACK, which this build (-Dblas=plain) lacks; build with OpenBLAS";
  BOOST_TEST(error_of([&] { cholesky(A); }) == "cholesky" + rest);
  BOOST_TEST(error_of([&] { qr(A); }) == "qr" + rest);
  BOOST_TEST(error_of([&] { svdvals(A); }) == "svd" + rest);
  BOOST_TEST(error_of([&] { pinv(A); }) == "lstsq" + rest);
  BOOST_TEST(error_of([&] { matrix_exp(A); }) == "matrix_exp" + rest);
}

#else

BOOST_AUTO_TEST_CASE(the_product_of_the_factors_is_the_matrix) {
  for (const Shape& shape : {Shape{3, 5, 5}, Shape{3, 6, 4}, Shape{3, 4, 6}}) {
    const Complex A = random_matrices(shape, 1);
    const auto f = qr(A);
    BOOST_TEST(largest_difference(matmul(f.Q, f.R).value(), A.value()) < 1e-13);
    BOOST_TEST(largest_difference(matmul(adjoint_of_matrices(f.Q), f.Q).value(), identities(3, f.Q.dim(-1)).value()) < 1e-13);
    const auto s = svd(A);
    BOOST_TEST(largest_difference(matmul(s.U * reshape(s.S, Shape{3, 1, s.S.dim(-1)}), s.Vh).value(), A.value()) < 1e-13);
  }
  const Complex A = random_matrices({2, 4, 4}, 2), H = matmul(A, adjoint_of_matrices(A));
  const Complex L = cholesky(H);
  BOOST_TEST(largest_difference(matmul(L, adjoint_of_matrices(L)).value(), H.value()) < 1e-13);
  BOOST_TEST(L.value()(1, 0, 3) == 0.0);
}

BOOST_AUTO_TEST_CASE(matrices_without_a_cholesky_factor_are_named) {
  BOOST_TEST(error_of([] {
               cholesky(Real(Tensor<double>({2, 2, 2}, {1, 0, 0, 1, 1, 2, 2, 1})));
             }) == "cholesky: matrix 1 of [2, 2, 2] is not positive definite (its leading minor of order 2 is not positive)");
}

BOOST_AUTO_TEST_CASE(dependent_columns_have_factors_and_no_gradient) {
  const Real A = variable(Tensor<double>({2, 2}, {1, 0, 1, 0}));
  const auto f = qr(A);
  BOOST_TEST(largest_difference(matmul(f.Q, f.R).value(), A.value()) < 1e-15);
  BOOST_TEST(error_of([&] { backward(sum(f.R)); }) ==
             "qr: the columns of the matrix are linearly dependent, so Q has no derivative");
}

BOOST_AUTO_TEST_CASE(the_common_phase_of_singular_vectors_is_a_gauge_and_their_difference_is_not) {
  const Complex A = variable(randn<C>({4, 3}, Random(3)));
  const std::string message = error_of([&] { backward(sum(real(svd(A).U))); });
  BOOST_TEST(
      message.starts_with(
          "svd: the loss depends on the common phase of singular vectors 0 of the matrix, which is arbitrary: it changes by "),
      message);
  const auto f = svd(A);
  BOOST_TEST(error_of([&] { backward(sum(real(matmul(f.U, f.Vh)))); }) == "");
}

/// For A = s Q with unitary Q, U Vᴴ is Q whichever vectors LAPACK chose. Its gradient is refused nevertheless: if singular values
/// coincide, dU and dV alone cannot tell this function from one that is singular at A.
BOOST_AUTO_TEST_CASE(coinciding_singular_values) {
  const Real A = variable(Tensor<double>({2, 2}, {0, 2, -2, 0}));
  const Real W(Tensor<double>({2, 2}, {1, 2, 3, 4}));
  BOOST_TEST(error_of([&] { backward(sum(svdvals(A))); }) == "");  // the nuclear norm, whose gradient is U Vᴴ = A/2
  BOOST_TEST(largest_difference(A.grad(), Tensor<double>({2, 2}, {0, 1, -1, 0})) < 1e-15);
  const auto loss = [&](const SvdOptions& options) {
    const auto f = svd(A, options);
    return sum(W * matmul(f.U * Real(Tensor<double>({1, 2}, {1, 2})), f.Vh));
  };
  BOOST_TEST(error_of([&] {
               backward(loss({}));
             }).starts_with("svd: singular values 0 and 1 of the matrix coincide (both 2) and the loss"));
  const auto function_at_its_zero = [&](const auto& f) { return sum(W * matmul(f.U * reshape(f.S - 2.0, {1, 2}), f.Vh)); };
  BOOST_TEST(
      error_of([&] { backward(function_at_its_zero(svd(A))); })
          .starts_with("svd: singular values 0 and 1 of the matrix coincide (both 2), but the loss's derivatives with respect "
                       "to them differ (by "));
  BOOST_TEST(error_of([&] { backward(loss({.broadening = 0.1})); }) == "");
  BOOST_TEST(error_of([&] { loss({.broadening = -1}); }) ==
             "svd: broadening, the width of a Lorentzian, must be at least 0, got -1");
}

BOOST_AUTO_TEST_CASE(vectors_of_a_vanishing_singular_value_have_no_gradient) {
  const Real tall = variable(Tensor<double>({3, 2}, {1, 0, 0, 0, 0, 0}));
  const Real W(Tensor<double>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})), weights(Tensor<double>({1, 2}, {1, 2}));
  const auto loss = [&] {
    const Real U = svd(tall).U;
    return sum(W * matmul(U * weights, U, Transpose::No, Transpose::Yes));
  };
  BOOST_TEST(error_of([&] {
               backward(loss());
             }).starts_with("svd: singular value 1 of the matrix is 0 and the loss depends on its singular vectors (slope "));
  // The product of the factors is A itself.
  const auto as_matrix = [](const auto& f) { return matmul(f.U * reshape(f.S, {1, 2}), f.Vh); };
  BOOST_TEST(error_of([&] {
               backward(sum(as_matrix(svd(tall))));
             }).starts_with("svd: singular value 1 of the matrix is 0 and the loss depends on it (slope "));
  BOOST_TEST(error_of([&] { backward(sum(svdvals(tall))); }) == "");
  const Real once = variable(Tensor<double>({2, 2}, {1, 1, 1, 1}));  // a real square matrix may have one singular value of 0
  backward(sum(as_matrix(svd(once))));
  BOOST_TEST(largest_difference(once.grad(), Tensor<double>::ones({2, 2})) < 1e-14);
  const Complex square = variable(Tensor<C>({2, 2}, {1, 0, 0, 0}));
  const auto f = svd(square);
  const Complex turned = matmul(f.U, f.Vh);
  BOOST_TEST(
      error_of([&] {
        backward(sum(imag(turned)));
      }).starts_with("svd: singular value 1 of the matrix is 0 and the loss depends on the phase of its u relative to its v"));
}

BOOST_AUTO_TEST_CASE(least_squares_of_every_rank) {
  const Complex A = random_matrices({3, 6, 4}, 5), b = random_matrices({3, 6}, 6);
  const Complex x = lstsq(A, b), residual = matmul(A, reshape(x, {3, 4, 1})) - reshape(b, {3, 6, 1});
  BOOST_TEST(largest_difference(matmul(A, residual, Transpose::Conjugate).value(), Tensor<C>::zeros({3, 4, 1})) < 1e-13);
  // Of all solutions, lstsq returns the shortest: for x_0 + x_1 = 1 this is x = (1, 1)/2.
  const Real line(Tensor<double>({1, 2}, {1, 1}));
  BOOST_TEST(largest_difference(lstsq(line, Real(Tensor<double>({1}, {1}))).value(), Tensor<double>({2}, {0.5, 0.5})) < 1e-15);
  // The singular value 1e-3 counts, unless rcond is larger: then the rank is 1.
  const Real diagonal(Tensor<double>({2, 2}, {1, 0, 0, 1e-3})), ones(Tensor<double>::ones({2}));
  BOOST_TEST(largest_difference(lstsq(diagonal, ones).value(), Tensor<double>({2}, {1, 1e3})) < 1e-12);
  BOOST_TEST(largest_difference(lstsq(diagonal, ones, 1e-2).value(), Tensor<double>({2}, {1, 0})) < 1e-15);
  const Complex P = pinv(A);
  BOOST_TEST(largest_difference(matmul(matmul(A, P), A).value(), A.value()) < 1e-13);
}

/// The exponential of an antihermitian matrix is unitary; e^A e^-A = I with and without squarings; for a large negative matrix,
/// the exponential vanishes.
BOOST_AUTO_TEST_CASE(exponentials_of_matrices) {
  const Complex A = random_matrices({2, 5, 5}, 7), K = A - adjoint_of_matrices(A), U = matrix_exp(K);
  BOOST_TEST(largest_difference(matmul(U, adjoint_of_matrices(U)).value(), identities(2, 5).value()) < 1e-13);
  const Complex eight = scale(K, 8.0);
  BOOST_TEST(largest_difference(matmul(matrix_exp(eight), matrix_exp(-eight)).value(), identities(2, 5).value()) < 1e-11);
  BOOST_TEST(matrix_exp(Real(Tensor<double>({1, 1}, {-1e6}))).value()(0, 0) == 0);
  BOOST_TEST(std::abs(matrix_exp(Real(Tensor<double>({1, 1}, {1}))).value()(0, 0) - std::exp(1)) < 1e-15);
  BOOST_TEST(error_of([] { matrix_exp(Real(Tensor<double>::ones({2, 3}))); }) == "matrix_exp: expects square matrices, got [2, 3]");
}

BOOST_AUTO_TEST_CASE(right_hand_sides_broadcast) {
  const Complex A = random_matrices({2, 1, 3, 3}, 8), B = random_matrices({4, 3, 2}, 9), X = solve(A, B);
  BOOST_TEST(X.shape().str() == "[2, 4, 3, 2]");
  const Complex one = random_matrices({3, 3}, 10), Y = solve(one, B);
  for (std::int64_t i = 0; i < 4; ++i) {
    const Complex b = reshape(slice(B, 0, i, i + 1), {3, 2});
    BOOST_TEST(largest_difference(matmul(one, reshape(slice(Y, 0, i, i + 1), {3, 2})).value(), b.value()) < 1e-13);
    for (std::int64_t k = 0; k < 2; ++k) {
      const Complex a = reshape(slice(A, 0, k, k + 1), {3, 3}), x = reshape(slice(slice(X, 0, k, k + 1), 1, i, i + 1), {3, 2});
      BOOST_TEST(largest_difference(matmul(a, x).value(), b.value()) < 1e-13);
    }
  }
  BOOST_TEST(solve(A, random_matrices({3}, 11)).shape().str() == "[2, 1, 3]");
}

#endif

BOOST_AUTO_TEST_SUITE_END()
