#pragma once
/// The class weights of a classifier's loss.

#include <string>
#include <vector>

#include "data/labelled_texts.h"

namespace argand {

/// The weights that the key `class_weights` asks for. Empty: no weights. `balanced`: N / (K n_c) for class c with n_c of the N
/// examples of K classes, so that all classes have the same total weight (a class without examples weighs 1). LABEL=WEIGHT,...:
/// positive numbers, 1 for labels not named. Throws ConfigError.
std::vector<double> class_weights(const std::string& text, const std::vector<std::string>& classes, const LabelledTexts& train);

}  // namespace argand
