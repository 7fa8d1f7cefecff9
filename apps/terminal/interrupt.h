#pragma once
/// Treats Ctrl-C, `kill` and a closed terminal as a request: the loop finishes its step and saves. A line on standard error
/// acknowledges the request at once; a second signal ends the program immediately.

namespace argand {

class Interrupt {
 public:
  /// Catches SIGINT, SIGTERM and SIGHUP (unless ignored, as under nohup) while this object exists. `answer`: the line to print,
  /// which must live as long as this object; null for none.
  explicit Interrupt(const char* answer);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// The signal received, or 0 if there was none.
  int signal() const;
  const char* name() const { return name(signal()); }
  int exit_code() const { return exit_code(signal()); }

  static const char* name(int signal);  ///< "SIGINT", "SIGTERM" or "SIGHUP"
  /// The exit code that shells expect of a program ended by that signal: 128 + its number.
  static int exit_code(int signal) { return 128 + signal; }
};

/// The answer for a loop that finishes its step and saves.
inline constexpr const char* saves_after_this_step =
    "stopping: finishing and saving this step; press Ctrl-C again to quit at once and lose the steps since the last checkpoint";

}  // namespace argand
