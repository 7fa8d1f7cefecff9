#include "data/files/text_file.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "core/error.h"
#include "data/files/utf8.h"

namespace argand {

void require_name(std::string_view op, const std::string& path) {
  if (const std::size_t zero = path.find('\0'); zero != path.npos)
    fail(op, "the name {}\\0... contains a null byte", path.substr(0, zero));
}

std::string read_bytes(std::string_view op, const std::string& path) {
  require_name(op, path);
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(path, error);
  if (error) fail(op, "cannot open {}: {}", path, error.message());
  require(is_file, op, "{} is not a regular file", path);
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string text(std::filesystem::file_size(path, error), '\0');
  if (!in || error || !in.read(text.data(), static_cast<std::streamsize>(text.size())))
    fail(op, "cannot read {}: {}", path, std::generic_category().message(errno != 0 ? errno : EIO));

  require(!text.empty(), op, "{} is empty", path);
  return text;
}

std::int64_t line_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  return 1 + std::count(before.begin(), before.end(), '\n');
}

void require_text(std::string_view op, std::string_view text, const std::string& name, std::int64_t first_line) {
  const bool is_utf16 = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  require(!is_utf16, op, "{} is UTF-16; convert it with `iconv -f UTF-16 -t UTF-8`", name);
  if (const std::size_t zero = text.find('\0'); zero != text.npos)
    fail(op, "{}, line {}: null byte; is this a text file?", name, first_line - 1 + line_of(text, zero));
  if (const auto invalid = first_invalid_utf8(text))
    fail(op, "{}, line {}: not UTF-8; if it comes from Windows, convert it with `iconv -f WINDOWS-1252 -t UTF-8`", name,
         first_line - 1 + line_of(text, *invalid));
}

std::string read_text_file(std::string_view op, const std::string& path) {
  std::string text = read_bytes(op, path);
  require_text(op, text, path);
  return text;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view take_word(std::string_view& text) {
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  const char* const begin = std::find_if_not(text.begin(), text.end(), is_space);
  const char* const end = std::find_if(begin, text.end(), is_space);
  text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace argand
