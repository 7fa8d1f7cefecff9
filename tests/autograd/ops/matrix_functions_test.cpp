/// Square roots, logarithms, powers and eigenvectors of matrices that need not be Hermitian. They are compared with closed forms
/// for 2 x 2 triangular matrices and with each other, including at the ends of the range, and must report where they have no value
/// or derivative.

#include "autograd/ops/linear_algebra/matrix_functions.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/linear_algebra/eig.h"
#include "autograd/ops/linear_algebra/eigh.h"
#include "autograd/ops/linear_algebra/matrix_exp.h"
#include "autograd/ops/products/matmul.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"
#include "core/kernels/elementwise.h"
#include "core/random.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(matrix_functions)

#ifdef ARGAND_PLAIN_BLAS

BOOST_AUTO_TEST_CASE(without_lapack_they_say_so) {
  const Real A(Tensor<double>::ones({2, 2}));
  const std::string rest = ": needs LAPACK, which this build (-Dblas=plain) lacks; build with OpenBLAS";
  BOOST_TEST(error_of([&] { sqrtm(A); }) == "sqrtm" + rest);
  BOOST_TEST(error_of([&] { eig(A); }) == "eig" + rest);
}

#else

namespace {

using C = std::complex<double>;
using Wide = long double;

template <Scalar T>
double largest(const Tensor<T>& A) {
  double m = 0;
  for (const T a : A) m = std::max(m, static_cast<double>(std::abs(a)));
  return m;
}
/// The largest difference between a and b, relative to the largest element.
template <Scalar T>
double error(const Tensor<T>& a, const Tensor<T>& b) {
  BOOST_REQUIRE(a.shape() == b.shape());
  double m = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) m = std::max(m, static_cast<double>(std::abs(a.data()[i] - b.data()[i])));
  return largest(b) == 0 ? m : m / largest(b);
}
/// The largest elementwise error, in epsilons of the element itself.
template <RealScalar R>
double worst_epsilons(const Tensor<R>& a, const std::vector<Wide>& expected) {
  Wide m = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Wide e = expected[i], d = std::abs(static_cast<Wide>(a.data()[i]) - e);
    m = std::max(m, e == 0 ? (d == 0 ? 0 : Wide(1e30)) : d / std::abs(e));
  }
  return static_cast<double>(m / std::numeric_limits<R>::epsilon());
}

struct Scalars {
  Wide (*f)(Wide), (*slope)(Wide);
  /// The divided difference (f(a) - f(b))/(a - b).
  Wide (*divided)(Wide, Wide);
};
const Scalars root{[](Wide x) { return std::sqrt(x); }, [](Wide x) { return 1 / (2 * std::sqrt(x)); },
                   [](Wide a, Wide b) { return 1 / (std::sqrt(a) + std::sqrt(b)); }};
const Scalars logarithm{[](Wide x) { return std::log(x); }, [](Wide x) { return 1 / x; },
                        [](Wide a, Wide b) { return a == b ? 1 / a : std::log1p((a - b) / b) / (a - b); }};

template <RealScalar R, class F>
double worst_of_triangles(const F& f, const Scalars& known) {
  double worst = 0;
  const Wide ends = sizeof(R) == 4 ? Wide(1e30L) : Wide(1e200L);
  for (const Wide a : {Wide(1), Wide(0.25), Wide(1e-3L), ends, 1 / ends})
    for (const Wide ratio : {Wide(1), Wide(1.0009765625L), Wide(2), Wide(1e3L)})
      for (const Wide corner : {Wide(0), Wide(1), Wide(-1e9L), Wide(1e-9L), Wide(1e13L)})
        for (const bool lower : {false, true}) {
          const R x = static_cast<R>(a), y = static_cast<R>(a * ratio), c = static_cast<R>(a * corner);
          if (!std::isfinite(c) || !std::isfinite(y)) continue;
          const Tensor<R> A({2, 2}, lower ? std::initializer_list<R>{x, 0, c, y} : std::initializer_list<R>{x, c, 0, y});
          const Wide beside = Wide(c) * known.divided(y, x);
          std::vector<Wide> expected{known.f(x), beside, 0, known.f(y)};
          if (lower) std::swap(expected[1], expected[2]);
          const Var<R> A_var = variable(A);
          const Var<R> W = f(A_var);
          worst = std::max(worst, worst_epsilons(W.value(), expected));
          // For the loss W_00, dA is f'(x) at (0, 0) and, opposite the corner c, c times the second divided difference.
          backward(sum(slice(slice(W, 0, 0, 1), 1, 0, 1)));
          const Wide d = known.divided(y, x);
          const Wide second = y == x ? std::numeric_limits<Wide>::quiet_NaN() : (d - known.slope(x)) / (Wide(y) - Wide(x));
          const Tensor<R> g = A_var.grad();
          worst = std::max(worst, worst_epsilons(Tensor<R>({1}, {g(0, 0)}), {known.slope(x)}));
          BOOST_TEST(g(lower ? 1 : 0, lower ? 0 : 1) == 0);
          if (ratio >= 2 && std::abs(Wide(c) * second) < Wide(std::numeric_limits<R>::max()))
            BOOST_TEST(std::abs(static_cast<Wide>(g(lower ? 0 : 1, lower ? 1 : 0)) - Wide(c) * second) <=
                       64 * Wide(std::numeric_limits<R>::epsilon()) * std::abs(Wide(c) * second) +
                           Wide(std::numeric_limits<R>::min()));
        }
  return worst;
}

template <Scalar T>
Tensor<T> times(const Tensor<T>& A, const Tensor<T>& B) {
  return matmul(Var<T>(A), Var<T>(B)).value();
}

/// The gradient dA of the loss Re Σ conj(W) f(A).
template <Scalar T, class F>
Tensor<T> gradient(const F& f, const Tensor<T>& A, const Tensor<T>& W) {
  const Var<T> x = variable(A);
  if constexpr (ComplexScalar<T>)
    backward(sum(real(conj(Var<T>(W)) * f(x))));
  else
    backward(sum(Var<T>(W) * f(x)));
  return x.grad();
}

}  // namespace

/// Triangles with corners of 1e-9 to 1e13 times their eigenvalues, also at the ends of the range: every element is correct to its
/// last digits.
BOOST_AUTO_TEST_CASE(triangles_to_the_last_digits) {
  const auto square_root = [](const auto& A) { return sqrtm(A); };
  const auto log_of = [](const auto& A) { return logm(A); };
  BOOST_TEST(worst_of_triangles<double>(square_root, root) <= 8);
  BOOST_TEST(worst_of_triangles<double>(log_of, logarithm) <= 32);
  BOOST_TEST(worst_of_triangles<float>(square_root, root) <= 1);
  BOOST_TEST(worst_of_triangles<float>(log_of, logarithm) <= 1);
}

BOOST_AUTO_TEST_CASE(roots_squared_and_logarithms_exponentiated_are_the_matrix) {
  for (const std::int64_t n : {0, 1, 2, 3, 5, 8})
    for (const double size : {1.0, 1e-200, 1e200}) {
      const Tensor<C> A = map([&](C a) { return size * a; }, randn<C>({3, n, n}, Random(static_cast<std::uint64_t>(n))));
      const Tensor<C> W = sqrtm(Complex(A)).value();
      BOOST_TEST(error(times(W, W), A) < 1e-13);
      const Tensor<C> L = logm(Complex(A)).value();
      if (size == 1) BOOST_TEST(error(matrix_exp(Complex(L)).value(), A) < 1e-12);
    }
  // Real matrices with conjugate pairs of eigenvalues; nilpotent chains and a defective matrix.
  const Tensor<double> turning = matrix_exp(Real(randn<double>({4, 6, 6}, Random(7)))).value();
  BOOST_TEST(error(times(sqrtm(Real(turning)).value(), sqrtm(Real(turning)).value()), turning) < 1e-13);
  BOOST_TEST(error(matrix_exp(logm(Real(turning))).value(), turning) < 1e-12);
  Tensor<double> chain = Tensor<double>::zeros({8, 8});
  for (std::int64_t i = 0; i < 8; ++i) chain(i, i) = 1;
  for (std::int64_t i = 0; i < 7; ++i) chain(i, i + 1) = 1;
  const Tensor<double> L = logm(Real(chain)).value();
  for (std::int64_t j = 1; j < 8; ++j) BOOST_TEST(std::abs(L(0, j) - (j % 2 == 0 ? -1.0 : 1.0) / static_cast<double>(j)) < 1e-14);
}

/// At 2I, where a root computed by eigh() has no gradient, sqrtm's is the scalar root's derivative, 1/(2√2), in every entry.
BOOST_AUTO_TEST_CASE(equal_eigenvalues_have_their_derivative) {
  const Tensor<double> twice({2, 2}, {2, 0, 0, 2}), ones = Tensor<double>::ones({2, 2});
  const auto square_root = [](const auto& A) { return sqrtm(A); };
  const Tensor<double> g = gradient(square_root, twice, ones);
  for (const double x : g) BOOST_TEST(std::abs(x - 0.5 / std::sqrt(2.0)) < 1e-15);
  const Tensor<double> l = gradient([](const auto& A) { return logm(A); }, twice, ones);
  for (const double x : l) BOOST_TEST(std::abs(x - 0.5) < 1e-15);
  // Eigenvalues that are almost equal, in a rotated basis: dW W + W dW = dA with W near √2 I.
  const Tensor<C> Q = eigh(Complex(randn<C>({2, 2}, Random(9)))).vectors.value();
  const Tensor<C> D({2, 2}, {2, 0, 0, 2 + 4e-15}), W = randn<C>({2, 2}, Random(10));
  const Tensor<C> A = matmul(matmul(Complex(Q), Complex(D)), Complex(Q), Transpose::No, Transpose::Conjugate).value();
  BOOST_TEST(error(gradient(square_root, A, W), map([](C w) { return w / (2 * std::sqrt(2.0)); }, W)) < 1e-14);
}

BOOST_AUTO_TEST_CASE(matrices_without_a_principal_value_are_named) {
  const Real negative = variable(Tensor<double>({2, 2, 2}, {1, 0, 0, 1, 0, 1, 1, 0}));
  BOOST_TEST(error_of([&] { sqrtm(negative); }) ==
             "sqrtm: eigenvalue -1 of matrix 1 of [2, 2, 2] is on the negative real axis; pass a complex matrix");
  BOOST_TEST(error_of([&] { logm(slice(negative, 0, 1, 2)); }) ==
             "logm: eigenvalue -1 of the matrix is on the negative real axis; pass a complex matrix");
  BOOST_TEST(error_of([&] { sqrtm(Real(Tensor<double>::ones({2, 3}))); }) == "sqrtm: expects square matrices, got [2, 3]");
  // The branch is taken from above the cut, on whichever side rounding puts the eigenvalue.
  const Tensor<C> W = sqrtm(to_complex(negative)).value();
  BOOST_TEST(std::abs(W(1, 0, 0) - C(0.5, 0.5)) < 1e-15);
  for (const double below : {0.0, -0.0, -1e-17}) {
    const Tensor<C> A({2, 2}, {C(0, below), 1, 1, 0});
    BOOST_TEST(std::abs(logm(Complex(A)).value()(0, 0) - C(0, 0.5 * std::acos(-1.0))) < 1e-15);
  }
  // A triangular matrix has its eigenvalues exactly on its diagonal, so their side of the cut matters.
  BOOST_TEST(sqrtm(Complex(Tensor<C>({1, 1}, {C(-4, -1e-30)}))).value()(0, 0).imag() == -2);

  const Real singular = variable(Tensor<double>({2, 2}, {1, 1, 1, 1})), jordan(Tensor<double>({2, 2}, {0, 1, 0, 0}));
  BOOST_TEST(error_of([&] { logm(singular); }) == "logm: the matrix is singular, and has no logarithm");
  BOOST_TEST(error_of([&] { sqrtm(jordan); }) == "sqrtm: the matrix has no principal square root: its eigenvalue 0 is defective");
  const Tensor<double> root_of_ones = sqrtm(singular).value();
  for (const double w : root_of_ones) BOOST_TEST(std::abs(w - std::sqrt(0.5)) < 1e-15);
  BOOST_TEST(error_of([&] { backward(sum(slice(slice(sqrtm(singular), 0, 0, 1), 1, 0, 1))); }) ==
             "sqrtm: the matrix has eigenvalue 0, where the square root has no derivative");
  // This loss does not depend on the root of eigenvalue 0.
  BOOST_TEST(error_of([&] { backward(sum(sqrtm(singular))); }) == "");
  const Tensor<double> dA = singular.grad();
  for (const double g : dA) BOOST_TEST(std::abs(g - 0.25 * std::sqrt(2.0)) < 1e-15);
  const Tensor<double> factor = randn<double>({4, 2}, Random(12)),
                       rank_2 = matmul(Real(factor), Real(factor), Transpose::No, Transpose::Yes).value();
  const Tensor<double> root_of_rank_2 = sqrtm(Real(rank_2)).value();
  BOOST_TEST(error(times(root_of_rank_2, root_of_rank_2), rank_2) < 1e-13);
  const Tensor<double> nothing = sqrtm(Real(Tensor<double>::zeros({3, 3}))).value();
  for (const double w : nothing) BOOST_TEST(w == 0);
  // 1e-40 is small, but not treated as 0.
  const Tensor<double> graded = sqrtm(Real(Tensor<double>({2, 2}, {1, 1, 0, 1e-40}))).value();
  BOOST_TEST(graded(1, 1) == 1e-20);
}

BOOST_AUTO_TEST_CASE(non_finite_entries_give_nan_in_their_own_matrix) {
  Tensor<float> A = Tensor<float>::zeros({3, 2, 2});
  for (std::int64_t i = 0; i < 3; ++i) A(i, 0, 0) = A(i, 1, 1) = 4;
  A(1, 0, 1) = std::numeric_limits<float>::infinity();
  A(2, 1, 0) = std::numeric_limits<float>::quiet_NaN();
  const Var<float> x = variable(A);
  const auto is_spoiled = [&](const Tensor<float>& W) {
    for (std::int64_t k = 0; k < 12; ++k) BOOST_TEST(std::isnan(W.data()[k]) == (k >= 4));
  };
  is_spoiled(sqrtm(x).value());
  is_spoiled(logm(x).value());
  is_spoiled(real(eig(x).vectors).value());
  backward(sum(sqrtm(x)));
  is_spoiled(x.grad());
}

BOOST_AUTO_TEST_CASE(powers) {
  const Complex A = variable(randn<C>({2, 3, 3}, Random(11)));
  Complex product(Tensor<C>({3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1}));
  for (std::int64_t p = 0; p < 12; ++p, product = matmul(product, A)) {
    BOOST_TEST(error((matrix_power(A, p) + scale(product, 0.0)).value(), (product + scale(A, 0.0)).value()) < 1e-13);
    const Tensor<C> there_and_back = matmul(matrix_power(A, -p), product).value();
    for (std::int64_t k = 0; k < there_and_back.size(); ++k)
      BOOST_TEST(std::abs(there_and_back.data()[k] - C(k % 9 % 4 == 0)) < 1e-9);
  }
  const Real huge = variable(Tensor<double>({2, 2}, {1, 1e200, 0, 1}));
  BOOST_TEST(matrix_power(huge, 4).value()(0, 1) == 4e200);
  BOOST_TEST(matrix_power(huge, -2).value()(0, 1) == -2e200);
  const Real large = variable(Tensor<double>({2, 2}, {1, 1e100, 0, 1}));
  backward(sum(slice(matrix_power(large, -3), 1, 1, 2)));
  BOOST_TEST(large.grad()(0, 1) == -3);
  BOOST_TEST(error_of([&] { matrix_power(Real(Tensor<double>::ones({2, 2})), -2); }) == "matrix_power: the matrix is singular");
  BOOST_TEST(error_of([&] {
               matrix_power(Real(Tensor<double>::ones({2, 3})), 0);
             }) == "matrix_power: expects square matrices, got [2, 3]");
  const Real none = variable(Tensor<double>(Shape{0, 2, 2}));
  backward(sum(matrix_power(none, -3)));
  BOOST_TEST(none.grad().shape() == (Shape{0, 2, 2}));
  const Real empty = variable(Tensor<double>(Shape{0, 0}));
  for (const std::int64_t p : {-2, 0, 3}) BOOST_TEST(matrix_power(empty, p).shape() == (Shape{0, 0}));
  BOOST_TEST(sqrtm(empty).shape() == (Shape{0, 0}));
  backward(sum(logm(empty)) + sum(sqrtm(empty)));
  BOOST_TEST(empty.grad().shape() == (Shape{0, 0}));
}

BOOST_AUTO_TEST_CASE(eigenvectors_of_any_matrix) {
  const auto diagonalises = [](const auto& A) {
    const auto e = eig(A);
    const std::int64_t n = A.dim(-1);
    const Complex V = e.vectors, row = reshape(e.values, Shape{A.dim(0), 1, n});
    const Complex M = [&] {
      if constexpr (std::same_as<std::decay_t<decltype(A)>, Real>)
        return to_complex(A);
      else
        return A;
    }();
    BOOST_TEST(error(matmul(M, V).value(), (V * row).value()) < 1e-13);
    const Tensor<double> lengths = sum(abs2(V), -2).value();
    for (const double l : lengths) BOOST_TEST(std::abs(l - 1) < 1e-14);
  };
  for (const std::int64_t n : {1, 2, 5, 8}) {
    diagonalises(Real(randn<double>({3, n, n}, Random(20))));
    diagonalises(Complex(randn<C>({3, n, n}, Random(21))));
  }
  // A triangular matrix's eigenvalues are its diagonal whatever the corner, so a loss computed from them depends on nothing else.
  const Real A = variable(Tensor<double>({2, 2}, {1, 1e9, 0, 2}));
  backward(sum(real(slice(eigvals(A), -1, 0, 1))));
  BOOST_TEST(A.grad()(0, 0) == 1);
  BOOST_TEST(A.grad()(0, 1) == 0);
  BOOST_TEST(std::abs(A.grad()(1, 0) + 1e9) < 1e-6);
  for (const std::int64_t count : {0, 2}) {
    const Real none = variable(Tensor<double>(Shape{count, 0, 0})), batch = variable(Tensor<double>(Shape{0, 3, 3}));
    backward(sum(real(eigvals(none))) + sum(abs2(eig(batch).vectors)));
    BOOST_TEST(none.grad().shape() == (Shape{count, 0, 0}));
    BOOST_TEST(batch.grad().shape() == (Shape{0, 3, 3}));
  }
}

BOOST_AUTO_TEST_CASE(eigenvectors_without_a_derivative) {
  const Complex A = variable(randn<C>({3, 3}, Random(30)));
  const std::string phase = error_of([&] { backward(sum(real(eig(A).vectors))); });
  BOOST_TEST(phase.starts_with("eig: the loss depends on the phase of eigenvector "), phase);
  BOOST_TEST(phase.ends_with(" per radian; use |v|² or v vᴴ, or fix the phase"), phase);
  // Equal eigenvalues with a full set of vectors: a loss that does not distinguish them has a gradient.
  const Real twice = variable(Tensor<double>({2, 2}, {2, 0, 0, 2}));
  backward(sum(real(eigvals(twice))));
  BOOST_TEST(error(twice.grad(), Tensor<double>({2, 2}, {1, 0, 0, 1})) < 1e-15);
  BOOST_TEST(error_of([&] { backward(sum(slice(real(eigvals(twice)), -1, 0, 1))); }) ==
             "eig: eigenvalues 0 and 1 of the matrix coincide (both 2), but the loss's derivatives with respect to them differ (by "
             "1), so the loss has no derivative at this matrix");
  // A Jordan block: unchanged, scaled, and rotated, where rounding splits its eigenvalue into three that are 1e-5 apart.
  const auto is_defective = [](const Real& matrix) {
    const std::string lost = error_of([&] { backward(sum(real(eigvals(matrix)))); });
    BOOST_TEST(lost.starts_with("eig: eigenvalues "), lost);
    BOOST_TEST(lost.ends_with(": the matrix is defective, or nearly so, and its eigenvalues have no derivative; use sqrtm, logm "
                              "or matrix_exp instead"),
               lost);
  };
  for (const double scale : {1.0, 1e200, 1e-200}) {
    is_defective(variable(Tensor<double>({2, 2}, {scale, scale, 0, scale})));
    is_defective(variable(Tensor<double>({2, 2}, {3 * scale, -scale, scale, scale})));
  }
  // Almost a Jordan block: its eigenvalues 1 ± 1e-8 follow from the entries to the last digits.
  const Real almost = variable(Tensor<double>({2, 2}, {1, 1, 1e-16, 1}));
  backward(sum(real(eigvals(almost))));
  BOOST_TEST(error(almost.grad(), Tensor<double>({2, 2}, {1, 0, 0, 1})) < 1e-14);
  const Tensor<double> J({3, 3}, {2, 1, 0, 0, 2, 1, 0, 0, 2}), S({3, 3}, {1, 2, 0, -1, 1, 3, 2, 0, 1});
  const Real turned = variable(times(times(matrix_power(Real(S), -1).value(), J), S));
  is_defective(turned);
  BOOST_TEST(error_of([&] { eig(Real(Tensor<double>::ones({2, 3}))); }) == "eig: expects square matrices, got [2, 3]");
}

#endif

BOOST_AUTO_TEST_SUITE_END()
