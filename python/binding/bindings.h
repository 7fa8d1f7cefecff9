#pragma once
/// Each file in this folder adds to the module `_argand`, the internal basis of the Python package, with one of these functions.

#include <pybind11/pybind11.h>

namespace argand::python {

void bind_judge(pybind11::module_& m);
void bind_lab(pybind11::module_& m);
void bind_files(pybind11::module_& m);
void bind_tensor(pybind11::module_& m);
void bind_gradients(pybind11::module_& m);
void bind_modes(pybind11::module_& m);
void bind_own_op(pybind11::module_& m);
void bind_tape_view(pybind11::module_& m);
void bind_op_functions(pybind11::module_& m);
void bind_optimizers(pybind11::module_& m);
void bind_models(pybind11::module_& m);
void bind_training(pybind11::module_& m);

}  // namespace argand::python
