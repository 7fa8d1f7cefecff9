#pragma once
/// The diversity of generated texts, and their likelihood under another model.

#include <span>
#include <vector>

#include "core/tensor.h"
#include "nn/model.h"

namespace argand {

/// Dist-n: distinct n-grams divided by all n-grams in the texts [B, N], in (0, 1]; 1 means no repetition. Throws Error for texts
/// shorter than n. Source: Li et al., A Diversity-Promoting Objective Function for Neural Conversation Models (NAACL 2016).
double distinct(const Ids& texts, std::int64_t n);

/// Rep-n: 1 - (distinct n-grams)/(all n-grams) of each text, averaged over the texts; 0 means no repetition.
/// Source: Welleck et al., Neural Text Generation with Unlikelihood Training (ICLR 2020), seq-rep-n.
double repetition(const Ids& texts, std::int64_t n);

/// Mean negative log probability, in nats, that `judge` assigns to tokens [from, N) of the texts [B, N], in windows of L tokens,
/// the judge's maximum sequence length; in later windows, half the tokens are context. Requires from >= 1.
template <RealScalar R>
double negative_log_likelihood(Model<R>& judge, const Ids& texts, std::int64_t from, const ForwardContext& context = {});

}  // namespace argand
