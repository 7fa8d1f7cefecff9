/// 11. Weights to PyTorch and back: this is the C++ half; 11_to_pytorch_and_back.py is the other.
///
/// A network of two complex layers learns y = z̄², which is not holomorphic:   ŷ = V g(U z + c) + b,   L = mean |ŷ - y|².
/// This program trains it briefly and saves it. PyTorch finds the same loss and gradients (its convention is ours), continues
/// training, and saves; this program then finds the same loss. Files are safetensors; parameters have the same names on both sides.
///
/// Run:       python3 examples/11_to_pytorch_and_back.py build/examples/11_to_pytorch_and_back
/// Try next:  a third layer, on both sides; or open a checkpoint of `argand train` in PyTorch (docs/interop.md).

#include "autograd/ops.h"
#include "autograd/tape.h"
#include "data/files/safetensors.h"
#include "nn/layers.h"
#include "optim/optimizer.h"

using namespace argand;
using C = std::complex<float>;

struct Net final : Module<float> {
  explicit Net(Init init) : hidden(init, 1, 16), out(init, 16, 1) {}
  Var<C> operator()(const Var<C>& z) const { return out(cgelu(hidden(z))); }  // g: GELU of the real and of the imaginary part
  ARGAND_FIELDS(float, hidden, out)  // names the parameters: hidden.weight, hidden.bias, out.weight, out.bias
  Linear<C> hidden, out;
};

Var<float> loss_of(const Net& net, const Tensor<C>& z, const Tensor<C>& y) { return mean(abs2(net(constant(z)) - constant(y))); }

/// Trains from random weights; saves them, the data, and, for comparison, the loss and its gradients.
void there(const std::string& path) {
  const Tensor<C> z = rand<C>({256, 1}, Random(1), -1, 1);
  const Tensor<C> y = square(conj(constant(z))).value();
  const Net net(Init(0));
  const auto optimizer = make_optimizer<float>({.weight_decay = 0}, parameters_of<float>(net));
  for (int step = 0; step < 20; ++step) {
    zero_grad(parameters_of<float>(net));
    backward(loss_of(net, z, y));
    optimizer->step(0.01);
  }
  zero_grad(parameters_of<float>(net));
  const Var<float> loss = loss_of(net, z, y);
  backward(loss);

  SafetensorsWriter file;
  for (const Parameter<float>& p : parameters_of<float>(net))
    std::visit([&](const auto& x) { file.add(p.name, x.value()), file.add("grad." + p.name, x.grad()); }, p.var);
  file.add("z", z);
  file.add("y", y);
  file.add("loss", loss.value());
  file.save(path);
  fmt::print("argand: trained, L = {:.3f}, written\n", loss.value().item());
}

/// Reads the file that PyTorch saved and compares its loss.
void back(const std::string& path) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  const Net net(Init(0));
  for (auto [name, parameter] : parameters_of<float>(net)) file.load(name, std::get<Var<C>>(parameter).value());
  const float loss = loss_of(net, file.tensor<C>("z"), file.tensor<C>("y")).value().item(),
              theirs = file.tensor<float>("loss").item();
  fmt::print("argand: read again, L is what PyTorch computed: {}\n", std::abs(loss - theirs) < 1e-3F * theirs ? "yes" : "no");
}

int main(int argc, char** argv) {
  const std::string way = argc == 3 ? argv[1] : "";
  if (way != "there" && way != "back") return fmt::print("usage: 11_to_pytorch_and_back there|back FILE.safetensors\n"), 2;
  way == "there" ? there(argv[2]) : back(argv[2]);
}
