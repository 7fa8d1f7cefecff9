#include "apps/terminal/interrupt.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "apps/terminal/terminal.h"

namespace argand {
namespace {

volatile std::sig_atomic_t received = 0;
const char* answer_text = "";
bool begins_a_line = false;  ///< whether a progress bar or ^C occupies the terminal's line
struct sigaction old_int, old_term, old_hup;

/// Does only what a signal handler may do: write(2) a prepared text. A failed write is ignored.
void write_stderr(const char* text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

extern "C" void handle_signal(int signal) {
  const int before = errno;
  received = signal;
  if (answer_text == nullptr) return;
  write_stderr(begins_a_line ? "\nargand: " : "argand: ");
  write_stderr(answer_text);
  write_stderr("\n");
  errno = before;
}

}  // namespace

Interrupt::Interrupt(const char* answer) {
  received = 0;
  answer_text = answer;
  begins_a_line = is_terminal(stderr);
  struct sigaction action {};
  action.sa_handler = handle_signal;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);  // a second signal has its default effect
  sigaction(SIGINT, &action, &old_int);
  sigaction(SIGTERM, &action, &old_term);
  sigaction(SIGHUP, nullptr, &old_hup);
  if (old_hup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // under nohup, SIGHUP remains ignored
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &old_int, nullptr);
  sigaction(SIGTERM, &old_term, nullptr);
  sigaction(SIGHUP, &old_hup, nullptr);
}

int Interrupt::signal() const { return received; }
const char* Interrupt::name(int signal) { return signal == SIGTERM ? "SIGTERM" : signal == SIGHUP ? "SIGHUP" : "SIGINT"; }

}  // namespace argand
