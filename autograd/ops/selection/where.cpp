#include "autograd/ops/selection/where.h"

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/selection/expand.h"

namespace argand {
namespace {

/// True at multiples of 3 and at 2, 9, 16, ...: both values occur among any four neighbours.
Mask scattered_mask(const Shape& shape) {
  std::vector<std::uint8_t> yes(static_cast<std::size_t>(shape.size()));
  for (std::size_t k = 0; k < yes.size(); ++k) yes[k] = k % 3 == 0 || k % 7 == 2;
  return Mask(shape, std::move(yes));
}

/// dx[i] (+)= dw[i] where mask[i] is `chosen`, 0 elsewhere.
template <Scalar T>
void accumulate_where(const GradientAccumulator<T>& dx, const Mask& mask, bool chosen, const Tensor<T>& dw) {
  dx.accumulate([&](T* out, bool add) {
    parallel_for(dw.size(), elementwise_grain, [&](std::int64_t begin, std::int64_t end) {
      for_packs<RealOf<T>>(begin, end, [&](auto at) {
        const PackOf<T> g = at.load(dw.data()), zero(T(0));
        const auto yes = at.load_mask(mask.data());
        at.put(out, chosen ? math::select(yes, g, zero) : math::select(yes, zero, g), add);
      });
    });
  });
}

template <Scalar T, Scalar A>
Var<T> promoted(const Var<A>& x) {
  if constexpr (std::same_as<T, A>)
    return x;
  else
    return to_complex(x);
}

}  // namespace

// ------------------------------------------------------------------------------------------------ where

static const Op where_op(
    {.name = "where",
     .kind = Kind::Holomorphic,
     .equation = "w = a where the mask is true, else b",
     .dz = "∂w/∂a = 1 where the mask is true, else 0; ∂w/∂b = 1 - ∂w/∂a",
     .dzbar = "0",
     .vjp = "da = dw where the mask is true, else 0; db = dw where it is false, else 0; summed over broadcast axes",
     .jvp = "ẇ = ȧ where the mask is true, else ḃ",
     .derivation = "The mask is a constant: each element of w is one of a or b, unchanged. Zeros are written instead of "
                   "multiplying by 0, because 0 · NaN would be NaN.",
     .singular = "none. Where the mask comes from a comparison, w may jump; the jump is not differentiated",
     .source = "definition"},
    [](OpCheck& check) {
      check.position_dependent();
      const auto f = [](auto a, auto b) { return where(scattered_mask(a.shape()), a, b); };
      check.function("real", f, check.real({3, 4}), check.real({3, 4}));
      check.function("complex", f, check.complex({3, 4}), check.complex({3, 4}));
      check.function("real and complex, broadcast", f, check.real({3, 4}), check.complex({4}));
      check.sizes("", [f](OpCheck& at, std::int64_t n) {
        at.function("real", f, at.real({n}), at.real({n}));
        at.function("complex", f, at.complex({n}), at.complex({n}));
        at.function("mixed", f, at.real({2, n}), at.complex({n}));
      });
    });

namespace {
template <Scalar T>
Var<T> where_of_one_shape(const Mask& mask, const Var<T>& a, const Var<T>& b) {
  Tensor<T> w(mask.shape());
  T* const out = w.data();
  const T *const pa = a.value().data(), *const pb = b.value().data();
  parallel_for(mask.size(), elementwise_grain, [&](std::int64_t begin, std::int64_t end) {
    for_packs<RealOf<T>>(begin, end,
                         [&](auto at) { at.store(out, math::select(at.load_mask(mask.data()), at.load(pa), at.load(pb))); });
  });
  return record(
      where_op, std::move(w),
      [mask, da = accumulator(a), db = accumulator(b)](const Tensor<T>& dw) {
        accumulate_where(da, mask, true, dw);
        accumulate_where(db, mask, false, dw);
      },
      [&](const auto&) { return where_of_one_shape(mask, tangent(a), tangent(b)); }, a, b);
}
}  // namespace

template <Scalar A, Scalar B>
Var<Promote<A, B>> where(const Mask& mask, const Var<A>& a, const Var<B>& b) {
  using T = Promote<A, B>;
  const Shape shape = broadcast("where", mask.shape(), broadcast("where", a.shape(), b.shape()));
  return where_of_one_shape(mask.expand(shape), promoted<T>(expand(a, shape)), promoted<T>(expand(b, shape)));
}

// ------------------------------------------------------------------------------------------------ composed ops

template <Scalar T>
Var<T> masked_fill(const Var<T>& z, const Mask& mask, T value) {
  broadcast("masked_fill", mask.shape(), z.shape());
  return where(mask, Var<T>(Tensor<T>::scalar(value)), z);
}

template <RealScalar R>
Var<R> maximum(const Var<R>& a, const Var<R>& b) {
  const Shape shape = broadcast("maximum", a.shape(), b.shape());
  return where(ge(a.value(), b.value()) | isnan(a.value()).expand(shape), a, b);
}
template <RealScalar R>
Var<R> minimum(const Var<R>& a, const Var<R>& b) {
  const Shape shape = broadcast("minimum", a.shape(), b.shape());
  return where(le(a.value(), b.value()) | isnan(a.value()).expand(shape), a, b);
}

template <RealScalar R>
Var<R> clamp(const Var<R>& x, R low, R high) {
  require(low <= high, "clamp", "low {} is above high {}", low, high);
  const Mask outside = lt(x.value(), Tensor<R>::scalar(low)) | gt(x.value(), Tensor<R>::scalar(high));
  const auto edge = [low, high](auto v) { return math::select(v < Pack<R>(low), Pack<R>(low), Pack<R>(high)); };
  return where(outside, Var<R>(map_packs(edge, x.value())), x);
}

#define ARGAND_WHERE(R)                                                                                       \
  template Var<R> where(const Mask&, const Var<R>&, const Var<R>&);                                           \
  template Var<std::complex<R>> where(const Mask&, const Var<R>&, const Var<std::complex<R>>&);               \
  template Var<std::complex<R>> where(const Mask&, const Var<std::complex<R>>&, const Var<R>&);               \
  template Var<std::complex<R>> where(const Mask&, const Var<std::complex<R>>&, const Var<std::complex<R>>&); \
  template Var<R> masked_fill(const Var<R>&, const Mask&, R);                                                 \
  template Var<std::complex<R>> masked_fill(const Var<std::complex<R>>&, const Mask&, std::complex<R>);       \
  template Var<R> maximum(const Var<R>&, const Var<R>&);                                                      \
  template Var<R> minimum(const Var<R>&, const Var<R>&);                                                      \
  template Var<R> clamp(const Var<R>&, R, R);
ARGAND_FOR_REAL(ARGAND_WHERE)

}  // namespace argand
