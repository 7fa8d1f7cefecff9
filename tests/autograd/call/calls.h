#pragma once
/// Inputs for the tests that call functions by name.

#include <string>
#include <utility>
#include <vector>

#include "autograd/call/op_function.h"
#include "core/random.h"

namespace argand::calls {

using Named = std::vector<std::pair<std::string, Argument>>;

/// A variable with random elements, which differ for every shape and stream.
template <Scalar T>
Var<T> leaf(const Shape& shape, std::uint64_t stream = 0) {
  return variable(randn<T>(shape, Random(39, stream)));
}
template <Scalar T>
Argument tensor(const Shape& shape, std::uint64_t stream = 0) {
  return DynamicVar(leaf<T>(shape, stream));
}

inline CallResult by_name(std::string_view name, const std::vector<Argument>& arguments, const Named& named = {}) {
  const OpFunction* f = OpFunction::find(name);
  require(f != nullptr, "by_name", "no function {}", name);
  return f->call(arguments, named);
}

}  // namespace argand::calls
