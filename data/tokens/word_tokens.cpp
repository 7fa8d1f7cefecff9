#include "data/tokens/word_tokens.h"

#include <algorithm>

#include "core/error.h"
#include "data/files/text_file.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

constexpr const char *end_of_line = "<eos>", *unknown_word = "<unk>";

/// Calls f(word, bytes) for every word, and with `<eos>` for every "\n"; `bytes` counts from the end of the previous token.
template <class F>
void for_each_token(std::string_view text, const F& f) {
  std::size_t passed = 0;  // bytes since the end of the previous token
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    while (!line.empty()) {
      const std::size_t before = line.size();
      const std::string_view word = take_word(line);
      passed += before - line.size();
      if (word.empty()) break;
      f(word, passed);
      passed = 0;
    }
    if (end < text.size()) {
      f(std::string_view(end_of_line), passed + 1);
      passed = 0;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

Vocabulary words_of(std::string_view text, std::int64_t most) {
  Vocabulary all;
  std::vector<std::int64_t> counts;
  std::int64_t line = 1;
  for_each_token(text, [&](std::string_view word, std::size_t) {
    require(word.size() <= longest_word, "words",
            "line {} has a word of {} bytes, {}; are its words separated by spaces? `tokens = char` and `tokens = byte` accept any "
            "text",
            line, word.size(), in_quotes(word));
    const auto id = static_cast<std::size_t>(all.add(word));
    if (id == counts.size()) counts.push_back(0);
    ++counts[id];
    line += word == end_of_line ? 1 : 0;
  });
  require(all.size() > 0 && all.words() != std::vector<std::string>{end_of_line}, "words", "the training text has no words");

  std::vector<Vocabulary::Id> order;  // the most frequent words, apart from the two that are always included
  for (Vocabulary::Id id = 0; id < all.size(); ++id)
    if (all.word(id) != end_of_line && all.word(id) != unknown_word) order.push_back(id);
  if (most > 0 && most < static_cast<std::int64_t>(order.size())) {
    std::stable_sort(order.begin(), order.end(), [&](Vocabulary::Id a, Vocabulary::Id b) {
      return counts[static_cast<std::size_t>(a)] > counts[static_cast<std::size_t>(b)];
    });
    order.resize(static_cast<std::size_t>(most));
  }
  std::vector<bool> kept(static_cast<std::size_t>(all.size()));
  for (const Vocabulary::Id id : order) kept[static_cast<std::size_t>(id)] = true;
  Vocabulary words;
  for (Vocabulary::Id id = 0; id < all.size(); ++id)
    if (kept[static_cast<std::size_t>(id)] || all.word(id) == end_of_line || all.word(id) == unknown_word) words.add(all.word(id));
  words.add(end_of_line);
  words.add(unknown_word);
  return words;
}

TokenText WordTokens::encode(std::string_view text) const {
  std::vector<Id> ids;
  std::vector<std::uint32_t> bytes;
  std::vector<bool> unknown;
  std::size_t left_out = 0;
  const bool knows_lines = words_.find(end_of_line).has_value();
  for_each_token(text, [&](std::string_view word, std::size_t length) {
    if (!knows_lines && word == end_of_line) {
      left_out += length;
      return;
    }
    ids.push_back(words_.id(word));
    bytes.push_back(static_cast<std::uint32_t>(length + left_out));
    unknown.push_back(words_.find(word) == std::nullopt);
    left_out = 0;
  });
  const Shape shape{static_cast<std::int64_t>(ids.size())};
  return {Ids(shape, std::move(ids)), std::move(bytes), std::move(unknown)};
}

TokenizerPtr WordTokens::extended(std::string_view text, std::int64_t most) const {
  Vocabulary all = words_;
  const Vocabulary found = words_of(text, most);
  for (const std::string& word : found.words())
    if (word != unknown_word) all.add(word);
  if (all.size() > words_.size()) all.add(unknown_word);
  return std::make_shared<WordTokens>(std::move(all));
}

std::string WordTokens::text(Id id, bool line_start) const {
  const std::string word = shown(id);
  if (word == end_of_line) return "\n";
  return line_start ? word : " " + word;
}

std::string WordTokens::shown(Id id) const { return id < size() ? words_.word(id) : fmt::format("<{}>", id); }

std::string WordTokens::shown(std::span<const Id> ids) const {
  std::string line;
  for (const Id id : ids) (line += line.empty() ? "" : " ") += shown(id);
  return line;
}

std::string text_of(const Vocabulary& words, const Ids& ids) {
  std::string text;
  for (const Vocabulary::Id id : ids.span()) {
    const std::string& word = words.word(id);
    if (word == end_of_line)
      text += '\n';
    else
      (text += text.empty() || text.back() == '\n' ? "" : " ") += word;
  }
  return text;
}

std::vector<std::uint32_t> bytes_of(const Vocabulary& words, const Ids& ids) {
  std::vector<std::uint32_t> bytes;
  bool line_start = true;
  for (const Vocabulary::Id id : ids.span()) {
    const std::string& word = words.word(id);
    const bool ends = word == end_of_line;
    bytes.push_back(ends ? 1 : static_cast<std::uint32_t>(word.size() + (line_start ? 0 : 1)));
    line_start = ends;
  }
  return bytes;
}

}  // namespace argand
