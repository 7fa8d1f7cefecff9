#include "data/files/safetensors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "data/files/atomic_file.h"
#include "data/files/checksum.h"
#include "data/files/half.h"
#include "data/files/safetensors_header.h"
#include "data/files/text_file.h"
#include "data/files/torch_file.h"
#include "data/files/utf8.h"

namespace argand {

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian and are read without byte swapping");

namespace {

constexpr std::size_t length_bytes = 8;
/// The format's limit, which other readers also enforce.
constexpr std::size_t longest_header = 100'000'000;

std::string reason(int error) { return std::generic_category().message(error); }

template <Scalar T>
std::string_view stored_dtype() {
  if constexpr (std::same_as<T, float>) return "F32";
  if constexpr (std::same_as<T, std::complex<float>>) return "C64";
  return "F64";
}

}  // namespace

// ------------------------------------------------------------------------------------------------ reading

class SafetensorsFile::Descriptor {
 public:
  explicit Descriptor(const std::string& path) {
    require_name("safetensors", path);
    number_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (number_ < 0) fail("safetensors", "cannot open {}: {}", path, reason(errno));
  }
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_ = -1;
};

namespace {

/// Whether the file is from torch.save(): a ZIP archive with a checkpoint's file extension, or, before version 1.6, a protocol-2
/// pickle that begins with torch's magic number.
bool is_pickle(const std::string& path, std::uint64_t first_bytes) {
  const bool named = path.ends_with(".pt") || path.ends_with(".pth") || path.ends_with(".bin") || path.ends_with(".ckpt");
  return (named && std::memcmp(&first_bytes, "PK\3\4", 4) == 0) || std::memcmp(&first_bytes, "\x80\x02\x8a\x0a", 4) == 0;
}

}  // namespace

SafetensorsFile SafetensorsFile::open(const std::string& path) {
  SafetensorsFile file;
  file.path_ = path;
  file.file_ = std::make_shared<Descriptor>(path);
  struct stat status {};
  if (::fstat(file.file_->number(), &status) != 0) fail("safetensors", "cannot open {}: {}", path, reason(errno));
  require(S_ISREG(status.st_mode), "safetensors", "{} is not a regular file", path);
  const auto size = static_cast<std::size_t>(status.st_size);
  require(size >= length_bytes, "safetensors", "{}: {} bytes is too short for a safetensors file", path, size);

  std::uint64_t header_bytes = 0;
  file.read(0, &header_bytes, length_bytes);
  if (is_pickle(path, header_bytes)) refuse_torch_file("safetensors", path);
  require(header_bytes <= longest_header || std::memcmp(&header_bytes, "PK\3\4", 4) != 0, "safetensors",
          "{} is a ZIP archive (an .npz?), not safetensors; NumPy can read it, and `init` accepts it", path);
  require(header_bytes <= longest_header, "safetensors",
          "{} is not a safetensors file: its first bytes declare a header of {} bytes, but the format allows at most {}", path,
          header_bytes, longest_header);
  require(header_bytes <= size - length_bytes, "safetensors",
          "{}: a header of {} bytes does not fit in a file of {}; it may be truncated", path, header_bytes, size);
  std::string text(header_bytes, '\0');
  file.read(length_bytes, text.data(), text.size());

  file.header_end_ = length_bytes + header_bytes;
  // Verified before the header is used: the contents of a damaged header are meaningless.
  if (const auto place = detail::checksum_place(text)) {
    require(file.checksum(text, *place, size) == std::string_view(text).substr(*place, Checksum::digits), "safetensors",
            "{} is damaged: its checksum does not match its content (a program that edits the file must drop checksum and "
            "checksum_algorithm from its metadata)",
            path);
    file.has_checksum_ = true;
  }
  detail::SafetensorsHeader header = detail::parse_safetensors_header(text, size - file.header_end_, path);
  file.tensors_ = std::move(header.tensors);
  file.metadata_ = std::move(header.metadata);
  for (std::size_t i = 0; i < file.tensors_.size(); ++i) file.index_[file.tensors_[i].name] = i;
  const auto about_checksum = file.metadata_.erase(detail::checksum_key) + file.metadata_.erase(detail::algorithm_key);
  require(about_checksum == (file.has_checksum_ ? 2 : 0), "safetensors",
          "{} is damaged: the checksum or checksum_algorithm in its metadata is invalid", path);
  return file;
}

/// Computes the file's checksum, whose digits belong at `place` in the header.
std::string SafetensorsFile::checksum(std::string_view header, std::size_t place, std::size_t size) const {
  const std::uint64_t length = header.size();
  Checksum sum;
  sum.add({reinterpret_cast<const char*>(&length), length_bytes});
  sum.add(header.substr(0, place)).add(std::string(Checksum::digits, '0')).add(header.substr(place + Checksum::digits));
  std::vector<char> piece(1 << 20);
  for (std::size_t at = header_end_; at < size; at += piece.size()) {
    piece.resize(std::min(piece.size(), size - at));
    read(at, piece.data(), piece.size());
    sum.add({piece.data(), piece.size()});
  }
  return sum.hex();
}

/// Reads rather than memory-maps: if the file is truncated in the meantime, this throws Error; a mapping would raise SIGBUS.
void SafetensorsFile::read(std::size_t begin, void* out, std::size_t bytes) const {
  auto* to = static_cast<char*>(out);
  while (bytes > 0) {
    const ssize_t n = ::pread(file_->number(), to, bytes, static_cast<off_t>(begin));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("safetensors", "cannot read {}: {}", path_, reason(errno));
    if (n == 0) fail("safetensors", "{} was truncated while it was being read", path_);
    to += n;
    begin += static_cast<std::size_t>(n);
    bytes -= static_cast<std::size_t>(n);
  }
}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> names;
  names.reserve(tensors_.size());
  for (const StoredTensor& t : tensors_) names.push_back(t.name);
  return names;
}

bool SafetensorsFile::contains(const std::string& name) const { return index_.count(name) != 0; }

const StoredTensor& SafetensorsFile::info(const std::string& name) const {
  const auto found = index_.find(name);
  if (found == index_.end()) fail("safetensors", "{}: no tensor named {}", path_, in_quotes(name));
  return tensors_[found->second];
}

const std::string& SafetensorsFile::metadata(const std::string& key) const {
  const auto found = metadata_.find(key);
  if (found == metadata_.end()) fail("safetensors", "{}: no metadata key {}", path_, in_quotes(key));
  return found->second;
}

namespace {

/// Reads elements with read(from, buffer, n) and stores convert(x) of each in `out`, in pieces, to avoid a second copy in memory.
template <class Stored, class Out, class Read, class Convert>
void read_converted(Out* out, std::size_t count, const Read& read, const Convert& convert) {
  constexpr std::size_t piece = 1 << 16;
  std::vector<Stored> buffer(std::min(count, piece));
  for (std::size_t done = 0; done < count; done += buffer.size()) {
    const std::size_t n = std::min(buffer.size(), count - done);
    read(done * sizeof(Stored), buffer.data(), n * sizeof(Stored));
    for (std::size_t i = 0; i < n; ++i) out[done + i] = convert(buffer[i]);
  }
}

}  // namespace

template <Scalar T>
Tensor<T> SafetensorsFile::tensor(const std::string& name) const {
  using R = RealOf<T>;
  const StoredTensor& t = info(name);
  require(t.is_complex == ComplexScalar<T>, "safetensors", "{}: tensor {} is {}, but was requested as {}", path_, in_quotes(name),
          t.is_complex ? "complex" : t.dtype, scalar_name<T>());
  Tensor<T> x(t.shape);
  // From here on all elements are real: a complex one is two reals, in the file and in memory.
  R* out = reinterpret_cast<R*>(x.data());
  const std::size_t count = static_cast<std::size_t>(x.size()) * (sizeof(T) / sizeof(R));
  const auto read_at = [&](std::size_t from, void* to, std::size_t bytes) { read(header_end_ + t.begin + from, to, bytes); };
  const std::string_view real_dtype = t.dtype == "C64" ? "F32" : t.dtype;
  if (real_dtype == stored_dtype<R>())
    read_at(0, out, count * sizeof(R));
  else if (real_dtype == "F64")
    read_converted<double>(out, count, read_at, [](double v) { return static_cast<R>(v); });
  else if (real_dtype == "F32")
    read_converted<float>(out, count, read_at, [](float v) { return static_cast<R>(v); });
  else if (real_dtype == "F16")
    read_converted<std::uint16_t>(out, count, read_at, [](std::uint16_t v) { return static_cast<R>(from_half(v)); });
  else if (real_dtype == "BF16")
    read_converted<std::uint16_t>(out, count, read_at, [](std::uint16_t v) { return static_cast<R>(from_bfloat(v)); });
  else
    fail("safetensors", "{}: tensor {} is {}, but was requested as {}", path_, in_quotes(name), t.dtype, scalar_name<T>());
  return x;
}

template <Scalar T>
void SafetensorsFile::load(const std::string& name, Tensor<T>& x) const {
  require(shape(name) == x.shape(), "safetensors", "{}: tensor {} has shape {}, but was requested as {}", path_, in_quotes(name),
          shape(name), x.shape());
  const Tensor<T> stored = tensor<T>(name);
  std::copy(stored.begin(), stored.end(), x.begin());
}

Ids SafetensorsFile::ids(const std::string& name) const {
  const StoredTensor& t = info(name);
  require(t.dtype == "I64" || t.dtype == "I32", "safetensors", "{}: tensor {} is {}, but was requested as ids (I64 or I32)", path_,
          in_quotes(name), t.dtype);
  Ids ids(t.shape);
  const auto count = static_cast<std::size_t>(ids.size());
  const auto read_at = [&](std::size_t from, void* to, std::size_t bytes) { read(header_end_ + t.begin + from, to, bytes); };
  if (t.dtype == "I32") {
    read_at(0, ids.data(), count * sizeof(std::int32_t));
  } else {
    read_converted<std::int64_t>(ids.data(), count, read_at, [&](std::int64_t v) {
      if (v != static_cast<std::int32_t>(v))
        fail("safetensors", "{}: tensor {}: id {} does not fit in 32 bits", path_, in_quotes(name), v);
      return static_cast<std::int32_t>(v);
    });
  }
  return ids;
}

// ------------------------------------------------------------------------------------------------ writing

template <Scalar T>
void SafetensorsWriter::add(const std::string& name, const Tensor<T>& x) {
  const bool is_pairs = std::same_as<T, std::complex<double>> || (ComplexScalar<T> && complex_ == Complex::Pairs);
  const std::string_view dtype = is_pairs ? stored_dtype<RealOf<T>>() : stored_dtype<T>();
  Shape shape = x.shape();
  if (is_pairs) shape.push_back(2);
  const auto keep = std::make_shared<Tensor<T>>(x);
  add({.name = name,
       .dtype = dtype,
       .shape = shape,
       .is_pairs = is_pairs,
       .item_bytes = detail::item_bytes(dtype),
       .keep = keep,
       .bytes = {reinterpret_cast<const char*>(std::as_const(*keep).data()), static_cast<std::size_t>(x.size()) * sizeof(T)}});
}

void SafetensorsWriter::add(const std::string& name, const Ids& ids) {
  const auto keep = std::make_shared<Ids>(ids);
  add({.name = name,
       .dtype = "I32",
       .shape = ids.shape(),
       .is_pairs = false,
       .item_bytes = sizeof(Ids::value_type),
       .keep = keep,
       .bytes = {reinterpret_cast<const char*>(std::as_const(*keep).data()), keep->span().size_bytes()}});
}

void SafetensorsWriter::add(Entry entry) {
  require(entry.name != "__metadata__", "safetensors", "a tensor cannot be named __metadata__");
  require(!first_invalid_utf8(entry.name), "safetensors", "the tensor name {} is not UTF-8", in_quotes(entry.name));
  require(entry.name.find('\0') == entry.name.npos, "safetensors", "the tensor name {} contains a null byte",
          in_quotes(entry.name));
  for (const Entry& other : entries_)
    require(other.name != entry.name, "safetensors", "two tensors are named {}", in_quotes(entry.name));
  entries_.push_back(std::move(entry));
}

void SafetensorsWriter::metadata(const std::string& key, const std::string& value) {
  for (const char* own : {"complex", detail::checksum_key, detail::algorithm_key})
    require(key != own, "safetensors", "the metadata key {} is reserved", key);
  require(!first_invalid_utf8(key) && !first_invalid_utf8(value), "safetensors", "metadata {} is not UTF-8", in_quotes(key));
  require(metadata_.emplace(key, value).second, "safetensors", "metadata {} is set twice", in_quotes(key));
}

void SafetensorsWriter::save(const std::string& path) const {
  using json = nlohmann::ordered_json;
  std::vector<const Entry*> order;
  for (const Entry& e : entries_) order.push_back(&e);
  std::stable_sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) { return a->item_bytes > b->item_bytes; });

  json header = json::object(), pairs = json::array();
  for (const Entry* e : order)
    if (e->is_pairs) pairs.push_back(e->name);
  std::map<std::string, std::string> metadata = metadata_;
  if (!pairs.empty()) metadata["complex"] = pairs.dump();
  metadata[detail::checksum_key] = std::string(Checksum::digits, '0');
  metadata[detail::algorithm_key] = Checksum::algorithm;
  header["__metadata__"] = metadata;
  std::size_t offset = 0;
  for (const Entry* e : order) {
    json shape = json::array();
    for (const std::int64_t size : e->shape) shape.push_back(size);
    header.push_back(
        {e->name, {{"dtype", e->dtype}, {"shape", std::move(shape)}, {"data_offsets", {offset, offset + e->bytes.size()}}}});
    offset += e->bytes.size();
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  require(text.size() <= longest_header, "safetensors", "{}: a header of {} bytes exceeds the format's limit of {}", path,
          text.size(), longest_header);

  const std::uint64_t length = text.size();
  Checksum sum;
  sum.add({reinterpret_cast<const char*>(&length), length_bytes}).add(text);
  for (const Entry* e : order) sum.add(e->bytes);
  text.replace(detail::checksum_place(text).value(), Checksum::digits, sum.hex());

  AtomicFile file(path);
  file.write({reinterpret_cast<const char*>(&length), length_bytes});
  file.write(text);
  for (const Entry* e : order) file.write(e->bytes);
  file.commit();
}

#define ARGAND_SAFETENSORS(T)                                                   \
  template Tensor<T> SafetensorsFile::tensor<T>(const std::string&) const;      \
  template void SafetensorsFile::load<T>(const std::string&, Tensor<T>&) const; \
  template void SafetensorsWriter::add<T>(const std::string&, const Tensor<T>&);
ARGAND_FOR_SCALAR(ARGAND_SAFETENSORS)

}  // namespace argand
