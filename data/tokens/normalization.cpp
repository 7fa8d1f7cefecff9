#include "data/tokens/normalization.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "data/files/utf8.h"
#include "data/tokens/unicode_classes.h"
#include "data/tokens/unicode_compositions.h"

namespace argand {
namespace {

/// The first combining mark. Characters below it are neither changed nor combined with the preceding character.
constexpr char32_t first_mark = 0x300;

// Hangul syllables: a leading consonant, a vowel, and an optional trailing consonant (Unicode, section 3.12).
constexpr char32_t syllables = 0xAC00, leading = 0x1100, vowels = 0x1161, trailing = 0x11A7;
constexpr char32_t leading_count = 19, vowel_count = 21, trailing_count = 28,
                   syllable_count = leading_count * vowel_count * trailing_count;

bool is_between(char32_t c, char32_t first, char32_t count) { return c >= first && c - first < count; }

void decompose(char32_t c, std::u32string& to) {
  if (c < 0xC0) {
    to += c;
  } else if (is_between(c, syllables, syllable_count)) {
    const char32_t syllable = c - syllables, tail = syllable % trailing_count;
    to += leading + syllable / (vowel_count * trailing_count);
    to += vowels + syllable / trailing_count % vowel_count;
    if (tail > 0) to += trailing + tail;
  } else if (const std::u32string parts = decomposition(c); parts.empty()) {
    to += c;
  } else {
    for (const char32_t part : parts) decompose(part, to);
  }
}

struct Pairs {
  std::unordered_map<std::uint64_t, char32_t> composites;
  std::unordered_set<char32_t> seconds;

  static std::uint64_t key(char32_t first, char32_t second) { return std::uint64_t{first} << 32 | second; }
  Pairs() {
    for (const Composition& c : all_compositions()) {
      composites.emplace(key(c.first, c.second), c.whole);
      seconds.insert(c.second);
    }
  }
};

const Pairs& pairs() {
  static const Pairs all;
  return all;
}

/// The character composed of these two, or 0 if there is none.
char32_t compose(char32_t first, char32_t second) {
  if (is_between(first, leading, leading_count) && is_between(second, vowels, vowel_count))
    return syllables + ((first - leading) * vowel_count + (second - vowels)) * trailing_count;
  if (is_between(first, syllables, syllable_count) && (first - syllables) % trailing_count == 0 &&
      is_between(second, trailing + 1, trailing_count - 1))
    return first + (second - trailing);
  const auto found = pairs().composites.find(Pairs::key(first, second));
  return found == pairs().composites.end() ? 0 : found->second;
}

/// Whether the character can neither combine with nor be reordered before anything that precedes it.
bool has_boundary_before(char32_t c) {
  if (c < first_mark) return true;
  std::u32string parts;
  decompose(c, parts);
  return combining_class(parts[0]) == 0 && !pairs().seconds.contains(parts[0]) && !is_between(parts[0], vowels, vowel_count) &&
         !is_between(parts[0], trailing + 1, trailing_count - 1);
}

std::u32string composed(const std::u32string& text) {
  std::u32string parts;
  for (const char32_t c : text) decompose(c, parts);
  for (auto at = parts.begin(); at != parts.end();) {
    const auto is_mark = [](char32_t c) { return combining_class(c) > 0; };
    const auto begin = std::find_if(at, parts.end(), is_mark), end = std::find_if_not(begin, parts.end(), is_mark);
    std::stable_sort(begin, end, [](char32_t a, char32_t b) { return combining_class(a) < combining_class(b); });
    at = end;
  }
  std::u32string whole;
  std::size_t base = text.npos;  // index in `whole` of the last base character
  int before = 0;                // combining class of the last mark between the base and the next character
  for (const char32_t c : parts) {
    const int own = combining_class(c);
    if (base != text.npos && (base + 1 == whole.size() || before < own))
      if (const char32_t joined = compose(whole[base], c); joined != 0) {
        whole[base] = joined;
        continue;
      }
    if (own == 0) base = whole.size();
    before = own;
    whole += c;
  }
  return whole;
}

}  // namespace

NfcText::NfcText(std::string_view text) {
  text_.reserve(text.size());
  std::string_view rest = text;
  std::size_t begin = 0;
  for (std::size_t at = 0; !rest.empty(); at = text.size() - rest.size())
    if (has_boundary_before(take_character(rest)) && at > 0) {
      add(text.substr(begin, at - begin), begin);
      begin = at;
    }
  add(text.substr(begin), begin);
}

/// Adds a part that does not combine with anything before or after it.
void NfcText::add(std::string_view part, std::size_t at) {
  std::u32string characters;
  for (std::string_view rest = part; !rest.empty();) characters += take_character(rest);
  std::u32string normal;
  if (characters.size() > 1 || (!characters.empty() && characters[0] >= first_mark)) normal = composed(characters);
  if (normal.empty() || normal == characters) {
    text_ += part;
    return;
  }
  const std::size_t begin = text_.size();
  for (const char32_t c : normal) text_ += utf8_of(c);
  changes_.push_back({begin, text_.size(), at, at + part.size()});
}

std::size_t NfcText::original_bytes(std::size_t bytes) const {
  const auto after =
      std::upper_bound(changes_.begin(), changes_.end(), bytes, [](std::size_t b, const Change& c) { return b < c.at; });
  if (after == changes_.begin()) return bytes;
  const Change& last = *(after - 1);
  if (bytes >= last.end) return last.original_end + (bytes - last.end);
  return std::min(last.original_at + (bytes - last.at), last.original_end);
}

}  // namespace argand
