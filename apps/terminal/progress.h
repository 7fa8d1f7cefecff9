#pragma once
/// How training shows itself: on a terminal one bar a model, redrawn in place; elsewhere a plain line every few steps.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "apps/terminal/terminal.h"

namespace argand {

class Progress {
 public:
  /// One row for each label. `plain_every`: steps between lines where there is no terminal.
  Progress(std::vector<std::string> labels, std::int64_t total_steps, std::int64_t plain_every, std::FILE* out = stdout);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// For losses that are no mean over tokens.
  void hide_perplexity() { perplexity_ = false; }

  /// Shows losses in bits a byte, too. `bytes_per_token`: of the text that is trained on.
  void show_bits_per_byte(double bytes_per_token) { bytes_per_token_ = bytes_per_token; }

  /// `step` steps are done; tokens: of this one step; loss: nats a token (or an article).
  void update(std::size_t row, std::int64_t step, double loss, std::int64_t tokens, double seconds);
  /// `done` of `all` batches of a validation of that row are judged; the bar comes back with the next update or note.
  void validating(std::size_t row, std::int64_t done, std::int64_t all);
  /// A line that stays, above the bars.
  void note(const std::string& text);
  /// The bars stay as they are; what follows is printed below them.
  void finish();

  /// Tokens a second of the row's recent steps.
  double tokens_per_second(std::size_t row) const { return rows_[row].speed; }

 private:
  struct Row {
    std::string label;
    std::int64_t step = 0;
    double loss = 0;     ///< smoothed
    double speed = 0;    ///< tokens a second, smoothed
    double seconds = 0;  ///< of a step, smoothed
    bool started = false;
    std::string validation;  ///< how far one is; empty between them
  };
  std::string figures(const Row& row) const;
  std::string bar(const Row& row) const;
  void draw();
  void erase();

  std::vector<Row> rows_;
  std::int64_t total_, plain_every_;
  std::FILE* out_;
  bool terminal_, perplexity_ = true;
  double bytes_per_token_ = 0;  ///< 0: not shown
  Style style_;
  bool drawn_ = false, finished_ = false;
  std::chrono::steady_clock::time_point last_draw_{}, validation_start_{}, last_line_{};
};

}  // namespace argand
