#pragma once
/// Runs an op forwards and backwards on many numbers at once, and compares each result with the exact one.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "autograd/ops.h"
#include "autograd/tape.h"
#include "core/random.h"
#include "tests/accuracy/exact.h"
#include "tests/accuracy/table.h"
#include "tests/accuracy/ulp.h"

namespace accuracy {

using argand::ComplexScalar;
using argand::RealScalar;
using argand::Scalar;
using argand::Tensor;
using argand::Var;

template <RealScalar R>
std::string text(R x) {
  return fmt::format("{:.9g}", x);
}
template <RealScalar R>
std::string text(std::complex<R> z) {
  return fmt::format("{:.9g}{:+.9g}i", z.real(), z.imag());
}

/// Incoming gradients: first 1, then numbers with moduli from 1/2 to 2 in all directions.
template <Scalar T>
Tensor<T> incoming(std::int64_t n) {
  using R = RealOf<T>;
  const argand::Random random(5, 77);
  Tensor<T> g{argand::Shape{n}};
  for (std::int64_t i = 0; i < n; ++i) {
    const double r = i == 0 ? 1 : std::exp2(2 * random.uniform(static_cast<std::uint64_t>(2 * i)) - 1),
                 turn = i == 0 ? 0 : random.uniform(static_cast<std::uint64_t>(2 * i + 1));
    if constexpr (ComplexScalar<T>)
      g.data()[i] = T(std::polar(r, 6.283185307179586 * turn));
    else
      g.data()[i] = static_cast<R>(turn < 0.5 ? r : -r);
  }
  return g;
}

/// The gradient by the convention of autograd/var.h, and the largest gradient that an incoming one of this size can cause; errors
/// are relative to the latter. A gradient dz = conj(∂w/∂z) g + (∂w/∂z̄) conj(g) may be small merely because its two terms cancel
/// for this g, which is not an error of the derivatives.
template <Scalar In>
std::pair<Z, N> exact_gradient(const Partial& d, const Z& g) {
  if constexpr (RealScalar<In>) return {Z((conj(d.dz) * g).x), N(modulus(d.dz) * modulus(g))};
  return {conj(d.dz) * g + d.dzbar * conj(g), N((modulus(d.dz) + modulus(d.dzbar)) * modulus(g))};
}

/// Whether the value and all gradients are representable in the type; gradients of an infinite value are not compared.
template <RealScalar R>
bool within_type(const Jet& jet, const Z& g) {
  const N most(std::numeric_limits<R>::max()), size = modulus(g) > 1 ? modulus(g) : N(1);
  if (modulus(jet.w) > most) return false;
  return std::all_of(jet.d.begin(), jet.d.end(),
                     [&](const Partial& d) { return (modulus(d.dz) + modulus(d.dzbar)) * size <= most; });
}

template <Scalar In, Scalar Out>
void compare_gradient(Worst& worst, const Var<In>& x, const std::vector<Jet>& jets, const Tensor<Out>& g, std::size_t input,
                      const std::function<std::string(std::int64_t)>& where) {
  if (jets.empty() || jets[0].d.size() <= input) return;
  const Tensor<In> dx = x.grad();
  for (std::int64_t i = 0; i < x.size(); ++i) {
    if (!within_type<RealOf<In>>(jets[static_cast<std::size_t>(i)], Z(g.data()[i]))) continue;
    const auto [exact, size] = exact_gradient<In>(jets[static_cast<std::size_t>(i)].d[input], Z(g.data()[i]));
    worst.update(ulps(dx.data()[i], exact, size), where(i));
  }
}

/// Measures w = f(x, ...) elementwise on vectors of equal length: the value, and the gradients with respect to all inputs for which
/// `exact` gives derivatives.
template <class F, Scalar... In>
void measure(Cell& cell, const F& f, const Exact& exact, const Tensor<In>&... inputs) {
  std::tuple<Var<In>...> x(argand::variable(inputs)...);
  const auto w = std::apply(f, x);
  using Out = typename std::decay_t<decltype(w)>::value_type;
  const std::int64_t n = w.size();
  const Tensor<Out> g = incoming<Out>(n);
  argand::backward(argand::projection(w, g.reshape(w.shape())));
  const std::function<std::string(std::int64_t)> where = [&](std::int64_t i) {
    std::string all;
    ((all += (all.empty() ? "" : "; ") + text(inputs.data()[i])), ...);
    return all;
  };
  std::vector<Jet> jets;
  for (std::int64_t i = 0; i < n; ++i) {
    const Z at[] = {Z(inputs.data()[i])...};
    jets.push_back(exact(at));
    cell.value.update(ulps(w.value().data()[i], jets.back().w, modulus(jets.back().w)), where(i));
  }
  [&]<std::size_t... k>(std::index_sequence<k...>) { (compare_gradient(cell.gradient, std::get<k>(x), jets, g, k, where), ...); }
  (std::index_sequence_for<In...>());
}

}  // namespace accuracy
