/// A tape for complex numbers in fifty lines: the idea of autograd/tape.h, and nothing else.
/// Gradients are dL/dx + i dL/dy, checked at the end against difference quotients.

#include <fmt/core.h>

#include <complex>
#include <functional>
#include <memory>
#include <vector>

using C = std::complex<double>;

struct Slot {
  C value = 0, grad = 0;
};
using Number = std::shared_ptr<Slot>;

std::vector<std::function<void()>> tape;

Number number(C value) { return std::make_shared<Slot>(Slot{value}); }

/// Called at the end of every op: stores the value now, and a closure for the gradient later.
template <class Backward>
Number record(C value, Backward backward) {
  Number w = number(value);
  tape.push_back([w, backward] { backward(w->grad); });
  return w;
}

Number add(Number a, Number b) {
  return record(a->value + b->value, [=](C dw) { a->grad += dw, b->grad += dw; });
}
Number mul(Number a, Number b) {
  return record(a->value * b->value, [=](C dw) { a->grad += std::conj(b->value) * dw, b->grad += std::conj(a->value) * dw; });
}
Number exp(Number z) {
  const C w = std::exp(z->value);
  return record(w, [=](C dw) { z->grad += std::conj(w) * dw; });
}
Number conj(Number z) {
  return record(std::conj(z->value), [=](C dw) { z->grad += std::conj(dw); });
}
Number abs2(Number z) {
  return record(std::norm(z->value), [=](C dw) { z->grad += 2.0 * z->value * dw.real(); });
}

void backward(Number loss) {
  loss->grad = 1;
  for (; !tape.empty(); tape.pop_back()) tape.back()();
}

int main() {
  const auto L = [](Number z) { return abs2(add(mul(z, exp(z)), conj(z))); };  // |z e^z + z̄|²: z is read three times
  const C at(0.5, 1.5);

  Number z = number(at);
  Number loss = L(z);
  fmt::print("L = {:.6f}, {} entries on the tape\n", loss->value.real(), tape.size());
  backward(loss);
  fmt::print("by the tape         {:.6f} {:+.6f}i\n", z->grad.real(), z->grad.imag());

  const double h = 1e-5;
  const auto quotient = [&](C step) { return (L(number(at + step))->value - L(number(at - step))->value).real() / (2 * h); };
  fmt::print("by differences      {:.6f} {:+.6f}i\n", quotient(h), quotient(C(0, h)));
}
