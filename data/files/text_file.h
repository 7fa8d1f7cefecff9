#pragma once
/// Reads text files and validates them.

#include <cstdint>
#include <string>
#include <string_view>

namespace argand {

/// Throws Error("op: ...") for a name that contains a zero byte: the system would cut it there and open another file.
void require_name(std::string_view op, const std::string& path);

/// Reads the whole file. Throws Error("op: ..."), naming the file and line, if it is missing, not a regular file or empty, contains
/// a zero byte, or is not UTF-8.
std::string read_text_file(std::string_view op, const std::string& path);

/// Reads the whole file without checking its contents. Throws Error("op: ..."), naming the file, if it is missing, not a regular
/// file, or empty.
std::string read_bytes(std::string_view op, const std::string& path);

/// Throws Error("op: ...") if the text is not UTF-8 or contains a zero byte; the message includes the name, the line, and the
/// command that repairs the file. `first_line` is the line number of the text's first line.
void require_text(std::string_view op, std::string_view text, const std::string& name, std::int64_t first_line = 1);

/// The number of the line that contains byte `at`, counted from 1.
std::int64_t line_of(std::string_view text, std::size_t at);

/// Removes and returns the next line of `text`, without its "\n", which the last line may lack.
std::string_view take_line(std::string_view& text);

/// Removes and returns the next word of `text`; whitespace (space, \t, \n, \v, \f, \r) separates words. Empty if there is none.
std::string_view take_word(std::string_view& text);

}  // namespace argand
