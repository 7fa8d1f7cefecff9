#include "python/binding/tensor_object.h"

#include <structmember.h>

#include "autograd/context.h"
#include "python/binding/bindings.h"

namespace argand::python {

PyTypeObject* tensor_type = nullptr;

namespace {

PyObject* error_type = nullptr;

/// Calls on fewer elements than this keep the GIL, because releasing it would cost more than it gains.
constexpr std::int64_t much_work = 4096;

void dealloc(PyObject* self) {
  TensorObject* const x = as_tensor(self);
  if (x->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  // Python can no longer use this output, so a large one drops its data here; backward closures that read it hold their own
  // reference, and a picture of the tape shows only small tensors.
  if (x->node != nullptr && x->node->state != Node::State::Source && !any_backward_running())
    std::visit(
        [](auto& v) {
          if (const auto slot = v.slot(); slot != nullptr && slot->leaf && v.size() > few_numbers) {
            slot->leaf = false;
            slot->value = {};
          }
        },
        x->var);
  x->var.~AnyVar();
  x->node.~NodePtr();
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

/// The name of a dtype, such as "float64", which is given as a NumPy dtype, a type or a name.
std::string scalar_named(PyObject* dtype) {
  const py::object d = py::dtype::from_args(py::reinterpret_borrow<py::object>(dtype));
  return py::str(d).cast<std::string>();
}

PyObject* new_tensor(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, "Tensor: use argand.variable(array) or argand.constant(array)");
  return nullptr;
}

PyObject* get_shape(PyObject* self, void*) {
  const Shape& shape = shape_of(as_tensor(self)->var);
  PyObject* const sizes = PyTuple_New(shape.rank());
  for (int i = 0; sizes != nullptr && i < shape.rank(); ++i) PyTuple_SET_ITEM(sizes, i, PyLong_FromLongLong(shape[i]));
  return sizes;
}
PyObject* get_ndim(PyObject* self, void*) { return PyLong_FromLong(shape_of(as_tensor(self)->var).rank()); }
PyObject* get_size(PyObject* self, void*) { return PyLong_FromLongLong(shape_of(as_tensor(self)->var).size()); }
PyObject* get_dtype(PyObject* self, void*) {
  return guarded([&] { return py::dtype(std::string(scalar_name(as_tensor(self)->var))).release().ptr(); });
}
PyObject* get_requires_grad(PyObject* self, void*) { return PyBool_FromLong(slot_of(as_tensor(self)->var) != nullptr); }
PyObject* get_is_variable(PyObject* self, void*) { return PyBool_FromLong(is_variable(as_tensor(self))); }

PyObject* get_name(PyObject* self, void*) {
  TensorObject* const x = as_tensor(self);
  const bool of_op = x->node != nullptr && x->node->state != Node::State::Source;
  const auto slot = slot_of(x->var);
  return py::str(std::string(of_op ? x->node->name : slot != nullptr ? slot->name() : "")).release().ptr();
}
int set_name(PyObject* self, PyObject* name, void*) {
  return guarded(
      [&] {
        if (!is_variable(as_tensor(self)) || name == nullptr) throw py::type_error("name: only a variable can be named");
        slot_of(as_tensor(self)->var)->described().name = py::cast<std::string>(name);
        return 0;
      },
      -1);
}

PyObject* numpy(PyObject* self, PyObject*) {
  return guarded([&] { return view_of(as_tensor(self)->var).release().ptr(); });
}

PyObject* array(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"dtype", "copy", nullptr};
  PyObject *dtype = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO", const_cast<char**>(names), &dtype, &copy)) return nullptr;
  return guarded([&] {
    py::object a = view_of(as_tensor(self)->var);
    if (dtype != Py_None) a = a.attr("astype")(py::handle(dtype), py::arg("copy") = false);
    if (copy == Py_True) a = a.attr("copy")();
    return a.release().ptr();
  });
}

PyObject* item(PyObject* self, PyObject*) {
  return guarded([&] {
    return std::visit(
        []<class T>(const Var<T>& v) -> PyObject* {
          require(v.size() == 1, "item", "a tensor of shape {} has {} elements, not one", v.shape(), v.size());
          const T x = *v.value().data();
          if constexpr (ComplexScalar<T>)
            return PyComplex_FromDoubles(x.real(), x.imag());
          else
            return PyFloat_FromDouble(x);
        },
        as_tensor(self)->var);
  });
}

PyObject* to_float(PyObject* self) {
  PyObject* const x = item(self, nullptr);
  if (x == nullptr || PyFloat_Check(x)) return x;
  Py_DECREF(x);
  PyErr_SetString(PyExc_TypeError, "float: this tensor is complex; take its real part or its modulus first");
  return nullptr;
}
PyObject* to_int(PyObject* self) {
  PyObject* const x = to_float(self);
  if (x == nullptr) return nullptr;
  PyObject* const n = PyNumber_Long(x);
  Py_DECREF(x);
  return n;
}
PyObject* to_complex_number(PyObject* self, PyObject*) {
  PyObject* const x = item(self, nullptr);
  if (x == nullptr || PyComplex_Check(x)) return x;
  PyObject* const z = PyComplex_FromDoubles(PyFloat_AS_DOUBLE(x), 0);
  Py_DECREF(x);
  return z;
}
int to_bool(PyObject* self) {
  PyObject* const x = item(self, nullptr);
  if (x == nullptr) return -1;
  const int truth = PyObject_IsTrue(x);
  Py_DECREF(x);
  return truth;
}
Py_ssize_t length(PyObject* self) {
  const Shape& shape = shape_of(as_tensor(self)->var);
  if (shape.rank() > 0) return static_cast<Py_ssize_t>(shape[0]);
  PyErr_SetString(PyExc_TypeError, "len: a tensor of rank 0 has no length");
  return -1;
}

PyObject* repr(PyObject* self) {
  return guarded([&] {
    TensorObject* const x = as_tensor(self);
    const py::module_ np = py::module_::import("numpy");
    std::string text =
        np.attr("array2string")(view_of(x->var), py::arg("separator") = ", ", py::arg("prefix") = "tensor(").cast<std::string>();
    text = "tensor(" + text + fmt::format(", dtype={}", scalar_name(x->var));
    if (x->node != nullptr && x->node->state != Node::State::Source && slot_of(x->var) != nullptr)
      text += fmt::format(", op={}", x->node->name);
    else if (slot_of(x->var) != nullptr)
      text += ", variable";
    return PyUnicode_FromString((text + ")").c_str());
  });
}

PyObject* detach(PyObject* self, PyObject*) {
  return guarded([&] { return std::visit([](const auto& v) { return wrap(v.detach()); }, as_tensor(self)->var); });
}

PyObject* astype(PyObject* self, PyObject* dtype) {
  return guarded([&]() -> PyObject* {
    TensorObject* const x = as_tensor(self);
    const std::string scalar = scalar_named(dtype);
    if (scalar == scalar_name(x->var)) return new_ref(self);
    TensorObject* const operands[] = {x};
    return run_single_op("astype", operands, [&] { return converted(x->var, scalar); });
  });
}

PyObject* assign(PyObject* self, PyObject* value) {
  return guarded([&]() -> PyObject* {
    TensorObject* const x = as_tensor(self);
    require(is_variable(x), "assign", "only a variable can be assigned to, not the result of an op");
    const AnyVar y = converted(any_var_of(value, "assign"), scalar_name(x->var));
    require(shape_of(y) == shape_of(x->var), "assign", "cannot assign shape {} to a variable of shape {}", shape_of(y),
            shape_of(x->var));
    std::visit([&]<class T>(Var<T>& v) { v.value() = std::get<Var<T>>(y).value(); }, x->var);
    Py_RETURN_NONE;
  });
}

Py_hash_t hash(PyObject* self) { return static_cast<Py_hash_t>(reinterpret_cast<std::uintptr_t>(self) >> 4); }

/// Compares elementwise, as NumPy's arrays do.
PyObject* compare(PyObject* a, PyObject* b, int op) {
  return guarded([&]() -> PyObject* {
    if (b == Py_None && (op == Py_EQ || op == Py_NE)) return PyBool_FromLong(op == Py_NE);
    const py::object left = view_of(as_tensor(a)->var);
    const py::object right = is_tensor(b) ? py::object(view_of(as_tensor(b)->var)) : py::reinterpret_borrow<py::object>(b);
    const auto complex = [](const py::object& o) {
      return py::isinstance<py::array>(o) ? py::array(o).dtype().kind() == 'c' : PyComplex_Check(o.ptr());
    };
    if (op != Py_EQ && op != Py_NE && (complex(left) || complex(right)))
      throw py::type_error("complex numbers have no order; compare their real parts or moduli");
    return PyObject_RichCompare(left.ptr(), right.ptr(), op);
  });
}

PyGetSetDef properties[] = {
    {"shape", get_shape, nullptr, "The sizes of the axes, as a tuple.", nullptr},
    {"ndim", get_ndim, nullptr, "The number of axes.", nullptr},
    {"size", get_size, nullptr, "The number of elements.", nullptr},
    {"dtype", get_dtype, nullptr, "NumPy's float32, float64, complex64 or complex128.", nullptr},
    {"requires_grad", get_requires_grad, nullptr, "Whether it is a variable, or depends on one.", nullptr},
    {"is_variable", get_is_variable, nullptr, "Whether the tensor was created by variable() rather than by an op.", nullptr},
    {"name", get_name, set_name, "A variable's name, or that of the op that computed it.", nullptr},
    {"grad", tensor_grad, set_tensor_grad,
     "dL/dx + i dL/dy, summed over the backward passes so far, in this tensor's shape; None before the first. For variables,\n"
     "and for other tensors after retain_grad().",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

template <class F>
PyCFunction method(F f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
}

PyMethodDef methods[] = {
    {"numpy", numpy, METH_NOARGS,
     "A read-only array of the elements, without a copy. Assigning new values to the variable later does not change\n"
     "the array."},
    {"__array__", method(array), METH_VARARGS | METH_KEYWORDS, "For NumPy: numpy(), or a copy with another dtype."},
    {"item", item, METH_NOARGS, "The only element, as a float or complex. Raises an error unless there is exactly one."},
    {"__complex__", to_complex_number, METH_NOARGS, "The only element."},
    {"backward", method(tensor_backward), METH_VARARGS | METH_KEYWORDS,
     "backward(gradient=None, *, retain_graph=False)\n--\n\n"
     "Adds dL/dx + i dL/dy to the grad of every variable that this real number L was computed from, and frees the\ngraph unless "
     "retain_graph is true.\n\nWith a gradient w of this tensor's shape, L = Re(sum(conj(w) * self)): a "
     "vector-Jacobian product, also for complex tensors."},
    {"zero_grad", tensor_zero_grad, METH_NOARGS, "Sets grad to None."},
    {"retain_grad", tensor_retain_grad, METH_NOARGS, "Makes backward() keep the gradient of this tensor, an op's output, in grad."},
    {"detach", detach, METH_NOARGS, "The same values as a constant; no gradient flows through it."},
    {"astype", astype, METH_O, "Converts to another dtype, differentiably. From complex to real, use .real, .abs(), ... instead."},
    {"assign", assign, METH_O, "Replaces a variable's values by others of the same shape. Tensors computed earlier do not change."},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(TensorObject, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

template <class F>
PyType_Slot slot(int id, F f) {
  return {id, reinterpret_cast<void*>(f)};
}

PyTypeObject* make_type() {
  std::vector<PyType_Slot> slots = {
      slot(Py_tp_new, new_tensor),
      slot(Py_tp_dealloc, dealloc),
      slot(Py_tp_repr, repr),
      slot(Py_tp_hash, hash),
      slot(Py_tp_richcompare, compare),
      {Py_tp_getset, properties},
      {Py_tp_methods, methods},
      {Py_tp_members, members},
      slot(Py_nb_float, to_float),
      slot(Py_nb_int, to_int),
      slot(Py_nb_bool, to_bool),
      slot(Py_mp_length, length),
      {Py_tp_doc,
       const_cast<char*>(
           "A differentiable array, created by variable() or constant(), or by ops on other tensors.\n\n"
           "The dtype is float32, float64, complex64 or complex128; there are up to eight axes. Ops promote and broadcast\n"
           "as in NumPy; comparisons return NumPy arrays of bools. backward() of a real number L adds dL/dx + i dL/dy to\n"
           "the grad of every variable that L was computed from. A tensor cannot be changed in place; assign() replaces\n"
           "the values of a variable.")}};
  for (const PyType_Slot& s : number_slots()) slots.push_back(s);
  for (const PyType_Slot& s : index_slots()) slots.push_back(s);
  slots.push_back({0, nullptr});
  PyType_Spec spec = {"argand.Tensor", sizeof(TensorObject), 0, Py_TPFLAGS_DEFAULT, slots.data()};
  PyObject* const type = PyType_FromSpec(&spec);
  if (type == nullptr) throw py::error_already_set();
  return reinterpret_cast<PyTypeObject*>(type);
}

std::int64_t work_of(std::span<TensorObject* const> operands) {
  std::int64_t n = 0;
  for (const TensorObject* x : operands) n += shape_of(x->var).size();
  return n;
}

/// Wraps an op's output; returns the operand itself if the op returned it unchanged.
PyObject* wrapped(AnyVar& output, std::span<TensorObject* const> operands, const NodePtr& node) {
  const auto slot = slot_of(output);
  if (slot == nullptr) return wrap(std::move(output));
  for (TensorObject* x : operands)
    if (slot_of(x->var) == slot) return new_ref(reinterpret_cast<PyObject*>(x));
  return wrap(std::move(output), node);
}

PyObject* make_variable(PyObject* o, PyObject* dtype, bool variable_wanted) {
  return guarded([&]() -> PyObject* {
    AnyVar x = any_var_of(o, variable_wanted ? "variable" : "constant");
    if (dtype != nullptr && dtype != Py_None) {
      const NoGrad none;
      x = converted(x, scalar_named(dtype));
    }
    return std::visit(
        [&]<class T>(const Var<T>& v) {
          return wrap(variable_wanted ? variable(Tensor<T>(v.value())) : Var<T>(Tensor<T>(v.value())));
        },
        x);
  });
}

}  // namespace

PyObject* wrap(AnyVar var, NodePtr node) {
  PyObject* const self = tensor_type->tp_alloc(tensor_type, 0);
  if (self == nullptr) throw py::error_already_set();
  TensorObject* const x = as_tensor(self);
  new (&x->var) AnyVar(std::move(var));
  new (&x->node) NodePtr(std::move(node));
  return self;
}

const NodePtr& node_of(TensorObject* x) {
  if (x->node == nullptr) x->node = source_node(x->var);
  return x->node;
}

void set_python_error() noexcept {
  try {
    throw;
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (const Error& error) {
    PyErr_SetString(error_type, error.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "argand: an exception of an unknown type");
  }
}

std::vector<PyObject*> run_op(std::string_view name, std::span<TensorObject* const> operands,
                              const std::function<std::vector<AnyVar>()>& compute, std::optional<std::complex<double>> factor) {
  Computed result;
  if (work_of(operands) >= much_work) {
    const py::gil_scoped_release free;
    result = computed(name, compute);
  } else {
    result = computed(name, compute);
  }
  if (result.node != nullptr) {
    if (factor) result.node->factor = std::make_unique<std::complex<double>>(*factor);
    result.node->inputs.reserve(operands.size());
    for (TensorObject* x : operands) result.node->inputs.push_back(node_of(x));
  }
  std::vector<PyObject*> objects;
  objects.reserve(result.outputs.size());
  for (AnyVar& output : result.outputs) objects.push_back(wrapped(output, operands, result.node));
  return objects;
}

PyObject* run_single_op(std::string_view name, std::span<TensorObject* const> operands, const std::function<AnyVar()>& compute,
                        std::optional<std::complex<double>> factor) {
  return run_op(
             name, operands, [&] { return std::vector<AnyVar>{compute()}; }, factor)
      .front();
}

void bind_tensor(py::module_& m) {
  error_type = m.attr("Error").ptr();
  tensor_type = make_type();
  m.attr("Tensor") = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(tensor_type));
  m.def(
      "variable",
      [](py::object values, py::object dtype) {
        PyObject* const x = make_variable(values.ptr(), dtype.ptr(), true);
        if (x == nullptr) throw py::error_already_set();
        return py::reinterpret_steal<py::object>(x);
      },
      py::arg("values"), py::arg("dtype") = py::none());
  m.def(
      "constant",
      [](py::object values, py::object dtype) {
        PyObject* const x = make_variable(values.ptr(), dtype.ptr(), false);
        if (x == nullptr) throw py::error_already_set();
        return py::reinterpret_steal<py::object>(x);
      },
      py::arg("values"), py::arg("dtype") = py::none());
}

}  // namespace argand::python
