#include "data/files/npy_header.h"

#include <charconv>
#include <cstdint>
#include <cstring>

#include "core/error.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
/// Headers written by NumPy are only a few hundred bytes long.
constexpr std::size_t longest_npy_header = 1 << 16;

/// Parses the header's text, a Python dictionary such as {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
class Dictionary {
 public:
  Dictionary(std::string_view text, const std::string& where) : text_(text), rest_(text), where_(where) {}

  NpyHeader read() {
    NpyHeader header;
    int found = 0;
    take('{');
    while (!next_is('}')) {
      const std::string key = string();
      take(':');
      if (key == "descr" && !(found & 1)) {
        if (next_is('[')) fail("npz", "{} is a structured array; save each field as an array of its own", where_);
        header.descr = string(), found |= 1;
      } else if (key == "fortran_order" && !(found & 2)) {
        header.fortran_order = boolean(), found |= 2;
      } else if (key == "shape" && !(found & 4)) {
        header.shape = shape(), found |= 4;
      } else {
        complain();
      }
      if (!next_is('}')) take(',');
    }
    take('}');
    if (found != 7 || !rest_.empty()) complain();
    return header;
  }

 private:
  [[noreturn]] void complain() const { fail("npz", "{}: {} is not a valid NumPy header", where_, in_quotes(text_)); }

  void skip() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) rest_.remove_prefix(1);
  }
  bool next_is(char c) {
    skip();
    return !rest_.empty() && rest_.front() == c;
  }
  void take(char c) {
    if (!next_is(c)) complain();
    rest_.remove_prefix(1);
    skip();
  }
  bool take_word(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::string string() {
    skip();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) complain();
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == rest_.npos) complain();
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool boolean() {
    skip();
    if (take_word("True")) return true;
    if (!take_word("False")) complain();
    return false;
  }
  Shape shape() {
    Shape shape;
    take('(');
    while (!next_is(')')) {
      std::int64_t size = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc() || size < 0) complain();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      require(shape.rank() < Shape::max_rank, "npz", "{} has more than {} axes", where_, Shape::max_rank);
      shape.push_back(size);
      if (!next_is(')')) take(',');
    }
    take(')');
    return shape;
  }

  std::string_view text_, rest_;
  const std::string& where_;
};

/// A Python tuple: "()", "(3,)", "(2, 3)".
std::string tuple(const Shape& shape) {
  std::string text = "(";
  for (int axis = 0; axis < shape.rank(); ++axis) text += fmt::format("{}{}", axis > 0 ? ", " : "", shape[axis]);
  return text + (shape.rank() == 1 ? ",)" : ")");
}

}  // namespace

std::size_t npy_header_bytes(std::string_view beginning, const std::string& where) {
  require(beginning.size() >= npy_beginning && beginning.starts_with(magic), "npz", "{} is not a .npy file", where);
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(beginning[i])); };
  const std::size_t version = byte(magic.size()), length_bytes = version == 1 ? 2 : 4, before = magic.size() + 2 + length_bytes;
  require(version >= 1 && version <= 3, "npz", "{} has format version {}; argand reads versions 1, 2 and 3", where, version);
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= byte(magic.size() + 2 + i) << (8 * i);
  require(length >= 2 && length <= longest_npy_header, "npz", "{}: a .npy header cannot have {} bytes", where, length);
  return before + length;
}

NpyHeader parse_npy_header(std::string_view bytes, const std::string& where) {
  require(bytes.size() == npy_header_bytes(bytes, where), "npz", "{}: the header is truncated", where);
  const std::size_t before = bytes[magic.size()] == 1 ? 10 : 12;
  NpyHeader header = Dictionary(bytes.substr(before), where).read();
  header.bytes = bytes.size();
  return header;
}

std::string npy_header(const std::string& descr, const Shape& shape) {
  // The magic string, the version, the two-byte header length and the header together fill a multiple of 64 bytes.
  constexpr std::size_t before = 10, alignment = 64;
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, tuple(shape));
  const std::size_t whole = (before + header.size() + 1 + alignment - 1) / alignment * alignment;
  header.resize(whole - before - 1, ' ');
  header += '\n';
  const auto length = static_cast<std::uint16_t>(header.size());  // at most 8 dimensions, so far below 65536
  return std::string(magic) + std::string("\x01\x00", 2) + static_cast<char>(length & 0xFF) + static_cast<char>(length >> 8) +
         header;
}

}  // namespace argand
