#include <boost/test/unit_test.hpp>
#include <cmath>

#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/exponential.h"
#include "autograd/ops/linear_algebra/eigh.h"
#include "autograd/ops/linear_algebra/matrix_exp.h"
#include "autograd/ops/linear_algebra/solve.h"
#include "autograd/ops/products/matmul.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"
#include "core/random.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(linear_algebra_ops)

#ifdef ARGAND_PLAIN_BLAS

BOOST_AUTO_TEST_CASE(without_lapack_the_ops_say_so) {
  const Real A(Tensor<double>::ones({2, 2}));
  const std::string rest = ": needs LAPACK, which this build (-Dblas=plain) lacks; build with OpenBLAS";
  BOOST_TEST(error_of([&] { solve(A, A); }) == "solve" + rest);
  BOOST_TEST(error_of([&] { eigh(A); }) == "eigh" + rest);
}

#else

namespace {

using C = std::complex<double>;

template <Scalar T>
double difference(const Tensor<T>& a, const Tensor<T>& b) {
  BOOST_REQUIRE(a.shape().str() == b.shape().str());
  double largest = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) largest = std::max(largest, static_cast<double>(std::abs(a.data()[i] - b.data()[i])));
  return largest;
}

}  // namespace

BOOST_AUTO_TEST_CASE(solutions_solve_and_inverses_invert) {
  const Complex A(randn<C>({4, 5, 5}, Random(1))), B(randn<C>({4, 5, 2}, Random(2)));
  BOOST_TEST(difference(matmul(A, solve(A, B)).value(), B.value()) < 1e-11);
  BOOST_TEST(difference(matmul(inv(A), B).value(), solve(A, B).value()) < 1e-11);
  const auto logs = slogdet(A);
  for (std::int64_t i = 0; i < 4; ++i)
    BOOST_TEST(std::abs(logs.sign.value()(i) * std::exp(logs.logabsdet.value()(i)) - det(A).value()(i)) <
               1e-12 * std::abs(det(A).value()(i)));
}

/// A matrix of rank n - 1 has an adjugate other than 0; for rank n - 2 the adjugate is 0. The gradient of the determinant is
/// finite in both cases.
BOOST_AUTO_TEST_CASE(the_gradient_of_a_vanishing_determinant_is_finite) {
  Complex A = variable(Tensor<C>({2, 2, 2}, {{1, 1}, {2, 0}, {0, 2}, {2, 2}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}));
  backward(sum(real(det(A))));
  const Tensor<C> dA = A.grad();
  const Tensor<C> expected({2, 2, 2}, {{2, -2}, {0, 2}, {-2, 0}, {1, -1}, {0, 0}, {0, 0}, {0, 0}, {0, 0}});
  BOOST_TEST(difference(dA, expected) < 1e-14);
}

BOOST_AUTO_TEST_CASE(empty_matrices_have_empty_or_no_gradients) {
  const Real nothing = variable(Tensor<double>(Shape{0, 0}));
  BOOST_TEST(solve(nothing, Real(Tensor<double>(Shape{5, 0, 3}))).shape() == (Shape{5, 0, 3}));
  BOOST_TEST(solve(nothing, Real(Tensor<double>(Shape{0, 3}))).shape() == (Shape{0, 3}));
  // One factor shared by all matrices of an empty batch.
  const Real A = variable(Tensor<double>(Shape{0, 2, 3})), B = variable(Tensor<double>::ones({3, 4}));
  backward(sum(matmul(A, B)));
  BOOST_TEST(A.grad().shape() == (Shape{0, 2, 3}));
  const Tensor<double> dB = B.grad();
  for (const double g : dB) BOOST_TEST(g == 0);
}

BOOST_AUTO_TEST_CASE(overflowing_exponentials_are_infinite) {
  const Real huge(Tensor<double>::full({2, 2}, 1.7e308));
  const Tensor<double> W = matrix_exp(huge).value();
  for (const double w : W) BOOST_TEST(w == std::numeric_limits<double>::infinity());
}

BOOST_AUTO_TEST_CASE(singular_systems_are_named) {
  const Real singular(Tensor<double>({2, 2, 2}, {1, 0, 0, 1, 1, 2, 2, 4}));
  BOOST_TEST(error_of([&] { inv(singular); }) == "inv: matrix 1 of [2, 2, 2] is singular");
  BOOST_TEST(error_of([&] {
               solve(slice(singular, 0, 1, 2), Real(Tensor<double>::ones({1, 2, 1})));
             }) == "solve: the matrix is singular");
  BOOST_TEST(error_of([&] {
               solve(singular, Real(Tensor<double>::ones({3, 1})));
             }) == "solve: right-hand sides of shape [3, 1] do not match matrices [2, 2, 2]; expected [..., 2, k] or [..., 2]");
  BOOST_TEST(error_of([&] { det(Real(Tensor<double>::ones({2, 3}))); }) == "det: expects square matrices, got [2, 3]");
  const Real x = variable(singular.value());
  BOOST_TEST(slogdet(x).sign.value()(1) == 0);
  BOOST_TEST(std::isinf(slogdet(x).logabsdet.value()(1)));
  BOOST_TEST(error_of([&] { backward(sum(slogdet(x).logabsdet)); }) == "slogdet: matrix 1 of [2, 2, 2] is singular");
}

BOOST_AUTO_TEST_CASE(eigenvectors_diagonalise) {
  const Complex A(randn<C>({3, 4, 4}, Random(3)));
  const auto e = eigh(A);
  const Complex H = scale(A + conj(transpose(A)), 0.5);
  BOOST_TEST(difference(matmul(H, e.vectors).value(), (e.vectors * reshape(e.values, Shape{3, 1, 4})).value()) < 1e-13);
}

// In float, OpenBLAS 0.3.21's kernels without AVX let a product of NaN spoil the finite product that follows.
BOOST_AUTO_TEST_CASE(non_finite_entries_affect_their_own_matrix_alone) {
  const auto not_numbers = Tensor<float>::full({64, 64}, std::numeric_limits<float>::quiet_NaN());
  for (int n = 1; n < 40; ++n) {
    matmul(Var<float>(not_numbers), Var<float>(not_numbers));
    Tensor<float> A = randn<float>({2, n, n}, Random(static_cast<std::uint64_t>(n)));
    A(1, 0, n - 1) = std::numeric_limits<float>::infinity();
    const Tensor<float> values = eigh(Var<float>(A)).values.value();
    for (int i = 0; i < n; ++i) {
      BOOST_TEST(std::isfinite(values(0, i)));
      BOOST_TEST(std::isnan(values(1, i)));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_loss_that_depends_on_a_phase_is_refused) {
  const Complex A = variable(randn<C>({3, 3}, Random(4)));
  const std::string message = error_of([&] { backward(sum(real(eigh(A).vectors))); });
  BOOST_TEST(
      message.starts_with("eigh: the loss depends on the phase of eigenvector 0 of the matrix, which is arbitrary: it changes by "),
      message);
  BOOST_TEST(error_of([&] { backward(sum(abs2(eigh(A).vectors) * Real(randn<double>({3, 3}, Random(5))))); }) == "");
}

BOOST_AUTO_TEST_CASE(coinciding_eigenvalues) {
  const Real A = variable(Tensor<double>({2, 2}, {3, 0, 0, 3}));
  const Real W(Tensor<double>({2, 2}, {1, 2, 3, 4})), weights(Tensor<double>({1, 2}, {1, 2}));
  BOOST_TEST(error_of([&] { backward(sum(eigvalsh(A))); }) == "");  // the sum of the eigenvalues is the trace
  BOOST_TEST(difference(A.grad(), Tensor<double>({2, 2}, {1, 0, 0, 1})) < 1e-15);
  // The loss is stationary at the basis that LAPACK chose, V = I: no first derivative shows that the loss depends on the basis.
  BOOST_TEST(error_of([&] { backward(sum(abs2(slice(slice(eigh(A).vectors, 0, 0, 1), 1, 0, 1)))); }) == "");
  // L = Σ W ∘ (V (λ - 3) Vᴴ) has the gradient (W + Wᵀ)/2. Its diagonal is dλ, but the off-diagonal entries cannot be found: in L
  // they are multiplied by λ - 3 = 0.
  const auto distance_from_3 = [&] {
    const auto e = eigh(A);
    return sum(W * matmul(e.vectors * reshape(e.values - 3.0, {1, 2}), e.vectors, Transpose::No, Transpose::Conjugate));
  };
  BOOST_TEST(
      error_of([&] { backward(distance_from_3()); })
          .starts_with("eigh: eigenvalues 0 and 1 of the matrix coincide (both 3), but the loss's derivatives with respect to "
                       "them differ (by 3)"));
  BOOST_TEST(error_of([&] { backward(sum(reshape(weights, {2}) * eigvalsh(A))); }) == "");  // one of many possible gradients
  const auto loss = [&](const EighOptions& options) {
    const Real V = eigh(A, options).vectors;
    return sum(W * matmul(V * weights, V, Transpose::No, Transpose::Conjugate));
  };
  BOOST_TEST(error_of([&] { backward(loss({})); }).starts_with("eigh: eigenvalues 0 and 1 of the matrix coincide (both 3)"));
  BOOST_TEST(error_of([&] { backward(loss({.broadening = 0.1})); }) == "");
  BOOST_TEST(error_of([&] { loss({.broadening = -1}); }) ==
             "eigh: broadening, the width of a Lorentzian, must be at least 0, got -1");
}

/// At 2I, V √Λ Vᵀ has the gradient 0.354 in every entry, but it cannot be found through the vectors. eigh() refuses it
/// at 2I, and also where the eigenvalues differ by only a few rounding errors.
BOOST_AUTO_TEST_CASE(functions_of_a_matrix_with_close_eigenvalues) {
  const auto root = [](const Real& A) {
    const auto e = eigh(A);
    return sum(matmul(e.vectors * reshape(sqrt(e.values), {1, 2}), e.vectors, Transpose::No, Transpose::Yes));
  };
  const auto at = [&](double gap) { return variable(Tensor<double>({2, 2}, {2, 0, 0, 2 + gap})); };
  BOOST_TEST(
      error_of([&] { backward(root(at(0))); }) ==
      "eigh: eigenvalues 0 and 1 of the matrix coincide (both 2), and the gradient of the loss through their eigenvectors is 0/0; "
      "use a function of the matrix itself (matrix_exp, sqrtm, logm)");
  for (const double gap : {4e-15, 2e-14})
    BOOST_TEST(
        error_of([&] { backward(root(at(gap))); }).starts_with("eigh: eigenvalues 0 and 1 of the matrix are too close (2, "));
  for (const double gap : {1e-13, 1e-11, 1e-6}) {
    const Real A = at(gap);
    backward(root(A));
    const double exact = 1 / (std::sqrt(2.0) + std::sqrt(2 + gap));
    BOOST_TEST(std::abs(A.grad()(0, 1) / exact - 1) < 4e-15 / gap);
  }
}

/// Whether the results agree to within a few units of rounding. If the determinant or its gradient is within the range of the type,
/// no intermediate result may overflow or underflow.
template <RealScalar R>
bool is_close(R got, R expected) {
  return got == expected || std::abs(got - expected) <= 8 * std::numeric_limits<R>::epsilon() * std::abs(expected);
}
template <RealScalar R>
void compare_determinant(const Tensor<R>& A, R value, const Tensor<R>& gradient) {
  const Var<R> x = variable(A), w = det(x);
  BOOST_TEST(is_close(w.value().item(), value));
  backward(w);
  const Tensor<R> dx = x.grad();
  for (std::int64_t k = 0; k < dx.size(); ++k) BOOST_TEST(is_close(dx.data()[k], gradient.data()[k]));
}
BOOST_AUTO_TEST_CASE(determinants_at_the_ends_of_the_range) {
  const float tiny = 1e-25F, big = 1e20F;
  compare_determinant<float>(Tensor<float>({2, 2}, {tiny, 0, 0, tiny}), 0, Tensor<float>({2, 2}, {tiny, 0, 0, tiny}));
  compare_determinant<float>(
      Tensor<float>({3, 3}, {big, 0, 0, 0, big, 0, 0, 0, 1e-30F}), big * 1e-30F * big,
      Tensor<float>({3, 3}, {big * 1e-30F, 0, 0, 0, big * 1e-30F, 0, 0, 0, std::numeric_limits<float>::infinity()}));
  for (const double a : {1e200, 1e-200, 1e300, 1e-300})
    compare_determinant<double>(Tensor<double>({2, 2}, {a, 2 * a, a, a}), a > 1 ? -std::numeric_limits<double>::infinity() : 0,
                                Tensor<double>({2, 2}, {a, -a, -2 * a, a}));
  compare_determinant<double>(Tensor<double>({2, 2}, {1e200, 1e-200, 1e200, 2e-200}), 1,
                              Tensor<double>({2, 2}, {2e-200, -1e200, -1e-200, 1e200}));
  // Rank n - 1 with entries at both ends of the range, and rank n - 2.
  compare_determinant<double>(Tensor<double>({2, 2}, {1e-250, 1e250, 0, 0}), 0, Tensor<double>({2, 2}, {0, 0, -1e250, 1e-250}));
  compare_determinant<double>(Tensor<double>({3, 3}, {1e200, 0, 0, 0, 1e90, 0, 0, 0, 0}), 0,
                              Tensor<double>({3, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 1e290}));
  compare_determinant<double>(Tensor<double>({3, 3}, {1e200, 0, 0, 0, 0, 0, 0, 0, 0}), 0, Tensor<double>::zeros({3, 3}));
}

BOOST_AUTO_TEST_CASE(systems_at_the_ends_of_the_range) {
  const Real A = variable(Tensor<double>({2, 2}, {1e250, 2e-250, 1e250, 3e-250})), b(Tensor<double>({2}, {1e200, 1e200}));
  const Tensor<double> x = solve(A, b).value();  // x = (1e-50, 0)
  BOOST_TEST(std::abs(x(0) / 1e-50 - 1) < 1e-14);
  const auto d = slogdet(A);
  BOOST_TEST(std::abs(d.logabsdet.value().item()) < 1e-14);
  BOOST_TEST(d.sign.value().item() == 1);
  // A lower triangular system is solved by substitution alone.
  const Real L(Tensor<double>({2, 2}, {1e-3, 0, 1e30, 1e3})), one(Tensor<double>({2}, {1, 1e33}));
  const Tensor<double> y = solve(L, one).value();
  BOOST_TEST(std::abs(y(0) / 1e3 - 1) < 1e-15);
  BOOST_TEST(std::abs(y(1)) < 1e15);
}

#endif

BOOST_AUTO_TEST_SUITE_END()
