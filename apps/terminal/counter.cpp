#include "apps/terminal/counter.h"

#include <fmt/core.h>

#include "apps/terminal/terminal.h"

namespace argand {

Counter::Counter(std::string label, std::int64_t total) : label_(std::move(label)), total_(total), terminal_(is_terminal(stderr)) {}

void Counter::clear() {
  if (!terminal_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

void Counter::update(std::int64_t done) {
  if (terminal_) show(static_cast<double>(done) / static_cast<double>(total_), fmt::format("{} {} of {}", label_, done, total_));
}

void Counter::show(double share, const std::string& text) {
  const auto now = Clock::now();
  if (!terminal_ || now - last_draw_ < std::chrono::milliseconds(100)) return;
  last_draw_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string left = share > 0 ? ", " + clock_time(seconds / share * (1 - share)) + " left" : "";
  fmt::print(stderr, "\r\x1b[K{}{}", text, left);
  std::fflush(stderr);
}

}  // namespace argand
