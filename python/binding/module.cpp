#include "core/error.h"
#include "python/binding/bindings.h"

namespace py = pybind11;

PYBIND11_MODULE(_argand, m) {
#if PYBIND11_VERSION_HEX < 0x020C0000
  // NumPy 2 moved fields of its dtype that a pybind11 this old reads, so it would misinterpret arrays.
  const std::string numpy = py::module_::import("numpy").attr("__version__").cast<std::string>();
  if (std::stoi(numpy) >= 2)
    throw py::import_error("argand was compiled with pybind11 " PYBIND11_TOSTRING(PYBIND11_VERSION_MAJOR) "." PYBIND11_TOSTRING(
                               PYBIND11_VERSION_MINOR) ", which cannot read the arrays of NumPy " +
                           numpy + ": install numpy<2, or compile with pybind11 2.12 or newer");
#endif
  m.doc() = "argand's judge of gradients, lab, ops and files, for the Python around them.";
  py::register_exception<argand::Error>(m, "Error", PyExc_ValueError);
  argand::python::bind_judge(m);
  argand::python::bind_lab(m);
  argand::python::bind_files(m);
  argand::python::bind_tensor(m);
  argand::python::bind_gradients(m);
  argand::python::bind_modes(m);
  argand::python::bind_own_op(m);
  argand::python::bind_tape_view(m);
  argand::python::bind_op_functions(m);
  argand::python::bind_optimizers(m);
  argand::python::bind_models(m);
  argand::python::bind_training(m);
}
