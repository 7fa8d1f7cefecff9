/// Gradient checks of whole models, whose loss is a function of named parameters.

#include "autograd/check/parameter_check.h"

#include <boost/test/unit_test.hpp>

#include "autograd/check/planted_fault.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/exponential.h"
#include "autograd/ops/products/matmul.h"
#include "autograd/ops/rows/reduction.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(gradcheck_parameters_of_a_loss)

namespace {

using C = std::complex<double>;

/// L = mean |exp(y) + y|² γ with y = x Wᵀ + b, complex W and b, and one parameter on which L does not depend.
struct Net {
  Tensor<C> x = OpCheck().complex({4, 3});
  Var<C> W = variable(rand<C>({2, 3}, Random(1)));
  Var<C> b = variable(rand<C>({2}, Random(2)));
  Var<double> gain = variable(rand<double>({2}, Random(3), 0.5, 1.5));
  Var<double> unused = variable(rand<double>({2}, Random(4)));
  int calls = 0;

  Var<double> loss() {
    ++calls;
    const Var<C> y = linear(Var<C>(x), W, b);
    return mean(mul(abs2(add(exp(y), y)), gain));
  }
  ParameterList<double> parameters() { return {{"net.weight", W}, {"net.bias", b}, {"gain", gain}, {"unused", unused}}; }
  Report check(int samples) {
    GradcheckOptions options;
    options.name = "net";
    return gradcheck_parameters([this] { return loss(); }, parameters(), samples, options);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_sound_net_passes_and_is_left_as_it_was) {
  Net net;
  const Tensor<C> before = net.W.value().clone();
  const Report report = net.check(100);
  BOOST_TEST(report.ok(), report_text(report));
  BOOST_TEST(report.elements().size() == 12U);  // all 6 + 2 + 2 + 2 elements, fewer than requested
  BOOST_TEST(report.worst_error() < 1e-10);
  BOOST_TEST(std::equal(before.begin(), before.end(), net.W.value().begin()));
  BOOST_TEST(!net.W.has_grad());
}

BOOST_AUTO_TEST_CASE(samples_are_limited_distinct_and_include_the_largest_gradient) {
  Net net;
  const Report all = net.check(100), some = net.check(3);
  BOOST_TEST(some.elements().size() == 3U + 2U + 2U + 2U);
  std::int64_t largest = 0;
  for (const ElementCheck& e : all.rows[0].elements)
    if (std::abs(e.values.analytic) > std::abs(all.rows[0].elements[0].values.analytic)) largest = e.element;
  BOOST_TEST(some.rows[0].name == "net.weight");
  BOOST_TEST(some.rows[0].elements[0].element == all.rows[0].elements[0].element);
  BOOST_TEST(largest == 0);  // the first element of `all` is the largest
  BOOST_TEST((some.rows[0].elements[0].element != some.rows[0].elements[1].element &&
              some.rows[0].elements[1].element != some.rows[0].elements[2].element &&
              some.rows[0].elements[0].element != some.rows[0].elements[2].element));
}

BOOST_AUTO_TEST_CASE(a_wrong_op_is_found_named_and_diagnosed) {
  Net net;
  const PlantedFault planted("linear", Fault::Conjugate);
  const Report report = net.check(4);
  BOOST_TEST(!report.ok());
  const std::string text = report_text(report);
  BOOST_TEST(text.starts_with("net: FAIL, the gradient looks conjugated\n"), text);
  for (const std::size_t k : {0U, 1U}) BOOST_TEST((report.rows[k].verdict == Verdict::Fail), report.rows[k].name);
  for (const std::size_t k : {2U, 3U}) BOOST_TEST((report.rows[k].verdict == Verdict::Pass), report.rows[k].name);
  BOOST_TEST(report.blamed == std::vector<std::string>{"linear"}, boost::test_tools::per_element());
  BOOST_TEST(text.ends_with("the check of linear fails as well\n"), text);
}

BOOST_AUTO_TEST_CASE(a_large_loss_does_not_hide_a_wrong_gradient) {
  Net net;
  const auto loss = [&] { return net.loss() + 1e9; };
  GradcheckOptions options;
  options.blame_ops = false;
  BOOST_TEST(gradcheck_parameters(loss, net.parameters(), 4, options).count(Verdict::Fail) == 0);
  const PlantedFault planted("linear", Fault::Twice);
  const Report report = gradcheck_parameters(loss, net.parameters(), 4, options);
  BOOST_TEST(report.count(Verdict::Fail) > 0);
}

BOOST_AUTO_TEST_CASE(a_random_loss_is_refused) {
  Net net;
  const auto loss = [&] { return scale(net.loss(), static_cast<double>(net.calls)); };
  BOOST_CHECK_EXCEPTION(gradcheck_parameters(loss, net.parameters()), Error, [](const Error& e) {
    return e.what() == std::string("gradcheck: two evaluations of the loss differ; fix its dropout seed");
  });
}

BOOST_AUTO_TEST_SUITE_END()
