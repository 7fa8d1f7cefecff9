#include "lab/gradient_letters.h"

#include <algorithm>
#include <cctype>

namespace argand {
namespace {

bool is_greek(char lead) { return lead == '\xCE' || lead == '\xCF'; }

/// The length in bytes of the letter at this position (ASCII, Greek or ℓ) with its hats and bars; 0 if there is none.
std::size_t letter(const std::string& text, std::size_t at) {
  if (at >= text.size()) return 0;
  std::size_t length = 0;
  if (std::isalpha(static_cast<unsigned char>(text[at])) != 0)
    length = 1;
  else if (is_greek(text[at]))
    length = 2;
  else if (text.compare(at, 3, "ℓ") == 0)
    length = 3;
  while (length > 0 && at + length + 1 < text.size() && (text[at + length] == '\xCC' || text[at + length] == '\xCD')) length += 2;
  return length;
}

/// Whether the position is inside a name or a quotient like dL/dα.
bool within(const std::string& text, std::size_t at) {
  if (at == 0) return false;
  const char before = text[at - 1];
  return std::isalnum(static_cast<unsigned char>(before)) != 0 || before == '_' || before == '/' ||
         (at > 1 && is_greek(text[at - 2]));
}

}  // namespace

std::string gradient_letters(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t name = text[at] == 'd' && !within(text, at) ? letter(text, at + 1) : 0;
    const std::size_t end = at + 1 + name;
    const bool whole =
        name > 0 && letter(text, end) == 0 && (end >= text.size() || std::isdigit(static_cast<unsigned char>(text[end])) == 0);
    const bool quotient = text.compare(std::min(end, text.size()), 2, "/d") == 0;
    const bool word = text.compare(at, 6, "do not") == 0;
    if (whole && !quotient && !word)
      result += "g_";
    else
      result += text[at];
  }
  return result;
}

}  // namespace argand
