/// Differentiable indexing x[...], with the rules of NumPy's arrays.

#include "autograd/ops/selection/expand.h"
#include "autograd/ops/shape.h"
#include "python/binding/tensor_object.h"

namespace argand::python {
namespace {

/// What an index does to one axis.
struct AxisStep {
  enum class Kind { Slice, Select, New } kind = Kind::Slice;
  std::int64_t begin = 0, end = 0;
  std::vector<std::int64_t> index = {};
  std::optional<std::vector<std::int64_t>> sizes = {};  ///< of the array that contained `index`; its axes replace the indexed one
  bool drop = false;                                    ///< removes the axis: x[3] rather than x[3:4]
};

/// Where index `at`, counted from the end if negative, lies on the axis.
std::int64_t place_of(std::int64_t at, int axis, const Shape& shape) {
  const std::int64_t size = shape[axis];
  if (at < -size || at >= size) throw py::index_error(fmt::format("index {} is out of range for axis {} of {}", at, axis, shape));
  return at < 0 ? at + size : at;
}

/// Whether p is a NumPy array of integers.
bool is_index_array(PyObject* p) {
  if (!py::isinstance<py::array>(p)) return false;
  const char kind = py::reinterpret_borrow<py::array>(p).dtype().kind();
  return kind == 'i' || kind == 'u';
}
AxisStep select_step(PyObject* p, int axis, const Shape& shape) {
  const auto places = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>::ensure(p);
  if (!places) throw py::error_already_set();
  AxisStep step{.kind = AxisStep::Kind::Select, .index{places.data(), places.data() + places.size()}};
  step.sizes.emplace(places.shape(), places.shape() + places.ndim());
  for (std::int64_t& at : step.index) at = place_of(at, axis, shape);
  return step;
}

/// The steps for a key that consists of integers, slices, ... and None, or of slices, ... and one array of integers; empty for any
/// other key.
std::optional<std::vector<AxisStep>> basic_steps(PyObject* key, const Shape& shape) {
  const bool several = PyTuple_Check(key);
  const Py_ssize_t n = several ? PyTuple_GET_SIZE(key) : 1;
  const auto part = [&](Py_ssize_t i) { return several ? PyTuple_GET_ITEM(key, i) : key; };
  int named = 0, ellipses = 0, arrays = 0, others = 0;
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* const p = part(i);
    if (p == Py_Ellipsis)
      ++ellipses;
    else if (PySlice_Check(p))
      ++named;
    else if (PyLong_CheckExact(p))
      ++named, ++others;
    else if (is_index_array(p))
      ++named, ++arrays;
    else if (p == Py_None)
      ++others;
    else
      return std::nullopt;
  }
  if (arrays > 1 || (arrays == 1 && others > 0)) return std::nullopt;  // NumPy's rules for where their axes go are involved
  if (ellipses > 1) throw py::index_error("an index can contain only one ellipsis (...)");
  if (named > shape.rank()) throw py::index_error(fmt::format("got {} indices for a tensor of shape {}", named, shape));
  std::vector<AxisStep> steps;
  int axis = 0;
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* const p = part(i);
    if (p == Py_Ellipsis) {
      for (int left = shape.rank() - named; left > 0; --left, ++axis) steps.push_back({.begin = 0, .end = shape[axis]});
    } else if (p == Py_None) {
      steps.push_back({.kind = AxisStep::Kind::New});
    } else if (PyLong_CheckExact(p)) {
      std::int64_t at = PyLong_AsLongLong(p);
      if (at == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
      at = place_of(at, axis++, shape);
      steps.push_back({.begin = at, .end = at + 1, .drop = true});
    } else if (!PySlice_Check(p)) {
      steps.push_back(select_step(p, axis, shape));
      ++axis;
    } else {
      Py_ssize_t begin = 0, end = 0, step = 0;
      if (PySlice_Unpack(p, &begin, &end, &step) < 0) throw py::error_already_set();
      const Py_ssize_t count = PySlice_AdjustIndices(static_cast<Py_ssize_t>(shape[axis++]), &begin, &end, step);
      if (step == 1) {
        steps.push_back({.begin = begin, .end = begin + count});
      } else {
        AxisStep select{.kind = AxisStep::Kind::Select};
        for (Py_ssize_t k = 0; k < count; ++k) select.index.push_back(begin + k * step);
        steps.push_back(std::move(select));
      }
    }
  }
  for (; axis < shape.rank(); ++axis) steps.push_back({.begin = 0, .end = shape[axis]});
  return steps;
}

template <Scalar T>
Var<T> indexed(const Var<T>& x, const std::vector<AxisStep>& steps) {
  Var<T> y = x;
  Shape shape;
  int axis = 0;
  for (const AxisStep& step : steps) {
    if (step.kind == AxisStep::Kind::New) {
      shape.push_back(1);
      continue;
    }
    if (step.kind == AxisStep::Kind::Select)
      y = index_select(y, axis, step.index);
    else if (step.begin != 0 || step.end != y.dim(axis))
      y = slice(y, axis, step.begin, step.end);
    if (step.sizes)
      for (const std::int64_t size : *step.sizes) shape.push_back(size);
    else if (!step.drop)
      shape.push_back(y.dim(axis));
    ++axis;
  }
  return y.shape() == shape ? y : reshape(y, shape);
}

PyObject* subscript(PyObject* self, PyObject* key) {
  return guarded([&] {
    TensorObject* const operands[] = {as_tensor(self)};
    const AnyVar& x = operands[0]->var;
    const Shape& shape = shape_of(x);
    if (const auto steps = basic_steps(key, shape))
      return run_single_op("index", operands,
                           [&] { return std::visit([&](const auto& v) -> AnyVar { return indexed(v, *steps); }, x); });
    if (is_tensor(key)) throw py::index_error("indices must be NumPy integers, not a tensor: write x[indices.numpy().astype(int)]");
    // Any other index: applying it in NumPy to an array of positions shows which elements it selects.
    const py::module_ np = py::module_::import("numpy");
    const py::object places = np.attr("arange")(shape.size()).attr("reshape")(py::object(py::handle(self).attr("shape")));
    const auto chosen = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>(places[py::handle(key)]);
    const std::vector<std::int64_t> index(chosen.data(), chosen.data() + chosen.size());
    const std::vector<std::int64_t> sizes(chosen.shape(), chosen.shape() + chosen.ndim());
    return run_single_op("index", operands, [&] {
      return std::visit(
          [&](const auto& v) -> AnyVar {
            return reshape(index_select(reshape(v, Shape{v.size()}), 0, index), Shape(std::span(sizes)));
          },
          x);
    });
  });
}

PyObject* sequence_item(PyObject* self, Py_ssize_t i) {
  PyObject* const key = PyLong_FromSsize_t(i);
  if (key == nullptr) return nullptr;
  PyObject* const row = subscript(self, key);
  Py_DECREF(key);
  return row;
}

int assign_subscript(PyObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "a tensor cannot be changed in place: create another with where() or scatter_add(), or replace a variable's "
                  "values with assign()");
  return -1;
}

}  // namespace

std::vector<PyType_Slot> index_slots() {
  return {{Py_mp_subscript, reinterpret_cast<void*>(subscript)},
          {Py_mp_ass_subscript, reinterpret_cast<void*>(assign_subscript)},
          {Py_sq_item, reinterpret_cast<void*>(sequence_item)}};
}

}  // namespace argand::python
