/// Reads and writes safetensors files as dictionaries of arrays.

#include "data/files/safetensors.h"

#include "python/binding/arrays.h"
#include "python/binding/bindings.h"

namespace argand::python {
namespace {

/// A tensor of the file in its stored precision, except that BF16, for which NumPy has no type, becomes float32.
py::array read(const SafetensorsFile& file, const std::string& name) {
  const StoredTensor& stored = file.info(name);
  const bool wide = stored.dtype == "F64";
  if (stored.is_complex)
    return wide ? array_of(file.tensor<std::complex<double>>(name)) : array_of(file.tensor<std::complex<float>>(name));
  if (stored.dtype.starts_with("I")) {
    const Ids ids = file.ids(name);
    py::array_t<std::int32_t> a(std::vector<py::ssize_t>(ids.shape().begin(), ids.shape().end()));
    std::copy(ids.data(), ids.data() + ids.size(), a.mutable_data());
    return a;
  }
  return wide ? array_of(file.tensor<double>(name)) : array_of(file.tensor<float>(name));
}

std::pair<py::dict, std::map<std::string, std::string>> load(const std::string& path) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  py::dict arrays;
  for (const std::string& name : file.names()) arrays[py::str(name)] = read(file, name);
  return {arrays, file.metadata()};
}

void add(SafetensorsWriter& writer, const std::string& name, const py::array& a) {
  const char kind = a.dtype().kind();
  const auto bytes = a.dtype().itemsize();
  if (kind == 'f' && bytes == 4) return writer.add(name, tensor_of<float>(a));
  if (kind == 'f' && bytes == 8) return writer.add(name, tensor_of<double>(a));
  if (kind == 'c' && bytes == 8) return writer.add(name, tensor_of<std::complex<float>>(a));
  if (kind == 'c' && bytes == 16) return writer.add(name, tensor_of<std::complex<double>>(a));
  if (kind == 'i' && bytes == 4) {
    const auto dense = py::array_t<std::int32_t, py::array::c_style | py::array::forcecast>(a);
    const std::vector<std::int64_t> sizes(dense.shape(), dense.shape() + dense.ndim());
    return writer.add(name, Ids(Shape(std::span(sizes)), {dense.data(), dense.data() + dense.size()}));
  }
  fail("save", "{} has type {}; supported: float32, float64, complex64, complex128 and int32", name,
       py::str(a.dtype()).cast<std::string>());
}

void save(const std::string& path, const std::map<std::string, py::array>& arrays,
          const std::map<std::string, std::string>& metadata) {
  SafetensorsWriter writer;
  for (const auto& [name, a] : arrays) add(writer, name, a);
  for (const auto& [key, value] : metadata) writer.metadata(key, value);
  writer.save(path);
}

}  // namespace

void bind_files(py::module_& m) {
  m.def("load", &load, py::arg("path"));
  m.def("save", &save, py::arg("path"), py::arg("arrays"), py::arg("metadata"));
}

}  // namespace argand::python
