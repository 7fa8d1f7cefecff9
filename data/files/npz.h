#pragma once
/// Exchanges tensors with NumPy: an .npz file is a zip archive of .npy files, one per array
/// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). `numpy.load(path)[name]` is the tensor; complex
/// tensors are complex64 or complex128.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace argand {

/// Collects arrays, then writes them all, uncompressed and atomically. The output depends only on what was added and in what order.
class NpzWriter {
 public:
  /// Throws if the name is empty, already used, not UTF-8, contains a zero byte, or ends in ".npy".
  template <Scalar T>
  void add(const std::string& name, const Tensor<T>& x);
  void add(const std::string& name, const Ids& ids);  ///< stored as int32
  /// The whole archive.
  std::string bytes() const;
  /// Replaces the file at `path` atomically. Throws Error.
  void save(const std::string& path) const;

 private:
  void add(const std::string& name, const std::string& descr, const Shape& shape, const void* numbers, std::size_t bytes);

  struct Array {
    std::string name, npy;  ///< npy: header and data
  };
  std::vector<Array> arrays_;
};

/// The description of one array in an archive.
struct StoredArray {
  std::string name;   ///< without the member's .npy suffix
  std::string descr;  ///< NumPy's type string: "<f4", "<c16", ...
  Shape shape;
  bool is_complex = false;
  bool fortran_order = false;  ///< the first axis is contiguous; reading converts it to row-major order
  std::uint64_t member = 0;    ///< index in the archive
  std::size_t begin = 0;       ///< offset of the data in the member
};

/// An .npz file open for reading, written by numpy.savez, numpy.savez_compressed or NpzWriter. Opening reads and checks the
/// headers; data is read on demand. The file is not trusted: any fault throws Error naming the file, the array and the fault.
/// Members that are not arrays are skipped.
class NpzFile {
 public:
  static NpzFile open(const std::string& path);

  /// In archive order.
  std::vector<std::string> names() const;
  bool contains(const std::string& name) const { return index_.contains(name); }
  /// Throws for an unknown name.
  const StoredArray& info(const std::string& name) const;

  /// The elements, converted to T's precision: real T from float16, float32 and float64; complex T from complex64 and complex128.
  template <Scalar T>
  Tensor<T> tensor(const std::string& name) const;
  /// Reads int32 or int64. Throws if a value does not fit in 32 bits.
  Ids ids(const std::string& name) const;

  const std::string& path() const { return path_; }

 private:
  class Zip;
  std::string numbers(const StoredArray& array) const;

  std::string path_;
  std::shared_ptr<const Zip> zip_;
  std::vector<StoredArray> arrays_;
  std::map<std::string, std::size_t> index_;  ///< name -> index in arrays_
};

}  // namespace argand
