#include "autograd/op_check.h"

namespace argand {

namespace {

std::vector<AnyTensor> copies_of(
    std::initializer_list<std::variant<const Tensor<double>*, const Tensor<std::complex<double>>*>> tensors) {
  std::vector<AnyTensor> copies;
  for (const auto& x : tensors) std::visit([&](const auto* tensor) { copies.emplace_back(*tensor); }, x);
  return copies;
}

}  // namespace

void OpCheck::add_case(std::string label, CheckedFunction f, FunctionOf<float> f32, Inputs inputs) {
  cases_.push_back({std::move(label), std::move(f), std::move(f32), copies_of(inputs)});
}

void OpCheck::add_singular_case(std::string label, CheckedFunction f, FunctionOf<float> f32, Inputs inputs, Inputs expected) {
  singular_.push_back({std::move(label), std::move(f), std::move(f32), copies_of(inputs), copies_of(expected)});
}

void OpCheck::sizes(std::string label, std::function<void(OpCheck& check, std::int64_t n)> add_cases, std::int64_t longest) {
  sized_cases_.push_back({std::move(label), std::move(add_cases), longest});
}

Tensor<double> OpCheck::real(const Shape& shape, double low, double high) {
  return rand<double>(shape, Random(0xC4EC, stream_++), low, high);
}

Tensor<std::complex<double>> OpCheck::complex(const Shape& shape) {
  const Random random(0xC4EC, stream_++);
  Tensor<std::complex<double>> z(shape);
  for (std::int64_t i = 0; i < z.size(); ++i) {
    const auto n = static_cast<std::uint64_t>(2 * i);
    z.data()[i] = std::polar(0.2 + 1.6 * random.uniform(n), (2 * random.uniform(n + 1) - 1) * 3.04);
  }
  return z;
}

}  // namespace argand
