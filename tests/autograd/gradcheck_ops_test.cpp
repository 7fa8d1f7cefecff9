/// Every registered op, checked: the gradient of each case to 1e-8 with nothing inconclusive, the declared singular points, and
/// the declared kind against the Cauchy-Riemann equations.

#include <boost/test/unit_test.hpp>

#include "autograd/check/op_report.h"
#include "autograd/tape.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(gradcheck_ops)

/// The exact number of registered ops. Update it with every op added: an op that the linker dropped must not go unnoticed.
constexpr std::size_t number_of_ops = 124;
#ifdef ARGAND_PLAIN_BLAS
constexpr std::size_t ops_of_lapack = 14;  // which this build has not
#else
constexpr std::size_t ops_of_lapack = 0;
#endif

BOOST_AUTO_TEST_CASE(number_of_registered_ops) { BOOST_TEST(Op::all().size() == number_of_ops - ops_of_lapack); }

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

/// The kind is not a matter of opinion: of the four, only the declared one stands the numerical test, for every op.
BOOST_AUTO_TEST_CASE(every_other_kind_is_refused) {
  for (const Op* op : Op::all()) {
    OpCheck check;
    op->check(check);
    for (const Kind kind : {Kind::Holomorphic, Kind::RealValued, Kind::General, Kind::Real})
      BOOST_TEST(kind_fault(op->name(), kind, check).empty() == (kind == op->text().kind), op->name()
                                                                                               << " declared " << kind_name(kind));
  }
}

BOOST_AUTO_TEST_CASE(a_wrong_kind_is_named) {
  const auto fault = [](const char* name, Kind kind) {
    OpCheck check;
    Op::find(name)->check(check);
    return kind_fault(name, kind, check);
  };
  BOOST_TEST(fault("conj", Kind::Holomorphic) == "conj (complex): declared holomorphic, but input 0 is antiholomorphic");
  BOOST_TEST(fault("abs", Kind::Holomorphic) == "abs (complex): declared holomorphic, but the output is real");
  BOOST_TEST(fault("exp", Kind::General) == "exp: declared general, but no case fails the Cauchy-Riemann equations");
  BOOST_TEST(fault("exp", Kind::RealValued) == "exp (complex): declared real-valued, but the output is complex");
  BOOST_TEST(fault("exp", Kind::Real) == "exp (complex): declared real, but input 0 is complex");
  BOOST_TEST(fault("erf", Kind::RealValued) == "erf: declared real-valued, but no case has a complex input");
}

BOOST_AUTO_TEST_SUITE_END()
