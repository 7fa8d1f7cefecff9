/// Short programs that once crashed or gave wrong results silently, and what they do now.

#include <boost/test/unit_test.hpp>
#include <limits>
#include <type_traits>

#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/power.h"
#include "autograd/ops/rows/norm.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/rows/softmax.h"
#include "autograd/ops/shape.h"
#include "autograd/parameter.h"
#include "autograd/tape.h"
#include "tests/autograd/same.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(misuse)

namespace {

Var<double> leaf(std::initializer_list<double> numbers) {
  return variable(Tensor<double>({static_cast<std::int64_t>(numbers.size())}, numbers));
}

template <class T>
concept HasSpan = requires {
  std::declval<T>().span();
};
template <class V, class T>
concept TakesTensor = requires(V v, T t) {
  v = t;
};
template <class V>
concept SumsOverBool = requires(V v) {
  sum(v, true);
};
template <class T>
concept IndexedByDouble = requires(T t) {
  t(1.5);
};

}  // namespace

// Expressions that must not compile.
static_assert(HasSpan<Tensor<double>&> && !HasSpan<Tensor<double>> && !HasSpan<const Tensor<double>>,
              "a temporary tensor has no span");
static_assert(std::is_same_v<decltype(std::declval<Var<double>>().value()), Tensor<double>>,
              "the value of a temporary variable is a tensor, not a reference into the variable");
static_assert(!TakesTensor<Var<double>, Tensor<double>> && TakesTensor<Var<double>, Var<double>>,
              "x = tensor would replace a variable that an optimiser may hold");
static_assert(!SumsOverBool<Var<double>>, "sum(x, true) would take keepdim for an axis");
static_assert(!IndexedByDouble<Tensor<double>>, "an index must be an integer");

BOOST_AUTO_TEST_CASE(a_check_leaves_no_gradient_behind) {
  const auto w = leaf({1}), untouched = leaf({1});
  const auto loss = [&](const Real& x) { return sum(square(x * w) + untouched); };
  const Tensor<double> x({1}, {2});
  backward(sum(square(constant(x) * w)));
  BOOST_TEST(gradcheck(loss, x).ok());
  same(w.grad(), Tensor<double>({1}, {8}));
  BOOST_TEST(!untouched.has_grad());
}

BOOST_AUTO_TEST_CASE(a_check_of_nothing_says_so) {
  const Tensor<double> x({2}, {1, 2});
  BOOST_TEST(error_of([&] { gradcheck([](const Real& z) { return slice(z, 0, 0, 0); }, x); }) ==
             "gradcheck: the function's output has shape [0]: there is nothing to differentiate");
  const NoGrad none;
  BOOST_TEST(error_of([&] { gradcheck([](const Real& z) { return square(z); }, x); }) ==
             "gradcheck: gradients cannot be checked inside a NoGrad; call gradcheck outside it");
}

BOOST_AUTO_TEST_CASE(a_function_whose_shape_depends_on_its_input_has_no_derivative) {
  const auto f = [](const Real& z) { return z.value()(0) != 1 ? slice(z, 0, 0, 1) : 1.0 * z; };
  BOOST_TEST(error_of([&] { gradcheck(f, Tensor<double>::ones({3})); }) ==
             "gradcheck: the function returns 3 numbers at the point but 1 near it; if its output shape depends on its input, it "
             "has no derivative");
}

BOOST_AUTO_TEST_CASE(retain_grad_after_the_walk_is_too_late) {
  const auto x = leaf({2});
  Var<double> h = square(x);
  backward(sum(5.0 * h));
  BOOST_TEST(error_of([&] { h.retain_grad(); }) == "retain_grad: the backward pass is over; call retain_grad() before it");
}

BOOST_AUTO_TEST_CASE(a_loss_that_was_never_assigned) {
  const auto x = leaf({3});
  Real total;  // no value yet
  total = total + sum(square(x));
  BOOST_TEST(error_of([&] { backward(total); }) ==
             "backward: the loss is empty (shape [0]): the Var was never assigned or was moved from; start sums with number(0.0)");
}

BOOST_AUTO_TEST_CASE(two_parameters_need_two_names) {
  BOOST_TEST(error_of([] {
               count_parameters(ParameterList<double>{{"w", leaf({1})}, {"w", leaf({2})}});
             }) == "count_parameters: two variables have the name w; names in a saved state must be unique");
}

BOOST_AUTO_TEST_CASE(constants_out_of_range) {
  const auto x = leaf({1, 2});
  const auto gain = leaf({1, 1});
  BOOST_TEST(error_of([&] { rms_norm(x, gain, -1); }) == "rms_norm: eps must not be negative, got -1");
  BOOST_TEST(error_of([&] { layer_norm(x, gain, gain, -1); }) == "layer_norm: eps must not be negative, got -1");
  BOOST_TEST(error_of([&] {
               gradcheck(
                   GradcheckOptions{.tolerance = 0}, [](auto z) { return square(z); }, x.value());
             }) == "gradcheck: the tolerance must be positive, got 0");
}

namespace {
/// A static object that computes in its destructor, after main() has ended and its thread's context is gone.
struct AtTheEnd {
  Real x = leaf({2});
  ~AtTheEnd() {
    if (square(x).value().item() != 4) std::abort();
  }
};
const AtTheEnd at_the_end;
}  // namespace

BOOST_AUTO_TEST_CASE(a_static_may_compute_in_its_destructor) { BOOST_TEST(at_the_end.x.value().item() == 2); }

BOOST_AUTO_TEST_SUITE_END()
