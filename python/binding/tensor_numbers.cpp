/// The operators + - * / ** @ and their reflected forms.

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/power.h"
#include "autograd/ops/functions/variable_power.h"
#include "autograd/ops/products/einsum.h"
#include "autograd/ops/products/matmul.h"
#include "autograd/ops/shape.h"
#include "python/binding/tensor_object.h"

namespace argand::python {
namespace {

/// Calls f(a, b) after converting both variables to one precision.
template <class F>
AnyVar of_two(AnyVar a, AnyVar b, const F& f) {
  align(a, b);
  return std::visit(
      [&]<class A, class B>(const Var<A>& x, const Var<B>& y) -> AnyVar {
        if constexpr (std::same_as<RealOf<A>, RealOf<B>>)
          return f(x, y);
        else
          std::abort();
      },
      a, b);
}

struct Number {
  std::complex<double> value;
  bool is_complex = false;
};
std::optional<Number> number_of(PyObject* o) {
  if (PyFloat_CheckExact(o)) return Number{PyFloat_AS_DOUBLE(o)};
  if (PyLong_Check(o)) {
    const double x = PyLong_AsDouble(o);
    if (x == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    return Number{x};
  }
  if (PyComplex_CheckExact(o)) return Number{{PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o)}, true};
  return std::nullopt;
}

/// Calls f(z, c) after converting c to z's precision; c stays real or complex.
template <class F>
AnyVar with_number(const AnyVar& z, const Number& c, const F& f) {
  return std::visit(
      [&]<class T>(const Var<T>& v) -> AnyVar {
        using R = RealOf<T>;
        if (c.is_complex) return f(v, std::complex<R>(c.value));
        return f(v, static_cast<R>(c.value.real()));
      },
      z);
}

/// Calls op(a, b), where one is a tensor and the other a tensor, a number, or anything that NumPy converts to an array.
template <class Two, class Right, class Left>
PyObject* binary(const char* name, PyObject* a, PyObject* b, const Two& two, const Right& right, const Left& left) {
  return guarded([&]() -> PyObject* {
    if (is_tensor(a) && is_tensor(b)) {
      TensorObject* const operands[] = {as_tensor(a), as_tensor(b)};
      return run_single_op(name, operands, [&] { return two(operands[0]->var, operands[1]->var); });
    }
    const bool first = is_tensor(a);
    TensorObject* const x = as_tensor(first ? a : b);
    PyObject* const other = first ? b : a;
    if (const auto c = number_of(other)) {
      TensorObject* const operands[] = {x};
      return run_single_op(
          name, operands, [&] { return first ? right(x->var, *c) : left(x->var, *c); }, c->value);
    }
    if (other == Py_None || PyUnicode_Check(other)) Py_RETURN_NOTIMPLEMENTED;
    const py::object constant = py::reinterpret_steal<py::object>(wrap(constant_of(other, name)));
    TensorObject* const y = as_tensor(constant.ptr());
    TensorObject* const operands[] = {first ? x : y, first ? y : x};
    return run_single_op(name, operands, [&] { return two(operands[0]->var, operands[1]->var); });
  });
}

PyObject* nb_add(PyObject* a, PyObject* b) {
  const auto f = [](const auto& x, const auto& y) { return x + y; };
  return binary(
      "add", a, b, [&](const AnyVar& x, const AnyVar& y) { return of_two(x, y, f); },
      [&](const AnyVar& z, const Number& c) { return with_number(z, c, f); },
      [&](const AnyVar& z, const Number& c) { return with_number(z, c, f); });
}
PyObject* nb_subtract(PyObject* a, PyObject* b) {
  const auto f = [](const auto& x, const auto& y) { return x - y; };
  return binary(
      "sub", a, b, [&](const AnyVar& x, const AnyVar& y) { return of_two(x, y, f); },
      [&](const AnyVar& z, const Number& c) { return with_number(z, c, f); },
      [&](const AnyVar& z, const Number& c) { return with_number(z, c, [](const auto& x, auto k) { return k - x; }); });
}
PyObject* nb_multiply(PyObject* a, PyObject* b) {
  const auto f = [](const auto& x, const auto& y) { return x * y; };
  return binary(
      "mul", a, b, [&](const AnyVar& x, const AnyVar& y) { return of_two(x, y, f); },
      [&](const AnyVar& z, const Number& c) { return with_number(z, c, f); },
      [&](const AnyVar& z, const Number& c) { return with_number(z, c, f); });
}
PyObject* nb_true_divide(PyObject* a, PyObject* b) {
  const auto f = [](const auto& x, const auto& y) { return x / y; };
  return binary(
      "div", a, b, [&](const AnyVar& x, const AnyVar& y) { return of_two(x, y, f); },
      [&](const AnyVar& z, const Number& c) { return with_number(z, c, f); },
      [&](const AnyVar& z, const Number& c) { return with_number(z, c, [](const auto& x, auto k) { return k / x; }); });
}

AnyVar power_of_number(const AnyVar& z, const Number& p) {
  return std::visit(
      [&]<class T>(const Var<T>& v) -> AnyVar {
        using R = RealOf<T>;
        if (p.is_complex) return pow(v, number(std::complex<R>(p.value)));
        if (p.value.real() == 2) return square(v);
        return pow(v, static_cast<R>(p.value.real()));
      },
      z);
}
AnyVar number_to_power(const AnyVar& z, const Number& c) {
  return std::visit(
      [&]<class T>(const Var<T>& v) -> AnyVar {
        using R = RealOf<T>;
        if (c.is_complex) return pow(number(std::complex<R>(c.value)), v);
        return pow(number(static_cast<R>(c.value.real())), v);
      },
      z);
}
PyObject* nb_power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return binary(
      "pow", a, b,
      [](const AnyVar& x, const AnyVar& y) { return of_two(x, y, [](const auto& z, const auto& p) { return pow(z, p); }); },
      power_of_number, number_to_power);
}

template <Scalar T>
Var<T> as_matrix(const Var<T>& x, bool row) {
  if (x.rank() != 1) return x;
  return reshape(x, row ? Shape{1, x.size()} : Shape{x.size(), 1});
}
/// As in NumPy's matmul, a vector is a row on the left and a column on the right.
template <Scalar A, Scalar B>
Var<Promote<A, B>> matrix_product(const Var<A>& a, const Var<B>& b) {
  require(a.rank() > 0 && b.rank() > 0, "matmul", "does not accept scalars; use * instead");
  const auto product = matmul(as_matrix(a, true), as_matrix(b, false));
  if (a.rank() > 1 && b.rank() > 1) return product;
  Shape shape = product.shape();
  if (b.rank() == 1) shape.erase(-1);
  if (a.rank() == 1) shape.erase(b.rank() == 1 ? -1 : -2);
  return reshape(product, shape);
}
PyObject* nb_matrix_multiply(PyObject* a, PyObject* b) {
  const auto scalar = [](const AnyVar&, const Number&) -> AnyVar { fail("matmul", "does not accept scalars; use * instead"); };
  return binary(
      "matmul", a, b,
      [](const AnyVar& x, const AnyVar& y) {
        return of_two(x, y, [](const auto& p, const auto& q) { return matrix_product(p, q); });
      },
      scalar, scalar);
}

PyObject* nb_negative(PyObject* self) {
  return guarded([&] {
    TensorObject* const operands[] = {as_tensor(self)};
    return run_single_op("neg", operands,
                         [&] { return std::visit([](const auto& v) -> AnyVar { return neg(v); }, operands[0]->var); });
  });
}
PyObject* nb_positive(PyObject* self) { return new_ref(self); }
PyObject* nb_absolute(PyObject* self) {
  return guarded([&] {
    TensorObject* const operands[] = {as_tensor(self)};
    return run_single_op("abs", operands,
                         [&] { return std::visit([](const auto& v) -> AnyVar { return abs(v); }, operands[0]->var); });
  });
}

/// w -= lr * w.grad inside no_grad() assigns new values to the variable. Elsewhere it means w = w - lr * w.grad.
template <PyObject* (*op)(PyObject*, PyObject*)>
PyObject* in_place(PyObject* a, PyObject* b) {
  PyObject* const result = op(a, b);
  if (result == nullptr || result == Py_NotImplemented || recording() || slot_of(as_tensor(a)->var) == nullptr) return result;
  const py::object value = py::reinterpret_steal<py::object>(result);
  return guarded([&] {
    py::handle(a).attr("assign")(value);
    return new_ref(a);
  });
}

template <class F>
PyType_Slot slot_for(int id, F f) {
  return {id, reinterpret_cast<void*>(f)};
}

}  // namespace

std::vector<PyType_Slot> number_slots() {
  return {slot_for(Py_nb_add, nb_add),
          slot_for(Py_nb_subtract, nb_subtract),
          slot_for(Py_nb_multiply, nb_multiply),
          slot_for(Py_nb_true_divide, nb_true_divide),
          slot_for(Py_nb_power, nb_power),
          slot_for(Py_nb_matrix_multiply, nb_matrix_multiply),
          slot_for(Py_nb_negative, nb_negative),
          slot_for(Py_nb_positive, nb_positive),
          slot_for(Py_nb_absolute, nb_absolute),
          slot_for(Py_nb_inplace_add, in_place<nb_add>),
          slot_for(Py_nb_inplace_subtract, in_place<nb_subtract>),
          slot_for(Py_nb_inplace_multiply, in_place<nb_multiply>),
          slot_for(Py_nb_inplace_true_divide, in_place<nb_true_divide>)};
}

}  // namespace argand::python
