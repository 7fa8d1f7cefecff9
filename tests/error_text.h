#pragma once
/// Lets tests compare whole error texts: BOOST_TEST(error_of([&] { matmul(a, b); }) == "matmul: ...").

#include <string>

#include "core/error.h"

namespace argand {

/// The text of the Error that f throws, or "" if it throws none.
template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace argand
