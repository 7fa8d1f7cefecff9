#pragma once
/// Ctrl-C and `kill` as a request: the loop ends its step and saves. A second one ends the program at once.

namespace argand {

class Interrupt {
 public:
  /// Catches SIGINT and SIGTERM until it is destroyed.
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// The signal that came, or 0.
  int signal() const;
  const char* name() const;  ///< "SIGINT" or "SIGTERM"
  /// What a shell expects of a program ended by that signal: 128 + its number.
  int exit_code() const { return 128 + signal(); }
};

}  // namespace argand
