/// How large is a signal after ten layers, and does it depend on how the weights were drawn? Each row is one activation: the mean
/// of |h|² over 256 units after 1, 2, 5 and 10 layers h <- f(W h), W complex with E|W_jk|² = gain / 256, starting from E|h|² = 1.

#include "autograd/context.h"
#include "autograd/ops.h"
#include "core/random.h"

using namespace argand;
using C = std::complex<double>;

template <class F>
void row(const char* name, double gain, const F& f) {
  constexpr std::int64_t n = 256;
  const NoGrad nothing_recorded;
  Complex h = constant(randn<C>({64, n}, Random(1)));
  fmt::print("{:<28}{:>7.3f}", name, gain);
  for (std::uint64_t layer = 1; layer <= 10; ++layer) {
    h = f(linear(h, constant(randn<C>({n, n}, Random(2, layer), std::sqrt(gain / n)))));
    if (layer == 1 || layer == 2 || layer == 5 || layer == 10) fmt::print("{:>11.4f}", mean(abs2(h)).value().item());
  }
  fmt::print("\n");
}

int main() {
  fmt::print("{:<28}{:>7}{:>11}{:>11}{:>11}{:>11}\n", "activation", "gain", "1 layer", "2", "5", "10");
  const auto none = [](const Complex& z) { return z; };
  row("none", 1, none);
  row("none, Re and Im each 1/n", 2, none);
  row("split ReLU", 1, crelu<double>);
  row("split ReLU", 2, crelu<double>);
  row("cardioid", 8.0 / 3, cardioid<double>);
  row("zReLU", 4, zrelu<double>);
  row("modReLU, c = -0.2", 1, [](const Complex& z) { return modrelu(z, constant(Tensor<double>::scalar(-0.2))); });
}
