#pragma once
/// Error messages that name the function called, not one that it is composed of.

#include <string_view>

#include "core/shape.h"

namespace argand {

/// Throws `op: axis 2 is out of range for [2, 3]`.
inline void require_axis(std::string_view op, const Shape& shape, int axis) {
  require(-shape.rank() <= axis && axis < shape.rank(), op, "axis {} is out of range for {}", axis, shape);
}

/// Returns f(). An error that f throws is rethrown with the prefix `op: ` instead of its original one.
template <class F>
decltype(auto) in_own_name(std::string_view op, const F& f) {
  try {
    return f();
  } catch (const Error& error) {
    const std::string_view text = error.what();
    fail(op, "{}", text.substr(text.find(": ") + 2));
  }
}

}  // namespace argand
