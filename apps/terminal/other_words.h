#pragma once
/// Options as other programs call them: a user who types one is told this program's word.

#include <string>
#include <vector>

namespace argand {

/// "; it is called --lr here" for --learning-rate, where --lr is among the options `known`; "; argand computes on the CPU ..." for
/// --device; nothing for a word that is in no list.
std::string hint_for(const std::string& option, const std::vector<std::string>& known);

}  // namespace argand
