#pragma once
/// A foreign program that reads and answers in lines.

#include <sys/types.h>

#include <string>

namespace argand {

class ChildProcess {
 public:
  /// Starts the shell command. Its standard error stays ours. Errors begin with `op`; `patience`: seconds to wait for an answer.
  ChildProcess(std::string op, const std::string& command, double patience);
  /// Closes its standard input, gives it a moment to end by itself, and ends what then still runs of it and of what it started. So
  /// does a signal that ends us.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Sends a line, returns the next one, both without the line's end. Throws Error when the program has ended or does not answer in
  /// time, and for a line of more than 64 MB.
  std::string ask(const std::string& line);

 private:
  void send(const std::string& text);
  /// False where no time is left.
  bool wait_for(int file, short event, double until) const;
  [[noreturn]] void fail_for_its_end();
  /// Ends the program and all that it started; returns its status.
  int end_group();

  std::string op_, command_;  // the command in quotation marks, for errors
  double patience_;
  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
  std::string received_;  // not yet handed out
};

}  // namespace argand
