#include "train/evaluation/classification.h"

#include <algorithm>
#include <cmath>

#include "autograd/tape.h"

namespace argand {

template <RealScalar R>
std::vector<Guess> guesses(Model<R>& model, std::vector<Vocabulary::Id> words, const std::vector<std::string>& classes,
                           const ForwardContext& context) {
  const NoGrad none;
  words.resize(std::min(words.size(), static_cast<std::size_t>(model.config().max_seq_len)));
  const Shape shape{1, static_cast<std::int64_t>(words.size())};
  const Tensor<R> logits = model.logits(Ids(shape, std::move(words)), context).value();
  const auto largest = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  double total = 0;
  std::vector<Guess> all;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    all.push_back({classes[i], std::exp(static_cast<double>(logits.data()[i]) - largest)});
    total += all.back().probability;
  }
  for (Guess& guess : all) guess.probability /= total;
  std::stable_sort(all.begin(), all.end(), [](const Guess& a, const Guess& b) { return a.probability > b.probability; });
  return all;
}

#define ARGAND_GUESSES(R)                                                                                      \
  template std::vector<Guess> guesses(Model<R>&, std::vector<Vocabulary::Id>, const std::vector<std::string>&, \
                                      const ForwardContext&);
ARGAND_FOR_REAL(ARGAND_GUESSES)

}  // namespace argand
