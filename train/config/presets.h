#pragma once
/// Sizes and recipes to start from.

#include <string>

#include "nn/family.h"
#include "train/config/settings.h"

namespace argand {

/// Names of the task's presets joined by '|'. "small" trains in minutes on two cores, "paper" is the set-up of the family's
/// paper, "shakespeare" reads letters;
/// families add others, some for every family.
std::string preset_choices(const std::string& task);

/// Which family is meant by a preset where none is named: the default one, or the one whose preset it is.
const Family& family_of_preset(const std::string& preset);

/// The settings of the preset. Throws ConfigError for a name that is not one of the task's, or not for this family.
Settings preset_settings(const std::string& preset, const std::string& task, const Family& family);

}  // namespace argand
