#pragma once
/// Tensors in a file, in the safetensors format (https://github.com/huggingface/safetensors#format): an 8-byte length, a JSON
/// header and the data. Python's `safetensors` can read these files; C64 requires version 0.7.0 or later.
///
/// complex64 is the format's C64. complex128, which the format lacks, is stored as F64 with a trailing axis of 2 (real, imaginary)
/// and its name listed in the metadata: `complex` = JSON list of names. complex64 may also be stored this way.

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"

namespace argand {

/// The header's entry for one tensor.
struct StoredTensor {
  std::string name;
  std::string_view dtype;          ///< the format's type name: F64, F32, F16, BF16, C64, I64, I32, ...
  Shape shape;                     ///< without the trailing 2 of a complex tensor stored as pairs
  bool is_complex = false;         ///< C64, or listed in the metadata
  std::size_t begin = 0, end = 0;  ///< byte range, counted from the end of the header
};

/// A safetensors file open for reading. Opening reads and checks the whole header; data is read on demand. Nothing in the file is
/// trusted: lengths, offsets, shapes, types, names, holes, overlaps and duplicates are checked before use, and any fault throws
/// Error naming the file and the fault.
///
/// A file with a checksum (SafetensorsWriter writes one) is read in full on opening and rejected if a single bit differs; a file
/// without one is accepted without this check.
///
/// The file stays open, so it is read consistently even if it is replaced meanwhile (AtomicFile). Copies share the open file.
class SafetensorsFile {
 public:
  static SafetensorsFile open(const std::string& path);

  /// In the order of their data in the file.
  std::vector<std::string> names() const;
  bool contains(const std::string& name) const;
  /// Throws for an unknown name, as do the functions that follow.
  const StoredTensor& info(const std::string& name) const;
  const Shape& shape(const std::string& name) const { return info(name).shape; }
  std::string_view dtype(const std::string& name) const { return info(name).dtype; }

  /// The elements, converted to T's precision: real T from F64, F32, F16 or BF16, complex T from C64 or pairs of those. Throws if
  /// exactly one of T and the stored tensor is complex, or if the stored tensor holds integers.
  template <Scalar T>
  Tensor<T> tensor(const std::string& name) const;
  /// Reads into an existing tensor, such as a parameter's value. Throws if x has a different shape.
  template <Scalar T>
  void load(const std::string& name, Tensor<T>& x) const;
  /// Reads I64 or I32. Throws if a value does not fit in 32 bits.
  Ids ids(const std::string& name) const;

  /// Everything in the header's `__metadata__` except the checksum, which describes the file rather than its contents.
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  /// The value for `key`. Throws if the key is missing.
  const std::string& metadata(const std::string& key) const;

  /// Whether the file has a checksum, which was verified on opening.
  bool has_checksum() const { return has_checksum_; }

  const std::string& path() const { return path_; }

 private:
  class Descriptor;
  SafetensorsFile() = default;
  std::string checksum(std::string_view header, std::size_t place, std::size_t size) const;
  void read(std::size_t begin, void* out, std::size_t bytes) const;

  std::string path_;
  std::shared_ptr<const Descriptor> file_;
  std::size_t header_end_ = 0;
  bool has_checksum_ = false;
  std::vector<StoredTensor> tensors_;
  std::map<std::string, std::size_t> index_;  ///< name -> index in tensors_
  std::map<std::string, std::string> metadata_;
};

/// Collects tensors, then writes them all, atomically. The output depends only on what was added, and in what order: wide types
/// come first, so that every element is aligned; otherwise the order of addition is kept. The metadata include a `checksum` of the
/// whole file: XXH3-128 of its bytes, length and header included, with the digits of the checksum taken as zeros. Tensors are
/// copied: later changes by the caller are not saved.
class SafetensorsWriter {
 public:
  /// How complex64 is stored: as C64, or as F32 pairs for readers without C64. (complex128 is always stored as pairs.)
  enum class Complex { Native, Pairs };
  explicit SafetensorsWriter(Complex complex = Complex::Native) : complex_(complex) {}

  /// Throws if the name is already used, reserved (`__metadata__`) or not UTF-8.
  template <Scalar T>
  void add(const std::string& name, const Tensor<T>& x);
  void add(const std::string& name, const Ids& ids);  ///< stored as I32
  /// Throws if the key is already used or reserved (`complex`, `checksum`, `checksum_algorithm`), or if key or value is not UTF-8.
  void metadata(const std::string& key, const std::string& value);
  /// Replaces the file at `path` atomically. Throws Error.
  void save(const std::string& path) const;

 private:
  struct Entry {
    std::string name;
    std::string_view dtype;
    Shape shape;    ///< the shape as stored
    bool is_pairs;  ///< complex, stored with a trailing axis of 2
    std::size_t item_bytes;
    std::shared_ptr<const void> keep;  ///< owns `bytes`
    std::string_view bytes;
  };
  void add(Entry entry);

  Complex complex_;
  std::vector<Entry> entries_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace argand
