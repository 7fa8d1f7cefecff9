#pragma once
/// The letters of the book for those of the code.

#include <string>

namespace argand {

/// In the code and beside it the gradient of a quantity z is called dz; in print it is g_z, because dz is a step: "dz = 2 z dw"
/// becomes "g_z = 2 z g_w". Derivatives (dw/dθ) and words (does, do not) stay.
std::string gradient_letters(const std::string& text);

}  // namespace argand
