#pragma once
/// Class weights for a classifier's loss.

#include <string>
#include <vector>

#include "data/labelled_texts.h"

namespace argand {

/// The weights specified by the key `class_weights`. Empty: no weights. `balanced`: N / (K n_c) for class c with n_c of the N
/// examples of K classes, so that all classes have the same total weight (a class without examples has weight 1). LABEL=WEIGHT,...:
/// positive numbers; labels not listed have weight 1. Throws ConfigError.
std::vector<double> class_weights(const std::string& text, const std::vector<std::string>& classes, const LabelledTexts& train);

}  // namespace argand
