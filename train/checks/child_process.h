#pragma once
/// A child process that exchanges lines with this program.

#include <sys/types.h>

#include <string>

namespace argand {

class ChildProcess {
 public:
  /// Starts the shell command; it inherits our standard error. Errors begin with `op`; `patience`: how many seconds to wait for an
  /// answer.
  ChildProcess(std::string op, const std::string& command, double patience);
  /// Closes its standard input, waits briefly for it to exit, and ends whatever remains of it and of its children. A signal that
  /// ends this program does the same.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Sends a line and returns the next one, both without line ends. Throws Error when the program has ended or does not answer in
  /// time, and for a line of more than 64 MB.
  std::string ask(const std::string& line);

 private:
  void send(const std::string& text);
  /// Returns false when no time is left.
  bool wait_for(int file, short event, double until) const;
  [[noreturn]] void fail_after_exit();
  /// Ends the program and all its children; returns its status.
  int kill_group();

  std::string op_, command_;  // the command in quotation marks, for errors
  double patience_;
  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
  std::string received_;  // not yet returned
};

}  // namespace argand
