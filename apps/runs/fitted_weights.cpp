#include "apps/runs/fitted_weights.h"

#include <algorithm>

#include "apps/terminal/terminal.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

/// The names in short form: "a, b, c and 4 more".
std::string names_summary(const std::vector<std::string>& names) {
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) text += (i == 0 ? "" : ", ") + on_one_line(names[i]);
  return names.size() > most ? fmt::format("{} and {} more", text, names.size() - most) : text;
}

}  // namespace

std::vector<std::string> lines_of(const FittedWeights& w) {
  std::vector<std::string> lines = {fmt::format("starts from {}: {} of {} tensors, {} of {} parameters", w.path, w.tensors,
                                                w.all_tensors, with_unit(static_cast<double>(w.numbers)),
                                                with_unit(static_cast<double>(w.all_numbers)))};
  if (w.words_in_common)
    lines.push_back(fmt::format("  {}: {} of {} are in its vocabulary and keep their rows; the others are newly initialized",
                                w.called, *w.words_in_common, w.words));
  if (w.same_pieces)
    lines.push_back(
        fmt::format("  the text is tokenized with its {} pieces; use --tokens bpe or unigram to learn others", w.words));
  if (!w.own.empty()) lines.push_back("  the output layer is newly initialized: " + names_summary(w.own));
  if (!w.missing.empty()) lines.push_back("  not in the file, so newly initialized: " + names_summary(w.missing));
  if (!w.extra.empty()) lines.push_back("  in the file, but not in this model: " + names_summary(w.extra));
  return lines;
}

}  // namespace argand
