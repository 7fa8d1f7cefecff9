/// Converts NumPy arrays to tensors and back.

#include <cstring>

#include "autograd/ops/elementwise/complex_parts.h"
#include "python/binding/arrays.h"
#include "python/binding/tensor_object.h"

namespace argand::python {
namespace {

template <Scalar To, Scalar From>
Tensor<To> cast(const Tensor<From>& x) {
  Tensor<To> y(x.shape());
  To* const out = y.data();
  for (std::int64_t i = 0; i < x.size(); ++i) out[i] = static_cast<To>(x.data()[i]);
  return y;
}

/// Converts to the other precision, and converts the gradient back.
template <Scalar To, Scalar From>
Var<To> in_precision(const Var<From>& x) {
  if constexpr (std::same_as<To, From>) {
    return x;
  } else {
    static const Op& op = Op::custom(fmt::format("to_{}_from_{}", scalar_name<To>(), scalar_name<From>()));
    return record(
        op, cast<To>(x.value()), [dx = accumulator(x)](const Tensor<To>& dw) { dx.add(cast<From>(dw)); },
        [&](const Var<To>&) { return in_precision<To>(tangent(x)); }, x);
  }
}

template <RealScalar R>
AnyVar in_any(const AnyVar& x, bool make_complex) {
  return std::visit(
      [&]<class T>(const Var<T>& v) -> AnyVar {
        if constexpr (ComplexScalar<T>) {
          return in_precision<std::complex<R>>(v);
        } else {
          const Var<R> y = in_precision<R>(v);
          if (make_complex) return to_complex(y);
          return y;
        }
      },
      x);
}

bool is_wide(const AnyVar& x) { return x.index() >= 2; }

}  // namespace

bool is_complex(const AnyVar& x) { return x.index() % 2 == 1; }

AnyVar converted(const AnyVar& x, std::string_view scalar) {
  const bool to_complex = scalar == "complex64" || scalar == "complex128", wide = scalar == "float64" || scalar == "complex128";
  if (!to_complex && scalar != "float32" && scalar != "float64")
    throw py::type_error(fmt::format("tensors must be float32, float64, complex64 or complex128, not {}", scalar));
  if (is_complex(x) && !to_complex)
    throw py::type_error(fmt::format("cannot convert {} to {}; take the real part or the modulus first", scalar_name(x), scalar));
  return wide ? in_any<double>(x, to_complex) : in_any<float>(x, to_complex);
}

void align(AnyVar& a, AnyVar& b) {
  if (is_wide(a) == is_wide(b)) return;
  AnyVar& narrow = is_wide(a) ? b : a;
  narrow = in_any<double>(narrow, false);
}

py::array array_from(PyObject* o, const char* what) {
  const py::object object = py::reinterpret_borrow<py::object>(o);
  const std::string type = py::str(py::type::of(object)).cast<std::string>();
  py::array a;
  try {
    a = py::array(object);
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_TypeError) && !error.matches(PyExc_RuntimeError)) throw;
    const std::string reason = py::str(error.value()).cast<std::string>();
    throw py::type_error(fmt::format("{}: {} is not an array of numbers: {}", what, type, reason));
  }
  if (a.dtype().kind() == 'O' && !py::isinstance<py::array>(object)) {
    const py::module_ numpy = py::module_::import("numpy");
    if (!py::hasattr(object, "__dlpack__") || !py::hasattr(numpy, "from_dlpack"))
      throw py::type_error(fmt::format("{}: {} is not an array of numbers", what, type));
    a = numpy.attr("from_dlpack")(object);
  }
  return a;
}

AnyVar constant_of(PyObject* o, const char* what) {
  if (PyFloat_Check(o)) return Var<double>(Tensor<double>::scalar(PyFloat_AS_DOUBLE(o)));
  if (PyComplex_Check(o))
    return Var<std::complex<double>>(Tensor<std::complex<double>>::scalar({PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o)}));
  const py::array a = array_from(o, what);
  const char kind = a.dtype().kind();
  const py::ssize_t bytes = a.dtype().itemsize();
  if (a.ndim() > Shape::max_rank)
    throw py::type_error(fmt::format("{}: got an array with {} axes; tensors have at most {}", what, a.ndim(), Shape::max_rank));
  if (kind == 'c' && bytes == 8) return Var<std::complex<float>>(tensor_of<std::complex<float>>(a));
  if (kind == 'c' && bytes == 16) return Var<std::complex<double>>(tensor_of<std::complex<double>>(a));
  if (kind == 'f' && bytes <= 4) return Var<float>(tensor_of<float>(a));
  if ((kind == 'f' && bytes == 8) || kind == 'i' || kind == 'u' || kind == 'b') return Var<double>(tensor_of<double>(a));
  throw py::type_error(fmt::format("{}: got an array of {}; use array.astype() with float32, float64, complex64 or complex128",
                                   what, py::str(a.dtype()).cast<std::string>()));
}

AnyVar any_var_of(PyObject* o, const char* what) { return is_tensor(o) ? as_tensor(o)->var : constant_of(o, what); }

template <Scalar T>
py::array view_of(const Tensor<T>& x) {
  auto* const kept = new Tensor<T>(x);  // copy on write: if the tensor is written to later, it gets a new buffer
  const py::capsule owner(kept, [](void* p) { delete static_cast<Tensor<T>*>(p); });
  py::array_t<T> a(std::vector<py::ssize_t>(x.shape().begin(), x.shape().end()), std::as_const(*kept).data(), owner);
  py::detail::array_proxy(a.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return a;
}

py::array view_of(const AnyVar& x) {
  return std::visit([](const auto& v) { return view_of(v.value()); }, x);
}

#define ARGAND_VIEW(T) template py::array view_of(const Tensor<T>&);
ARGAND_FOR_SCALAR(ARGAND_VIEW)

}  // namespace argand::python
