/// Measures the tape's overhead per op in nanoseconds, forward and backward together, with tensors so small that arithmetic costs
/// nothing.
///
///   ninja -C build bench/bench_tape && build/bench/bench_tape [ROUNDS]
///
/// Uses one thread. `loops` computes the same chain of scalars on a hand-written tape with one struct per entry: the cost that
/// remains without tensors.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include "autograd/ops.h"
#include "core/parallel.h"
#include "core/random.h"

namespace argand {
namespace {

constexpr int repeats = 25;  // each repetition has four ops

/// x <- tanh(x y + x) - y, a hundred ops in total.
template <Scalar T>
int scalars() {
  const Var<T> x = variable(Tensor<T>::scalar(T(0.5))), y = variable(Tensor<T>::scalar(T(0.25)));
  Var<T> z = x;
  for (int k = 0; k < repeats; ++k) z = tanh(z * y + z) - y;
  if constexpr (ComplexScalar<T>)
    backward(real(z));
  else
    backward(z);
  return 4 * repeats + (ComplexScalar<T> ? 1 : 0);
}

int loops() {
  struct Entry {
    int a, b, out;
    double da, db;
  };
  std::vector<double> value{0.5, 0.25}, grad;
  std::vector<Entry> tape;
  const auto push = [&](double w, int a, double da, int b, double db) {
    value.push_back(w);
    tape.push_back({a, b, static_cast<int>(value.size()) - 1, da, db});
    return tape.back().out;
  };
  const auto at = [&](int i) { return value[static_cast<std::size_t>(i)]; };
  int z = 0;
  for (int k = 0; k < repeats; ++k) {
    const int product = push(at(z) * at(1), z, at(1), 1, at(z)), total = push(at(product) + at(z), product, 1, z, 1);
    const double t = std::tanh(at(total));
    z = push(at(push(t, total, 1 - t * t, total, 0)) - at(1), total + 1, 1, 1, -1);
  }
  grad.assign(value.size(), 0);
  grad.back() = 1;
  for (auto e = tape.rbegin(); e != tape.rend(); ++e) {
    grad[static_cast<std::size_t>(e->a)] += e->da * grad[static_cast<std::size_t>(e->out)];
    grad[static_cast<std::size_t>(e->b)] += e->db * grad[static_cast<std::size_t>(e->out)];
  }
  return grad[0] == 0 ? 0 : 4 * repeats;
}

/// Two layers of width 16 applied to one row, and the squared distance to a target.
template <Scalar T>
int network() {
  static const auto of = [](const Shape& shape, std::uint64_t stream) { return randn<T>(shape, Random(1, stream)); };
  static const Var<T> W = variable(of({16, 16}, 1)), b = variable(of({16}, 2)), V = variable(of({1, 16}, 3)),
                      c = variable(of({1}, 4));
  static const Var<T> x = constant(of({1, 16}, 5)), y = constant(of({1, 1}, 6));
  backward(mean(abs2(linear(tanh(linear(x, W, b)), V, c) - y)));
  return 6;
}

void measure(const char* name, int (*f)(), int rounds) {
  std::vector<double> cost;
  for (int round = 0; round < rounds; ++round) {
    int ops = 0;
    const std::clock_t start = std::clock();  // processor time, which other programs do not affect
    for (int i = 0; i < 500; ++i) ops += f();
    cost.push_back(1e9 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / ops);
  }
  std::sort(cost.begin(), cost.end());
  fmt::print("{:<22}{:8.0f} ns per op, {:.0f} at best\n", name, cost[cost.size() / 2], cost[0]);
}

}  // namespace
}  // namespace argand

int main(int argc, char** argv) {
  using namespace argand;
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 15;
  set_num_threads(1);
  measure("scalars", scalars<double>, rounds);
  measure("complex scalars", scalars<std::complex<double>>, rounds);
  measure("network", network<double>, rounds);
  measure("complex network", network<std::complex<double>>, rounds);
  measure("loops", loops, rounds);
}
