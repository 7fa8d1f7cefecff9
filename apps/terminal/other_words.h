#pragma once
/// Option names of other programs: a user who types one is told argand's name for it.

#include <string>
#include <vector>

namespace argand {

/// "; it is called --lr here" for --learning-rate, if --lr is among the options `known`; "; argand computes on the CPU ..." for
/// --device; "" for unlisted words.
std::string hint_for(const std::string& option, const std::vector<std::string>& known);

}  // namespace argand
