/// no_grad and forward mode: change a thread's context for the duration of a `with` block.

#include <thread>

#include "autograd/forward.h"
#include "core/machine/openblas_kernels.h"
#include "core/parallel.h"
#include "python/binding/bindings.h"
#include "python/binding/tensor_object.h"

namespace argand::python {
namespace {

/// The context manager of a mode. Each block must be exited by the thread that entered it; blocks, of one object or several, may be
/// nested freely.
template <class Mode>
class Block {
 public:
  void enter() { open_.push_back({std::make_unique<Mode>(), std::this_thread::get_id()}); }
  void exit() {
    require(!open_.empty() && open_.back().second == std::this_thread::get_id(), "with",
            "a block must be exited by the thread that entered it");
    open_.pop_back();
  }

 private:
  std::vector<std::pair<std::unique_ptr<Mode>, std::thread::id>> open_;
};

template <class Mode>
void bind_block(py::module_& m, const char* name) {
  py::class_<Block<Mode>>(m, name)
      .def(py::init())
      .def("__enter__", [](py::object self) { return self.cast<Block<Mode>&>().enter(), self; })
      .def("__exit__", [](Block<Mode>& self, const py::args&) { self.exit(); });
}

TensorObject* checked(const py::object& x, const char* what) {
  if (!is_tensor(x.ptr())) throw py::type_error(fmt::format("{}: expected a Tensor", what));
  return as_tensor(x.ptr());
}

/// Gives x the tangent v.
py::object moving(const py::object& x, const py::object& v) {
  TensorObject* const tensor = checked(x, "jvp");
  const AnyVar direction = converted(any_var_of(v.ptr(), "jvp"), scalar_name(tensor->var));
  return std::visit(
      [&]<class T>(const Var<T>& z) {
        return py::reinterpret_steal<py::object>(wrap(z.with_tangent(std::get<Var<T>>(direction)), tensor->node));
      },
      tensor->var);
}

/// The tangent ż as a tensor that can be differentiated again; zeros if z has none.
py::object tangent_of(const py::object& z) {
  TensorObject* const tensor = checked(z, "jvp");
  return std::visit(
      [&](const auto& v) { return py::reinterpret_steal<py::object>(wrap(tangent(v), v.has_tangent() ? tensor->node : nullptr)); },
      tensor->var);
}

}  // namespace

void bind_modes(py::module_& m) {
  bind_block<NoGrad>(m, "NoGrad");
  bind_block<ForwardMode>(m, "ForwardMode");
  m.def("recording", [] { return recording(); });
  m.def("moving", &moving, py::arg("x"), py::arg("direction"));
  m.def("tangent_of", &tangent_of, py::arg("z"));
  m.def("num_threads", &num_threads);
  m.def("blas_advice", &blas_advice);
  m.def("set_num_threads", &set_num_threads, py::arg("n"));
}

}  // namespace argand::python
