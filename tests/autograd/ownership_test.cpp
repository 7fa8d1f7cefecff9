/// Programs that compile must not be silently wrong about who owns values, gradients, tapes and parameters.

#include <boost/test/unit_test.hpp>
#include <memory>
#include <thread>
#include <type_traits>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/exponential.h"
#include "autograd/ops/elementwise/power.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/parameter.h"
#include "autograd/tape.h"
#include "tests/autograd/same.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(ownership)

namespace {

Var<double> leaf(std::initializer_list<double> numbers) {
  return variable(Tensor<double>({static_cast<std::int64_t>(numbers.size())}, numbers));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_backward_pass_uses_the_values_of_its_forward_pass) {
  auto x = leaf({3});
  const auto y = sum(square(x));
  x.value().data()[0] = 100;
  backward(y);
  same(x.grad(), Tensor<double>({1}, {6}));
  BOOST_TEST(x.value()(0) == 100);

  Tensor<double> factor({1}, {7});  // a constant that belongs to the user
  x.zero_grad();
  const auto z = sum(x * Var<double>(factor));
  factor(0) = 0;
  backward(z);
  same(x.grad(), Tensor<double>({1}, {7}));
}

BOOST_AUTO_TEST_CASE(two_variables_of_one_tensor_have_their_own_numbers) {
  const Tensor<double> t({2}, {1, 2});
  auto a = variable(t), b = variable(t);
  a.value()(0) = 5;
  BOOST_TEST(b.value()(0) == 1);
  BOOST_TEST(t(0) == 1);
}

BOOST_AUTO_TEST_CASE(copies_of_a_variable_are_the_same_variable) {
  auto x = leaf({1, 2});
  const Var<double> also = x;
  x.value() = Tensor<double>({2}, {8, 9});  // as an optimiser that holds `also` would see it
  BOOST_TEST(also.value()(1) == 9);
  x.value()(0) = 5;
  BOOST_TEST(also.value()(0) == 5);
  const auto constant = x.detach();
  x.value()(0) = 6;
  BOOST_TEST(constant.value()(0) == 5);
}

BOOST_AUTO_TEST_CASE(a_value_of_another_shape_is_refused) {
  auto x = leaf({1, 2});
  x.slot()->described().name = "x";
  x.value() = Tensor<double>::ones({3});
  BOOST_TEST(error_of([&] { backward(sum(x)); }) ==
             "sum: the variable x was created with shape [2] but now has a value of shape [3]; make a new one with variable()");

  auto y = leaf({1, 2});
  backward(sum(square(y)));  // y has a gradient, to which the next pass would add
  y.value() = Tensor<double>::ones({1000});
  BOOST_TEST(error_of([&] { backward(sum(square(y))); }).find("now has a value of shape [1000]") != std::string::npos);

  auto z = leaf({1, 2});
  auto result = square(z);
  result.value() = Tensor<double>::ones({1000});
  BOOST_TEST(error_of([&] { square(result); }) ==
             "square: an input was computed with shape [2] and then assigned a value of shape [1000]; detach() it first");
  BOOST_TEST(square(result.detach()).shape() == Shape{1000});
}

BOOST_AUTO_TEST_CASE(gradients_are_not_shared) {
  auto x = leaf({1, 2}), y = leaf({3, 4});
  backward(sum(x + y));
  Tensor<double> dx = x.grad();
  dx.fill(0);
  same(x.grad(), Tensor<double>({2}, {1, 1}));
  same(y.grad(), Tensor<double>({2}, {1, 1}));
  static_assert(std::is_const_v<decltype(x.grad())>, "x.grad().fill(0), which would do nothing, must not compile");
}

BOOST_AUTO_TEST_CASE(a_gradient_can_be_set_before_and_after_a_backward_pass) {
  auto x = leaf({1, 2});
  x.set_grad(Tensor<double>({2}, {10, 20}));
  backward(sum(x));
  same(x.grad(), Tensor<double>({2}, {11, 21}));
  BOOST_TEST(error_of([&] { x.set_grad(Tensor<double>::ones({3})); }) ==
             "set_grad: gradient of shape [3] does not match variable of shape [2]");
  auto constant = Var<double>(Tensor<double>::ones({2}));
  BOOST_TEST(error_of([&] { constant.set_grad(Tensor<double>::ones({2})); }) ==
             "set_grad: only a variable keeps a gradient; make one with variable()");
}

BOOST_AUTO_TEST_CASE(tapes_may_die_in_any_order) {
  auto a = std::make_unique<Tape>(), b = std::make_unique<Tape>(), c = std::make_unique<Tape>();
  a.reset();
  BOOST_TEST(&Tape::current() == c.get());
  c.reset();
  BOOST_TEST(&Tape::current() == b.get());
  b.reset();
  auto x = leaf({3});
  backward(sum(square(x)));
  same(x.grad(), Tensor<double>({1}, {6}));
}

BOOST_AUTO_TEST_CASE(entries_that_no_loss_can_reach_are_dropped_from_the_tape) {
  Tape tape;
  auto x = leaf({1, 2});
  for (int i = 0; i < 200; ++i) (void)sum(exp(square(x)));  // a validation loop that forgets NoGrad
  BOOST_TEST(tape.entries().size() <= 3);
  BOOST_TEST(error_of([&] { (void)(exp(square(x)) + leaf({1, 2, 3})); }).find("broadcast") != std::string::npos);
  const auto kept = square(x);
  BOOST_TEST(tape.entries().size() == 1);  // the entries that the exception left behind are gone
  backward(sum(kept));
  same(x.grad(), Tensor<double>({2}, {2, 4}));
}

BOOST_AUTO_TEST_CASE(a_context_of_its_own_leaves_no_trace) {
  auto x = leaf({3});
  const auto y = square(x);
  const auto before = Tape::current().entries().size();
  const NoGrad none;
  {
    Context context;
    const UseContext use(context);
    BOOST_TEST(recording());
    backward(sum(exp(x)));
    BOOST_TEST(context.scope().empty());
  }
  BOOST_TEST(!recording());
  BOOST_TEST(Tape::current().entries().size() == before);
  BOOST_TEST(x.grad()(0) == std::exp(3.0));
}

BOOST_AUTO_TEST_CASE(a_new_thread_inherits_nothing) {
  const NoGrad none;
  const NameScope scope("outer");
  bool records = false;
  std::string name = "?";
  std::thread([&] { records = recording(), name = Context::current().scope(); }).join();
  BOOST_TEST(records);
  BOOST_TEST(name.empty());
}

BOOST_AUTO_TEST_CASE(gradients_from_two_threads_add_up) {
  auto x = leaf({1, 2, 3});
  constexpr int passes = 20'000;
  const auto work = [&] {
    for (int i = 0; i < passes; ++i) backward(sum(x * 2) + sum(exp(x * 0)));
  };
  std::thread other(work);
  work();
  other.join();
  for (const double g : x.grad()) BOOST_TEST(g == 4.0 * passes);
}

BOOST_AUTO_TEST_CASE(a_tape_is_walked_by_its_own_thread) {
  Tape tape;
  auto x = leaf({3});
  const auto y = sum(square(x));
  std::string said;
  std::thread([&] { said = error_of([&] { tape.backward(y); }); }).join();
  BOOST_TEST(said == "backward: this tape belongs to another thread; run the backward pass on the thread that made it");
  tape.backward(y);
  same(x.grad(), Tensor<double>({1}, {6}));
}

BOOST_AUTO_TEST_CASE(a_variable_listed_twice_is_refused) {
  const auto w = leaf({1, 2});
  const ParameterList<double> twice = {{"a", w}, {"b", w}};
  BOOST_TEST(error_of([&] { count_parameters(twice); }) ==
             "count_parameters: a and b are the same variable; list it once, as parameters_of() does");
}

BOOST_AUTO_TEST_CASE(a_list_of_parameters_takes_variables_only) {
  const auto x = leaf({1, 2});
  const Var<double> constant = x.detach(), output = square(x);
  BOOST_TEST(error_of([&] {
               count_parameters(ParameterList<double>{{"x", x}, {"c", constant}});
             }) == "count_parameters: c is a constant and gets no gradient; make it with variable(), or leave it out");
  BOOST_TEST(error_of([&] {
               count_parameters(ParameterList<double>{{"y", output}});
             }) == "count_parameters: y is the output of an op; only a variable() can be trained");
}

BOOST_AUTO_TEST_CASE(an_output_keeps_its_gradient_on_request) {
  const auto x = leaf({3, 4});
  Var<double> y = square(x), other = exp(x);
  y.retain_grad();
  other.retain_grad();
  backward(sum(y * y));
  same(y.grad(), Tensor<double>({2}, {18, 32}));        // 2 y
  same(x.grad(), Tensor<double>({2}, {108, 256}));      // 2 y · 2 x
  same(other.grad(), Tensor<double>({2}, {0.0, 0.0}));  // the loss does not depend on it
  const auto plain = square(x);
  BOOST_TEST(
      error_of([&] { plain.grad(); }) ==
      "grad: only variables keep their gradient; an op's output frees it during backward() unless retain_grad() was called first");
  BOOST_TEST(error_of([&] { x.detach().retain_grad(); }) ==
             "retain_grad: this tensor of shape [2] is a constant, which gets no gradient");
}

BOOST_AUTO_TEST_CASE(a_tape_says_when_it_has_become_absurdly_long) {
  Tape tape;
  tape.set_max_entries(50);
  const auto x = leaf({1});
  Var<double> total = sum(x);
  const auto evaluate = [&] {
    for (int i = 0; i < 1000; ++i) total = total + sum(x);
  };
  BOOST_TEST(error_of(evaluate) ==
             "tape: 50 ops were recorded without a backward pass, the last one in add. Evaluate inside a NoGrad, or allow more "
             "with Tape::current().set_max_entries(n)");
  tape.clear();
  total = x.detach();
  {
    const NoGrad none;
    evaluate();
  }
  BOOST_TEST(total.value().item() == 1001);
}

BOOST_AUTO_TEST_CASE(a_step_downhill_in_one_line) {
  Complex z = variable(Tensor<std::complex<double>>::scalar({3, 4}));
  backward(real(z) * real(z));
  z.value() -= 0.5 * z.grad();
  BOOST_TEST(fmt::format("{}", z) == "0+4i");
}

BOOST_AUTO_TEST_SUITE_END()
