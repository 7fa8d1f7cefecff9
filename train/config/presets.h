#pragma once
/// Preset sizes and recipes.

#include <string>

#include "nn/family.h"
#include "train/config/settings.h"

namespace argand {

/// Names of the task's presets, joined by '|'. "small" trains in minutes on two cores, "paper" is the set-up in the family's paper,
/// and "shakespeare" trains on characters. Families can add presets for themselves or for all families.
std::string preset_choices(const std::string& task);

/// The family to use with a preset if no family is specified: the family that owns the preset, or the default one.
const Family& family_of_preset(const std::string& preset);

/// The settings of the preset. Throws ConfigError if the task or the family has no preset of this name.
Settings preset_settings(const std::string& preset, const std::string& task, const Family& family);

}  // namespace argand
