#include "apps/terminal/interrupt.h"

#include <csignal>

namespace argand {
namespace {

volatile std::sig_atomic_t received = 0;
struct sigaction old_int, old_term;

extern "C" void remember(int signal) { received = signal; }

}  // namespace

Interrupt::Interrupt() {
  received = 0;
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);  // the second one has its usual effect
  sigaction(SIGINT, &action, &old_int);
  sigaction(SIGTERM, &action, &old_term);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &old_int, nullptr);
  sigaction(SIGTERM, &old_term, nullptr);
}

int Interrupt::signal() const { return received; }
const char* Interrupt::name() const { return received == SIGTERM ? "SIGTERM" : "SIGINT"; }

}  // namespace argand
