#include "autograd/trace/nan_trace.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "autograd/ops.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(nan_trace)

using C = std::complex<float>;

namespace {

/// What stopped `pass`; its op is null if nothing did.
template <class F>
NonFinite stopped(const F& pass) {
  try {
    pass();
  } catch (const NonFiniteError& error) {
    BOOST_TEST(error.what() == error.where().sentence());
    return error.where();
  }
  return {};
}

const NumberSummary& summary(const NonFinite& where, const std::string& role) {
  const auto found = std::find_if(where.tensors.begin(), where.tensors.end(), [&](const auto& s) { return s.role == role; });
  BOOST_TEST_REQUIRE((found != where.tensors.end()), role);
  return *found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_first_op_of_the_forward_pass) {
  const Var<float> x = variable(Tensor<float>({4}, {-3.0f, 0.0f, 1.0f, 2.0f})), gain = variable(Tensor<float>::ones({4}));
  NanTrace trace(ParameterList<float>{{"embedding.weight", x}, {"gain", gain}});
  const NonFinite where = stopped([&] {
    const NameScope block("blocks.0");
    const Var<float> y = x * gain;
    const NameScope attention("attn");
    const Var<float> z = log(y);  // -inf at 0, NaN at -3
    backward(sum(z * z));         // not reached
  });
  BOOST_TEST_REQUIRE(where.op != nullptr);
  BOOST_TEST(where.op->name() == "log");
  BOOST_TEST(!where.backward);
  BOOST_TEST(where.scope == "blocks.0.attn");
  BOOST_TEST(where.sentence() == "log in blocks.0.attn produced 1 NaN and 1 inf in the output; everything it read was finite");
  BOOST_TEST(where.hint() == Op::find("log")->text().singular);

  const NumberSummary &in = summary(where, "input 0"), &out = summary(where, "output");
  BOOST_TEST(in.origin == "mul in blocks.0");
  BOOST_TEST(in.finite());
  BOOST_TEST((in.shape == Shape{4}));
  BOOST_TEST(in.scalar == "float32");
  BOOST_TEST(in.min == 0);
  BOOST_TEST(in.mean == 1.5);
  BOOST_TEST(in.max == 3);
  BOOST_TEST(out.nan == 1);
  BOOST_TEST(out.inf == 1);
  BOOST_TEST(out.max == std::log(2.0f), boost::test_tools::tolerance(1e-6));
  const std::string table = where.table();
  BOOST_TEST(table.find("input 0                   mul in blocks.0 ") != std::string::npos);
  BOOST_TEST(Tape::current().entries().empty());
}

BOOST_AUTO_TEST_CASE(a_gradient_of_a_finite_loss) {
  const Var<float> x = variable(Tensor<float>({2}, {0.0f, 0.0f}));
  NanTrace trace(ParameterList<float>{{"x", x}});
  const NonFinite where = stopped([&] {
    const NameScope scope("head");
    const Var<float> y = scale(scale(x, 1e30f), 1e30f);
    BOOST_TEST(y.value()(0) == 0.0f);
    backward(sum(y));
  });
  BOOST_TEST_REQUIRE(where.op != nullptr);
  BOOST_TEST(where.backward);
  BOOST_TEST(where.sentence() ==
             "backward of scale in head produced 0 NaN and 2 inf in the gradient of input 0; everything it read was finite");
  BOOST_TEST(where.hint() == "");
  BOOST_TEST(summary(where, "input 0").origin == "x");
  BOOST_TEST(summary(where, "output of the op").finite());
  BOOST_TEST(summary(where, "gradient of the output").max == 1e30, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(summary(where, "gradient of input 0").inf == 2);
}

BOOST_AUTO_TEST_CASE(a_parameter_that_was_not_finite_is_named) {
  const Var<C> z = variable(Tensor<C>({2}, {C(1, 1), C(0, NAN)})), w = variable(Tensor<C>::ones({2}));
  NanTrace trace(ParameterList<float>{{"blocks.1.ffn.up.weight", z}});
  const NonFinite where = stopped([&] { sum(abs2(w * z)); });
  BOOST_TEST_REQUIRE(where.op != nullptr);
  BOOST_TEST(where.sentence() ==
             "mul produced 1 NaN and 0 inf in the output; already not finite: input 1 (blocks.1.ffn.up.weight)");
  BOOST_TEST(summary(where, "input 0").origin == "a variable");
  BOOST_TEST(summary(where, "input 1").mean == std::sqrt(2.0), boost::test_tools::tolerance(1e-7));
  BOOST_TEST(summary(where, "input 1").scalar == "complex64");
}

BOOST_AUTO_TEST_CASE(constants_and_passes_without_a_gradient_are_seen_too) {
  NanTrace trace;
  const NonFinite where = stopped([] {
    const NoGrad none;
    exp(Var<double>(Tensor<double>({1}, {1e4})));
  });
  BOOST_TEST_REQUIRE(where.op != nullptr);
  BOOST_TEST(where.sentence() == "exp produced 0 NaN and 1 inf in the output; everything it read was finite");
  BOOST_TEST(summary(where, "input 0").origin == "a constant");
}

BOOST_AUTO_TEST_CASE(finite_passes_are_left_alone) {
  const auto gradient = [](bool traced) {
    const Var<double> x = variable(Tensor<double>({3}, {0.5, 1.0, 2.0}));
    std::optional<NanTrace> trace;
    if (traced) trace.emplace(ParameterList<double>{{"x", x}});
    for (int pass = 0; pass < 3; ++pass) backward(sum(log(x) * x));
    return x.grad();
  };
  const Tensor<double> plain = gradient(false), traced = gradient(true);
  BOOST_TEST(plain.span() == traced.span(), boost::test_tools::per_element());
  // After the trace ends, infinities are no longer reported.
  BOOST_TEST(stopped([] { log(Var<double>(Tensor<double>::zeros({1}))); }).op == nullptr);
}

BOOST_AUTO_TEST_CASE(after_a_stop_the_next_pass_begins_anew) {
  const Var<double> x = variable(Tensor<double>({1}, {0.0}));
  NanTrace trace(ParameterList<double>{{"x", x}});
  for (int i = 0; i < 2; ++i) BOOST_TEST(stopped([&] { backward(sum(log(x))); }).op == Op::find("log"));
  Var<double> handle = x;
  handle.value()(0) = 1;
  handle.zero_grad();
  BOOST_TEST(stopped([&] { backward(sum(log(x))); }).op == nullptr);
  BOOST_TEST(x.grad()(0) == 1);
}

BOOST_AUTO_TEST_CASE(watches_nest) {
  int outer = 0;
  const ForwardWatch before = watch_forward([&](const ForwardEvent&) { ++outer; });
  {
    NanTrace trace;
    exp(Var<double>(Tensor<double>::ones({1})));
  }
  exp(Var<double>(Tensor<double>::ones({1})));
  watch_forward(before);
  exp(Var<double>(Tensor<double>::ones({1})));
  BOOST_TEST(outer == 2);
}

BOOST_AUTO_TEST_SUITE_END()
