#pragma once

#include <string>

namespace argand {

/// Standard input to its end, as a text file of the user's is read (clean_text).
std::string text_on_standard_input();

}  // namespace argand
