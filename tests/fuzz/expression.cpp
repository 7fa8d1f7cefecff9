/// Fuzzes expressions: one that parses either evaluates or throws Error, and its equation is one line of text with the same
/// meaning.

#include <algorithm>
#include <cstring>

#include "autograd/tape.h"
#include "lab/expression/expression_point.h"
#include "tests/fuzz/fuzz.h"

using namespace argand;
using C = std::complex<double>;

namespace {

/// The bytes of the value of f at a fixed point, or nothing if it cannot be computed.
std::string value_of(const Expression& f) {
  std::string bytes;
  accepts([&] {
    std::vector<AnyVar> arguments;
    for (std::size_t i = 0; i < f.variables().size(); ++i)
      arguments.push_back(variable(Tensor<C>({1}, {C(0.7, -0.3 * double(i + 1))})));
    const AnyVar w = f(arguments);
    std::visit([&](const auto& v) { bytes.assign(reinterpret_cast<const char*>(v.value().data()), v.value().span().size_bytes()); },
               w);
  });
  Tape::current().clear();
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 2000) return 0;  // longer expressions only take more time
  const std::string text(text_of(data, size));
  accepts([&] {
    const Expression f(text);
    const std::string equation = f.equation();
    expect(std::none_of(equation.begin(), equation.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }),
           "the equation has no control characters");
    expect(value_of(f) == value_of(Expression(equation)), "the equation has the same value");
    accepts([&] { point_of(f, text); });
  });
  return 0;
}
