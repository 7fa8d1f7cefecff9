#pragma once
/// A child process that exchanges lines with this program.

#include <sys/types.h>

#include <string>

namespace argand {

class ChildProcess {
 public:
  /// Starts the shell command, which inherits this program's standard error. Error messages begin with `op`; `patience` is the
  /// number of seconds to wait for an answer.
  ChildProcess(std::string op, const std::string& command, double patience);
  /// Closes the child's standard input, waits briefly for it to exit, and kills whatever remains of it and its children. A signal
  /// that ends this program also kills them.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Sends a line and returns the line received in reply, without line breaks. Throws Error if the program has ended or does not
  /// answer in time, or for a line of more than 64 MB.
  std::string ask(const std::string& line);

 private:
  void send(const std::string& text);
  /// Returns false if the time is up.
  bool wait_for(int file, short event, double until) const;
  [[noreturn]] void fail_after_exit();
  /// Kills the program and all its children, and returns its exit status.
  int kill_group();

  std::string op_, command_;  // op_: prefix of errors; command_: the command in quotation marks
  double patience_;
  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
  std::string received_;  // received but not yet returned
};

}  // namespace argand
