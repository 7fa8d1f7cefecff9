/// `argand lab` and `argand explain`, with results as data and text.

#include <pybind11/complex.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <variant>

#include "autograd/check/op_report.h"
#include "core/text/text_layout.h"
#include "lab/expression/expression_point.h"
#include "lab/lab_text.h"
#include "lab/op_text.h"
#include "python/binding/arrays.h"
#include "python/binding/bindings.h"

namespace argand::python {
namespace {

using Point = std::vector<std::complex<double>>;

/// Returns [JSON, text]. `at` is a number for each variable, or text as for `argand lab --at`; if `by` is empty, the first
/// variable is used.
std::pair<std::string, std::string> lab(const std::string& expression, const std::variant<std::string, Point>& at,
                                        const std::string& by) {
  const Expression f(expression);
  const std::vector<std::string>& variables = f.variables();
  require(!variables.empty(), "lab", "the function has no variable to differentiate with respect to: {}", f.equation());
  const auto variable = by.empty() ? variables.begin() : std::find(variables.begin(), variables.end(), by);
  require(variable != variables.end(), "lab", "{} has no variable {}; its variables: {}", f.name(), by, joined(variables, ", "));
  const Point point = at.index() == 0 ? point_of(f, std::get<std::string>(at)) : std::get<Point>(at);
  require(point.size() == variables.size(), "lab", "got {} for the {} of {}", counted(std::ssize(point), "number"),
          counted(std::ssize(variables), "variable"), f.equation());
  const LabPoint p = lab_point(f, point, static_cast<std::size_t>(variable - variables.begin()));
  nlohmann::json json = point_json(f, p);
  json["equation"] = f.equation();
  return {json.dump(), f.equation() + "\n\n" + point_text(f, p, Style())};
}

std::vector<std::string> variables(const std::string& expression) { return Expression(expression).variables(); }

py::dict dict_of(const OpText& text) {
  py::dict d;
  d["name"] = text.name;
  d["kind"] = std::string(kind_name(text.kind));
  d["equation"] = text.equation;
  d["dz"] = text.dz;
  d["dzbar"] = text.dzbar;
  d["vjp"] = text.vjp;
  d["derivation"] = text.derivation;
  d["singular"] = text.singular;
  d["source"] = text.source;
  return d;
}

std::vector<py::dict> ops() {
  std::vector<py::dict> all;
  for (const Op* op : Op::all()) all.push_back(dict_of(op->text()));
  return all;
}

/// The description of one op, including the result of its check.
std::string explain(const std::string& name) {
  const Op& op = known_op("explain", name);
  Report report = check_op_gradients(op);
  add_wirtinger_notes(op, report);
  return op_text(op, Style()) + "\n" + report_text(report);
}

}  // namespace

void bind_lab(py::module_& m) {
  m.def("lab", &lab, py::arg("expression"), py::arg("at"), py::arg("by"));
  m.def("variables", &variables, py::arg("expression"));
  m.def("ops", &ops);
  m.def("explain", &explain, py::arg("name"));
}

}  // namespace argand::python
