#pragma once
/// The JSON header of a safetensors file: parsing with every check, nothing assumed.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "data/safetensors.h"

namespace argand::detail {

/// Bytes of one number of that type; 0 for a word the format does not know.
std::size_t item_bytes(std::string_view dtype);

struct SafetensorsHeader {
  std::vector<StoredTensor> tensors;  ///< in the order of their bytes
  std::map<std::string, std::string> metadata;
};

/// `data_bytes`: what follows the header in the file. The tensors found cover exactly that, without holes or overlaps.
/// Throws Error starting with "safetensors: `path`: ".
SafetensorsHeader parse_safetensors_header(std::string_view text, std::size_t data_bytes, const std::string& path);

}  // namespace argand::detail
