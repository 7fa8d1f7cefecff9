#pragma once
/// Checksums that detect damaged files.
///
/// XXH3-128 of libxxhash. It runs faster than memory can be read (zlib's CRC-32 takes ten times as long and misses one damaged file
/// in 2^32), well maintained and packaged in Debian, and `xxhsum -H2 FILE` prints the same 32 digits. It detects faulty disks,
/// faulty cables and mistakes, but not attackers, who would write a matching checksum.

#include <memory>
#include <string>
#include <string_view>

struct XXH3_state_s;

namespace argand {

class Checksum {
 public:
  static constexpr std::string_view algorithm = "XXH3-128";
  static constexpr std::size_t digits = 32;

  Checksum();
  /// Adds bytes, in pieces of any size.
  Checksum& add(std::string_view bytes);
  /// The checksum of everything added so far, as 32 hexadecimal digits.
  std::string hex() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

/// The checksum of these bytes.
std::string checksum_of(std::string_view bytes);

}  // namespace argand
