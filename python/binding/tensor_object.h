#pragma once
/// The Python type argand.Tensor: its fields, how objects are created, and helpers for the files that define its methods.

#include <pybind11/complex.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>
#include <string_view>

#include "python/binding/node.h"

namespace argand::python {

namespace py = pybind11;

inline PyObject* new_ref(PyObject* o) {
  Py_INCREF(o);
  return o;
}

struct TensorObject {
  PyObject ob_base;
  AnyVar var;
  NodePtr node;  ///< the call that computed it; null for a variable or constant that no call has read so far
  PyObject* weak_references;
};

/// The type object; valid once bind_tensor() has run.
extern PyTypeObject* tensor_type;
inline bool is_tensor(PyObject* o) { return Py_TYPE(o) == tensor_type; }
inline TensorObject* as_tensor(PyObject* o) { return reinterpret_cast<TensorObject*>(o); }

/// A new Python object for a variable.
PyObject* wrap(AnyVar var, NodePtr node = nullptr);
/// The tensor's node, created if there is none yet.
const NodePtr& node_of(TensorObject* x);

/// Runs body() -> PyObject* and turns C++ exceptions into Python's.
template <class Body, class Result = PyObject*>
Result guarded(const Body& body, Result failed = nullptr);
void set_python_error() noexcept;  ///< sets it from the C++ exception being handled

template <class Body, class Result>
Result guarded(const Body& body, Result failed) {
  try {
    return body();
  } catch (...) {
    set_python_error();
    return failed;
  }
}

/// Calls compute() as computed() in node.h does, without the GIL if there is much work, and connects the outputs to
/// these operands in the graph.
std::vector<PyObject*> run_op(std::string_view name, std::span<TensorObject* const> operands,
                              const std::function<std::vector<AnyVar>()>& compute, std::optional<std::complex<double>> factor = {});
/// The same for a single output.
PyObject* run_single_op(std::string_view name, std::span<TensorObject* const> operands, const std::function<AnyVar()>& compute,
                        std::optional<std::complex<double>> factor = {});
/// An array from anything that NumPy or DLPack can convert; otherwise throws a TypeError that begins with `what`.
py::array array_from(PyObject* o, const char* what);
/// A constant from Python's numbers, sequences and arrays: float32, float64, complex64 and complex128 keep their type, integers
/// become float64. Otherwise throws a TypeError that begins with `what`.
AnyVar constant_of(PyObject* o, const char* what);
/// The variable of a tensor; for anything else, the same as constant_of.
AnyVar any_var_of(PyObject* o, const char* what);

bool is_complex(const AnyVar& x);
/// Converts to another type, from real to complex or between precisions, differentiably. Throws a TypeError for complex to real.
AnyVar converted(const AnyVar& x, std::string_view scalar);
/// Converts a and b to the wider of their precisions.
void align(AnyVar& a, AnyVar& b);

/// A read-only view of the elements, which keeps them alive even if the tensor is freed or assigned to.
py::array view_of(const AnyVar& x);
template <Scalar T>
py::array view_of(const Tensor<T>& x);

/// Whether the tensor was created by variable() rather than by an op.
inline bool is_variable(TensorObject* x) {
  return slot_of(x->var) != nullptr && (x->node == nullptr || x->node->state == Node::State::Source);
}

// The attribute `grad` and methods of the type, defined in tensor_gradient.cpp.
PyObject* tensor_grad(PyObject* self, void*);
int set_tensor_grad(PyObject* self, PyObject* value, void*);
PyObject* tensor_backward(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* tensor_zero_grad(PyObject* self, PyObject*);
PyObject* tensor_retain_grad(PyObject* self, PyObject*);

/// The slots that other files add to the type; each list ends in {0, nullptr}.
std::vector<PyType_Slot> number_slots();
std::vector<PyType_Slot> index_slots();

}  // namespace argand::python
