/// Forward mode: its rules are compared with the gradients of every op, and Hessian-vector products with differences of gradients.

#include "autograd/check/adjoint.h"

#include <boost/test/unit_test.hpp>

#include "autograd/hessian.h"
#include "autograd/ops.h"
#include "autograd/tape.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(adjoint)

using C = std::complex<double>;

BOOST_AUTO_TEST_CASE(every_op_is_the_adjoint_of_its_gradient) {
  std::string missing;
  for (const Op* op : Op::all()) {
    OpCheck check;
    op->check(check);
    Report report;
    try {
      for (const OpCheck::Case& c : check.cases()) report.rows.push_back(check_adjoint(c.f, c.inputs, c.label));
    } catch (const Error& e) {
      missing += op->name() + " ";
      continue;
    }
    BOOST_TEST(report.ok(), op->name() << ":\n" << report_text(report));
  }
  BOOST_TEST(missing == "");
}

BOOST_AUTO_TEST_CASE(tangent_of_an_expression) {
  // w = z² e^z has the derivative (2z + z²) e^z v along v.
  const C z(0.5, -0.25), v(2, 1);
  const Tensor<C> w = jvp([](const Complex& x) { return x * x * exp(x); }, along(Tensor<C>::scalar(z), Tensor<C>::scalar(v)));
  BOOST_TEST(std::abs(w.item() - (2.0 * z + z * z) * std::exp(z) * v) < 1e-15);
}

BOOST_AUTO_TEST_CASE(constants_have_no_tangent) {
  const Var<double> x = variable(Tensor<double>::scalar(2));
  {
    ForwardMode forward;
    BOOST_TEST(!(x * x).has_tangent());
    forward.set_direction(x, Tensor<double>::scalar(1));
    BOOST_TEST(tangent(x * x).value().item() == 4);
  }
  BOOST_TEST(!x.has_tangent());
  BOOST_TEST(!(x * x).has_tangent());
}

BOOST_AUTO_TEST_CASE(a_hessian_by_hand) {
  // L = x² y: H = [2y 2x; 2x 0].
  const Real x = variable(Tensor<double>::scalar(3)), y = variable(Tensor<double>::scalar(5));
  const ParameterList<double> both{{"x", x}, {"y", y}};
  Real(x).set_grad(Tensor<double>::scalar(7));
  const auto product = hvp<double>([&] { return x * x * y; }, both, {Tensor<double>::scalar(1), Tensor<double>::scalar(10)});
  BOOST_TEST(std::get<Tensor<double>>(product[0]).item() == 2 * 5 + 10 * 2 * 3);
  BOOST_TEST(std::get<Tensor<double>>(product[1]).item() == 2 * 3);
  BOOST_TEST(x.grad().item() == 7);
  BOOST_TEST(!y.has_grad());
}

BOOST_AUTO_TEST_CASE(a_whole_hessian) {
  // L = |z|² w + w³ with z = x + iy has, over (x, y, w), the Hessian [2w 0 2x; 0 2w 2y; 2x 2y 6w].
  const Complex z = variable(Tensor<C>::scalar({3, 4}));
  const Real w = variable(Tensor<double>::scalar(2));
  const Tensor<double> H = hessian<double>([&] { return abs2(z) * w + w * w * w; }, {{"z", z}, {"w", w}});
  BOOST_TEST(H.span() == std::vector<double>({4, 0, 6, 0, 4, 8, 6, 8, 12}), boost::test_tools::per_element());
  const std::vector<double> values = symmetric_eigenvalues(H);  // 4 and 8 ± sqrt(16 + 100)
  BOOST_TEST(values[0] == 8 - std::sqrt(116.0), boost::test_tools::tolerance(1e-14));
  BOOST_TEST(values[1] == 4, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(values[2] == 8 + std::sqrt(116.0), boost::test_tools::tolerance(1e-14));
  BOOST_TEST(error_of([] {
               symmetric_eigenvalues(Tensor<double>({1, 2}, {1.0, 2.0}));
             }) == "symmetric_eigen: expects a square matrix, got [1, 2]");
}

BOOST_AUTO_TEST_CASE(lanczos_finds_the_ends_of_the_spectrum) {
  const Complex z = variable(randn<C>({6}, Random(1)));
  const Real x = variable(randn<double>({5}, Random(2)));
  const Complex A(randn<C>({6, 6}, Random(3)));
  const std::function<Real()> loss = [&] { return sum(abs2(matmul(A, reshape(exp(z), {6, 1})))) + sum(square(square(x))); };
  const ParameterList<double> all = {{"z", z}, {"x", x}};
  const std::vector<double> whole = symmetric_eigenvalues(hessian(loss, all));
  const std::vector<RitzValue> seen = lanczos(loss, all, 100);  // the loss has 17 parameters, so 100 steps find all eigenvalues
  BOOST_REQUIRE(seen.size() == whole.size());
  const double size = std::max(std::abs(whole.front()), std::abs(whole.back()));
  for (std::size_t i = 0; i < whole.size(); ++i) BOOST_TEST(std::abs(seen[i].value - whole[i]) < 1e-11 * size);
  // After fewer products the bound still holds: each Ritz value has an eigenvalue within its residual.
  for (const RitzValue& ritz : lanczos(loss, all, 8)) {
    double nearest = size;
    for (const double value : whole) nearest = std::min(nearest, std::abs(value - ritz.value));
    BOOST_TEST(nearest <= ritz.residual + 1e-11 * size);
  }
  BOOST_TEST(error_of([&] { lanczos(loss, all, 0); }) == "lanczos: steps must be at least 1, got 0");
}

BOOST_AUTO_TEST_CASE(eigenvectors_of_a_symmetric_matrix) {
  Tensor<double> A = randn<double>({7, 7}, Random(4));
  for (int i = 0; i < 7; ++i)
    for (int k = 0; k < i; ++k) A(k, i) = A(i, k);
  const SymmetricEigen eigen = symmetric_eigen(A);
  for (std::size_t j = 0; j < 7; ++j)
    for (int i = 0; i < 7; ++i) {
      double product = 0;
      for (int k = 0; k < 7; ++k) product += A(i, k) * eigen.vectors[j][static_cast<std::size_t>(k)];
      BOOST_TEST(std::abs(product - eigen.values[j] * eigen.vectors[j][static_cast<std::size_t>(i)]) < 1e-13);
    }
}

BOOST_AUTO_TEST_CASE(misuse_is_refused) {
  const Real x = variable(Tensor<double>({2}, {1.0, 2.0}));
  ForwardMode forward;
  BOOST_TEST(error_of([&] { forward.set_direction(constant(x.value()), x.value()); }) ==
             "forward: only a variable can have a direction; make one with variable()");
  BOOST_TEST(error_of([&] { forward.set_direction(x, Tensor<double>({1}, {1.0})); }) ==
             "forward: direction of shape [1] does not match variable of shape [2]");
  BOOST_TEST(error_of([&] { hvp<double>([&] { return sum(x); }, {{"x", x}}, {}); }) == "hvp: got 0 vectors for 1 parameters");
  BOOST_TEST(error_of([&] {
               hvp<double>([&] { return sum(x); }, {{"x", x}}, {Tensor<C>({2}, {C(1), C(2)})});
             }) == "hvp: the vector for x is complex, but the parameter is real");
}

BOOST_AUTO_TEST_SUITE_END()
