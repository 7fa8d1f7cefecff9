#include "data/vocabulary.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "data/files/atomic_file.h"
#include "data/files/text_file.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

/// The reason why the text is not a valid word; empty if it is valid.
std::optional<std::string> fault(std::string_view word) {
  if (word.empty()) return "an empty word";
  std::string_view rest = word;
  if (take_word(rest) != word) return in_quotes(word) + " contains whitespace";
  if (word.find('\0') != word.npos) return in_quotes(word) + " contains a null byte";
  if (first_invalid_utf8(word)) return in_quotes(word) + " is not UTF-8";
  return std::nullopt;
}

}  // namespace

Vocabulary::Vocabulary(std::span<const std::string> words) {
  for (const std::string& word : words) add(word);
}

Vocabulary::Id Vocabulary::add(std::string_view word) {
  if (const auto known = find(word)) return *known;
  if (const auto why = fault(word)) fail("vocabulary", "{}", *why);
  require(size() < std::numeric_limits<Id>::max(), "vocabulary", "cannot have more than {} words", size());
  const auto id = static_cast<Id>(words_.size());
  words_.emplace_back(word);
  ids_.emplace(word, id);
  return id;
}

std::optional<Vocabulary::Id> Vocabulary::find(std::string_view word) const {
  const auto found = ids_.find(word);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

Vocabulary::Id Vocabulary::id(std::string_view word) const {
  if (const auto known = find(word)) return *known;
  if (const auto unknown = find("<unk>")) return *unknown;
  std::string small(word);
  std::transform(small.begin(), small.end(), small.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  fail("vocabulary", "unknown word {}, and the vocabulary has no <unk>{}", in_quotes(word),
       find(small) ? fmt::format("; {} is known", in_quotes(small)) : "");
}

const std::string& Vocabulary::word(Id id) const {
  require(id >= 0 && id < size(), "vocabulary", "id {} is outside the vocabulary of {}", id, size());
  return words_[static_cast<std::size_t>(id)];
}

Ids Vocabulary::encode(std::string_view text) const {
  std::vector<Id> ids;
  for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) ids.push_back(id(word));
  const Shape shape{static_cast<std::int64_t>(ids.size())};
  return Ids(shape, std::move(ids));
}

std::string Vocabulary::decode(std::span<const Id> ids) const {
  std::string text;
  for (const Id id : ids) {
    if (!text.empty()) text += ' ';
    text += word(id);
  }
  return text;
}

std::string Vocabulary::text() const {
  std::string text;
  for (const std::string& word : words_) (text += word) += '\n';
  return text;
}

void Vocabulary::save(const std::string& path) const { write_file_atomically(path, text()); }

Vocabulary Vocabulary::load(const std::string& path) {
  const std::string text = read_text_file("vocabulary", path);
  std::string_view rest = text;
  Vocabulary vocabulary;
  for (std::int64_t line = 1; !rest.empty(); ++line) {
    const bool ends = rest.find('\n') != rest.npos;
    const std::string_view word = take_line(rest);
    if (const auto why = fault(word)) fail("vocabulary", "{}, line {}: {}", path, line, *why);
    require(ends, "vocabulary", "{}, line {}: no newline after {}; the file may be truncated", path, line, in_quotes(word));
    if (const auto known = vocabulary.find(word))
      fail("vocabulary", "{}, line {}: {} is also on line {}", path, line, in_quotes(word), *known + 1);
    vocabulary.add(word);
  }
  return vocabulary;
}

}  // namespace argand
