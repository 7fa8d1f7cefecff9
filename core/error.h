#pragma once
/// The library's exception type; InputError below is its only subclass. The message names the operation first, then the rule, then
/// what was given: `matmul: inner dimensions do not match: [2, 3] and [4, 5]`.

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace argand {

class [[gnu::visibility("default")]] Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user typed something wrong: an expression, a name, an option. Programs report it with the exit code for usage errors.
class [[gnu::visibility("default")]] InputError : public Error {
 public:
  using Error::Error;
};

/// Throws Error("op: message").
template <class... Args>
[[noreturn]] void fail(std::string_view op, fmt::format_string<Args...> message, Args&&... args) {
  throw Error(fmt::format("{}: {}", op, fmt::format(message, std::forward<Args>(args)...)));
}

/// Throws InputError("place: message"); `place` is the user's name for the invalid input: "expression", "at".
template <class... Args>
[[noreturn]] void input_fail(std::string_view place, fmt::format_string<Args...> message, Args&&... args) {
  throw InputError(fmt::format("{}: {}", place, fmt::format(message, std::forward<Args>(args)...)));
}

/// Throws unless `rule` holds; formats the arguments only if it throws.
template <class... Args>
void require(bool rule, std::string_view op, fmt::format_string<Args...> message, Args&&... args) {
  if (!rule) [[unlikely]]
    fail(op, message, std::forward<Args>(args)...);
}

}  // namespace argand
