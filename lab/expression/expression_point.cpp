#include "lab/expression/expression_point.h"

#include "autograd/ops/products/projection.h"
#include "core/text/text_layout.h"

namespace argand {

std::vector<std::complex<double>> point_of(const Expression& f, const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (parts.size() != f.variables().size())
    input_fail("at", "\"{}\" has {}, but {} has {}; write, for example, {}", text, counted(std::ssize(parts), "number"), f.name(),
               counted(std::ssize(f.variables()), "variable"), f.variables().size() == 1 ? "1+2i" : "1+2i,0.5");
  std::vector<std::complex<double>> point;
  for (const std::string& part : parts)
    point.push_back(std::visit([](const auto& v) { return std::complex<double>(v.value().item()); }, Expression(part, {})({})));
  return point;
}

Real loss_of(const AnyVar& f) {
  return std::visit([]<Scalar T>(const Var<T>& v) { return projection(v, Tensor<T>::ones(v.shape())); }, f);
}

}  // namespace argand
