#pragma once
/// Safetensors files without checksums, as older versions wrote them, for tests of damage that a checksum would detect first.

#include <cstdint>
#include <cstring>
#include <string>

namespace argand {

/// The same file without the two keys of its checksum, which must not be the last keys of its metadata.
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
