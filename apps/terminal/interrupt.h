#pragma once
/// Ctrl-C, `kill` and a terminal that is closed as a request: the loop ends its step and saves. It is acknowledged at once, by a
/// line on standard error; a second one ends the program without a word.

namespace argand {

class Interrupt {
 public:
  /// Catches SIGINT, SIGTERM and SIGHUP (unless it is ignored, as under nohup) until it is destroyed. `answer`: the line, which
  /// must live as long; it says what happens next. Null for none.
  explicit Interrupt(const char* answer);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// The signal that came, or 0.
  int signal() const;
  const char* name() const { return name(signal()); }
  int exit_code() const { return exit_code(signal()); }

  static const char* name(int signal);  ///< "SIGINT", "SIGTERM" or "SIGHUP"
  /// What a shell expects of a program ended by that signal: 128 + its number.
  static int exit_code(int signal) { return 128 + signal; }
};

/// The answer of a loop that ends its step and saves.
inline constexpr const char* saves_after_this_step =
    "stopping: finishing and saving this step; press Ctrl-C again to quit at once and lose the steps since the last checkpoint";

}  // namespace argand
