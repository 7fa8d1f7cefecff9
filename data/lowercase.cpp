#include "data/lowercase.h"

#include <locale.h>
#include <wctype.h>

#include "core/error.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

/// The same tables whatever the user's language: in a Turkish locale I would not become i.
locale_t unicode() {
  static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  require(locale != nullptr, "lowercase", "this system has no locale C.UTF-8");
  return locale;
}

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

/// Takes one character off the front of well-formed UTF-8.
char32_t take_character(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const int more = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  char32_t c = more == 0 ? lead : lead & (0x3Fu >> more);
  for (int i = 1; i <= more; ++i) c = c << 6 | (static_cast<unsigned char>(text[static_cast<std::size_t>(i)]) & 0x3Fu);
  text.remove_prefix(static_cast<std::size_t>(more) + 1);
  return c;
}

void append(std::string& text, char32_t c) {
  const auto rest = [&](int shift) { text += static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xC0 | c >> 6), rest(0);
  } else if (c < 0x10000) {
    text += static_cast<char>(0xE0 | c >> 12), rest(6), rest(0);
  } else {
    text += static_cast<char>(0xF0 | c >> 18), rest(12), rest(6), rest(0);
  }
}

}  // namespace

std::string lowercase(std::string_view text) {
  require(!first_invalid_utf8(text), "lowercase", "{} is not UTF-8", in_quotes(text));
  std::string lower;
  lower.reserve(text.size());
  while (!text.empty()) {
    if (const char c = text.front(); is_ascii(c)) {
      lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      text.remove_prefix(1);
    } else {
      append(lower, static_cast<char32_t>(towlower_l(static_cast<wint_t>(take_character(text)), unicode())));
    }
  }
  return lower;
}

}  // namespace argand
