/// Runs backward passes from tensors and returns the resulting gradients.

#include "python/binding/bindings.h"
#include "python/binding/tensor_object.h"

namespace argand::python {
namespace {

Backward backward_options(bool retain) {
  Backward options;
  options.retain = retain;
  options.interrupted = [] {
    const py::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  };
  options.unlocked = [](const std::function<void()>& work) {
    const py::gil_scoped_release free;
    work();
  };
  return options;
}

/// dL/dx for each of the variables; zeros if L does not depend on it.
py::list gradients(const py::object& output, const py::list& variables, const py::object& seed, bool retain) {
  if (!is_tensor(output.ptr())) throw py::type_error("gradients: expected a Tensor");
  TensorObject* const y = as_tensor(output.ptr());
  std::vector<std::shared_ptr<SlotBase>> slots;
  for (const py::handle x : variables) {
    if (!is_tensor(x.ptr()) || slot_of(as_tensor(x.ptr())->var) == nullptr)
      throw py::type_error("gradients: only variables and tensors computed from them have a gradient");
    slots.push_back(slot_of(as_tensor(x.ptr())->var));
    if (as_tensor(x.ptr())->node != nullptr && as_tensor(x.ptr())->node->state != Node::State::Source)
      slots.back()->retained = true;
  }
  std::optional<AnyValue> w;
  if (!seed.is_none()) w = value_of(converted(any_var_of(seed.ptr(), "gradients"), scalar_name(y->var)));
  const auto found = gradients_of(y->var, y->node, slots, w, backward_options(retain));
  py::list all;
  for (std::size_t i = 0; i < slots.size(); ++i)
    std::visit(
        [&]<class T>(const Var<T>& x) {
          const Tensor<T> g = found[i] ? std::get<Tensor<T>>(*found[i]) : Tensor<T>::zeros(x.shape());
          all.append(py::reinterpret_steal<py::object>(wrap(Var<T>(g))));
        },
        as_tensor(variables[i].ptr())->var);
  return all;
}

}  // namespace

PyObject* tensor_grad(PyObject* self, void*) {
  return guarded([&] {
    const TensorObject* const x = as_tensor(self);
    return std::visit(
        [&]<class T>(const Var<T>& v) -> PyObject* {
          if (!v.has_grad() && x->node != nullptr && x->node->state == Node::State::Walked) {
            const std::string text = fmt::format(
                "grad: this is the result of {}, whose gradient was freed; call retain_grad() before backward(), or see tape()",
                x->node->name);
            if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) < 0) return nullptr;
          }
          if (!v.has_grad()) Py_RETURN_NONE;
          return wrap(Var<T>(Tensor<T>(v.slot()->grad)));
        },
        x->var);
  });
}
int set_tensor_grad(PyObject* self, PyObject* value, void*) {
  return guarded(
      [&] {
        TensorObject* const x = as_tensor(self);
        if (value == nullptr || value == Py_None) {
          if (const auto slot = slot_of(x->var)) slot->clear_grad();
          return 0;
        }
        require(is_variable(x), "grad", "only a variable keeps a gradient; make it with variable()");
        const AnyVar g = converted(any_var_of(value, "grad"), scalar_name(x->var));
        std::visit([&]<class T>(Var<T>& v) { v.set_grad(std::get<Var<T>>(g).value()); }, x->var);
        return 0;
      },
      -1);
}

PyObject* tensor_backward(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"gradient", "retain_graph", nullptr};
  PyObject* gradient = Py_None;
  int retain = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O$p", const_cast<char**>(names), &gradient, &retain)) return nullptr;
  return guarded([&]() -> PyObject* {
    TensorObject* const x = as_tensor(self);
    const Backward options = backward_options(retain != 0);
    if (gradient == Py_None) {
      argand::python::backward(x->var, x->node, options);
    } else {
      const AnyVar g = converted(any_var_of(gradient, "backward"), scalar_name(x->var));
      backward_from(x->var, x->node, value_of(g), options);
    }
    Py_RETURN_NONE;
  });
}

PyObject* tensor_zero_grad(PyObject* self, PyObject*) {
  if (const auto slot = slot_of(as_tensor(self)->var)) slot->clear_grad();
  Py_RETURN_NONE;
}

PyObject* tensor_retain_grad(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    TensorObject* const x = as_tensor(self);
    const auto slot = slot_of(x->var);
    require(slot != nullptr, "retain_grad", "this tensor of shape {} is a constant, which gets no gradient", shape_of(x->var));
    require(x->node == nullptr || x->node->state != Node::State::Walked, "retain_grad",
            "the backward pass is over; call retain_grad() before it");
    slot->retained = true;
    Py_RETURN_NONE;
  });
}

void bind_gradients(py::module_& m) {
  m.def("gradients", &gradients, py::arg("output"), py::arg("variables"), py::arg("seed"), py::arg("retain_graph"));
}

}  // namespace argand::python
