#include "autograd/ops/elementwise/arithmetic.h"

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/elementwise/derivatives.h"
#include "core/kernels/complex_math.h"

namespace argand {
namespace {

/// Converts a gradient to the type of its operand. L depends on a real operand x only along the real axis, so its gradient is the
/// real part of ∂L/∂x + i ∂L/∂y.
template <Scalar T, class G>
auto part_for(G g) {
  if constexpr (RealScalar<T>)
    return real_of(g);
  else
    return g;
}

/// Adds dw, or Re dw for a real operand, to the gradient of an operand; sums over broadcast axes. No copy if the types agree.
template <Scalar T, Scalar G>
void accumulate_operand(const GradientAccumulator<T>& dx, const Tensor<G>& dw, const Shape& shape) {
  if (!dx) return;
  if constexpr (std::same_as<T, G>)
    dx.add(sum_to(dw, shape));
  else
    dx.add(sum_to(map_packs([](auto g) { return part_for<T>(g); }, dw), shape));
}

/// dx = Σ f(dw, other), summed over the broadcast axes.
template <Scalar T, Scalar G, Scalar O, class F>
void accumulate_operand(const GradientAccumulator<T>& dx, const F& f, const Tensor<G>& dw, const Tensor<O>& other,
                        const Shape& shape) {
  if (!dx) return;
  if (dw.shape() == other.shape() && dw.shape() == shape)
    accumulate_map(dx, f, dw, other);
  else
    dx.add(sum_to(broadcast_map("backward", f, dw, other), shape));
}

/// All combinations of real and complex operands, of equal and of broadcast shapes.
template <class F>
void check_pairs(OpCheck& check, const F& f) {
  check.function("real, real", f, check.real({3, 4}), check.real({3, 4}, 0.5, 2));
  check.function("complex, complex", f, check.complex({3, 4}), check.complex({3, 4}));
  check.function("real, complex", f, check.real({3, 4}), check.complex({3, 4}));
  check.function("complex, real", f, check.complex({3, 4}), check.real({3, 4}, 0.5, 2));
  check.function("row broadcast", f, check.complex({2, 3, 4}), check.complex({4}));
  check.function("column broadcast, real, complex", f, check.real({3, 1}), check.complex({2, 1, 4}));
  check.function("scalar broadcast, complex, real", f, check.complex({2, 3}), check.real({}, 0.5, 2));
  check.function("real row to complex matrix", f, check.real({4}), check.complex({3, 4}));
  check.sizes("real row broadcast", [f](OpCheck& at, std::int64_t n) {
    at.function("", f, at.real({2, n}), at.real({n}, 0.5, 2));
  });
  check.sizes("row broadcast", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.complex({2, n}), at.complex({n})); });
  check.sizes("column broadcast, real, complex", [f](OpCheck& at, std::int64_t n) {
    at.function("", f, at.real({n, 1}), at.complex({1, 3}));
  });
  check.sizes("scalar broadcast, complex, real",
              [f](OpCheck& at, std::int64_t n) { at.function("", f, at.complex({n}), at.real({}, 0.5, 2)); });
  check.sizes("real row to complex matrix", [f](OpCheck& at, std::int64_t n) {
    at.function("", f, at.real({n}), at.complex({2, n}));
  });
}

}  // namespace

// ------------------------------------------------------------------------------------------------ add

static const Op add_op(
    {.name = "add",
     .kind = Kind::Holomorphic,
     .equation = "w = a + b",
     .dz = "∂w/∂a = ∂w/∂b = 1",
     .dzbar = "0",
     .vjp = "da = dw, db = dw; Re dw for a real operand; summed over broadcast axes",
     .jvp = "ẇ = ȧ + ḃ",
     .derivation = "Linear in each operand. A real operand varies only along the real axis, so it gets the real "
                   "part. A broadcast operand enters every element it is broadcast to, so its gradients are summed.",
     .singular = "none",
     .source = "definition"},
    [](OpCheck& check) { check_pairs(check, [](auto a, auto b) { return add(a, b); }); });

template <Scalar A, Scalar B>
Var<Promote<A, B>> add(const Var<A>& a, const Var<B>& b) {
  using W = Promote<A, B>;
  return record(
      add_op,
      broadcast_map(
          "add", [](auto x, auto y) { return x + y; }, a.value(), b.value()),
      [a_shape = a.shape(), b_shape = b.shape(), da = accumulator(a), db = accumulator(b)](const Tensor<W>& dw) {
        accumulate_operand(da, dw, a_shape);
        accumulate_operand(db, dw, b_shape);
      },
      [&](const auto&) { return tangent(a) + tangent(b); }, a, b);
}

// ------------------------------------------------------------------------------------------------ sub

static const Op sub_op({.name = "sub",
                        .kind = Kind::Holomorphic,
                        .equation = "w = a - b",
                        .dz = "∂w/∂a = 1, ∂w/∂b = -1",
                        .dzbar = "0",
                        .vjp = "da = dw, db = -dw; the real part for a real operand; summed over broadcast axes",
                        .jvp = "ẇ = ȧ - ḃ",
                        .derivation = "Linear in each operand; real and broadcast operands as for add.",
                        .singular = "none",
                        .source = "definition"},
                       [](OpCheck& check) { check_pairs(check, [](auto a, auto b) { return sub(a, b); }); });

template <Scalar A, Scalar B>
Var<Promote<A, B>> sub(const Var<A>& a, const Var<B>& b) {
  using W = Promote<A, B>;
  return record(
      sub_op,
      broadcast_map(
          "sub", [](auto x, auto y) { return x - y; }, a.value(), b.value()),
      [a_shape = a.shape(), b_shape = b.shape(), da = accumulator(a), db = accumulator(b)](const Tensor<W>& dw) {
        accumulate_operand(da, dw, a_shape);
        if (db) db.add(sum_to(map_packs([](auto g) { return part_for<B>(-g); }, dw), b_shape));
      },
      [&](const auto&) { return tangent(a) - tangent(b); }, a, b);
}

// ------------------------------------------------------------------------------------------------ mul

static const Op mul_op(
    {.name = "mul",
     .kind = Kind::Holomorphic,
     .equation = "w = a b, elementwise",
     .dz = "∂w/∂a = b, ∂w/∂b = a",
     .dzbar = "0",
     .vjp = "da = conj(b) dw, db = conj(a) dw; the real part for a real operand; summed over broadcast axes",
     .jvp = "ẇ = ȧ b + a ḃ",
     .derivation = "Holomorphic in each operand with the other fixed, so conj(∂w/∂a) dw = conj(b) dw. For a real a "
                   "and complex b: w = (a Re b, a Im b), so ∂L/∂a = Re b Re dw + Im b Im dw = Re(conj(b) dw).",
     .singular = "none",
     .source = "definition"},
    [](OpCheck& check) { check_pairs(check, [](auto a, auto b) { return mul(a, b); }); });

template <Scalar A, Scalar B>
Var<Promote<A, B>> mul(const Var<A>& a, const Var<B>& b) {
  using W = Promote<A, B>;
  const GradientAccumulator<A> da = accumulator(a);
  const GradientAccumulator<B> db = accumulator(b);
  return record(
      mul_op,
      broadcast_map(
          "mul", [](auto x, auto y) { return mul(x, y); }, a.value(), b.value()),
      [a_shape = a.shape(), b_shape = b.shape(), x = save_if_needed(db, a.value()), y = save_if_needed(da, b.value()), da,
       db](const Tensor<W>& dw) {
        accumulate_operand(
            da, [](auto g, auto v) { return part_for<A>(conj_mul(v, g)); }, dw, y, a_shape);
        accumulate_operand(
            db, [](auto g, auto v) { return part_for<B>(conj_mul(v, g)); }, dw, x, b_shape);
      },
      [&](const auto&) { return tangent(a) * b + a * tangent(b); }, a, b);
}

// ------------------------------------------------------------------------------------------------ div

static const Op div_op(
    {.name = "div",
     .kind = Kind::Holomorphic,
     .equation = "w = a / b, elementwise",
     .dz = "∂w/∂a = 1/b, ∂w/∂b = -a/b² = -w/b",
     .dzbar = "0",
     .vjp = "da = dw / conj(b), db = -conj(w) dw / conj(b); the real part for a real operand; summed over broadcast axes",
     .jvp = "ẇ = (ȧ - a/b ḃ) / b, 0 where b = 0",
     .derivation =
         "w b = a: differentiating with respect to a gives w' b = 1; with respect to b, w' b + w = 0, so w' = -w/b. Dividing twice "
         "by b instead of once by b² neither overflows nor underflows before the result does.",
     .singular = "b = 0: a pole. The value is that of IEEE division (infinite or NaN); both gradients are 0",
     .source = "Ahlfors, Complex Analysis, 2.1.2"},
    [](OpCheck& check) {
      const auto f = [](auto a, auto b) { return div(a, b); };
      check_pairs(check, f);
      const std::complex<double> small(3e-30, -4e-30), large(-4e30, 3e30);
      check.finite(
          "1/b for a huge b", [](auto b) { return div(number<typename decltype(b)::value_type>(1), b); },
          Tensor<std::complex<double>>({2}, {large, {0, 1e30}}));
      check.finite("tiny by tiny", f, Tensor<std::complex<double>>({1}, {small * 1e-8}),
                   Tensor<std::complex<double>>({1}, {small}));
    });

namespace {
/// -conj(w) q for an operand of type B, 0 where q = 0.
template <Scalar B>
struct MinusProduct {
  template <Scalar W>
  B operator()(W q, W w) const {
    return q == W(0) ? B(0) : -part_for<B>(conj_mul(w, q));
  }
  template <RealScalar R>
  Pack<R> operator()(Pack<R> q, Pack<R> w) const {
    return math::select(q == Pack<R>(0), Pack<R>(0), -(w * q));
  }
};
}  // namespace

template <Scalar A, Scalar B>
Var<Promote<A, B>> div(const Var<A>& a, const Var<B>& b) {
  using W = Promote<A, B>;
  const GradientAccumulator<A> da = accumulator(a);
  const GradientAccumulator<B> db = accumulator(b);
  Tensor<W> w = broadcast_map(
      "div", [](auto x, auto y) -> decltype(divide(x, y)) { return divide(x, y); }, a.value(), b.value());
  return record(
      div_op, w,
      [a_shape = a.shape(), b_shape = b.shape(), w = save_if_needed(db, w), y = b.value(), da, db](const Tensor<W>& dw) {
        const Tensor<W> quotient = broadcast_map("div", QuotientOrZero(), dw, y);
        accumulate_operand(da, quotient, a_shape);
        if (!db) return;
        // Where b is 0 the quotient is 0, but its product with an infinite w would be NaN.
        accumulate_operand(db, MinusProduct<B>(), quotient, w, b_shape);
      },
      [&](const auto&) {
        const AwayFromZero<B> away(b);
        return away.mask * ((tangent(a) - a / away.value * tangent(b)) / away.value);
      },
      a, b);
}

// ------------------------------------------------------------------------------------------------ neg

static const Op neg_op({.name = "neg",
                        .kind = Kind::Holomorphic,
                        .equation = "w = -z",
                        .dz = "-1",
                        .dzbar = "0",
                        .vjp = "dz = -dw",
                        .jvp = "ẇ = -ż",
                        .derivation = "Linear.",
                        .singular = "none",
                        .source = "definition"},
                       [](OpCheck& check) {
                         const auto f = [](auto z) { return neg(z); };
                         check.function("real", f, check.real({3, 4}));
                         check.function("complex", f, check.complex({3, 4}));
                       });

template <Scalar T>
Var<T> neg(const Var<T>& z) {
  return record(
      neg_op, map_packs([](auto x) { return -x; }, z.value()),
      [dz = accumulator(z)](const Tensor<T>& dw) {
        accumulate_map(
            dz, [](auto g) { return -g; }, dw);
      },
      [&](const auto&) { return -tangent(z); }, z);
}

// ------------------------------------------------------------------------------------------------ scale

static const Op scale_op({.name = "scale",
                          .kind = Kind::Holomorphic,
                          .equation = "w = c z, c a real constant",
                          .dz = "c",
                          .dzbar = "0",
                          .vjp = "dz = c dw",
                          .jvp = "ẇ = c ż",
                          .derivation = "Linear, and conj(c) = c.",
                          .singular = "none",
                          .source = "definition"},
                         [](OpCheck& check) {
                           const auto f = [](auto z) { return scale(z, -1.75f); };
                           check.function("real", f, check.real({3, 4}));
                           check.function("complex", f, check.complex({3, 4}));
                         });

template <Scalar T>
Var<T> scale(const Var<T>& z, RealOf<T> c) {
  return record(
      scale_op, map_packs([c](auto x) { return x * c; }, z.value()),
      [c, dz = accumulator(z)](const Tensor<T>& dw) {
        accumulate_map(
            dz, [c](auto g) { return g * c; }, dw);
      },
      [&](const auto&) { return c * tangent(z); }, z);
}

#define ARGAND_PAIR(A, B)                                        \
  template Var<Promote<A, B>> add(const Var<A>&, const Var<B>&); \
  template Var<Promote<A, B>> sub(const Var<A>&, const Var<B>&); \
  template Var<Promote<A, B>> mul(const Var<A>&, const Var<B>&); \
  template Var<Promote<A, B>> div(const Var<A>&, const Var<B>&);
#define ARGAND_ARITHMETIC(R)      \
  ARGAND_PAIR(R, R)               \
  ARGAND_PAIR(R, std::complex<R>) \
  ARGAND_PAIR(std::complex<R>, R) \
  ARGAND_PAIR(std::complex<R>, std::complex<R>)
ARGAND_FOR_REAL(ARGAND_ARITHMETIC)
#define ARGAND_ONE(T)                 \
  template Var<T> neg(const Var<T>&); \
  template Var<T> scale(const Var<T>&, RealOf<T>);
ARGAND_FOR_SCALAR(ARGAND_ONE)

}  // namespace argand
