#pragma once
/// Tensors for NumPy: an .npz file is a zip archive of .npy files, one an array
/// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). `numpy.load(path)[name]` is the tensor, complex ones
/// as complex64 and complex128.

#include <string>
#include <vector>

#include "core/tensor.h"

namespace argand {

/// Collects arrays, then writes them all, uncompressed and atomically. The bytes are a function of what was added and its order.
class NpzWriter {
 public:
  /// Throws when the name is empty, taken, not UTF-8, or contains a zero byte.
  template <Scalar T>
  void add(const std::string& name, const Tensor<T>& x);
  void add(const std::string& name, const Ids& ids);  ///< as int32
  /// Replaces the file at `path`, all or nothing. Throws Error.
  void save(const std::string& path) const;

 private:
  void add(const std::string& name, const std::string& descr, const Shape& shape, const void* numbers, std::size_t bytes);

  struct Array {
    std::string name, npy;  ///< npy: header and numbers
  };
  std::vector<Array> arrays_;
};

}  // namespace argand
