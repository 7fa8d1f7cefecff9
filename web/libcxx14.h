#pragma once
/// Included before everything else when Emscripten compiles: a function of C++20 that its libc++ 14 lacks.

namespace std {

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

}  // namespace std
