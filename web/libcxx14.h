#pragma once
/// Included before everything else when Emscripten compiles: defines a C++20 function that its libc++ 14 lacks.

namespace std {

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

}  // namespace std
