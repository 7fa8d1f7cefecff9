#pragma once
/// What may be written where: colours and moving cursors on a terminal, plain lines in files and pipes.

#include <cstdio>
#include <string>

namespace argand {

/// False also when the environment says TERM=dumb, and under Open MPI's mpirun, whose processes write to terminals of its own
/// making wherever its output goes.
bool is_terminal(std::FILE* file);
/// Columns of the terminal, 80 where there is none.
int terminal_width(std::FILE* file);

/// What was printed goes out now. Throws std::system_error where it cannot be written.
void flush_output();

/// Emphasis on a terminal (unless NO_COLOR is set, https://no-color.org), the bare text elsewhere.
class Style {
 public:
  explicit Style(std::FILE* file);
  /// The bare text everywhere.
  static Style plain() { return Style(false); }
  bool coloured() const { return on_; }
  std::string bold(const std::string& text) const { return wrap("1", text); }
  std::string dim(const std::string& text) const { return wrap("2", text); }
  std::string red(const std::string& text) const { return wrap("31", text); }
  std::string green(const std::string& text) const { return wrap("32", text); }
  std::string cyan(const std::string& text) const { return wrap("36", text); }

 private:
  explicit Style(bool on) : on_(on) {}
  std::string wrap(const char* code, const std::string& text) const;
  bool on_;
};

/// 1234567 -> "1.23 M", 12345 -> "12.3 k".
std::string with_unit(double n);
/// "0:42", "1:02:03".
std::string clock_time(double seconds);

}  // namespace argand
