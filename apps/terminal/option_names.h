#pragma once
/// The fields of a configuration as command-line options. The library names a field `d_model`; only here does it become --d-model.

#include <exception>
#include <string>
#include <string_view>

#include "train/config/settings.h"

namespace argand {

/// Converts d_model to "--d-model".
std::string option_name(std::string_view field);

/// A library message in which `d_model` is written as --d-model.
std::string in_options(std::string text);
/// The same for an error; the field at the start of a ConfigError's text becomes an option, too.
std::string in_options(const std::exception& error);

/// Splits "d_model=64", as in --set. Throws an InputError that begins with `option` for anything else.
Setting key_and_value(std::string_view option, const std::string& text);

}  // namespace argand
