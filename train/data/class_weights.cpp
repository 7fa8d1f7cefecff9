#include "train/data/class_weights.h"

#include <algorithm>

#include "core/text/keys.h"
#include "data/files/utf8.h"
#include "train/config/settings.h"

namespace argand {
namespace {

std::vector<double> balanced(std::size_t classes, const LabelledTexts& train) {
  std::vector<double> counts(classes);
  for (std::int64_t i = 0; i < train.size(); ++i) ++counts[static_cast<std::size_t>(train.label(i))];
  std::vector<double> weights(classes, 1);
  const double each = static_cast<double>(train.size()) / static_cast<double>(classes);
  for (std::size_t c = 0; c < classes; ++c)
    if (counts[c] > 0) weights[c] = each / counts[c];
  return weights;
}

}  // namespace

std::vector<double> class_weights(const std::string& text, const std::vector<std::string>& classes, const LabelledTexts& train) {
  if (text.empty()) return {};
  if (text == "balanced") return balanced(classes.size(), train);
  std::vector<double> weights(classes.size(), 1);
  std::vector<bool> given(classes.size());
  std::string_view rest = text;
  while (!rest.empty()) {
    // Labels may contain commas and equals signs, so the longest match is used.
    std::size_t best = classes.size();
    for (std::size_t c = 0; c < classes.size(); ++c)
      if (rest.starts_with(classes[c] + "=") && (best == classes.size() || classes[c].size() > classes[best].size())) best = c;
    if (best == classes.size()) {
      const std::string word(rest.substr(0, rest.find_first_of(",=")));
      if (rest.find('=') == rest.npos)
        config_fail("class_weights", "{} is neither `balanced` nor LABEL=WEIGHT,...", in_quotes(rest));
      config_fail("class_weights", "unknown label {}{}", in_quotes(word), did_you_mean(word, classes));
    }
    rest.remove_prefix(classes[best].size() + 1);
    const std::string number(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(rest.size(), number.size() + 1));
    if (given[best]) config_fail("class_weights", "{} is given twice", in_quotes(classes[best]));
    given[best] = true;
    assign({"class_weights", number, {}}, "", weights[best]);
    if (!(weights[best] > 0)) config_fail("class_weights", "{} must be above 0, got {}", in_quotes(classes[best]), number);
  }
  return weights;
}

}  // namespace argand
