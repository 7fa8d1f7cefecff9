#pragma once
/// argand.Tensor as an object of Python's: what it holds, how it is made, and what the files that give it its methods share.

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
  NodePtr node;  ///< of the call that made it; of a variable or constant null until a call reads it
  PyObject* weak_references;
};

/// The type; valid once bind_tensor() has run.
extern PyTypeObject* tensor_type;
inline bool is_tensor(PyObject* o) { return Py_TYPE(o) == tensor_type; }
inline TensorObject* as_tensor(PyObject* o) { return reinterpret_cast<TensorObject*>(o); }

/// A new object.
PyObject* wrap(AnyVar var, NodePtr node = nullptr);
/// Its node, made when there is none.
const NodePtr& node_of(TensorObject* x);

/// Runs body() -> PyObject* and makes its C++ exceptions Python's.
template <class Body, class Result = PyObject*>
Result guarded(const Body& body, Result failed = nullptr);
void set_python_error() noexcept;  ///< of the exception that is being handled

template <class Body, class Result>
Result guarded(const Body& body, Result failed) {
  try {
    return body();
  } catch (...) {
    set_python_error();
    return failed;
  }
}

/// Calls compute() as node.h's computed(), without Python's lock where there is work to do, and joins the outputs to these
/// operands.
std::vector<PyObject*> run_op(std::string_view name, std::span<TensorObject* const> operands,
                              const std::function<std::vector<AnyVar>()>& compute, std::optional<std::complex<double>> factor = {});
/// The same of a single output.
PyObject* run_single_op(std::string_view name, std::span<TensorObject* const> operands, const std::function<AnyVar()>& compute,
                        std::optional<std::complex<double>> factor = {});
/// What NumPy makes an array of, or DLPack; `what` begins the TypeError for everything else.
py::array array_from(PyObject* o, const char* what);
/// Python's numbers, sequences and arrays as a constant: float32, float64, complex64 and complex128 stay what they are, integers
/// become float64. `what` begins the TypeError for everything else.
AnyVar constant_of(PyObject* o, const char* what);
/// As constant_of, or what a tensor holds.
AnyVar any_var_of(PyObject* o, const char* what);

bool is_complex(const AnyVar& x);
/// In another type: real numbers become complex, precisions change, and gradients find their way back. TypeError from complex to
/// real.
AnyVar converted(const AnyVar& x, std::string_view scalar);
/// Both in the wider of their precisions.
void align(AnyVar& a, AnyVar& b);

/// A view of the numbers that cannot be written to; it keeps them, whatever becomes of the tensor.
py::array view_of(const AnyVar& x);
template <Scalar T>
py::array view_of(const Tensor<T>& x);

/// Whether it was made by variable(), rather than by an op.
inline bool is_variable(TensorObject* x) {
  return slot_of(x->var) != nullptr && (x->node == nullptr || x->node->state == Node::State::Source);
}

// Of the type, in tensor_gradient.cpp.
PyObject* tensor_grad(PyObject* self, void*);
int set_tensor_grad(PyObject* self, PyObject* value, void*);
PyObject* tensor_backward(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* tensor_zero_grad(PyObject* self, PyObject*);
PyObject* tensor_retain_grad(PyObject* self, PyObject*);

/// What the files add to the type: each returns entries that end in {0, nullptr}.
std::vector<PyType_Slot> number_slots();
std::vector<PyType_Slot> index_slots();

}  // namespace argand::python
