#include "autograd/check/function/part.h"

#include <algorithm>

namespace argand {

AnyTensor part_of(const AnyTensor& x, std::int64_t first, std::int64_t count) {
  return std::visit(
      [&]<class T>(const Tensor<T>& t) {
        return AnyTensor(Tensor<T>({count}, std::span(t.data() + first, static_cast<std::size_t>(count))));
      },
      x);
}

DifferentiableFunction part_of(const DifferentiableFunction& f, const std::vector<AnyTensor>& inputs, std::size_t input,
                               std::int64_t first, std::int64_t count) {
  const auto whole = [inputs, input, first](const std::vector<AnyTensor>& part) {
    std::vector<AnyTensor> x = inputs;
    std::visit(
        [&]<class T>(const Tensor<T>& p) {
          Tensor<T> all = std::get<Tensor<T>>(x[input]).clone();
          std::copy(p.begin(), p.end(), all.data() + first);
          x[input] = std::move(all);
        },
        part.at(0));
    return x;
  };
  const auto value = [f, whole](const std::vector<AnyTensor>& part) { return f.value(whole(part)); };
  const auto gradients = [f, whole, input, first, count](const std::vector<AnyTensor>& part,
                                                         std::span<const std::complex<double>> W) {
    const ComplexValues g = f.gradients(whole(part), W).at(input);
    return std::vector<ComplexValues>{ComplexValues(g.begin() + first, g.begin() + first + count)};
  };
  return {value, gradients};
}

}  // namespace argand
