/// einsum(), which multiplies along named axes; gathering elements by index; sorting.

#include "autograd/ops/products/einsum.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "autograd/gradcheck.h"
#include "autograd/op_check.h"
#include "autograd/ops.h"
#include "autograd/tape.h"
#include "tests/error_text.h"

BOOST_AUTO_TEST_SUITE(einsum_and_orders)

using namespace argand;
using C = std::complex<double>;

namespace {

template <class F, class... In>
void has_its_gradient(const char* name, const F& f, const In&... inputs) {
  const Report result = gradcheck(GradcheckOptions{.name = name}, f, inputs...);
  BOOST_TEST(result.ok(), report_text(result));
  BOOST_TEST(result.worst_error() < 1e-8);
}

template <Scalar T, Scalar U>
void close_to(const Var<T>& a, const Var<U>& b) {
  BOOST_TEST(a.shape().str() == b.shape().str());
  for (std::int64_t k = 0; k < a.size(); ++k) BOOST_TEST(std::abs(a.value().data()[k] - b.value().data()[k]) < 1e-13);
}

}  // namespace

BOOST_AUTO_TEST_CASE(matrix_products_stretch) {
  OpCheck x;
  const Var<C> A = x.complex({2, 1, 3, 4}), B = x.complex({5, 4, 2}), one = x.complex({3, 4});
  const Var<C> product = matmul(A, B);
  BOOST_TEST(product.shape().str() == "[2, 5, 3, 2]");
  close_to(reshape(slice(slice(product, 0, 1, 2), 1, 3, 4), Shape{3, 2}),
           matmul(reshape(slice(A, 0, 1, 2), Shape{3, 4}), reshape(slice(B, 0, 3, 4), Shape{4, 2})));
  BOOST_TEST(matmul(one, B).shape().str() == "[5, 3, 2]");
  BOOST_TEST(matmul(B, one, Transpose::Yes, Transpose::Yes).shape().str() == "[5, 2, 3]");
  has_its_gradient(
      "both stretched", [](auto a, auto b) { return matmul(a, b); }, x.complex({2, 1, 2, 2}), x.complex({2, 2, 2}));
  has_its_gradient(
      "the first stretched", [](auto a, auto b) { return matmul(a, b); }, x.real({2, 3}), x.real({2, 3, 2}));
  BOOST_TEST(error_of([&] {
               matmul(Var<C>(x.complex({2, 2, 2})), Var<C>(x.complex({3, 2, 2})));
             }) == "matmul: shapes cannot be broadcast together: [2] and [3]");
}

BOOST_AUTO_TEST_CASE(one_factor_real) {
  OpCheck x;
  const Var<double> A = x.real({2, 3, 4});
  const Var<C> B = x.complex({4, 5}), D = x.complex({2, 5, 3});
  close_to(matmul(A, B), matmul(to_complex(A), B));
  close_to(matmul(D, A), matmul(D, to_complex(A)));
  has_its_gradient(
      "real, complex", [](auto a, auto b) { return matmul(a, b); }, x.real({2, 3}), x.complex({3, 2}));
  has_its_gradient(
      "complex, real", [](auto a, auto b) { return matmul(a, b); }, x.complex({2, 3}), x.real({3, 2}));
}

BOOST_AUTO_TEST_CASE(einsum_is_the_sum_that_its_letters_say) {
  OpCheck x;
  const Var<C> A = x.complex({3, 4}), B = x.complex({4, 2}), batch = x.complex({5, 3, 4}), v = x.complex({4});
  close_to(einsum("ij,jk->ik", A, B), matmul(A, B));
  close_to(einsum("ij, jk", A, B), matmul(A, B));
  close_to(einsum("bij,jk->bki", batch, B), transpose(matmul(batch, B)));
  close_to(einsum("ij->ji", A), transpose(A));
  close_to(einsum("ij->", A), sum(A));
  close_to(einsum("ii", matmul(A, transpose(A))), trace(matmul(A, transpose(A))));
  close_to(einsum("ii->i", matmul(A, transpose(A))), diagonal(matmul(A, transpose(A))));
  close_to(einsum("i,j->ij", v, v), outer(v, v));
  close_to(einsum("i,i", v, v), sum(v * v));
  close_to(einsum("bij,bij->b", batch, batch), sum(sum(batch * batch, -1), -1));
  close_to(einsum("ij,jk,kl->il", A, B, transpose(B)), matmul(matmul(A, B), transpose(B)));
  close_to(einsum("ij,jk,kl,l->i", A, B, transpose(B), v),
           reshape(matmul(matmul(matmul(A, B), transpose(B)), reshape(v, Shape{4, 1})), Shape{3}));
  // Products of a real matrix with complex vectors and matrices.
  const Var<double> M = x.real({3, 4});
  close_to(einsum("ij,j->i", M, v), einsum("ij,j->i", to_complex(M), v));
  close_to(einsum("kij,ij->k", batch, M), einsum("kij,ij->k", batch, to_complex(M)));
}

BOOST_AUTO_TEST_CASE(an_ellipsis_is_all_the_other_axes) {
  OpCheck x;
  const Var<C> A = x.complex({2, 1, 3, 4}), B = x.complex({5, 4, 2}), one = x.complex({4, 2}), v = x.complex({4});
  close_to(einsum("...ij,...jk->...ik", A, B), matmul(A, B));
  close_to(einsum("...ij,...jk", A, B), matmul(A, B));
  close_to(einsum("...ij,...jk->...ik", A, one), matmul(A, one));  // the second operand's ellipsis is empty
  close_to(einsum("...ij,...jk->ik", A, B), sum(sum(matmul(A, B), 0), 0));
  close_to(einsum("i...->...i", A), permute(A, {1, 2, 3, 0}));
  close_to(einsum("...", A), A);
  close_to(einsum("...ii->...i", matmul(A, transpose(A))), diagonal(matmul(A, transpose(A)), 0, -2, -1));
  close_to(einsum("...i,i", A, v), reshape(matmul(A, reshape(v, Shape{4, 1})), Shape{2, 1, 3}));
  // An ellipsis between indices, and one carried through several products.
  close_to(einsum("a...b,b->...a", A, v), permute(einsum("aijb,b->ija", A, v), {0, 1, 2}));
  const Var<C> u = x.complex({2});
  close_to(einsum("...ij,...jk,k->...i", A, B, u), einsum("...ik,k->...i", matmul(A, B), u));
  // Axes of sizes 1 and 0 under the ellipsis.
  close_to(einsum("...,...->...", Var<C>(x.complex({1, 1})), Var<C>(Tensor<C>(Shape{0, 1}))), Var<C>(Tensor<C>(Shape{0, 1})));
  close_to(einsum("...,...->", Var<C>(Tensor<C>::full({1}, 2)), Var<C>(Tensor<C>::full({3}, 5))), Var<C>(Tensor<C>::scalar(30)));
  has_its_gradient(
      "both stretched", [](auto a, auto b) { return einsum("...ij,...j->i...", a, b); }, x.complex({2, 1, 2, 3}), x.real({2, 3}));
}

BOOST_AUTO_TEST_CASE(einsum_has_its_gradient) {
  OpCheck x;
  const auto product = [](std::string_view e) { return [e](auto a, auto b) { return einsum(e, a, b); }; };
  has_its_gradient("batch", product("bij,bjk->kbi"), x.complex({2, 2, 3}), x.complex({2, 3, 2}));
  has_its_gradient("mixed", product("ij,jk->ik"), x.real({2, 3}), x.complex({3, 2}));
  has_its_gradient("mixed, the other way", product("aij,jk->ik"), x.complex({2, 2, 3}), x.real({3, 2}));
  has_its_gradient("a diagonal", product("iij,j->i"), x.real({3, 3, 2}), x.real({2}));
  has_its_gradient("outer", product("i,jk->kij"), x.complex({2}), x.complex({2, 3}));
  has_its_gradient(
      "three", [](auto a, auto b, auto c) { return einsum("ij,jk,ki->i", a, b, c); }, x.complex({2, 3}), x.complex({3, 2}),
      x.complex({2, 2}));
}

BOOST_AUTO_TEST_CASE(malformed_equations_are_reported_in_one_line) {
  OpCheck x;
  const Var<double> A = x.real({3, 4}), B = x.real({5, 2});
  BOOST_TEST(error_of([&] { einsum("ij,jk->ik", A, B); }) == "einsum: axis j has size 4 in one operand and 5 in another");
  BOOST_TEST(error_of([&] { einsum("ij", A, B); }) == "einsum: \"ij\" names 1 operand, got 2");
  BOOST_TEST(
      error_of([&] { einsum("i.->i", A); }) ==
      "einsum: \"i.->i\": use one letter per axis, as in \"ij,jk->ik\", or ... for all the others, as in \"...ij,jk->...ik\"");
  BOOST_TEST(error_of([&] { einsum("...i...->i", A); }) == "einsum: \"...i...->i\": only one ellipsis is allowed per operand");
  BOOST_TEST(error_of([&] { einsum("ij->...", A); }) == "einsum: \"ij->...\": no operand has axis ... of the result");
  BOOST_TEST(error_of([&] { einsum("...ijk->i", A); }) == "einsum: subscripts ...ijk do not match [3, 4], which has rank 2");
  BOOST_TEST(error_of([&] { einsum("...,...->...", A, B); }) ==
             "einsum: axis 2 from the end of ... has size 3 in one operand and 5 in another");
  BOOST_TEST(error_of([&] { einsum("ij->k", A); }) == "einsum: \"ij->k\": no operand has axis k of the result");
  BOOST_TEST(error_of([&] { einsum("ij->ii", A); }) == "einsum: \"ij->ii\": the result repeats axis i");
  BOOST_TEST(error_of([&] { einsum("ijk->i", A); }) == "einsum: subscripts ijk do not match [3, 4], which has rank 2");
  BOOST_TEST(error_of([&] { einsum("ii->i", A); }) == "einsum: the diagonal ii needs axes of equal size, got [3, 4]");
}

BOOST_AUTO_TEST_CASE(elements_by_number) {
  const Var<double> x = variable(Tensor<double>({2, 3}, {10, 11, 12, 20, 21, 22}));
  const Var<double> y = gather(x, 1, Ids({2, 2}, {2, 0, 1, 1}));
  BOOST_TEST(std::vector<double>(y.value().begin(), y.value().end()) == std::vector<double>({12, 10, 21, 21}),
             boost::test_tools::per_element());
  backward(sum(y));
  BOOST_TEST(x.grad()(1, 1) == 2);
  BOOST_TEST(x.grad()(1, 0) == 0);
  BOOST_TEST(gather(x, 0, Ids({1, 2}, {1, 0})).value()(0, 1) == 11);
  const Var<double> z = scatter_add(x, 1, Ids({2, 2}, {0, 0, 2, 1}), constant(Tensor<double>({2, 2}, {1, 2, 3, 4})));
  BOOST_TEST(z.value()(0, 0) == 13);
  BOOST_TEST(z.value()(1, 1) == 25);
  OpCheck c;
  has_its_gradient(
      "gather",
      [](auto v) {
        return gather(v, 0, Ids({3, 2}, {1, 0, 1, 1, 0, 2}));
      },
      c.complex({3, 2}));
  has_its_gradient(
      "scatter_add",
      [](auto v, auto s) {
        return scatter_add(v, 1, Ids({2, 2}, {0, 0, 2, 1}), s);
      },
      c.complex({2, 3}), c.complex({2, 2}));
  BOOST_TEST(error_of([&] { gather(x, 1, Ids({2, 1}, {0, 3})); }) == "gather: index 3 is out of range for axis 1 of [2, 3]");
  BOOST_TEST(error_of([&] {
               gather(x, 1, Ids({3, 1}, {0, 0, 0}));
             }) == "gather: index of shape [3, 1] does not match [2, 3]; ranks must agree, and only axis 1 may be longer");
  BOOST_TEST(error_of([&] {
               scatter_add(x, 1, Ids({2, 1}, {0, 0}), x);
             }) == "scatter_add: index and source must have the same shape, got [2, 1] and [2, 3]");
}

BOOST_AUTO_TEST_CASE(orders) {
  const Var<double> x = variable(Tensor<double>({2, 4}, {3, 1, NAN, 1, 0, -1, 5, 2}));
  const auto up = sort(x), down = sort(x, 1, true);
  BOOST_TEST(std::vector<int>(up.indices.data(), up.indices.data() + 8) == std::vector<int>({1, 3, 0, 2, 1, 0, 3, 2}),
             boost::test_tools::per_element());
  BOOST_TEST(std::vector<int>(down.indices.data(), down.indices.data() + 8) == std::vector<int>({2, 0, 1, 3, 2, 3, 0, 1}),
             boost::test_tools::per_element());
  BOOST_TEST(down.values.value()(1, 0) == 5);
  const auto best = topk(x, 2, 0);
  BOOST_TEST(best.values.shape().str() == "[2, 4]");
  BOOST_TEST(best.values.value()(0, 2) != best.values.value()(0, 2));
  BOOST_TEST(topk(x, 1, 1, false).values.value()(1, 0) == -1);
  BOOST_TEST(argmax(x, 1)[1] == 2);
  BOOST_TEST(argmin(x, 1)[0] == 1);
  backward(sum(slice(topk(x, 2).values, 0, 1, 2)));
  BOOST_TEST(x.grad()(1, 2) == 1);
  BOOST_TEST(x.grad()(1, 3) == 1);
  BOOST_TEST(x.grad()(1, 0) == 0);
  OpCheck c;
  has_its_gradient(
      "sort", [](auto v) { return sort(v, 0).values; }, c.real({4, 2}));
  BOOST_TEST(error_of([&] { topk(x, 5); }) == "topk: k = 5 is out of range for axis -1 of [2, 4]");
  BOOST_TEST(error_of([&] { argmax(constant(Tensor<double>(Shape{0})), 0); }) == "argmax: axis 0 of [0] is empty");
}

BOOST_AUTO_TEST_SUITE_END()
