#pragma once
/// Checksums: do these bytes still say what was written?
///
/// XXH3-128 of libxxhash. It is faster than memory is read (a CRC-32 of zlib takes ten times as long and lets one damaged file in
/// 2^32 pass), it is well kept and in Debian, and `xxhsum -H2 FILE` prints the same 32 digits. It guards against disks, cables and
/// slips, not against somebody who means harm: he would write the right checksum beside the wrong bytes.

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
  /// Of everything that was added, in pieces of any size.
  Checksum& add(std::string_view bytes);
  /// 32 hexadecimal digits, of what has been added so far.
  std::string hex() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

/// Of these bytes alone.
std::string checksum_of(std::string_view bytes);

}  // namespace argand
