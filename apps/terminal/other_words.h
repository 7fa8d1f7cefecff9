#pragma once
/// Options under the names other programs use: a user who types one is told this program's name.

#include <string>
#include <vector>

namespace argand {

/// "; it is called --lr here" for --learning-rate, if --lr is among the options `known`; "; argand computes on the CPU ..." for
/// --device; "" for unlisted words.
std::string hint_for(const std::string& option, const std::vector<std::string>& known);

}  // namespace argand
