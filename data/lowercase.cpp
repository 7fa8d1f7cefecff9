#include "data/lowercase.h"

#include <locale.h>
#include <wctype.h>

#include "core/error.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

/// A fixed locale, so that the tables are always the same: in a Turkish locale, I would not become i.
locale_t unicode() {
  static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  require(locale != nullptr, "lowercase", "the locale C.UTF-8 is not installed");
  return locale;
}

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

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
      lower += utf8_of(static_cast<char32_t>(towlower_l(static_cast<wint_t>(take_character(text)), unicode())));
    }
  }
  return lower;
}

}  // namespace argand
