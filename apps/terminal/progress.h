#pragma once
/// Shows training progress: on a terminal one bar per model, redrawn in place; elsewhere a plain line every few steps.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "apps/terminal/terminal.h"
#include "train/config/bits_per_byte.h"

namespace argand {

class Progress {
 public:
  /// Shows one row per label. `plain_every`: the number of steps between lines when the output is not a terminal.
  Progress(std::vector<std::string> labels, std::int64_t total_steps, std::int64_t plain_every, std::FILE* out = stdout);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Hides the perplexity, which has no meaning for losses that are not means over tokens.
  void hide_perplexity() { perplexity_ = false; }

  /// Also shows losses in bits per byte of the training text.
  void show_bits_per_byte(const BitsPerByte& in_bits) { in_bits_ = in_bits; }

  /// Reports that `step` steps have been taken; `tokens`: in this step only; `loss`: nats per token (or per article).
  void update(std::size_t row, std::int64_t step, double loss, std::int64_t tokens, double seconds);
  /// Reports that `done` of `all` validation batches of the row have been evaluated; the next update or note shows the bar again.
  void validating(std::size_t row, std::int64_t done, std::int64_t all);
  /// Prints a permanent line above the bars.
  void note(const std::string& text);
  /// Leaves the bars on the screen; later output goes below them.
  void finish();

  /// Tokens per second over the row's recent steps.
  double tokens_per_second(std::size_t row) const { return rows_[row].speed; }

 private:
  struct Row {
    std::string label;
    std::int64_t step = 0;
    double loss = 0;     ///< smoothed
    double speed = 0;    ///< tokens per second, smoothed
    double seconds = 0;  ///< per step, smoothed
    bool started = false;
    std::string validation;  ///< progress of the validation; empty when none is running
  };
  /// The line with 0 to 3 of its figures left out, for narrow terminals.
  std::string figures(const Row& row, int fewer = 0) const;
  std::string bar(const Row& row) const;
  void draw();
  void erase();

  std::vector<Row> rows_;
  std::int64_t total_, plain_every_;
  std::FILE* out_;
  bool terminal_, perplexity_ = true;
  BitsPerByte in_bits_{};
  Style style_;
  bool drawn_ = false, finished_ = false;
  std::chrono::steady_clock::time_point last_draw_{}, validation_start_{}, last_line_{};
};

}  // namespace argand
