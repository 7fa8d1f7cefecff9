#pragma once
/// What each file of this folder adds to the module `_argand`. It is what the package's Python is written on, not its interface.

#include <pybind11/pybind11.h>

namespace argand::python {

void bind_judge(pybind11::module_& m);
void bind_lab(pybind11::module_& m);
void bind_files(pybind11::module_& m);

}  // namespace argand::python
