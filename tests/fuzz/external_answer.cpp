/// Fuzzes an external program's answers: its description, values and gradients, if accepted, have the declared sizes.

#include <algorithm>
#include <cmath>

#include "tests/fuzz/fuzz.h"
#include "train/checks/external_function.h"

using namespace argand;

namespace {

std::size_t size_of(const AnyTensor& x) {
  return std::visit([](const auto& t) { return static_cast<std::size_t>(t.size()); }, x);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string line(text_of(data, size));
  std::vector<AnyTensor> inputs = {Tensor<double>::ones({2}), Tensor<std::complex<double>>::ones({1})};
  accepts([&] {
    const ExternalDescription description = read_description("program", line);
    expect(!description.inputs.empty(), "a function has inputs");
    inputs.clear();
    for (const auto& input : description.inputs) {
      inputs.push_back(input.point);
      std::visit(
          [](const auto& t) {
            expect(t.size() > 0, "an input is not empty");
            expect(std::all_of(t.begin(), t.end(), [](auto v) { return std::isfinite(std::abs(v)); }), "the numbers are finite");
          },
          input.point);
    }
  });
  accepts([&] { size_of(read_value("program", line)); });
  accepts([&] {
    const std::vector<ComplexValues> gradient = read_gradient("program", line, inputs);
    expect(gradient.size() == inputs.size(), "there is a gradient for each input");
    for (std::size_t k = 0; k < inputs.size(); ++k)
      expect(gradient[k].size() == size_of(inputs[k]), "a gradient has a number for each element");
  });
  return 0;
}
