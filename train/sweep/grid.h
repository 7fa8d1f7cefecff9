#pragma once
/// A grid of settings, spanned by the keys that take several values.

#include <string>
#include <string_view>
#include <vector>

#include "train/config/run_config.h"

namespace argand {

struct GridAxis {
  std::string key;
  std::vector<std::string> values;
  std::string place;  ///< where the values were set, for messages
};

struct Grid {
  Settings common;             ///< settings common to all configurations
  std::vector<GridAxis> axes;  ///< in the order given; the seed is not an axis
  std::vector<std::int64_t> seeds;
};

/// The type of a family's key.
enum class KeyKind { Unknown, Whole, Fraction, Word, Text, List };
KeyKind kind_of_key(std::string_view key, TextTask task);

/// `given`: settings as for a run; keys whose values never contain commas (numbers, one of several words, true and false) may list
/// several values separated by commas. `grids`: several values for any key, separated by semicolons if there are any, otherwise by
/// commas; list values need semicolons. The key `seed` lists the seeds; if missing, they are 0 ... `seeds` - 1; if a single value,
/// `seeds` consecutive values from there. Throws ConfigError for an empty value, a repeated key, and invalid or repeated seeds.
Grid read_grid(const Settings& given, const Settings& grids, std::int64_t seeds, TextTask task);

}  // namespace argand
