/// Every registered op, checked: the gradient of each case to 1e-8 with nothing inconclusive, the declared singular points, and
/// the declared kind against the Cauchy-Riemann equations.

#include <boost/test/unit_test.hpp>

#include "autograd/op_report.h"
#include "autograd/tape.h"

using namespace argand;

/// The exact number of registered ops. Update it with every op added: an op that the linker dropped must not go unnoticed.
constexpr std::size_t number_of_ops = 76;

BOOST_AUTO_TEST_SUITE(gradcheck_ops)

BOOST_AUTO_TEST_CASE(number_of_registered_ops) { BOOST_TEST(Op::all().size() == number_of_ops); }

BOOST_AUTO_TEST_CASE(every_op_passes) {
  for (const Op* op : Op::all()) {
    const OpReport report = check_op(*op);
    BOOST_TEST_CONTEXT(op->name()) {
      BOOST_TEST(report.message() == "");
      BOOST_TEST(report.ok());
      BOOST_TEST(report.elements() > 0);
      BOOST_TEST(report.count(Verdict::Pass) == report.elements());
      BOOST_TEST(report.worst_relative_error() < 1e-8);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
