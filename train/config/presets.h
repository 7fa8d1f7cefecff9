#pragma once
/// Preset sizes and recipes.

#include <string>

#include "nn/family.h"
#include "train/config/settings.h"

namespace argand {

/// Names of the task's presets joined by '|'. "small" trains in minutes on two cores, "paper" is the set-up of the family's paper,
/// "shakespeare" reads characters; families add others, some for every family.
std::string preset_choices(const std::string& task);

/// The family implied by a preset when none is named: the default one, or the one that owns the preset.
const Family& family_of_preset(const std::string& preset);

/// The settings of the preset. Throws ConfigError for a name that the task or this family does not have.
Settings preset_settings(const std::string& preset, const std::string& task, const Family& family);

}  // namespace argand
