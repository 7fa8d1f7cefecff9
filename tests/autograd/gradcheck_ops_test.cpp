/// Checks every registered op: the gradient of each case to 1e-8 with no inconclusive element, the declared singular points, and
/// the declared kind against the Cauchy-Riemann equations.

#include <boost/test/unit_test.hpp>

#include "autograd/check/op_report.h"
#include "autograd/check/planted_fault.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/tape.h"
#include "core/kernels/elementwise.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(gradcheck_ops)

/// The exact number of registered ops. Update it whenever an op is added, so that an op dropped by the linker is noticed.
constexpr std::size_t number_of_ops = 136;
#ifdef ARGAND_PLAIN_BLAS
constexpr std::size_t ops_of_lapack = 14;  // the ops that this build lacks
#else
constexpr std::size_t ops_of_lapack = 0;
#endif

BOOST_AUTO_TEST_CASE(number_of_registered_ops) { BOOST_TEST(Op::all().size() == number_of_ops - ops_of_lapack); }

BOOST_AUTO_TEST_CASE(every_op_passes) {
  for (const Op* op : Op::all()) {
    const Report report = check_op_gradients(*op);  // everything in check_op except the uses, which have their own test
    BOOST_TEST_CONTEXT(op->name()) {
      BOOST_TEST(report.ok(), report_text(report));
      const std::int64_t elements = report.compared(RowKind::Gradient);
      BOOST_TEST(elements > 0);
      BOOST_TEST(report.count(Verdict::Pass) == elements);
      BOOST_TEST(report.worst_error() < 1e-8);
    }
  }
}

namespace {

/// y = x² with the tangent that `jvp` returns.
template <class Jvp>
Report check_square(Jvp) {
  static const auto text = OpText{.name = "my_square",
                                  .kind = Kind::Real,
                                  .equation = "y = x²",
                                  .dz = "2x",
                                  .dzbar = "",
                                  .vjp = "dx = 2 x dy",
                                  .jvp = "ẏ = 2 x ẋ",
                                  .derivation = "definition",
                                  .singular = "none",
                                  .source = "definition"};
  const Op op(text, [](OpCheck& check) {
    check.function(
        "real",
        []<Scalar T>(const Var<T>& x) {
          return record(
              *Op::find("my_square"), map([](T v) { return v * v; }, x.value()),
              [v = x.value(), dx = accumulator(x)](const Tensor<T>& dy) {
                dx.add(map([](T a, T g) { return T(2) * a * g; }, v, dy));
              },
              [&](const auto&) { return Jvp()(x); }, x);
        },
        check.real({3}));
  });
  return check_op(op);
}

}  // namespace

/// Differences of values cannot reveal a wrong tangent.
BOOST_AUTO_TEST_CASE(a_wrong_tangent_does_not_pass) {
  const Report right = check_square([](const auto& x) { return scale(x * tangent(x), 2); });
  BOOST_TEST(right.ok(), report_text(right));
  const Report wrong = check_square([](const auto& x) { return scale(x * tangent(x), 1.001); });
  BOOST_TEST((wrong.verdict() == Verdict::Fail), report_text(wrong));
  BOOST_TEST(wrong.count(Verdict::Pass) == 3);
  BOOST_TEST(wrong.diagnosis().starts_with("the tangent and the gradient are not adjoint: they differ by "), wrong.diagnosis());
}

BOOST_AUTO_TEST_CASE(a_wrong_use_does_not_pass) {
  const PlantedFault planted("erf", Fault::Overwriting);
  const Report report = check_op(*Op::find("erf"));
  BOOST_TEST((report.verdict() == Verdict::Fail));
  bool added = false;
  for (const ReportRow& row : report.rows) added = added || (row.name == "use: added" && row.verdict == Verdict::Fail);
  BOOST_TEST(added, report_text(report));
}

/// For every op, the numerical test must accept the declared kind and none of the other three.
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
