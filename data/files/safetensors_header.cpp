#include "data/files/safetensors_header.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "core/error.h"
#include "data/files/checksum.h"
#include "data/files/utf8.h"

namespace argand::detail {
namespace {

using nlohmann::json;

struct DtypeSize {
  std::string_view dtype;
  std::size_t bytes;
};
constexpr std::array<DtypeSize, 16> dtypes = {{{"BOOL", 1},
                                               {"U8", 1},
                                               {"I8", 1},
                                               {"F8_E5M2", 1},
                                               {"F8_E4M3", 1},
                                               {"I16", 2},
                                               {"U16", 2},
                                               {"F16", 2},
                                               {"BF16", 2},
                                               {"I32", 4},
                                               {"U32", 4},
                                               {"F32", 4},
                                               {"I64", 8},
                                               {"U64", 8},
                                               {"F64", 8},
                                               {"C64", 8}}};

template <class... Args>
[[noreturn]] void reject(const std::string& path, fmt::format_string<Args...> message, Args&&... args) {
  fail("safetensors", "{}: {}", path, fmt::format(message, std::forward<Args>(args)...));
}

/// Reads the header as a stream of events and accepts only the format's grammar,
///   { "__metadata__": { key: string, ... }, name: { "dtype": string, "shape": [n, ...], "data_offsets": [n, n] }, ... }
/// so a hostile header is rejected at its first fault, before it can use memory. (A JSON tree would also silently keep only the
/// last of two equal keys.)
class Events final : public nlohmann::json_sax<json> {
 public:
  Events(const std::string& path, SafetensorsHeader& header) : path_(path), header_(header) {}

  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a boolean"); }
  bool number_integer(number_integer_t) override { return unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { return unexpected("a number that is not a 64-bit integer"); }
  bool binary(binary_t&) override { return unexpected("binary data"); }

  bool number_unsigned(number_unsigned_t n) override {
    if (at_ == At::Shape) {
      if (n > max_elements) reject(path_, "tensor {}: a size of {} is too large", in_quotes(name_), n);
      if (sizes_.size() == Shape::max_rank) reject(path_, "tensor {}: more than {} axes", in_quotes(name_), int{Shape::max_rank});
      sizes_.push_back(static_cast<std::int64_t>(n));
      return true;
    }
    if (at_ == At::Offsets) {
      if (offsets_.size() == 2) reject(path_, "tensor {}: data_offsets must be two numbers", in_quotes(name_));
      offsets_.push_back(n);
      return true;
    }
    return unexpected("a number");
  }

  bool string(string_t& text) override {
    if (at_ == At::Metadata) {
      header_.metadata[key_] = std::move(text);
      return true;
    }
    if (at_ == At::Tensor && key_ == "dtype") {
      const auto known = std::find_if(dtypes.begin(), dtypes.end(), [&](const DtypeSize& d) { return d.dtype == text; });
      if (known == dtypes.end()) reject(path_, "tensor {}: unknown dtype {}", in_quotes(name_), in_quotes(text));
      dtype_ = known->dtype;
      return true;
    }
    return unexpected("a string");
  }

  bool start_object(std::size_t) override {
    if (at_ == At::Start) {
      at_ = At::Top;
    } else if (at_ == At::Top && key_ == "__metadata__") {
      at_ = At::Metadata;
    } else if (at_ == At::Top) {
      at_ = At::Tensor;
      name_ = key_;
      dtype_ = {};
      sizes_.clear();
      offsets_.clear();
      keys_seen_.clear();
    } else {
      return unexpected("an object");
    }
    return true;
  }

  bool key(string_t& text) override {
    key_ = std::move(text);
    if (at_ == At::Top && !names_.insert(key_).second) reject(path_, "duplicate name {}", in_quotes(key_));
    if (at_ == At::Metadata && header_.metadata.count(key_) != 0) reject(path_, "duplicate metadata key {}", in_quotes(key_));
    if (at_ == At::Tensor) {
      if (key_ != "dtype" && key_ != "shape" && key_ != "data_offsets")
        reject(path_, "tensor {}: unknown key {}", in_quotes(name_), in_quotes(key_));
      if (!keys_seen_.insert(key_).second) reject(path_, "tensor {}: duplicate key {}", in_quotes(name_), in_quotes(key_));
    }
    return true;
  }

  bool end_object() override {
    if (at_ == At::Tensor) finish_tensor();
    at_ = at_ == At::Top ? At::End : At::Top;
    return true;
  }

  bool start_array(std::size_t) override {
    if (at_ == At::Tensor && key_ == "shape") {
      at_ = At::Shape;
    } else if (at_ == At::Tensor && key_ == "data_offsets") {
      at_ = At::Offsets;
    } else {
      return unexpected("an array");
    }
    return true;
  }

  bool end_array() override {
    at_ = At::Tensor;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const json::exception&) override {
    reject(path_, "the header is not JSON, at byte {}", position);
  }

 private:
  enum class At { Start, Top, Metadata, Tensor, Shape, Offsets, End };
  /// Maximum per tensor, as in core/shape.cpp; keeps every product of sizes far from overflow.
  static constexpr std::uint64_t max_elements = (std::uint64_t{1} << 48) - 1;

  bool unexpected(std::string_view what) const {
    switch (at_) {
      case At::Start: reject(path_, "the header must be an object, not {}", what);
      case At::Metadata: reject(path_, "metadata {} must be a string, not {}", in_quotes(key_), what);
      case At::Tensor: reject(path_, "tensor {}: {} cannot be {}", in_quotes(name_), key_, what);
      case At::Shape: reject(path_, "tensor {}: shape cannot hold {}", in_quotes(name_), what);
      case At::Offsets: reject(path_, "tensor {}: data_offsets cannot hold {}", in_quotes(name_), what);
      default: reject(path_, "{} must be an object, not {}", in_quotes(key_), what);
    }
  }

  void finish_tensor() {
    for (const char* key : {"dtype", "shape", "data_offsets"})
      if (keys_seen_.count(key) == 0) reject(path_, "tensor {}: no {}", in_quotes(name_), key);
    if (offsets_.size() != 2) reject(path_, "tensor {}: data_offsets must be two numbers", in_quotes(name_));

    // This product skips sizes of 0: strides are products of the remaining sizes and must not overflow either.
    std::uint64_t elements = 1;
    bool empty = false;
    for (const std::int64_t size : sizes_) {
      empty = empty || size == 0;
      if (__builtin_mul_overflow(elements, std::max<std::int64_t>(size, 1), &elements) || elements > max_elements)
        reject(path_, "tensor {}: too many elements", in_quotes(name_));
    }
    if (empty) elements = 0;
    StoredTensor tensor{.name = name_, .dtype = dtype_, .shape = Shape(sizes_), .is_complex = dtype_ == "C64"};
    const std::uint64_t bytes = elements * item_bytes(dtype_);
    if (offsets_[0] > offsets_[1] || offsets_[1] - offsets_[0] != bytes)
      reject(path_, "tensor {}: {} {} takes {} bytes, data_offsets are [{}, {}]", in_quotes(name_), dtype_, tensor.shape, bytes,
             offsets_[0], offsets_[1]);
    tensor.begin = offsets_[0];
    tensor.end = offsets_[1];
    header_.tensors.push_back(std::move(tensor));
  }

  const std::string& path_;
  SafetensorsHeader& header_;
  At at_ = At::Start;
  std::string key_;
  std::set<std::string> names_;
  // the tensor being read
  std::string name_;
  std::string_view dtype_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::uint64_t> offsets_;
  std::set<std::string> keys_seen_;
};

/// Throws unless every byte of the data belongs to exactly one tensor.
void check_coverage(std::vector<StoredTensor>& tensors, std::size_t data_bytes, const std::string& path) {
  std::sort(tensors.begin(), tensors.end(), [](const StoredTensor& a, const StoredTensor& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  std::size_t covered = 0;
  for (const StoredTensor& t : tensors) {
    if (t.end > data_bytes)
      reject(path, "tensor {}: data_offsets [{}, {}] reach beyond the {} bytes of data; the file may be truncated",
             in_quotes(t.name), t.begin, t.end, data_bytes);
    if (t.begin != covered)
      reject(path, "tensor {}: data_offsets [{}, {}] leave {} byte {}", in_quotes(t.name), t.begin, t.end,
             t.begin > covered ? "a hole at" : "an overlap before", covered);
    covered = t.end;
  }
  if (covered != data_bytes) reject(path, "{} bytes after the last tensor", data_bytes - covered);
}

/// The metadata's `complex` list names the tensors stored as pairs of reals.
void apply_complex_list(SafetensorsHeader& header, const std::string& path) {
  const auto found = header.metadata.find("complex");
  if (found == header.metadata.end()) return;
  // The callback sees every value before the parsed tree can grow: only strings directly inside a single array are allowed.
  bool flat = true;
  const auto is_flat = [&](int depth, json::parse_event_t event, const json& value) {
    flat = flat && (depth == 0 ? event == json::parse_event_t::array_start || event == json::parse_event_t::array_end
                               : event == json::parse_event_t::value && value.is_string());
    return flat;
  };
  const json list = json::parse(found->second, is_flat, /*allow_exceptions=*/false);
  if (!flat || !list.is_array()) reject(path, "metadata \"complex\" must be a JSON list of names");
  std::map<std::string, StoredTensor*> by_name;
  for (StoredTensor& t : header.tensors) by_name[t.name] = &t;
  for (const json& entry : list) {
    const auto& name = entry.get_ref<const std::string&>();
    const auto tensor = by_name.find(name);
    if (tensor == by_name.end()) reject(path, "metadata \"complex\" names {}, which is missing or named twice", in_quotes(name));
    StoredTensor& t = *tensor->second;
    if ((t.dtype != "F64" && t.dtype != "F32") || t.shape.rank() == 0 || t.shape.back() != 2)
      reject(path, "tensor {}: {} {} cannot be complex pairs; F64 or F32 with a last axis of 2 can", in_quotes(name), t.dtype,
             t.shape);
    t.shape.erase(-1);
    t.is_complex = true;
    by_name.erase(tensor);
  }
}

}  // namespace

std::size_t item_bytes(std::string_view dtype) {
  for (const DtypeSize& d : dtypes)
    if (d.dtype == dtype) return d.bytes;
  return 0;
}

std::optional<std::size_t> checksum_place(std::string_view header) {
  // Inside a string, every quotation mark follows a backslash, so a match after a { or a comma is the key itself.
  for (const char before : {'{', ','}) {
    const std::string start = fmt::format("{}\"{}\":\"", before, checksum_key);
    const std::size_t at = header.find(start);
    const std::size_t end = at + start.size() + Checksum::digits;
    if (at != header.npos && end < header.size() && header[end] == '"') return at + start.size();
  }
  return std::nullopt;
}

SafetensorsHeader parse_safetensors_header(std::string_view text, std::size_t data_bytes, const std::string& path) {
  // The JSON parser treats a zero byte as the end of the text and ignores a byte order mark; neither may be used to hide content.
  if (text.empty() || text.front() != '{') reject(path, "the header does not start with {{");
  if (const std::size_t zero = text.find('\0'); zero != text.npos) reject(path, "a null byte in the header, at byte {}", zero);
  SafetensorsHeader header;
  Events events(path, header);
  json::sax_parse(text.begin(), text.end(), &events);
  check_coverage(header.tensors, data_bytes, path);
  apply_complex_list(header, path);
  return header;
}

}  // namespace argand::detail
