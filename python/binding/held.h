#pragma once
/// A Python object owned by C++. It may be released by any thread, without the GIL, and after the interpreter has shut down.

#include <pybind11/pybind11.h>

#include <memory>

namespace argand::python {

class Held {
 public:
  explicit Held(pybind11::object object)
      : object_(new pybind11::object(std::move(object)), [](pybind11::object* o) {
          if (Py_IsInitialized() == 0) return static_cast<void>(o->release());
          const pybind11::gil_scoped_acquire lock;
          delete o;
        }) {}
  /// Call only while holding the GIL.
  const pybind11::object& get() const { return *object_; }

 private:
  std::shared_ptr<pybind11::object> object_;
};

}  // namespace argand::python
