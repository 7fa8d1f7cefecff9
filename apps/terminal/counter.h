#pragma once
/// A progress count on one line, with the remaining time, if standard error is a terminal; otherwise it prints nothing.

#include <chrono>
#include <cstdint>
#include <string>

namespace argand {

class Counter {
 public:
  Counter(std::string label, std::int64_t total);
  ~Counter() { clear(); }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  /// Shows that `done` of the items are finished.
  void update(std::int64_t done);
  /// Shows that a fraction in [0, 1] of the work is done; `text` describes it.
  void show(double share, const std::string& text);
  /// Clears the line for other output; the next update shows the count again.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  std::int64_t total_;
  bool terminal_;
  Clock::time_point start_ = Clock::now(), last_draw_{};
};

}  // namespace argand
