#include "apps/terminal/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace argand {

Progress::Progress(std::vector<std::string> labels, std::int64_t total_steps, std::int64_t plain_every, std::FILE* out)
    : total_(total_steps), plain_every_(plain_every), out_(out), terminal_(is_terminal(out)), style_(style_for(out)) {
  std::size_t widest = 0;
  for (const std::string& label : labels) widest = std::max(widest, label.size());
  for (std::string& label : labels) {
    rows_.emplace_back();
    rows_.back().label = label + std::string(widest - label.size(), ' ');
  }
}

Progress::~Progress() { finish(); }

void Progress::update(std::size_t row_index, std::int64_t step, double loss, std::int64_t tokens, double seconds) {
  Row& row = rows_[row_index];
  const double speed = seconds > 0 ? static_cast<double>(tokens) / seconds : 0;
  // An average over about twenty steps: single batches are too noisy to show progress.
  const double keep = row.started ? 0.95 : 0;
  row.step = step;
  row.loss = keep * row.loss + (1 - keep) * loss;
  row.speed = keep * row.speed + (1 - keep) * speed;
  row.seconds = keep * row.seconds + (1 - keep) * seconds;
  row.started = true;
  row.validation.clear();
  if (terminal_) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_draw_ < std::chrono::milliseconds(100) && step < total_) return;
    last_draw_ = now;
    draw();
  } else if (step % plain_every_ == 0 || step == total_) {
    fmt::print(out_, "{}  {}/{}  {}\n", row.label, step, total_, figures(row));
    std::fflush(out_);
  }
}

void Progress::validating(std::size_t row_index, std::int64_t done, std::int64_t all) {
  const auto now = std::chrono::steady_clock::now();
  if (done <= 1) validation_start_ = last_line_ = now;
  const double seconds = std::chrono::duration<double>(now - validation_start_).count();
  // The first batch is not timed because it is done before the clock starts.
  const double left = done > 1 ? seconds / static_cast<double>(done - 1) * static_cast<double>(all - done) : 0;
  Row& row = rows_[row_index];
  row.validation = fmt::format("validation {}/{}{}", done, all, done > 1 ? fmt::format("  {} left", clock_time(left)) : "");
  if (terminal_) {
    if (now - last_draw_ < std::chrono::milliseconds(100)) return;
    last_draw_ = now;
    draw();
  } else if (now - last_line_ >= std::chrono::seconds(10)) {
    last_line_ = now;
    fmt::print(out_, "{}  {}/{}  {}\n", row.label, row.step, total_, row.validation);
    std::fflush(out_);
  }
}

void Progress::note(const std::string& text) {
  for (Row& row : rows_) row.validation.clear();
  if (terminal_) erase();
  fmt::print(out_, "{}\n", text);
  if (terminal_) draw();
  std::fflush(out_);
}

void Progress::finish() {
  if (finished_) return;
  finished_ = true;
  if (!terminal_ || !drawn_) return;
  draw();
  fmt::print(out_, "\n");
  std::fflush(out_);
}

std::string Progress::figures(const Row& row, int fewer) const {
  if (!row.validation.empty()) return row.validation;
  // The models take turns, so the remaining time is the sum over their steps.
  double left = 0;
  for (const Row& r : rows_) left += static_cast<double>(total_ - r.step) * r.seconds;
  const std::string perplexity = perplexity_ && fewer < 2 ? fmt::format("  ppl {:.1f}", std::exp(row.loss)) : "";
  const std::string bits = in_bits_.known() && fewer < 1 ? fmt::format("  {:.3f} bits/byte", in_bits_(row.loss)) : "";
  const std::string speed = fewer < 3 ? fmt::format("  {} tokens/s", with_unit(row.speed)) : "";
  return fmt::format("loss {:.3f}{}{}{}  {} left", row.loss, perplexity, bits, speed, clock_time(left));
}

std::string Progress::bar(const Row& row) const {
  const std::string count = fmt::format("{}/{}", row.step, total_);
  std::string text;
  int width = -1;
  for (int fewer = 0; fewer <= 3 && width < 0; ++fewer) {  // drop figures one by one, but keep the loss and the remaining time
    text = figures(row, fewer);
    width = std::min(terminal_width(out_) - static_cast<int>(row.label.size() + text.size() + count.size()) - 7, 40);
  }
  if (width < 0) {  // do not wrap: a wrapped line could not be erased
    const std::string line = fmt::format("{}  {}  {}", row.label, count, text);
    return line.substr(0, static_cast<std::size_t>(terminal_width(out_) - 1));
  }
  const auto full = static_cast<int>(width * row.step / std::max<std::int64_t>(1, total_));
  std::string done, rest;
  for (int i = 0; i < full; ++i) done += "━";
  for (int i = full; i < width; ++i) rest += "─";
  return fmt::format("{}  {}{}  {}  {}", row.label, style_.cyan(done), style_.dim(rest), count, text);
}

void Progress::draw() {
  erase();
  for (std::size_t i = 0; i < rows_.size(); ++i) fmt::print(out_, "{}{}", bar(rows_[i]), i + 1 < rows_.size() ? "\n" : "");
  drawn_ = true;
  std::fflush(out_);
}

void Progress::erase() {
  if (!drawn_) return;
  // Moves back to the start of the first row and clears to the end of the screen.
  if (rows_.size() > 1) fmt::print(out_, "\x1b[{}A", rows_.size() - 1);
  fmt::print(out_, "\r\x1b[J");
  drawn_ = false;
}

}  // namespace argand
