#include "data/files/npz.h"

#include <zip.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>

#include "core/error.h"
#include "data/files/atomic_file.h"
#include "data/files/half.h"
#include "data/files/npy_header.h"
#include "data/files/text_file.h"
#include "data/files/torch_file.h"
#include "data/files/utf8.h"

namespace argand {

static_assert(std::endian::native == std::endian::little, "the descr of an array says < for little-endian");

namespace {

/// NumPy's type string for T.
template <Scalar T>
std::string descr_of() {
  if constexpr (std::same_as<T, float>) return "<f4";
  if constexpr (std::same_as<T, double>) return "<f8";
  if constexpr (std::same_as<T, std::complex<float>>) return "<c8";
  return "<c16";
}

std::string text_of(zip_error_t* error) { return zip_error_strerror(error); }

/// An archive in memory: libzip handles the format; AtomicFile replaces the file.
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
      fail("npz", "cannot create an archive: {}", reason);
    }
    zip_source_keep(source_);  // keeps source_ alive after zip_close
  }
  ~Archive() {
    if (zip_ != nullptr) zip_discard(zip_);
    zip_source_free(source_);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  /// `contents` must remain valid until finish().
  void add(const std::string& name, const std::string& contents) {
    zip_source_t* source = zip_source_buffer(zip_, contents.data(), contents.size(), 0);
    const zip_int64_t index = source == nullptr ? -1 : zip_file_add(zip_, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      fail("npz", "cannot add {}: {}", name, zip_strerror(zip_));
    }
    const auto i = static_cast<zip_uint64_t>(index);
    // Uncompressed, so that the data can be memory-mapped; undated, so that equal arrays produce identical files.
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
  require(!name.ends_with(".npy"), "npz", "the name {} ends in .npy; NumPy would read it under another name", in_quotes(name));
  require(!name.empty() && name.find('\0') == name.npos && !first_invalid_utf8(name), "npz", "{} is not a valid array name",
          in_quotes(name));
  for (const Array& other : arrays_) require(other.name != name, "npz", "two arrays are named {}", in_quotes(name));
  std::string npy = npy_header(descr, shape);
  npy.append(static_cast<const char*>(numbers), bytes);
  arrays_.push_back({name, std::move(npy)});
}

template <Scalar T>
void NpzWriter::add(const std::string& name, const Tensor<T>& x) {
  add(name, descr_of<T>(), x.shape(), x.data(), x.span().size_bytes());
}

void NpzWriter::add(const std::string& name, const Ids& ids) { add(name, "<i4", ids.shape(), ids.data(), ids.span().size_bytes()); }

std::string NpzWriter::bytes() const {
  Archive archive;
  for (const Array& array : arrays_) archive.add(array.name + ".npy", array.npy);
  return archive.finish();
}

void NpzWriter::save(const std::string& path) const { write_file_atomically(path, bytes()); }

// ------------------------------------------------------------------------------------------------ reading

class NpzFile::Zip {
 public:
  explicit Zip(const std::string& path) : path_(path) {
    require_name("npz", path);
    int code = 0;
    zip_ = zip_open(path.c_str(), ZIP_RDONLY, &code);
    if (zip_ != nullptr) return;
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string reason = text_of(&error);
    zip_error_fini(&error);
    fail("npz", "cannot open {}: {}", path, reason);
  }
  ~Zip() { zip_discard(zip_); }
  Zip(const Zip&) = delete;
  Zip& operator=(const Zip&) = delete;

  std::uint64_t size() const { return static_cast<std::uint64_t>(std::max<zip_int64_t>(0, zip_get_num_entries(zip_, 0))); }

  /// A member's entry in the zip directory.
  struct Entry {
    std::string name;
    std::uint64_t size, stored_size;
  };
  Entry entry(std::uint64_t i) const {
    zip_stat_t status;
    constexpr auto needed = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    require(zip_stat_index(zip_, i, 0, &status) == 0 && (status.valid & needed) == needed, "npz",
            "{}: cannot read entry {} of the archive", path_, i);
    return {status.name, status.size, status.comp_size};
  }

  /// The first `bytes` bytes of a member; with `whole`, the entire member, checksum verified. Throws Error if it is shorter.
  std::string read(std::uint64_t i, std::size_t bytes, bool whole) const {
    const auto close = [](zip_file_t* file) { zip_fclose(file); };
    const std::unique_ptr<zip_file_t, decltype(close)> file(zip_fopen_index(zip_, i, 0), close);
    if (file == nullptr) fail("npz", "{}: cannot read {}: {}", path_, in_quotes(entry(i).name), zip_strerror(zip_));
    std::string content(bytes, '\0');
    std::size_t done = 0;
    zip_int64_t n = 1;
    while (done < bytes && (n = zip_fread(file.get(), content.data() + done, bytes - done)) > 0)
      done += static_cast<std::size_t>(n);
    char more = 0;
    if (n >= 0 && whole) n = zip_fread(file.get(), &more, 1);
    if (n < 0) fail("npz", "{}: {} is damaged: {}", path_, in_quotes(entry(i).name), zip_file_strerror(file.get()));
    require(done == bytes && !(whole && n > 0), "npz", "{}: {} does not have the length given in the archive", path_,
            in_quotes(entry(i).name));
    return content;
  }

 private:
  std::string path_;
  zip_t* zip_ = nullptr;
};

namespace {

/// Bytes per element of this type; 0 for unsupported types.
std::size_t bytes_of(std::string_view descr) {
  if (descr == "<f2") return 2;
  if (descr == "<f4" || descr == "<i4") return 4;
  if (descr == "<f8" || descr == "<c8" || descr == "<i8") return 8;
  return descr == "<c16" ? 16 : 0;
}

/// Reads elements of type S and passes them to `put` one by one.
template <class S, class Put>
void for_each_number(std::string_view bytes, const Put& put) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(S)) {
    S number;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    put(number);
  }
}

/// Converts from Fortran order (first axis contiguous) to C order (last axis contiguous).
template <class X>
X in_c_order(const X& x, X result) {
  const Shape& shape = x.shape();
  std::array<std::int64_t, Shape::max_rank> index{};
  const auto* from = x.data();
  auto* to = result.data();
  const auto strides = strides_of(shape);
  for (std::int64_t i = 0; i < x.size(); ++i) {  // the first index varies fastest
    std::int64_t place = 0;
    for (int axis = 0; axis < shape.rank(); ++axis)
      place += index[static_cast<std::size_t>(axis)] * strides[static_cast<std::size_t>(axis)];
    to[place] = from[i];
    for (int axis = 0; axis < shape.rank() && ++index[static_cast<std::size_t>(axis)] == shape[axis]; ++axis)
      index[static_cast<std::size_t>(axis)] = 0;
  }
  return result;
}

}  // namespace

NpzFile NpzFile::open(const std::string& path) {
  NpzFile file;
  file.path_ = path;
  file.zip_ = std::make_shared<const Zip>(path);
  for (std::uint64_t i = 0; i < file.zip_->size(); ++i) {
    const Zip::Entry entry = file.zip_->entry(i);
    if (entry.name.ends_with("/data.pkl")) refuse_torch_file("npz", path);
    if (!entry.name.ends_with(".npy")) continue;  // NumPy also skips other members
    const std::string where = fmt::format("{}: {}", path, in_quotes(entry.name));
    require(!first_invalid_utf8(entry.name), "npz", "{}: the name is not UTF-8", where);
    require(entry.size >= npy_beginning, "npz", "{} is not a .npy file", where);
    const std::size_t before = npy_header_bytes(file.zip_->read(i, npy_beginning, false), where);
    require(before <= entry.size, "npz", "{}: the header is truncated", where);
    const NpyHeader header = parse_npy_header(file.zip_->read(i, before, false), where);
    const std::size_t item = bytes_of(header.descr);
    if (item > 0) {  // deflate compresses by at most a factor of about 1000, so a tiny file cannot demand much memory
      require(static_cast<std::uint64_t>(header.shape.size()) * item == entry.size - before, "npz",
              "{}: shape {} of type {} does not match the {} bytes after the header", where, header.shape, header.descr,
              entry.size - before);
      require(entry.size / 1100 <= entry.stored_size, "npz", "{}: implausible compression ratio, {} bytes from {}", where,
              entry.size, entry.stored_size);
    }
    StoredArray array{.name = entry.name.substr(0, entry.name.size() - 4),
                      .descr = header.descr,
                      .shape = header.shape,
                      .is_complex = header.descr == "<c8" || header.descr == "<c16",
                      .fortran_order = header.fortran_order,
                      .member = i,
                      .begin = before};
    require(file.index_.emplace(array.name, file.arrays_.size()).second, "npz", "{}: two arrays have this name", where);
    file.arrays_.push_back(std::move(array));
  }
  require(!file.arrays_.empty(), "npz", "{} contains no arrays", path);
  return file;
}

std::vector<std::string> NpzFile::names() const {
  std::vector<std::string> names;
  for (const StoredArray& array : arrays_) names.push_back(array.name);
  return names;
}

const StoredArray& NpzFile::info(const std::string& name) const {
  const auto found = index_.find(name);
  require(found != index_.end(), "npz", "{} has no array {}", path_, in_quotes(name));
  return arrays_[found->second];
}

std::string NpzFile::numbers(const StoredArray& array) const {
  const std::size_t item = bytes_of(array.descr);
  require(item > 0, "npz",
          "{}: {} has type {}; supported: float16 to float64, complex64, complex128, int32 and int64, little-endian", path_,
          in_quotes(array.name), in_quotes(array.descr));
  return zip_->read(array.member, array.begin + static_cast<std::size_t>(array.shape.size()) * item, true).substr(array.begin);
}

template <Scalar T>
Tensor<T> NpzFile::tensor(const std::string& name) const {
  using R = RealOf<T>;
  const StoredArray& array = info(name);
  require(array.descr != "<i4" && array.descr != "<i8", "npz",
          "{}: {} contains integers; expected floating-point or complex numbers", path_, in_quotes(name));
  require(array.is_complex == !std::same_as<T, R> || bytes_of(array.descr) == 0, "npz", "{}: {} is {}, not {}", path_,
          in_quotes(name), array.is_complex ? "complex" : "real", array.is_complex ? "real" : "complex");
  const std::string bytes = numbers(array);
  Tensor<T> x(array.shape);
  T* to = x.data();
  if constexpr (std::same_as<T, R>) {
    if (array.descr == "<f2") for_each_number<std::uint16_t>(bytes, [&](std::uint16_t v) { *to++ = static_cast<R>(from_half(v)); });
    if (array.descr == "<f4") for_each_number<float>(bytes, [&](float v) { *to++ = static_cast<R>(v); });
    if (array.descr == "<f8") for_each_number<double>(bytes, [&](double v) { *to++ = static_cast<R>(v); });
  } else {
    if (array.descr == "<c8") for_each_number<std::complex<float>>(bytes, [&](std::complex<float> v) { *to++ = T(v); });
    if (array.descr == "<c16") for_each_number<std::complex<double>>(bytes, [&](std::complex<double> v) { *to++ = T(v); });
  }
  return array.fortran_order ? in_c_order(x, Tensor<T>(array.shape)) : x;
}

Ids NpzFile::ids(const std::string& name) const {
  const StoredArray& array = info(name);
  require(array.descr == "<i4" || array.descr == "<i8", "npz", "{}: {} has type {}, expected 32- or 64-bit integers", path_,
          in_quotes(name), in_quotes(array.descr));
  const std::string bytes = numbers(array);
  Ids x(array.shape);
  std::int64_t i = 0;
  const auto put = [&](std::int64_t v) {
    require(v == static_cast<Ids::value_type>(v), "npz", "{}: {} contains {}, which does not fit in 32 bits", path_,
            in_quotes(name), v);
    x[i++] = static_cast<Ids::value_type>(v);
  };
  if (array.descr == "<i4")
    for_each_number<std::int32_t>(bytes, put);
  else
    for_each_number<std::int64_t>(bytes, put);
  return array.fortran_order ? in_c_order(x, Ids(array.shape)) : x;
}

#define ARGAND_NPZ(T)                                                    \
  template void NpzWriter::add<T>(const std::string&, const Tensor<T>&); \
  template Tensor<T> NpzFile::tensor<T>(const std::string&) const;
ARGAND_FOR_SCALAR(ARGAND_NPZ)

}  // namespace argand
