/// Tests the check itself: every op's gradient is falsified in turn (conjugated, doubled, halved, transposed), and the check must
/// fail and report it.

#include <fmt/core.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "autograd/check/op_report.h"
#include "autograd/check/planted_fault.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(gradcheck_mutation)

namespace {

GradcheckOptions quiet_options(std::string name) {
  GradcheckOptions options;
  options.name = std::move(name);
  options.blame_ops = false;
  options.parallel = true;
  return options;
}

/// The correct analytic gradient of one input, element by element.
ComplexValues gradient_of(const Report& result, std::size_t input) {
  ComplexValues gradient;
  for (const ElementCheck& e : result.rows[input].elements) gradient.push_back(e.values.analytic);
  return gradient;
}

/// Whether the fault changes this input's gradient g. Conjugation does so only if g has imaginary parts, transposition only if g
/// is an asymmetric matrix.
bool shows(Fault how, const ComplexValues& g, const Shape& shape) {
  double size = 0, change = 0;
  for (std::size_t k = 0; k < g.size(); ++k) {
    size = std::max(size, std::abs(g[k]));
    if (how == Fault::Conjugate) change = std::max(change, std::abs(g[k].imag()));
    if (how == Fault::Twice || how == Fault::Half) change = std::max(change, std::abs(g[k]));
    if (how == Fault::Transpose && shape.rank() >= 2) {
      const auto rows = static_cast<std::size_t>(shape[-2]), columns = static_cast<std::size_t>(shape[-1]);
      const std::size_t place = k % (rows * columns), source = k - place + place % rows * columns + place / rows;
      change = std::max(change, std::abs(g[k] - g[source]));
    }
  }
  return change > 1e-2 * size;
}

struct Expected {
  Fault how;
  std::string diagnosis;
  std::size_t least_ops;  ///< the fault must have been tried on at least this many ops
};
const std::vector<Expected> faults{{Fault::Conjugate, "conjugated", 40},
                                   {Fault::Twice, "twice the correct one", 55},
                                   {Fault::Half, "half the correct one", 55},
                                   {Fault::Transpose, "transposed", 50}};

}  // namespace

BOOST_AUTO_TEST_CASE(every_falsified_op_is_found_and_diagnosed) {
  std::vector<std::size_t> tried(faults.size(), 0);
  for (const Op* op : Op::all()) {
    if (op->name() == "projection") continue;  // every check ends in this op: falsifying it would falsify the weights
    OpCheck check;
    op->check(check);
    std::vector<bool> found(faults.size(), false), possible(faults.size(), false);
    std::vector<std::string> said(faults.size());
    for (const OpCheck::Case& c : check.cases()) {
      if (std::all_of(found.begin(), found.end(), [](bool f) { return f; })) break;
      GradcheckOptions once = quiet_options(op->name());
      once.projections = 1;  // the gradient of a single loss, whose symmetries can be examined
      const Report sound = gradcheck(c.f, c.inputs, once);
      for (std::size_t f = 0; f < faults.size(); ++f) {
        std::vector<std::size_t> affected;
        for (std::size_t i = 0; i < c.inputs.size(); ++i) {
          const Shape shape = std::visit([](const auto& t) { return t.shape(); }, c.inputs[i]);
          if (shows(faults[f].how, gradient_of(sound, i), shape)) affected.push_back(i);
        }
        if (found[f] || affected.empty()) continue;
        possible[f] = true;
        const PlantedFault planted(op->name(), faults[f].how);
        const Report result = gradcheck(c.f, c.inputs, quiet_options(op->name()));
        said[f] += fmt::format("[{}] {}\n", c.label, report_text(result));
        for (const ReportRow& row : result.rows)
          if (row.diagnosis.find(faults[f].diagnosis) != std::string::npos) found[f] = true;
        BOOST_TEST(!result.ok(), op->name() << " (" << c.label << "), " << faults[f].diagnosis << ": not noticed");
      }
    }
    for (std::size_t f = 0; f < faults.size(); ++f) {
      if (!possible[f]) continue;
      ++tried[f];
      BOOST_TEST(found[f], op->name() << ": expected \"" << faults[f].diagnosis << "\", but the report says\n" << said[f]);
    }
  }
  for (std::size_t f = 0; f < faults.size(); ++f) {
    BOOST_TEST_MESSAGE(faults[f].diagnosis << ": " << tried[f] << " ops");
    BOOST_TEST(tried[f] >= faults[f].least_ops);
  }
}

BOOST_AUTO_TEST_SUITE_END()
