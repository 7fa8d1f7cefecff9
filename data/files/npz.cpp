#include "data/files/npz.h"

#include <zip.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "core/error.h"
#include "data/files/atomic_file.h"
#include "data/files/utf8.h"

namespace argand {

static_assert(std::endian::native == std::endian::little, "the descr of an array says < for little-endian");

namespace {

/// What NumPy calls the type.
template <Scalar T>
std::string descr_of() {
  if constexpr (std::same_as<T, float>) return "<f4";
  if constexpr (std::same_as<T, double>) return "<f8";
  if constexpr (std::same_as<T, std::complex<float>>) return "<c8";
  return "<c16";
}

/// A Python tuple: "()", "(3,)", "(2, 3)".
std::string tuple(const Shape& shape) {
  std::string text = "(";
  for (int axis = 0; axis < shape.rank(); ++axis) text += fmt::format("{}{}", axis > 0 ? ", " : "", shape[axis]);
  return text + (shape.rank() == 1 ? ",)" : ")");
}

/// Version 1.0: a magic string, the header's length in two bytes, the header. All of it fills a multiple of 64 bytes.
std::string npy_header(const std::string& descr, const Shape& shape) {
  constexpr std::size_t before = 10, alignment = 64;
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, tuple(shape));
  const std::size_t whole = (before + header.size() + 1 + alignment - 1) / alignment * alignment;
  header.resize(whole - before - 1, ' ');
  header += '\n';
  const auto length = static_cast<std::uint16_t>(header.size());  // at most 8 sizes: far below 65536
  const std::string magic("\x93NUMPY\x01\x00", 8);
  return magic + static_cast<char>(length & 0xFF) + static_cast<char>(length >> 8) + header;
}

std::string text_of(zip_error_t* error) { return zip_error_strerror(error); }

/// An archive in memory: libzip knows the format, AtomicFile how to replace a file.
class Archive {
 public:
  Archive() {
    zip_error_t error;
    zip_error_init(&error);
    source_ = zip_source_buffer_create(nullptr, 0, 0, &error);
    if (source_ != nullptr) zip_ = zip_open_from_source(source_, ZIP_TRUNCATE, &error);
    if (zip_ == nullptr) {
      const std::string reason = text_of(&error);
      zip_source_free(source_);
      fail("npz", "cannot begin an archive: {}", reason);
    }
    zip_source_keep(source_);  // beyond zip_close
  }
  ~Archive() {
    if (zip_ != nullptr) zip_discard(zip_);
    zip_source_free(source_);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  /// `contents` must live until finish().
  void add(const std::string& name, const std::string& contents) {
    zip_source_t* source = zip_source_buffer(zip_, contents.data(), contents.size(), 0);
    const zip_int64_t index = source == nullptr ? -1 : zip_file_add(zip_, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      fail("npz", "cannot add {}: {}", name, zip_strerror(zip_));
    }
    const auto i = static_cast<zip_uint64_t>(index);
    // Stored, so that numbers can be mapped; and without a date, so that equal arrays make equal files.
    if (zip_set_file_compression(zip_, i, ZIP_CM_STORE, 0) != 0 || zip_file_set_dostime(zip_, i, 0, first_of_january_1980, 0) != 0)
      fail("npz", "cannot add {}: {}", name, zip_strerror(zip_));
  }

  std::string finish() {
    if (zip_close(zip_) != 0) fail("npz", "cannot build the archive: {}", zip_strerror(zip_));
    zip_ = nullptr;
    zip_stat_t status;
    if (zip_source_open(source_) != 0 || zip_source_stat(source_, &status) != 0)
      fail("npz", "cannot read the archive: {}", text_of(zip_source_error(source_)));
    std::string bytes(status.size, '\0');
    const zip_int64_t read = zip_source_read(source_, bytes.data(), bytes.size());
    if (read < 0 || static_cast<std::size_t>(read) != bytes.size())
      fail("npz", "cannot read the archive: {}", text_of(zip_source_error(source_)));
    zip_source_close(source_);
    return bytes;
  }

 private:
  static constexpr zip_uint16_t first_of_january_1980 = 1 << 5 | 1;

  zip_source_t* source_ = nullptr;
  zip_t* zip_ = nullptr;
};

}  // namespace

void NpzWriter::add(const std::string& name, const std::string& descr, const Shape& shape, const void* numbers, std::size_t bytes) {
  require(!name.ends_with(".npy"), "npz", "the name {} ends as the files inside do; NumPy would take it for another",
          in_quotes(name));
  require(!name.empty() && name.find('\0') == name.npos && !first_invalid_utf8(name), "npz", "{} cannot be the name of an array",
          in_quotes(name));
  for (const Array& other : arrays_) require(other.name != name, "npz", "two arrays named {}", in_quotes(name));
  std::string npy = npy_header(descr, shape);
  npy.append(static_cast<const char*>(numbers), bytes);
  arrays_.push_back({name, std::move(npy)});
}

template <Scalar T>
void NpzWriter::add(const std::string& name, const Tensor<T>& x) {
  add(name, descr_of<T>(), x.shape(), x.data(), x.span().size_bytes());
}

void NpzWriter::add(const std::string& name, const Ids& ids) { add(name, "<i4", ids.shape(), ids.data(), ids.span().size_bytes()); }

void NpzWriter::save(const std::string& path) const {
  Archive archive;
  for (const Array& array : arrays_) archive.add(array.name + ".npy", array.npy);
  write_file_atomically(path, archive.finish());
}

#define ARGAND_NPZ(T) template void NpzWriter::add<T>(const std::string&, const Tensor<T>&);
ARGAND_FOR_SCALAR(ARGAND_NPZ)

}  // namespace argand
