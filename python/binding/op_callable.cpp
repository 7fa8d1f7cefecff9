/// The library's functions (autograd/call/op_function.h) as Python callables, with keyword arguments: argand.exp(z), z.exp().
/// Each is an instance of the type defined here, created from the registry.

#include "autograd/call/op_function.h"
#include "autograd/op.h"
#include "python/binding/arrays.h"
#include "python/binding/bindings.h"
#include "python/binding/tensor_object.h"

#include <structmember.h>  // must follow Python.h

namespace argand::python {
namespace {

struct FunctionObject {
  PyObject ob_base;
  vectorcallfunc call;
  const OpFunction* function;
  PyObject* result_type;  ///< named tuple for functions with several results; created when first needed
};

FunctionObject* as_function(PyObject* o) { return reinterpret_cast<FunctionObject*>(o); }

Ids ids_of(const py::array& a, const std::string& name) {
  const auto wide = dense_array<std::int64_t>(a);
  std::vector<Ids::value_type> values;
  values.reserve(static_cast<std::size_t>(wide.size()));
  for (py::ssize_t i = 0; i < wide.size(); ++i) {
    const std::int64_t id = wide.data()[i];
    require(id == static_cast<Ids::value_type>(id), name, "index {} is out of range for any axis", id);
    values.push_back(static_cast<Ids::value_type>(id));
  }
  const std::vector<std::int64_t> sizes(wide.shape(), wide.shape() + wide.ndim());
  return Ids(Shape(std::span(sizes)), std::move(values));
}

Mask mask_of(const py::array& a) {
  const auto dense = dense_array<bool>(a);
  const std::vector<std::int64_t> sizes(dense.shape(), dense.shape() + dense.ndim());
  return Mask(Shape(std::span(sizes)), std::vector<std::uint8_t>(dense.data(), dense.data() + dense.size()));
}

/// The arguments of one call, and the tensors among them.
struct Arguments {
  explicit Arguments(const OpFunction& f) : function(f) {}
  const OpFunction& function;
  std::vector<Argument> positional;
  std::vector<std::pair<std::string, Argument>> named;
  std::vector<TensorObject*> operands;
  std::vector<py::object> kept;  ///< constants created for this call, kept alive while it runs
  std::optional<std::complex<double>> factor;

  DynamicVar constant(PyObject* o) {
    kept.push_back(py::reinterpret_steal<py::object>(wrap(constant_of(o, function.name().c_str()))));
    return operand(kept.back().ptr());
  }
  DynamicVar operand(PyObject* o) {
    operands.push_back(as_tensor(o));
    return as_tensor(o)->var;
  }
  void note(std::complex<double> number) {
    if (!factor) factor = number;
  }
  Argument sequence(PyObject* o, ArgumentType type);
  Argument array(const py::array& a, ArgumentType type);
  Argument converted_to(PyObject* o, ArgumentType type);
};

Argument Arguments::array(const py::array& a, ArgumentType type) {
  const char kind = a.dtype().kind();
  if (kind == 'b' && type.takes(ArgumentKind::Mask)) return mask_of(a);
  if ((kind == 'i' || kind == 'u') && type.takes(ArgumentKind::Indices)) return ids_of(a, function.name());
  return constant(a.ptr());
}

Argument Arguments::sequence(PyObject* o, ArgumentType type) {
  const py::object items = py::reinterpret_steal<py::object>(PySequence_Fast(o, "expected a sequence"));
  if (!items) throw py::error_already_set();
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(items.ptr());
  if (type.takes(ArgumentKind::Tensors)) {
    std::vector<DynamicVar> all;
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* const item = PySequence_Fast_GET_ITEM(items.ptr(), i);
      all.push_back(is_tensor(item) ? operand(item) : constant(item));
    }
    return all;
  }
  if (type.takes(ArgumentKind::Ints)) {
    std::vector<std::int64_t> all;
    for (Py_ssize_t i = 0; i < n; ++i) {
      const py::object item = py::reinterpret_steal<py::object>(PyNumber_Index(PySequence_Fast_GET_ITEM(items.ptr(), i)));
      if (!item) {
        if (type.takes(ArgumentKind::Tensor)) {
          PyErr_Clear();
          return constant(o);
        }
        throw py::error_already_set();
      }
      all.push_back(PyLong_AsLongLong(item.ptr()));
      if (all.back() == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    }
    return all;
  }
  if (type.takes(ArgumentKind::Indices) || type.takes(ArgumentKind::Mask))
    return array(array_from(o, function.name().c_str()), type);
  return constant(o);
}

Argument Arguments::converted_to(PyObject* o, ArgumentType type) {
  if (is_tensor(o)) {
    require(type.takes(ArgumentKind::Tensor) || !type.takes(ArgumentKind::Indices), function.name(),
            "indices must be NumPy integers, not a tensor: write indices.numpy().astype(int)");
    return operand(o);
  }
  if (o == Py_None) return none;
  const bool takes_numbers = type.takes(ArgumentKind::Int) || type.takes(ArgumentKind::Float) || type.takes(ArgumentKind::Complex);
  if (PyBool_Check(o)) return o == Py_True;
  if (PyUnicode_Check(o)) return py::cast<std::string>(py::handle(o));
  if (takes_numbers || !type.takes(ArgumentKind::Tensor)) {
    if (PyFloat_Check(o)) {
      note(PyFloat_AS_DOUBLE(o));
      return PyFloat_AS_DOUBLE(o);
    }
    if (PyComplex_Check(o)) {
      note({PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o)});
      return std::complex<double>(PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o));
    }
    if (PyIndex_Check(o) && !py::isinstance<py::array>(o)) {
      const py::object whole = py::reinterpret_steal<py::object>(PyNumber_Index(o));
      if (!whole) throw py::error_already_set();
      const std::int64_t n = PyLong_AsLongLong(whole.ptr());
      if (n == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
      note(static_cast<double>(n));
      return n;
    }
  }
  if (PyList_Check(o) || PyTuple_Check(o)) return sequence(o, type);
  if (py::isinstance<py::array>(o)) return array(py::reinterpret_borrow<py::array>(o), type);
  return constant(o);
}

/// Converts all tensors to the widest precision among them.
void align_all(std::vector<Argument>& positional, std::vector<std::pair<std::string, Argument>>& named) {
  std::vector<DynamicVar*> all;
  const auto gather = [&](Argument& argument) {
    if (auto* x = std::get_if<DynamicVar>(&argument)) all.push_back(x);
    if (auto* several = std::get_if<std::vector<DynamicVar>>(&argument))
      for (DynamicVar& x : *several) all.push_back(&x);
  };
  for (Argument& argument : positional) gather(argument);
  for (auto& [name, argument] : named) gather(argument);
  for (DynamicVar* x : all)
    for (DynamicVar* y : all) align(*x, *y);
}

bool are_whole_numbers(PyObject* const* args, std::size_t n) {
  return std::all_of(args, args + n, [](PyObject* o) { return PyLong_CheckExact(o); });
}

/// A tuple of the arguments from `first` on.
py::object tuple_of_rest(PyObject* const* args, std::size_t first, std::size_t n) {
  py::object rest = py::reinterpret_steal<py::object>(PyTuple_New(static_cast<Py_ssize_t>(n - first)));
  for (std::size_t k = first; k < n; ++k) PyTuple_SET_ITEM(rest.ptr(), static_cast<Py_ssize_t>(k - first), new_ref(args[k]));
  return rest;
}

void convert(Arguments& arguments, PyObject* const* args, std::size_t n, PyObject* names) {
  const std::vector<CallParameter>& parameters = arguments.function.parameters();
  const std::size_t last = parameters.size() - 1;
  arguments.positional.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const ArgumentType type = i <= last ? parameters[i].type : ArgumentType{};
    // Accepts x.reshape(2, 3) for x.reshape((2, 3)).
    if (i == last && n > last + 1 && type.takes(ArgumentKind::Ints) && are_whole_numbers(args + i, n - i)) {
      const py::object rest = tuple_of_rest(args, i, n);
      arguments.positional.push_back(arguments.sequence(rest.ptr(), type));
      break;
    }
    // Accepts einsum("ij,jk->ik", a, b) for einsum("ij,jk->ik", [a, b]).
    if (i == last && type.takes(ArgumentKind::Tensors) && !type.takes(ArgumentKind::Tensor) &&
        (n > last + 1 || is_tensor(args[i]) || py::isinstance<py::array>(args[i]))) {
      const py::object rest = tuple_of_rest(args, i, n);
      arguments.positional.push_back(arguments.sequence(rest.ptr(), type));
      break;
    }
    arguments.positional.push_back(arguments.converted_to(args[i], type));
  }
  const Py_ssize_t n_named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t k = 0; k < n_named; ++k) {
    std::string name = py::cast<std::string>(py::handle(PyTuple_GET_ITEM(names, k)));
    const auto find = [&](std::string_view wanted) {
      return std::find_if(parameters.begin(), parameters.end(), [&](const CallParameter& p) { return p.name == wanted; });
    };
    // Accepts NumPy's argument names as well as PyTorch's.
    auto parameter = find(name);
    if (parameter == parameters.end() && name == "axis" && find("dim") != parameters.end()) name = "dim";
    if (parameter == parameters.end() && name == "axis" && find("dims") != parameters.end()) name = "dims";
    if (parameter == parameters.end() && name == "keepdims") name = "keepdim";
    parameter = find(name);
    // np.sum(x) calls x.sum(dtype=None, out=None).
    PyObject* const value = args[n + static_cast<std::size_t>(k)];
    if (parameter == parameters.end() && value == Py_None && (name == "dtype" || name == "out")) continue;
    const ArgumentType type = parameter == parameters.end() ? ArgumentType{} : parameter->type;
    arguments.named.emplace_back(name, arguments.converted_to(value, type));
  }
}

py::object object_of(const Argument& argument) {
  if (const auto* ids = std::get_if<Ids>(&argument)) {
    py::array_t<std::int64_t> a(std::vector<py::ssize_t>(ids->shape().begin(), ids->shape().end()));
    std::copy(ids->data(), ids->data() + ids->size(), a.mutable_data());
    return a;
  }
  if (const auto* mask = std::get_if<Mask>(&argument)) {
    py::array_t<bool> a(std::vector<py::ssize_t>(mask->shape().begin(), mask->shape().end()));
    std::copy(mask->data(), mask->data() + mask->size(), a.mutable_data());
    return a;
  }
  return std::visit(
      []<class A>(const A& a) -> py::object {
        if constexpr (requires { py::cast(a); } && !std::same_as<A, std::monostate> && !std::same_as<A, DynamicVar> &&
                      !std::same_as<A, std::vector<DynamicVar>> && !std::same_as<A, Ids> && !std::same_as<A, Mask> &&
                      !std::same_as<A, std::vector<std::int64_t>>)
          return py::cast(a);
        else
          return py::none();
      },
      argument);
}

/// Several results as a tuple, which is a named tuple if the function names its results.
PyObject* tuple_of(FunctionObject* self, const std::vector<py::object>& results) {
  const auto n = static_cast<Py_ssize_t>(results.size());
  const py::object tuple = py::reinterpret_steal<py::object>(PyTuple_New(n));
  for (Py_ssize_t i = 0; i < n; ++i) PyTuple_SET_ITEM(tuple.ptr(), i, new_ref(results[static_cast<std::size_t>(i)].ptr()));
  const std::vector<std::string>& names = self->function->results();
  if (names.size() != results.size()) return new_ref(tuple.ptr());
  if (self->result_type == nullptr) {
    py::list fields;
    for (const std::string& name : names) fields.append(name);
    self->result_type =
        py::module_::import("collections").attr("namedtuple")(self->function->name() + "_result", fields).release().ptr();
  }
  return py::handle(self->result_type).attr("_make")(tuple).release().ptr();
}

PyObject* call_function(PyObject* callable, PyObject* const* args, std::size_t flags, PyObject* names) {
  return guarded([&]() -> PyObject* {
    FunctionObject* const self = as_function(callable);
    const OpFunction& f = *self->function;
    Arguments arguments(f);
    convert(arguments, args, static_cast<std::size_t>(PyVectorcall_NARGS(flags)), names);
    CallResult result;
    std::vector<PyObject*> made = run_op(
        f.name(), arguments.operands,
        [&] {
          align_all(arguments.positional, arguments.named);
          result = f.call(arguments.positional, arguments.named);
          std::vector<AnyVar> outputs;
          for (Argument& value : result.values)
            if (auto* x = std::get_if<DynamicVar>(&value)) outputs.push_back(std::move(*x));
          return outputs;
        },
        arguments.factor);
    std::vector<py::object> results;
    auto tensor = made.begin();
    for (const Argument& value : result.values)
      results.push_back(value.index() == static_cast<std::size_t>(ArgumentKind::Tensor)
                            ? py::reinterpret_steal<py::object>(*tensor++)
                            : object_of(value));
    return result.is_tuple ? tuple_of(self, results) : results.front().release().ptr();
  });
}

void free_function(PyObject* self) {
  Py_XDECREF(as_function(self)->result_type);
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

/// Makes a function stored in a class a method of its instances.
PyObject* bound(PyObject* self, PyObject* object, PyObject*) {
  return object == nullptr || object == Py_None ? new_ref(self) : PyMethod_New(self, object);
}

PyObject* unicode(const std::string& s) { return PyUnicode_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size())); }

PyObject* function_repr(PyObject* self) { return unicode("<argand op " + as_function(self)->function->name() + ">"); }
PyObject* get_function_name(PyObject* self, void*) { return unicode(as_function(self)->function->name()); }
PyObject* get_signature(PyObject* self, void*) {
  return guarded([&] { return unicode(as_function(self)->function->signature()); });
}
PyObject* get_function_doc(PyObject* self, void*) {
  return guarded([&] {
    const OpFunction& f = *as_function(self)->function;
    std::string doc = f.signature() + "\n\n" + f.about();
    if (const Op* op = f.op()) {
      const OpText& t = op->text();
      doc += fmt::format("\n\n  kind     {}\n  gradient {}\n  tangent  {}", kind_name(t.kind), t.vjp, t.jvp);
      if (!t.singular.empty() && t.singular != "none") doc += "\n  singular " + t.singular;
    }
    return unicode(doc + "\n");
  });
}
/// [(name, type, default)] in the notation of stub files; the default is "" if there is none.
PyObject* get_parameters(PyObject* self, void*) {
  return guarded([&] {
    py::list all;
    for (const CallParameter& p : as_function(self)->function->parameters())
      all.append(py::make_tuple(p.name, p.type_text(), p.default_text()));
    return all.release().ptr();
  });
}
PyObject* get_result(PyObject* self, void*) {
  return guarded([&] { return unicode(as_function(self)->function->result_text()); });
}

PyGetSetDef function_properties[] = {
    {"__name__", get_function_name, nullptr, nullptr, nullptr},
    {"__qualname__", get_function_name, nullptr, nullptr, nullptr},
    {"__doc__", get_function_doc, nullptr, nullptr, nullptr},
    {"signature", get_signature, nullptr, "With types and defaults.", nullptr},
    {"parameters", get_parameters, nullptr, "[(name, type, default)]; the default is \"\" if there is none.", nullptr},
    {"result", get_result, nullptr, "The type of the result.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMemberDef function_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionObject, call), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyTypeObject* make_function_type() {
  PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(free_function)},
      {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
      {Py_tp_repr, reinterpret_cast<void*>(function_repr)},
      {Py_tp_descr_get, reinterpret_cast<void*>(bound)},
      {Py_tp_getset, function_properties},
      {Py_tp_members, function_members},
      {0, nullptr},
  };
#if PY_VERSION_HEX < 0x03090000
  constexpr unsigned vectorcall = _Py_TPFLAGS_HAVE_VECTORCALL;
#else
  constexpr unsigned vectorcall = Py_TPFLAGS_HAVE_VECTORCALL;
#endif
  PyType_Spec spec = {"argand.OpFunction", sizeof(FunctionObject), 0,
                      Py_TPFLAGS_DEFAULT | vectorcall | Py_TPFLAGS_METHOD_DESCRIPTOR, slots};
  PyObject* const type = PyType_FromSpec(&spec);
  if (type == nullptr) throw py::error_already_set();
  return reinterpret_cast<PyTypeObject*>(type);
}

}  // namespace

void bind_op_functions(py::module_& m) {
  PyTypeObject* const type = make_function_type();
  m.attr("OpFunction") = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(type));
  py::dict all;
  for (const OpFunction* f : OpFunction::all()) {
    PyObject* const object = type->tp_alloc(type, 0);
    if (object == nullptr) throw py::error_already_set();
    as_function(object)->call = call_function;
    as_function(object)->function = f;
    as_function(object)->result_type = nullptr;
    all[py::str(f->name())] = py::reinterpret_steal<py::object>(object);
  }
  m.attr("op_functions") = all;
}

}  // namespace argand::python
