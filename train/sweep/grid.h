#pragma once
/// A grid of settings: the keys that take several values.

#include <string>
#include <string_view>
#include <vector>

#include "train/config/run_config.h"

namespace argand {

struct GridAxis {
  std::string key;
  std::vector<std::string> values;
  std::string place;  ///< where they stood, for messages
};

struct Grid {
  Settings common;             ///< what all configurations have alike
  std::vector<GridAxis> axes;  ///< in the order in which they were given; the seed is none
  std::vector<std::int64_t> seeds;
};

/// What a key of some family holds.
enum class KeyKind { Unknown, Whole, Fraction, Word, Text, List };
KeyKind kind_of_key(std::string_view key, TextTask task);

/// `given`: as a run takes them; where no value has a comma (numbers, words of a choice, true and false), several values may stand
/// there with commas between them. `grids`: several values of any key, with semicolons between them if there is one, else commas;
/// values that are lists need semicolons. The key `seed` gives the seeds, 0 ... `seeds` - 1 where it is not there, and where it
/// has one value, as many from that one on. Throws ConfigError for an empty value, a key that is given twice, and seeds that are
/// none or said twice.
Grid read_grid(const Settings& given, const Settings& grids, std::int64_t seeds, TextTask task);

}  // namespace argand
