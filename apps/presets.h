#pragma once
/// Sizes and recipes to start from.

#include <string>

#include "apps/settings.h"

namespace argand {

/// Names of the task's presets joined by '|'. "small" trains in minutes on two cores, "paper" is the set-up of the family's paper,
/// "qic-paper" that of the QIC paper's comparison on AG News, for every family.
std::string preset_choices(const std::string& task);

/// What the preset sets. Throws UsageError for a name that is not one of the task's.
Settings preset_settings(const std::string& preset, const std::string& task, const std::string& family);

}  // namespace argand
