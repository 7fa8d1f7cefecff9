#pragma once
/// How varied a generated text is, and how likely another model finds it.

#include <span>
#include <vector>

#include "core/tensor.h"
#include "nn/model.h"

namespace argand {

/// Dist-n: different n-grams over all n-grams of the texts [B, N], in (0, 1]; 1 repeats nothing.
/// Source: Li et al., A Diversity-Promoting Objective Function for Neural Conversation Models (NAACL 2016).
/// Throws Error for texts shorter than n.
double distinct(const Ids& texts, std::int64_t n);

/// Rep-n: the mean over the texts of 1 - (different n-grams of the text)/(its n-grams); 0 repeats nothing.
/// Source: Welleck et al., Neural Text Generation with Unlikelihood Training (ICLR 2020), seq-rep-n.
double repetition(const Ids& texts, std::int64_t n);

/// Mean negative log probability, in nats, that `judge` gives the tokens [from, N) of the texts [B, N], each after all that
/// precedes it, as far as the judge's longest sequence L reaches: windows of L tokens half of which are context. from >= 1.
template <RealScalar R>
double negative_log_likelihood(Model<R>& judge, const Ids& texts, std::int64_t from, const ForwardContext& context = {});

}  // namespace argand
