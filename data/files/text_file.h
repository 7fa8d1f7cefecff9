#pragma once
/// Text from a file, checked before anybody reads it.

#include <cstdint>
#include <string>
#include <string_view>

namespace argand {

/// Throws Error, starting with `op`, for a name with a zero byte: the system would end it there, and open another file.
void require_name(std::string_view op, const std::string& path);

/// The whole file. Throws Error, starting with `op` and naming file and line, when it is missing, no regular file, empty,
/// contains a zero byte or is not UTF-8.
std::string read_text_file(std::string_view op, const std::string& path);

/// The whole file, whatever it says. Throws Error, starting with `op` and naming the file, when it is missing, no regular file, or
/// empty.
std::string read_bytes(std::string_view op, const std::string& path);

/// Throws Error, starting with `op`, when these are not UTF-8 or a zero byte is among them: with the name, the line,
/// and the command that repairs it. `first_line`: the number of the text's first line.
void require_text(std::string_view op, std::string_view text, const std::string& name, std::int64_t first_line = 1);

/// The line, counted from 1, in which byte `at` of a text stands.
std::int64_t line_of(std::string_view text, std::size_t at);

/// Takes the next line off the front of `text`, without its "\n". The last line may lack one.
std::string_view take_line(std::string_view& text);

/// Takes the next word off the front of `text`: what stands between whitespace (space, \t, \n, \v, \f, \r). Empty at the end.
std::string_view take_word(std::string_view& text);

}  // namespace argand
