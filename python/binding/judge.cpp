/// Lets the judge of autograd/check/function/function_check.h call Python functions.

#include <pybind11/complex.h>

#include <algorithm>
#include <memory>

#include "autograd/check/function/function_check.h"
#include "python/binding/arrays.h"
#include "python/binding/bindings.h"

namespace argand::python {
namespace {

/// Wraps KeyboardInterrupt and SystemExit, which the library must not catch; its code catches std::exception.
struct Interruption {
  py::error_already_set error;
};

/// The exception that ends a check early, keeping its results; a BaseException, so that no `except Exception` catches it.
PyObject* budget_exceeded() {
  static PyObject* const type = PyErr_NewException("argand._argand.Spent", PyExc_BaseException, nullptr);
  return type;
}

template <class Call>
auto uninterrupted(const Call& call) {
  try {
    return call();
  } catch (py::error_already_set& error) {
    if (error.matches(budget_exceeded())) throw BudgetExceeded{py::str(error.value()).cast<std::string>()};
    if (!error.matches(PyExc_Exception)) throw Interruption{std::move(error)};
    throw;
  }
}

py::list arrays_of(const std::vector<AnyTensor>& inputs) {
  py::list arrays;
  for (const AnyTensor& x : inputs) arrays.append(std::visit([](const auto& t) { return array_of(t); }, x));
  return arrays;
}

/// The returned array, or a sentence that says why there is none.
AnyTensor answer_of(const py::object& answer) {
  if (py::isinstance<py::str>(answer)) throw std::runtime_error(answer.cast<std::string>());
  return any_tensor_of(answer.cast<py::array>());
}

/// `value(arrays) -> array`, always of the same shape and type; `gradients(arrays, w) -> [array]`, where w has the shape and type
/// of the value; `tangent(arrays, v) -> array or str`, J v; `extended(complex arrays) -> array or str`, the value there. The last
/// two may be None.
DifferentiableFunction function_of(py::function value, py::function gradients, py::object tangent, py::object extended) {
  struct Output {
    Shape shape;
    bool is_complex = false;
  };
  const auto output = std::make_shared<Output>();
  const auto call = [value, output](const std::vector<AnyTensor>& x) {
    return uninterrupted([&] {
      AnyTensor y = any_tensor_of(value(arrays_of(x)).cast<py::array>());
      output->shape = std::visit([](const auto& t) { return t.shape(); }, y);
      output->is_complex = y.index() == 1;
      return y;
    });
  };
  const auto differentiate = [gradients, output](const std::vector<AnyTensor>& x, std::span<const std::complex<double>> weights) {
    return uninterrupted([&] {
      const Tensor<std::complex<double>> W(output->shape, weights);
      py::array w = array_of(W);
      if (!output->is_complex) w = w.attr("real").attr("copy")().cast<py::array>();
      std::vector<ComplexValues> all;
      for (const py::handle g : gradients(arrays_of(x), w)) {
        const auto dx = tensor_of<std::complex<double>>(g.cast<py::array>());
        all.emplace_back(dx.begin(), dx.end());
      }
      return all;
    });
  };
  DifferentiableFunction f{call, differentiate};
  if (!tangent.is_none())
    f.tangent = [tangent](const std::vector<AnyTensor>& x, const std::vector<AnyTensor>& v) {
      return uninterrupted([&] { return answer_of(tangent(arrays_of(x), arrays_of(v))); });
    };
  if (!extended.is_none())
    f.extended = [extended](const std::vector<AnyTensor>& z) {
      return uninterrupted([&] { return answer_of(extended(arrays_of(z))); });
    };
  return f;
}

py::dict dict_of(const Report& report, const ElementCheck& e) {
  py::dict d;
  d["row"] = e.input;
  d["element"] = e.element;
  d["verdict"] = std::string(verdict_name(e.verdict));
  d["gradient"] = e.values.analytic;
  d["numerical"] = e.values.numerical;
  d["bar"] = e.values.error;
  d["relative_error"] = e.relative_error;
  d["text"] = describe(e.values, e.verdict, report.rows[e.input].is_complex());
  return d;
}

py::dict dict_of(const Report& report, const ReportRow& row) {
  py::list elements;
  for (const ElementCheck& e : row.elements) elements.append(dict_of(report, e));
  py::dict d;
  d["name"] = row.name;
  d["shape"] = py::tuple(py::cast(std::vector<std::int64_t>(row.shape.begin(), row.shape.end())));
  d["scalar"] = row.scalar;
  d["verdict"] = std::string(verdict_name(row.verdict));
  d["bar"] = row.verdict.bar();
  d["worst_error"] = row.worst_error;
  d["compared"] = row.compared;
  d["diagnosis"] = row.diagnosis;
  d["elements"] = elements;
  return d;
}

/// Replaces the names and element types of the report's rows by those of the caller's inputs.
void name_rows(Report& report, const std::vector<std::string>& names, const std::vector<std::string>& scalars) {
  require(names.size() == report.rows.size() && scalars.size() == names.size(), "report", "got {} rows, but {} names and {} types",
          report.rows.size(), names.size(), scalars.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    report.rows[i].name = names[i];
    report.rows[i].scalar = scalars[i];
  }
}

void bind_report(py::module_& m) {
  py::class_<Report>(m, "Report")
      .def_readwrite("name", &Report::name)
      .def_readwrite("notes", &Report::notes)
      .def_readwrite("explanation", &Report::explanation)
      .def_property_readonly("verdict", [](const Report& r) { return std::string(verdict_name(r.verdict())); })
      .def_property_readonly("diagnosis", &Report::diagnosis)
      .def_property_readonly("headline", &Report::headline)
      .def_property_readonly("rows",
                             [](const Report& r) {
                               py::list rows;
                               for (const ReportRow& row : r.rows) rows.append(dict_of(r, row));
                               return rows;
                             })
      .def_property_readonly(
          "directions",
          [](const Report& r) {
            py::list all;
            for (const Comparison& c : r.directions)
              all.append(py::make_tuple(c.analytic.real(), c.numerical.real(), c.error, c.relative_error(c.size())));
            return all;
          })
      .def_property_readonly("independent",
                             [](const Report& r) {
                               py::list all;
                               for (const IndependentCheck& c : r.independent)
                                 all.append(py::make_tuple(c.name, std::string(opinion_name(c.opinion)), c.finding));
                               return all;
                             })
      .def_property_readonly("worst",
                             [](const Report& r) {
                               const ElementCheck* e = r.worst();
                               return e == nullptr ? py::object(py::none()) : py::object(dict_of(r, *e));
                             })
      .def("name_rows", &name_rows, py::arg("names"), py::arg("scalars"))
      .def("add", &Report::add, py::arg("part"), py::arg("part_name"))
      .def("text", [](const Report& r) { return report_text(r); })
      .def("html", &report_html);
}

Report judge_function(py::function value, py::function gradients, const std::vector<py::array>& arrays, std::vector<double> rtol,
                      std::vector<double> atol, double noise, bool full, bool beside, bool jax, std::uint64_t seed,
                      py::object tangent, py::object extended) {
  std::vector<AnyTensor> inputs;
  for (const py::array& a : arrays) inputs.push_back(any_tensor_of(a));
  FunctionCheckOptions options;
  options.tolerance = *std::min_element(rtol.begin(), rtol.end());
  options.tolerances = std::move(rtol);
  options.absolute = std::move(atol);
  if (noise >= 0) options.noise = noise;
  options.every_element = full;
  options.second_point = beside;
  options.convention = jax ? Convention::Plain : Convention::Conjugate;
  options.seed = seed;
  try {
    return check_function(function_of(std::move(value), std::move(gradients), std::move(tangent), std::move(extended)), inputs,
                          options);
  } catch (Interruption& stop) {
    throw std::move(stop.error);
  }
}

}  // namespace

void bind_judge(py::module_& m) {
  bind_report(m);
  m.attr("Spent") = py::handle(budget_exceeded());
  m.def("judge", &judge_function, py::arg("value"), py::arg("gradients"), py::arg("inputs"), py::kw_only(), py::arg("rtol"),
        py::arg("atol"), py::arg("noise"), py::arg("full"), py::arg("beside"), py::arg("jax"), py::arg("seed"), py::arg("tangent"),
        py::arg("extended"));
}

}  // namespace argand::python
