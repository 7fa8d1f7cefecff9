#pragma once
/// The JSON header of a safetensors file: parsing with every check, nothing assumed.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/safetensors.h"

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

/// The two keys of the metadata that say what the file's bytes should be. Each asks for the other, so that a file in which one of
/// the names is damaged is not taken for one that never had a checksum.
inline constexpr const char *checksum_key = "checksum", *algorithm_key = "checksum_algorithm";

/// Where in the header's text the digits of the checksum stand; nothing when it has none, or another program laid it out
/// differently.
std::optional<std::size_t> checksum_place(std::string_view header);

}  // namespace argand::detail
