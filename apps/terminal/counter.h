#pragma once
/// A progress count on one line, with the time left, if standard error is a terminal; otherwise nothing.

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

  /// `done` items of the total are finished.
  void update(std::int64_t done);
  /// A fraction in [0, 1] of the work is done; `text` describes it.
  void show(double share, const std::string& text);
  /// Clears the line for other output; the count comes back with the next update.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  std::int64_t total_;
  bool terminal_;
  Clock::time_point start_ = Clock::now(), last_draw_{};
};

}  // namespace argand
