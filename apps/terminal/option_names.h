#pragma once
/// The fields of a configuration as options of a command line. The library names a field `d_model`; here, and only here, that
/// becomes --d-model.

#include <exception>
#include <string>
#include <string_view>

#include "train/config/settings.h"

namespace argand {

/// "--d-model" for d_model.
std::string option_name(std::string_view field);

/// A text of the library with `d_model` written --d-model.
std::string in_options(std::string text);
/// The same of an error; the field that a ConfigError begins with is an option, too.
std::string in_options(const std::exception& error);

/// "d_model=64" as an option such as --set has it. Throws InputError, `option` first, for anything else.
Setting key_and_value(std::string_view option, const std::string& text);

}  // namespace argand
