#include "core/machine/threads.h"

namespace argand::threads {
namespace {

// The requested number is stored so that programs read back what they set; all work is done by one thread regardless.
thread_local int asked_for = 1;
thread_local bool at_work = false;

}  // namespace

int limit() { return asked_for; }
void set_limit(int n) { asked_for = n; }
bool in_team() { return at_work; }
bool are_openmp() { return false; }

void team(int, Work work) {
  const bool before = at_work;
  at_work = true;
  work(0, 1);
  at_work = before;
}

void run_independently(int, Work work) { work(0, 1); }

}  // namespace argand::threads
