#pragma once
/// The class weights of a classifier's loss.

#include <string>
#include <vector>

#include "data/labelled_texts.h"

namespace argand {

/// The key `class_weights`: nothing, which gives no weights; `balanced`, N / (K n_c) for the n_c of N examples of K classes that
/// are of class c, so that every class weighs the same together (a class without examples weighs 1); or LABEL=WEIGHT,..., positive
/// numbers, 1 for labels that are not named. Throws ConfigError.
std::vector<double> class_weights(const std::string& text, const std::vector<std::string>& classes, const LabelledTexts& train);

}  // namespace argand
