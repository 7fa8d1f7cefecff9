#pragma once
#include <atomic>
#include <optional>

#include "core/random.h"

namespace argand {

/// With a seed, the stream depends on nothing else. Without one, each call gets a new stream; every run uses the same sequence of
/// streams.
inline Random random_of(std::optional<std::int64_t> seed) {
  static std::atomic<std::uint64_t> calls{0};
  return seed ? Random(static_cast<std::uint64_t>(*seed)) : Random(0, ++calls);
}

}  // namespace argand
