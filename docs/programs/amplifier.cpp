/// The network of network_by_hand.cpp, written with the library. Complex networks with four activations and a real network of
/// equal size learn what a travelling-wave tube does to signals, with phases all around the circle or in a quarter of it, and are
/// tested on all phases. Two more real networks are given the tube's symmetry, one by its data and one by its weights. Prints the
/// error mean |y - t|² / mean |t|² in per cent, averaged over three seeds.

#include "autograd/ops.h"
#include "autograd/tape.h"
#include "core/random.h"
#include "nn/layers.h"
#include "optim/adamw.h"

using namespace argand;
using C = std::complex<double>;
constexpr double circle = 6.283185307179586;

/// The tube's response to a signal (Saleh, IEEE Trans. Commun. 29(11), 1981, table I).
C tube(C s) {
  const double r2 = std::norm(s);
  return 2.1587 / (1 + 1.1517 * r2) * s * std::polar(1.0, 4.0033 * r2 / (1 + 9.1040 * r2));
}

struct Signals {
  Complex sent, received;  // [N, 1]
};
/// 200 signals with moduli below 1 and phases in [0, sector), and the tube's responses to them.
Signals signals(double sector, std::uint64_t seed) {
  Tensor<C> s = Tensor<C>::zeros({200, 1}), t = s;
  const Random random(seed);
  for (std::int64_t n = 0; n < s.dim(0); ++n) {
    const auto k = static_cast<std::uint64_t>(n);
    s(n, 0) = std::polar(random.uniform(2 * k), sector * random.uniform(2 * k + 1));
    t(n, 0) = tube(s(n, 0));
  }
  return {constant(s), constant(t)};
}

/// Two complex layers, 1 -> 8 -> 1, with biases or without.
using Activation = std::function<Complex(const Complex&)>;
struct ComplexNetwork final : Module<double> {
  ComplexNetwork(Init& init, bool biases, Activation f)
      : in(init, 1, 8, biases), out(init, 8, 1, biases), activation(std::move(f)) {}
  Complex operator()(const Complex& x) const { return out(activation(in(x))); }
  ARGAND_FIELDS(double, in, out)

  Linear<C> in, out;
  Activation activation;
};
/// The same layers with modReLU, whose thresholds c replace the biases.
struct ModReluNetwork final : Module<double> {
  explicit ModReluNetwork(Init& init)
      : in(init, 1, 8, false), out(init, 8, 1, false), c(init.normal<double>(Role::Bias, {8}, 0.5)) {}
  Complex operator()(const Complex& x) const { return out(modrelu(in(x), c)); }
  ARGAND_FIELDS(double, in, out, c)

  Linear<C> in, out;
  Real c;
};
/// A real network for the same task, whose inputs are the two real numbers Re x and Im x.
struct RealNetwork final : Module<double> {
  explicit RealNetwork(Init& init) : in(init, 2, 10), out(init, 10, 2) {}
  Complex operator()(const Complex& x) const { return view_as_complex(out(relu(in(view_as_real(x))))); }
  ARGAND_FIELDS(double, in, out)

  Linear<double> in, out;
};
/// The modReLU network in real arithmetic: a complex weight a + bi is the block (a, -b; b, a) made from two shared real weights.
struct TiedNetwork final : Module<double> {
  explicit TiedNetwork(const ModReluNetwork& net)
      : in{part(net.in.weight, 0), part(net.in.weight, 1)},
        out{part(net.out.weight, 0), part(net.out.weight, 1)},
        c(variable(net.c.value())) {}
  using Parts = std::array<Real, 2>;
  static Real part(const Complex& w, int which) { return variable((which == 0 ? real(w) : imag(w)).value()); }
  static Parts tied(const Parts& x, const Parts& w) {
    return {linear(x[0], w[0]) - linear(x[1], w[1]), linear(x[0], w[1]) + linear(x[1], w[0])};
  }
  Complex operator()(const Complex& x) const {
    const Parts h = tied({real(x), imag(x)}, in);
    const Real r = sqrt(square(h[0]) + square(h[1])), gain = relu(r + c) / r;
    const Parts y = tied({gain * h[0], gain * h[1]}, out);
    return make_complex(y[0], y[1]);
  }
  void visit(const Visit<double>& f) const override {
    f("in.re", in[0]), f("in.im", in[1]), f("out.re", out[0]), f("out.im", out[1]), f("c", c);
  }

  Parts in, out;
  Real c;
};

/// Mean |y - t|² / mean |t|², in per cent.
template <class Net>
double error(const Net& net, const Signals& of) {
  return 100 * mean(abs2(net(of.sent) - of.received)).value().item() / mean(abs2(of.received)).value().item();
}

/// Rotates every signal and the tube's response to it by a random angle, drawn for each signal.
Signals turned(const Signals& of, std::uint64_t seed) {
  Tensor<C> by = Tensor<C>::zeros(of.sent.value().shape());
  for (std::int64_t n = 0; n < by.dim(0); ++n)
    by(n, 0) = std::polar(1.0, circle * Random(seed).uniform(static_cast<std::uint64_t>(n)));
  return {of.sent * constant(by), of.received * constant(by)};
}

/// The error on the whole circle after training on signals from a sector; with `turns`, they are rotated anew in every step.
template <class Net>
double trained(const Net& net, double sector, bool turns) {
  const Signals seen = signals(sector, 1), all = signals(circle, 2);
  AdamW<double> optimizer(parameters_of(net), {.weight_decay = 0, .complex_moments = ComplexMoments::Modulus});
  for (int step = 0; step < 1000; ++step) {
    zero_grad(parameters_of(net));
    const Signals now = turns ? turned(seen, 1000 + static_cast<std::uint64_t>(step)) : seen;
    backward(mean(abs2(net(now.sent) - now.received)));
    optimizer.step(0.02);
  }
  return error(net, all);
}

template <class Make>
void row(const char* name, const Make& make, bool turns = false) {
  double all = 0, quarter = 0;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Init one(seed), same(seed);
    all += trained(make(one), circle, turns) / 3;
    quarter += trained(make(same), circle / 4, turns) / 3;
  }
  Init init(0);
  fmt::print("{:<20}{:>6}{:>14.2f}{:>18.2f}\n", name, count_parameters(parameters_of(make(init))), all, quarter);
}

int main() {
  fmt::print("{:<20}{:>6}{:>14}{:>18}\n", "activation", "reals", "all phases", "a quarter seen");
  row("modReLU", [](Init& init) { return ModReluNetwork(init); });
  row("cardioid", [](Init& init) { return ComplexNetwork(init, true, cardioid<double>); });
  row("zReLU", [](Init& init) { return ComplexNetwork(init, true, zrelu<double>); });
  row("split ReLU", [](Init& init) { return ComplexNetwork(init, true, crelu<double>); });
  row("a real network", [](Init& init) { return RealNetwork(init); });
  row(
      "  its data turned", [](Init& init) { return RealNetwork(init); }, true);
  row("  its weights tied", [](Init& init) { return TiedNetwork(ModReluNetwork(init)); });

  Init init(0);
  const ModReluNetwork net(init);
  const Signals all = signals(circle, 2);
  const double apart = std::sqrt(max(abs2(net(all.sent) - TiedNetwork(net)(all.sent))).value().item());
  fmt::print("modReLU and tied weights, before training: {:.0e} apart at most\n", apart);
}
