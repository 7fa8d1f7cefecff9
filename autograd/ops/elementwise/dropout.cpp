#include "autograd/ops/elementwise/dropout.h"

#include <memory>

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "core/memory.h"

namespace argand {

static const Op dropout_op({.name = "dropout",
                            .kind = Kind::Holomorphic,
                            .equation = "y = m x / (1 - p), m = 0 with probability p, else 1",
                            .dz = "m/(1 - p)",
                            .dzbar = "0",
                            .vjp = "dx = m dy / (1 - p)",
                            .jvp = "ẏ = m ẋ / (1 - p), with the same m",
                            .derivation = "Linear in x: the real diagonal matrix m/(1 - p). The mean of y over m is x.",
                            .singular = "none",
                            .source = "Srivastava et al., JMLR 15 (2014), 1929"},
                           [](OpCheck& check) {
                             const auto f = [](auto x) { return dropout(x, 0.4, true, Random(3, 1)); };
                             check.function("real", f, check.real({4, 5}));
                             check.position_dependent();
                             check.function("complex", f, check.complex({4, 5}));
                             check.sizes("real", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.real({n})); });
                             check.sizes("complex", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.complex({n})); });
                           });

namespace {

/// One byte per element, 1 where it is kept. Sixty-four Philox blocks decide 512 elements with sixteen bits each: first the low
/// halves of their 256 words, then the high halves. The bytes are kept for the backward pass: for a million elements on one thread
/// it takes 0.14 ms with them and would take 0.5 ms, like the forward pass, if it drew them again.
std::shared_ptr<std::uint8_t> make_mask(std::int64_t n, std::uint32_t threshold, const Random& random) {
  constexpr std::int64_t blocks = 64, words = 4 * blocks, batch = 2 * words;
  const std::int64_t batches = (n + batch - 1) / batch;
  const auto storage = allocate(static_cast<std::size_t>(batches * batch));
  std::shared_ptr<std::uint8_t> mask(storage, static_cast<std::uint8_t*>(storage.get()));
  parallel_for(batches, elementwise_grain / batch, [&](std::int64_t begin, std::int64_t end) {
    const std::uint32_t limit = threshold;  // a copy: byte stores might alias the captured value
    std::uint32_t word[words];
    for (std::int64_t b = begin; b < end; ++b) {
      random.blocks(static_cast<std::uint64_t>(b * blocks), word);
      std::uint8_t* __restrict out = mask.get() + b * batch;
      for (std::int64_t i = 0; i < words; ++i) out[i] = (word[i] & 0xFFFFu) >= limit;
      for (std::int64_t i = 0; i < words; ++i) out[words + i] = (word[i] >> 16) >= limit;
    }
  });
  return mask;
}

/// y[i] (+)= mask[i] ? scale x[i] : 0. Multiplying before selecting makes the loop branch-free.
template <Scalar T>
void apply_mask(const std::uint8_t* mask, RealOf<T> scale, const Tensor<T>& x, T* out, bool add) {
  const auto loop = [scale](std::int64_t n, const std::uint8_t* m, const T* in, T* __restrict y, bool accumulate) {
    const auto kept = [scale](std::uint8_t keep, T v) {
      const T scaled = mul(v, scale);
      return keep ? scaled : T(0);
    };
    if (accumulate)
      for (std::int64_t i = 0; i < n; ++i) y[i] += kept(m[i], in[i]);
    else
      for (std::int64_t i = 0; i < n; ++i) y[i] = kept(m[i], in[i]);
  };
  parallel_for(x.size(), elementwise_grain,
               [&](std::int64_t b, std::int64_t e) { loop(e - b, mask + b, x.data() + b, out + b, add); });
}

}  // namespace

template <Scalar T>
Var<T> dropout(const Var<T>& x, double p, bool training, const Random& random) {
  require(p >= 0 && p < 1, "dropout", "the probability must be in [0, 1), got {}", p);
  // At most 65535: with p just below 1, 1 - p must not round to 0.
  const auto threshold = std::min<std::uint32_t>(65535, static_cast<std::uint32_t>(std::lround(p * 65536)));
  if (!training || threshold == 0) return x;
  const auto scale = static_cast<RealOf<T>>(65536.0 / (65536 - threshold));
  const auto mask = make_mask(x.size(), threshold, random);
  Tensor<T> y(x.shape());
  apply_mask(mask.get(), scale, x.value(), y.data(), false);
  return record(
      dropout_op, std::move(y),
      [mask, scale, dx = accumulator(x)](const Tensor<T>& dy) {
        dx.accumulate([&](T* out, bool add) { apply_mask(mask.get(), scale, dy, out, add); });
      },
      [&](const auto&) { return dropout(tangent(x), p, training, random); }, x);
}

#define ARGAND_DROPOUT(T) template Var<T> dropout(const Var<T>&, double, bool, const Random&);
ARGAND_FOR_SCALAR(ARGAND_DROPOUT)

}  // namespace argand
