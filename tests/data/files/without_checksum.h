#pragma once
/// Safetensors files without checksums, as older versions wrote them, to test damage that a checksum would catch first.

#include <cstdint>
#include <cstring>
#include <string>

namespace argand {

/// Removes the two checksum keys from the bytes of a file; they must not be the last keys of the metadata.
inline std::string without_checksum(std::string bytes) {
  for (const std::string start : {"\"checksum\":\"", "\"checksum_algorithm\":\""}) {
    const std::size_t at = bytes.find(start), end = bytes.find("\",", at + start.size()) + 2;
    bytes.erase(at, end - at);
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    length -= end - at;
    std::memcpy(bytes.data(), &length, sizeof length);
  }
  return bytes;
}

}  // namespace argand
