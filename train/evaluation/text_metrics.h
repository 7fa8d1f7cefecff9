#pragma once
/// The diversity of generated texts, and their likelihood under another model.

#include <span>
#include <vector>

#include "core/tensor.h"
#include "nn/model.h"

namespace argand {

/// Dist-n: distinct n-grams over all n-grams of the texts [B, N], in (0, 1]; 1 means no repetition. Throws Error for texts shorter
/// than n. Source: Li et al., A Diversity-Promoting Objective Function for Neural Conversation Models (NAACL 2016).
double distinct(const Ids& texts, std::int64_t n);

/// Rep-n: the mean over the texts of 1 - (distinct n-grams of the text)/(its n-grams); 0 means no repetition.
/// Source: Welleck et al., Neural Text Generation with Unlikelihood Training (ICLR 2020), seq-rep-n.
double repetition(const Ids& texts, std::int64_t n);

/// Mean negative log probability, in nats, that `judge` gives the tokens [from, N) of the texts [B, N], each given all preceding
/// ones within the judge's longest sequence L: windows of L tokens, half of which are context. from >= 1.
template <RealScalar R>
double negative_log_likelihood(Model<R>& judge, const Ids& texts, std::int64_t from, const ForwardContext& context = {});

}  // namespace argand
