#pragma once
/// How training shows itself: on a terminal one bar a model, redrawn in place; elsewhere a plain line every few steps.

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
  /// One row for each label. `plain_every`: steps between lines where there is no terminal.
  Progress(std::vector<std::string> labels, std::int64_t total_steps, std::int64_t plain_every, std::FILE* out = stdout);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// For losses that are not a mean over tokens.
  void hide_perplexity() { perplexity_ = false; }

  /// Shows losses in bits a byte, too, of the text that is trained on.
  void show_bits_per_byte(const BitsPerByte& in_bits) { in_bits_ = in_bits; }

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
  /// `fewer` of them, 0 to 3, for narrow terminals.
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
