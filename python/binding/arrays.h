#pragma once
/// Converts between NumPy's arrays and the library's tensors. Elements are copied: neither side can change the other's data.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "autograd/op_check.h"

namespace argand::python {

namespace py = pybind11;

/// A new array with the tensor's elements.
template <Scalar T>
py::array array_of(const Tensor<T>& x) {
  py::array_t<T> a(std::vector<py::ssize_t>(x.shape().begin(), x.shape().end()));
  std::copy(x.begin(), x.end(), a.mutable_data());
  return a;
}

/// The elements of a as T, in row-major order. Throws NumPy's exceptions, for example a MemoryError.
template <class T>
auto dense_array(const py::array& a) {
  return py::array_t<T, py::array::c_style | py::array::forcecast>(static_cast<const py::object&>(a));
}

/// The elements of a, converted to T. Throws if it has more axes than a Shape can have.
template <Scalar T>
Tensor<T> tensor_of(const py::array& a) {
  const auto dense = dense_array<T>(a);
  const std::vector<std::int64_t> sizes(dense.shape(), dense.shape() + dense.ndim());
  return Tensor<T>(Shape(std::span(sizes)), std::span(dense.data(), static_cast<std::size_t>(dense.size())));
}

/// Converts to double precision, to complex numbers if a is complex.
inline AnyTensor any_tensor_of(const py::array& a) {
  if (a.dtype().kind() == 'c') return tensor_of<std::complex<double>>(a);
  return tensor_of<double>(a);
}

}  // namespace argand::python
