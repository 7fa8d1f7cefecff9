#include "core/error.h"
#include "python/binding/bindings.h"

namespace py = pybind11;

PYBIND11_MODULE(_argand, m) {
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
