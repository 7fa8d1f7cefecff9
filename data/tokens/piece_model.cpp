#include "data/tokens/piece_model.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/error.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

/// A field of a Protocol Buffers message: its number and, depending on its type, its value.
struct Field {
  std::uint64_t number = 0;
  std::uint64_t integer = 0;  ///< the value of a varint, or the bits of a fixed-width number
  std::string_view bytes;     ///< the contents of a string or message
  int type = 0;
};

/// Reads fields from the front of a message (https://protobuf.dev/programming-guides/encoding).
class Message {
 public:
  explicit Message(std::string_view bytes) : rest_(bytes) {}

  bool done() const { return rest_.empty(); }

  /// Throws a std::string that gives the reason.
  Field next() {
    const std::uint64_t tag = varint();
    Field field;
    field.number = tag >> 3;
    field.type = static_cast<int>(tag & 7);
    if (field.number == 0) throw std::string("a field without a number");
    switch (field.type) {
      case 0: field.integer = varint(); break;
      case 1: field.integer = fixed(8); break;
      case 2: {
        const std::uint64_t length = varint();
        if (length > rest_.size()) throw std::string("it is truncated");
        field.bytes = rest_.substr(0, length);
        rest_.remove_prefix(length);
        break;
      }
      case 5: field.integer = fixed(4); break;
      default: throw std::string("a field of an unknown type");
    }
    return field;
  }

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) throw std::string("it is truncated");
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    throw std::string("an unterminated number");
  }
  std::uint64_t fixed(std::size_t size) {
    if (rest_.size() < size) throw std::string("it is truncated");
    std::uint64_t value = 0;
    std::memcpy(&value, rest_.data(), size);
    rest_.remove_prefix(size);
    return value;
  }

  std::string_view rest_;
};

void expect_type(const Field& field, int type) {
  if (field.type != type) throw std::string("a field of another type");
}

void check_piece(std::string_view bytes) {
  bool named = false;
  for (Message message(bytes); !message.done();) {
    const Field field = message.next();
    if (field.number == 1) {
      expect_type(field, 2);
      if (field.bytes.empty() || first_invalid_utf8(field.bytes)) throw std::string("a piece that is empty or not UTF-8");
      named = true;
    } else if (field.number == 2) {
      expect_type(field, 5);
      float score = 0;
      std::memcpy(&score, &field.integer, sizeof score);
      if (!std::isfinite(score)) throw std::string("a score that is not finite");
    }
  }
  if (!named) throw std::string("a piece that is empty or not UTF-8");
}

/// The rules consist of a length, a double-array trie (github.com/s-yata/darts-clone) of that many bytes, and the zero-terminated
/// texts that its leaves point to. Throws unless every step of any possible search stays within bounds.
void check_rules(std::string_view rules) {
  if (rules.empty()) return;
  const char* wrong = "normalisation rules that point outside their table";
  std::uint32_t length = 0;
  if (rules.size() <= sizeof length) throw std::string(wrong);
  std::memcpy(&length, rules.data(), sizeof length);
  rules.remove_prefix(sizeof length);
  if (length == 0 || length % 4 != 0 || length >= rules.size() || rules.back() != '\0') throw std::string(wrong);
  std::vector<std::uint32_t> units(length / 4);
  std::memcpy(units.data(), rules.data(), length);
  const std::size_t texts = rules.size() - length;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::uint32_t unit = units[i];
    if (i > 0 && unit >> 31) continue;  // a leaf ends the search; unit 0 starts it, even if marked as a leaf
    const std::size_t next = i ^ ((unit >> 10) << ((unit & (1U << 9)) >> 6));
    if ((next | 0xFF) >= units.size()) throw std::string(wrong);
    if ((unit >> 8 & 1) && (units[next] & ~(1U << 31)) >= texts) throw std::string(wrong);
  }
}

}  // namespace

PieceModel check_piece_model(std::string_view op, const std::string& name, std::string_view bytes) {
  PieceModel model;
  std::int64_t pieces = 0;
  try {
    for (Message message(bytes); !message.done();) {
      const Field field = message.next();
      if (field.number > 5) continue;
      expect_type(field, 2);
      if (field.number == 1) check_piece(field.bytes), ++pieces;
      if (field.number == 2)
        for (Message trainer(field.bytes); !trainer.done();)
          if (const Field f = trainer.next(); f.number == 3) {
            if (f.type != 0 || f.integer < 1 || f.integer > 4) throw std::string("an unknown normalisation method");
            model.method = static_cast<PieceModel::Method>(f.integer);
          }
      if (field.number == 3 || field.number == 5)
        for (Message normalizer(field.bytes); !normalizer.done();) {
          const Field f = normalizer.next();
          if (f.number == 2) expect_type(f, 2), check_rules(f.bytes);
          if (f.number == 3 && field.number == 3) model.dummy_prefix = f.integer != 0;
        }
    }
    if (pieces == 0) throw std::string("it has no pieces");
  } catch (const std::string& why) {
    fail(op, "{} is not a SentencePiece model, or it is damaged: {}", name, why);
  }
  return model;
}

}  // namespace argand
