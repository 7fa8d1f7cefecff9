#pragma once

#include <string>

namespace argand {

/// Reads standard input to its end, cleaned like a text file from the user (clean_text).
std::string text_on_standard_input();

}  // namespace argand
