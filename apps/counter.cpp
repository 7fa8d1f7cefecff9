#include "apps/counter.h"

#include <fmt/core.h>

#include "apps/terminal.h"

namespace argand {

Counter::Counter(std::string label, std::int64_t total) : label_(std::move(label)), total_(total), terminal_(is_terminal(stderr)) {}

Counter::~Counter() {
  if (terminal_) fmt::print(stderr, "\r\x1b[K");
}

void Counter::update(std::int64_t done) {
  const auto now = Clock::now();
  if (!terminal_ || done <= 0 || now - last_draw_ < std::chrono::milliseconds(100)) return;
  last_draw_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  fmt::print(stderr, "\r\x1b[K{} {} of {}, {} left", label_, done, total_,
             clock_time(seconds / static_cast<double>(done) * static_cast<double>(total_ - done)));
  std::fflush(stderr);
}

}  // namespace argand
