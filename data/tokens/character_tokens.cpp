#include "data/tokens/character_tokens.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/error.h"
#include "data/files/text_file.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

constexpr const char *unknown_line = "<unk>", *replacement = "\xEF\xBF\xBD";  // U+FFFD

/// A character as displayed in tables: invisible ones are shown as a symbol.
std::string visible(char32_t character) {
  if (character == U' ') return "·";
  if (character == U'\n') return "↵";
  return character < 0x20 || character == 0x7F ? fmt::format("\\x{:02x}", static_cast<unsigned>(character)) : utf8_of(character);
}

std::string line_of(char32_t character) {
  return character < 0x20 || character == 0x7F || character == U'\\' ? fmt::format("\\x{:02x}", static_cast<unsigned>(character))
                                                                     : utf8_of(character);
}

}  // namespace

CharacterTokens::CharacterTokens(std::string_view text) {
  require(!text.empty(), "char", "the training text is empty");
  std::set<char32_t> found;
  while (!text.empty()) found.insert(take_character(text));
  for (const char32_t character : found) add(character);
}

void CharacterTokens::add(char32_t character) {
  ids_.emplace(character, static_cast<Id>(characters_.size()));
  characters_.push_back(character);
}

std::shared_ptr<const CharacterTokens> CharacterTokens::load(const std::string& path) {
  const std::string text = read_text_file("vocabulary", path);
  const std::shared_ptr<CharacterTokens> tokens(new CharacterTokens());
  std::string_view rest = text;
  for (std::int64_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = take_line(rest);
    if (rest.empty() && line == unknown_line && text.ends_with('\n') && number > 1) return tokens;
    std::string_view left = line;
    char32_t character = line.empty() ? 0 : take_character(left);
    if (character == U'\\' && left.size() == 3 && left[0] == 'x') {
      const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16; };
      character = static_cast<char32_t>(16 * digit(left[1]) + digit(left[2]));
    }
    require(!line.empty() && line_of(character) == line, "vocabulary", "{}, line {}: {} is not a single character", path, number,
            in_quotes(line));
    require(tokens->characters_.empty() || tokens->characters_.back() < character, "vocabulary",
            "{}, line {}: the characters are not in code point order", path, number);
    tokens->add(character);
  }
  fail("vocabulary", "{} does not end with the line {}; the file may be truncated", path, unknown_line);
}

TokenText CharacterTokens::encode(std::string_view text) const {
  std::vector<Id> ids;
  std::vector<std::uint32_t> bytes;
  std::vector<bool> missing;
  ids.reserve(text.size());
  bytes.reserve(text.size());
  while (!text.empty()) {
    const std::size_t before = text.size();
    const auto found = ids_.find(take_character(text));
    ids.push_back(found == ids_.end() ? *unknown() : found->second);
    bytes.push_back(static_cast<std::uint32_t>(before - text.size()));
    missing.push_back(found == ids_.end());
  }
  const Shape shape{static_cast<std::int64_t>(ids.size())};
  return {Ids(shape, std::move(ids)), std::move(bytes), std::move(missing)};
}

TokenizerPtr CharacterTokens::extended(std::string_view text, std::int64_t) const {
  std::string all(text);
  for (const char32_t character : characters_) all += utf8_of(character);
  return std::make_shared<CharacterTokens>(all);
}

std::string CharacterTokens::text(Id id, bool) const {
  if (id >= size()) return fmt::format("<{}>", id);
  return id == *unknown() ? replacement : utf8_of(characters_[static_cast<std::size_t>(id)]);
}

std::string CharacterTokens::shown(Id id) const {
  return id < *unknown() ? visible(characters_[static_cast<std::size_t>(id)]) : text(id, false);
}

std::string CharacterTokens::file() const {
  std::string text;
  for (const char32_t character : characters_) (text += line_of(character)) += '\n';
  return text + unknown_line + "\n";
}

TokenText ByteTokens::encode(std::string_view text) const {
  std::vector<Id> ids(text.size());
  std::transform(text.begin(), text.end(), ids.begin(), [](char c) { return static_cast<unsigned char>(c); });
  const Shape shape{static_cast<std::int64_t>(ids.size())};
  return {Ids(shape, std::move(ids)), std::vector<std::uint32_t>(text.size(), 1)};
}

std::string ByteTokens::text(Id id, bool) const {
  return id < size() ? std::string(1, static_cast<char>(id)) : fmt::format("<{}>", id);
}

std::string ByteTokens::shown(Id id) const {
  if (id < 0x80) return visible(static_cast<char32_t>(id));
  return id < size() ? fmt::format("\\x{:02x}", id) : fmt::format("<{}>", id);
}

}  // namespace argand
