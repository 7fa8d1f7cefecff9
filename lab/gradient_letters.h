#pragma once
/// Translates the code's names of gradients into the book's.

#include <string>

namespace argand {

/// In the code the gradient of a quantity z is called dz; in print it is g_z, because dz is a step: "dz = 2 z dw" becomes "g_z = 2
/// z g_w". Derivatives (dw/dθ) and words (does, do not) stay unchanged.
std::string gradient_letters(const std::string& text);

}  // namespace argand
