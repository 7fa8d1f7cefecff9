#pragma once
/// Re-evaluates one recorded step of a tape near its operands, which is how lab/tape_rounding.cpp measures rounding errors.

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <numbers>
#include <vector>

#include "autograd/ops/products/projection.h"
#include "autograd/tape.h"
#include "lab/lab_tape.h"
#include "lab/tape_rounding.h"

namespace argand::moved {

using C = std::complex<double>;

inline constexpr double last_place = std::numeric_limits<double>::epsilon(), unbounded = std::numeric_limits<double>::infinity();
inline constexpr double smallest = 4 * std::numeric_limits<double>::denorm_min();  // the most that underflow can change a value

inline C number_of(const AnyVar& x) {
  return std::visit([](const auto& v) { return C(v.value().data()[0]); }, x);
}
inline bool is_complex(const AnyVar& x) { return x.index() == 1; }
inline bool finite_number(C z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }
inline bool is_single(const AnyVar& x) {
  return std::visit([](const auto& v) { return v.rank() == 0; }, x);
}
inline bool on_tape(const AnyVar& x) {
  return std::visit([](const auto& v) { return v.requires_grad(); }, x);
}

/// A key that is the same for all copies of one value.
inline const void* identity(const AnyVar& x) {
  return std::visit(
      [](const auto& v) -> const void* { return v.requires_grad() ? v.slot().get() : static_cast<const void*>(v.value().data()); },
      x);
}

/// Raises `most` to x if x is larger; a NaN counts as infinite.
inline void update_max(double& most, double x) {
  if (!(x <= most)) most = std::isnan(x) ? unbounded : x;
}

/// A displacement of one operand.
struct Move {
  std::size_t operand;
  C by;
};

/// The results of an op at several points: its values, and for each operand the gradients of Re w and of Im w.
struct Answers {
  std::vector<C> value;
  std::vector<std::array<std::vector<C>, 2>> gradients;
};

/// An operand at every point: unchanged at the first, and with one of the moves at each of the others.
inline AnyTensor placed(const AnyVar& x, std::size_t operand, const std::vector<Move>& moves) {
  return std::visit(
      [&]<class T>(const Var<T>& v) -> AnyTensor {
        if (v.rank() == 0 && std::none_of(moves.begin(), moves.end(), [&](const Move& m) { return m.operand == operand; }))
          return v.value();
        const bool single = v.rank() == 0;
        Tensor<T> t = Tensor<T>::full(single ? Shape{} : Shape{std::ssize(moves) + 1}, v.value().data()[0]);
        for (std::size_t k = 0; k < moves.size(); ++k) {
          if (moves[k].operand != operand) continue;
          T& there = t.data()[single ? 0 : k + 1];
          if constexpr (ComplexScalar<T>)
            there += moves[k].by;
          else
            there += moves[k].by.real();
        }
        return t;
      },
      x);
}

inline Answers ask(const TracedOp& step, const std::vector<AnyTensor>& at) {
  Answers answers;
  answers.gradients.resize(at.size());
  for (const std::size_t part : {0, 1}) {
    if (part == 1 && !is_complex(step.output)) break;
    Tape tape;
    std::vector<AnyVar> x;
    for (std::size_t j = 0; j < at.size(); ++j)
      std::visit([&](const auto& t) { x.emplace_back(on_tape(step.inputs[j]) ? variable(t) : constant(t)); }, at[j]);
    std::visit(
        [&]<class T>(const Var<T>& w) {
          answers.value.assign(w.value().begin(), w.value().end());
          T seed = 1;
          if constexpr (ComplexScalar<T>) seed = part == 0 ? T(1) : T(0, 1);
          const Real L = projection(w, Tensor<T>::full(w.shape(), seed));
          if (L.requires_grad()) tape.backward(L);
        },
        step.again(x));
    for (std::size_t j = 0; j < at.size(); ++j)
      if (on_tape(x[j]))
        std::visit(
            [&](const auto& v) {
              const auto g = v.grad();
              answers.gradients[j][part].assign(g.begin(), g.end());
            },
            x[j]);
  }
  return answers;
}

/// Evaluates the op at the moved operands.
inline Answers ask(const TracedOp& step, const std::vector<Move>& moves) {
  std::vector<AnyTensor> at;
  for (std::size_t j = 0; j < step.inputs.size(); ++j) at.push_back(placed(step.inputs[j], j, moves));
  return ask(step, at);
}

/// How much an operand's derivative changes from the first point to point `k`.
inline double distance_of_gradients(const Answers& a, std::size_t operand, std::size_t k) {
  double distance = 0;
  for (const auto& g : a.gradients[operand])
    if (!g.empty()) distance = std::hypot(distance, std::abs(g[k] - g[0]));
  return distance;
}
inline double size_of_gradient(const Answers& a, std::size_t operand, std::size_t k) {
  double size = 0;
  for (const auto& g : a.gradients[operand])
    if (!g.empty()) size = std::hypot(size, std::abs(g[k]));
  return size;
}

/// Directions in an operand's plane; with eight, none runs along an axis, where a cut or a kink may lie.
inline std::vector<C> directions(const AnyVar& x, int count) {
  if (!is_complex(x)) return {1.0, -1.0};
  std::vector<C> all;
  for (int k = 0; k < count; ++k) all.push_back(std::polar(1.0, (count == 4 ? 0.0 : 0.3) + 2 * std::numbers::pi * k / count));
  return all;
}

inline bool is_one_of(const std::string& name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}
/// Whether the op is free of rounding errors.
inline bool is_exact(const std::string& name) {
  return is_one_of(name, {"conj", "real", "imag", "neg", "to_complex", "make_complex"});
}
/// Whether the op's value and derivatives are accurate to a few units in the last place everywhere. Any other op is assumed to be
/// as inaccurate as if its operands were off by a few units in the last place.
inline bool is_arithmetic(const std::string& name) {
  return is_exact(name) || is_one_of(name, {"add", "sub", "mul", "div", "square", "abs2"});
}

/// Moves of several lengths up to `size`; twice the largest change seen bounds all changes, even if the function oscillates.
inline std::vector<C> moves_within(const std::vector<C>& directions, double size) {
  std::vector<C> all;
  for (const double fraction : {1.0, 0.73, 0.41, 0.19})
    for (const C d : directions) all.push_back(fraction * size * d);
  return all;
}

}  // namespace argand::moved
