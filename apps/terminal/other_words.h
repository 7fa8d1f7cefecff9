#pragma once
/// Hints for options and commands of other programs: the name that argand uses for the same thing.

#include <string>
#include <vector>

namespace argand {

/// "; it is called --lr here" for --learning-rate, if --lr is among the `known` options; "; argand runs on the CPU ..." for
/// --device; "" for unlisted words.
std::string hint_for(const std::string& option, const std::vector<std::string>& known);

/// "; did you mean lab?" for grad, which users try although no command resembles it; otherwise did_you_mean().
std::string hint_for_command(const std::string& word, const std::vector<std::string>& commands);

}  // namespace argand
