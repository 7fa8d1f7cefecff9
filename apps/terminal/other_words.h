#pragma once
/// Names that options and commands have in other programs: a user who types one is told argand's name for it.

#include <string>
#include <vector>

namespace argand {

/// "; it is called --lr here" for --learning-rate, if --lr is among the options `known`; "; argand computes on the CPU ..." for
/// --device; "" for unlisted words.
std::string hint_for(const std::string& option, const std::vector<std::string>& known);

/// "; did you mean lab?" for grad, which users try although it resembles no command; otherwise did_you_mean().
std::string hint_for_command(const std::string& word, const std::vector<std::string>& commands);

}  // namespace argand
