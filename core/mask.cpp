#include "core/mask.h"

#include <algorithm>
#include <cmath>

#include "core/kernels/elementwise.h"

namespace argand {
namespace {

template <RealScalar R>
Mask mask_of(const Tensor<R>& yes) {
  return Mask(yes.shape(), std::vector<std::uint8_t>(yes.begin(), yes.end()));
}

template <class F>
Mask combined(const char* name, const Mask& a, const Mask& b, const F& f) {
  require(a.shape() == b.shape(), name, "masks must have the same shape, got {} and {}", a.shape(), b.shape());
  std::vector<std::uint8_t> values(static_cast<std::size_t>(a.size()));
  parallel_for(a.size(), elementwise_grain, [&, to = values.data()](std::int64_t begin, std::int64_t end) {
    std::transform(a.data() + begin, a.data() + end, b.data() + begin, to + begin, f);
  });
  return Mask(a.shape(), std::move(values));
}

/// f(a, b) with broadcasting; f compares packs and numbers.
template <Scalar T, class F>
Mask compared(const char* name, const Tensor<T>& a, const Tensor<T>& b, const F& f) {
  const BroadcastPlan plan(name, a.shape(), b.shape());
  std::vector<std::uint8_t> values(static_cast<std::size_t>(plan.shape.size()));
  const auto put = [&f, to = values.data()](auto at, auto x, auto y) { at.store_mask(to, f(x, y)); };
  if (a.shape() == b.shape())  // rows do not matter
    parallel_for(a.size(), elementwise_grain, [&](std::int64_t begin, std::int64_t end) {
      for_packs<RealOf<T>>(begin, end, [&](auto at) { put(at, at.load(a.data()), at.load(b.data())); });
    });
  else
    for_broadcast<true>(plan, a.data(), b.data(), put);
  return Mask(plan.shape, std::move(values));
}

}  // namespace

Mask::Mask(const Shape& shape, std::vector<std::uint8_t> values) : shape_(shape), values_(std::move(values)) {
  require(shape.size() == size(), "mask", "got {} values for shape {}", size(), shape);
}

std::int64_t Mask::count() const {
  return std::count_if(values_.begin(), values_.end(), [](std::uint8_t yes) { return yes != 0; });
}

Mask Mask::expand(const Shape& shape) const {
  if (shape == shape_) return *this;
  require(broadcast("mask", shape_, shape) == shape, "mask", "{} cannot be expanded to {}", shape_, shape);
  Tensor<float> numbers(shape_);
  std::transform(values_.begin(), values_.end(), numbers.begin(), [](std::uint8_t yes) { return yes ? 1.0f : 0.0f; });
  return mask_of(broadcast_map(
      "mask", [](float yes, float) { return yes; }, numbers, Tensor<float>::zeros(shape)));
}

Mask operator!(const Mask& a) {
  return combined("!", a, a, [](std::uint8_t x, std::uint8_t) { return std::uint8_t{x == 0}; });
}
Mask operator&(const Mask& a, const Mask& b) {
  return combined("&", a, b, [](std::uint8_t x, std::uint8_t y) { return std::uint8_t{x != 0 && y != 0}; });
}
Mask operator|(const Mask& a, const Mask& b) {
  return combined("|", a, b, [](std::uint8_t x, std::uint8_t y) { return std::uint8_t{x != 0 || y != 0}; });
}

#define ARGAND_COMPARISON(CONCEPT, NAME, OPERATOR)                             \
  template <CONCEPT T>                                                         \
  Mask NAME(const Tensor<T>& a, const Tensor<T>& b) {                          \
    return compared(#NAME, a, b, [](auto x, auto y) { return x OPERATOR y; }); \
  }
ARGAND_COMPARISON(RealScalar, gt, >)
ARGAND_COMPARISON(RealScalar, ge, >=)
ARGAND_COMPARISON(RealScalar, lt, <)
ARGAND_COMPARISON(RealScalar, le, <=)
ARGAND_COMPARISON(Scalar, eq, ==)
ARGAND_COMPARISON(Scalar, ne, !=)

template <Scalar T>
Mask isnan(const Tensor<T>& a) {
  return ne(a, a);
}

#define ARGAND_ORDER(R)                                 \
  template Mask gt(const Tensor<R>&, const Tensor<R>&); \
  template Mask ge(const Tensor<R>&, const Tensor<R>&); \
  template Mask lt(const Tensor<R>&, const Tensor<R>&); \
  template Mask le(const Tensor<R>&, const Tensor<R>&);
ARGAND_FOR_REAL(ARGAND_ORDER)
#define ARGAND_EQUALITY(T)                              \
  template Mask eq(const Tensor<T>&, const Tensor<T>&); \
  template Mask ne(const Tensor<T>&, const Tensor<T>&); \
  template Mask isnan(const Tensor<T>&);
ARGAND_FOR_SCALAR(ARGAND_EQUALITY)

}  // namespace argand
