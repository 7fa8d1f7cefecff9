/// Python callables before the judge of autograd/outside/outside_check.h.

#include <pybind11/complex.h>

#include <memory>

#include "autograd/outside/outside_check.h"
#include "python/binding/arrays.h"
#include "python/binding/bindings.h"

namespace argand::python {
namespace {

/// KeyboardInterrupt, SystemExit: not for the library's code to catch, which catches std::exception.
struct Interruption {
  py::error_already_set error;
};

template <class Call>
auto uninterrupted(const Call& call) {
  try {
    return call();
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_Exception)) throw Interruption{std::move(error)};
    throw;
  }
}

py::list arrays_of(const std::vector<AnyTensor>& inputs) {
  py::list arrays;
  for (const AnyTensor& x : inputs) arrays.append(std::visit([](const auto& t) { return array_of(t); }, x));
  return arrays;
}

/// What came back, an array, or a sentence that says why there is none.
AnyTensor answer_of(const py::object& answer) {
  if (py::isinstance<py::str>(answer)) throw std::runtime_error(answer.cast<std::string>());
  return any_tensor_of(answer.cast<py::array>());
}

/// `value(arrays) -> array`, always of the same shape and type; `gradients(arrays, w) -> [array]`, where w is like the value;
/// `tangent(arrays, v) -> array or str`, J v; `extended(complex arrays) -> array or str`, the value there. The last two may be
/// None.
Examined examined(py::function value, py::function gradients, py::object tangent, py::object extended) {
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
  Examined f{call, differentiate};
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

py::dict dict_of(const ElementCheck& e, bool is_complex) {
  py::dict d;
  d["input"] = e.input;
  d["element"] = e.element;
  d["verdict"] = std::string(verdict_name(e.verdict));
  d["gradient"] = e.values.analytic;
  d["numerical"] = e.values.numerical;
  d["bar"] = e.values.error;
  d["relative_error"] = e.relative_error;
  d["text"] = describe(e.values, e.verdict, is_complex);
  return d;
}

py::dict judge_outside(py::function value, py::function gradients, const std::vector<py::array>& arrays, double rtol, bool full,
                       bool jax, std::uint64_t seed, py::object tangent, py::object extended) {
  std::vector<AnyTensor> inputs;
  for (const py::array& a : arrays) inputs.push_back(any_tensor_of(a));
  OutsideOptions options;
  options.tolerance = rtol;
  options.every_element = full;
  options.convention = jax ? Convention::Plain : Convention::Conjugate;
  options.seed = seed;
  OutsideReport report;
  try {
    report =
        check_outside(examined(std::move(value), std::move(gradients), std::move(tangent), std::move(extended)), inputs, options);
  } catch (Interruption& stop) {
    throw std::move(stop.error);
  }

  py::dict result;
  result["verdict"] = std::string(verdict_name(report.verdict));
  result["diagnosis"] = report.diagnosis;
  const auto is_complex = [&](const ElementCheck& e) { return inputs[e.input].index() == 1; };
  result["worst"] = report.worst ? py::object(dict_of(*report.worst, is_complex(*report.worst))) : py::none();
  py::list all, directions;
  for (const OutsideInput& input : report.inputs) {
    py::list elements;
    for (const ElementCheck& e : input.elements) elements.append(dict_of(e, is_complex(e)));
    py::dict d;
    d["verdict"] = std::string(verdict_name(input.verdict));
    d["diagnosis"] = input.diagnosis;
    d["elements"] = elements;
    all.append(d);
  }
  for (const Comparison& c : report.directions)
    directions.append(py::make_tuple(c.analytic.real(), c.numerical.real(), c.error, c.relative_error(c.size())));
  py::list witnesses;
  for (const Witness& w : report.witnesses)
    witnesses.append(py::make_tuple(w.name, std::string(opinion_name(w.opinion)), w.finding));
  result["witnesses"] = witnesses;
  result["inputs"] = all;
  result["directions"] = directions;
  return result;
}

}  // namespace

void bind_judge(py::module_& m) {
  m.def("judge", &judge_outside, py::arg("value"), py::arg("gradients"), py::arg("inputs"), py::kw_only(), py::arg("rtol"),
        py::arg("full"), py::arg("jax"), py::arg("seed"), py::arg("tangent"), py::arg("extended"));
}

}  // namespace argand::python
