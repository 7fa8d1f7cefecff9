#pragma once
/// Parses and validates the JSON header of a safetensors file.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/safetensors.h"

namespace argand::detail {

/// Bytes per element of this type; 0 for an unknown type.
std::size_t item_bytes(std::string_view dtype);

struct SafetensorsHeader {
  std::vector<StoredTensor> tensors;  ///< in the order of their data
  std::map<std::string, std::string> metadata;
};

/// `data_bytes` is the file's size after the header. The tensors cover these bytes exactly, without holes or overlaps. Throws Error
/// starting with "safetensors: `path`: ".
SafetensorsHeader parse_safetensors_header(std::string_view text, std::size_t data_bytes, const std::string& path);

/// The two metadata keys for the checksum. Each requires the other, so that a file in which one of the keys is damaged is not
/// mistaken for a file without a checksum.
inline constexpr const char *checksum_key = "checksum", *algorithm_key = "checksum_algorithm";

/// Where the checksum's digits start in the header's text; empty if it has no checksum, or if another program changed the layout.
std::optional<std::size_t> checksum_place(std::string_view header);

}  // namespace argand::detail
