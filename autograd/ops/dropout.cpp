#include "autograd/ops/dropout.h"

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
                            .derivation = "Linear in x with the real diagonal m/(1 - p). E y = x.",
                            .singular = "none",
                            .source = "Srivastava et al., JMLR 15 (2014), 1929"},
                           [](OpCheck& check) {
                             const auto f = [](auto x) { return dropout(x, 0.4, true, Random(3, 1)); };
                             check.function("real", f, check.real({4, 5}));
                             check.function("complex", f, check.complex({4, 5}));
                           });

namespace {

/// One byte an element, 1 where it is kept. A block of Philox decides eight elements, sixteen bits each.
std::shared_ptr<std::uint8_t> make_mask(std::int64_t n, std::uint32_t threshold, const Random& random) {
  constexpr std::int64_t per_block = 8;
  const std::int64_t blocks = (n + per_block - 1) / per_block;
  const auto storage = allocate(static_cast<std::size_t>(blocks * per_block));
  std::shared_ptr<std::uint8_t> mask(storage, static_cast<std::uint8_t*>(storage.get()));
  parallel_for(blocks, elementwise_grain / per_block, [&](std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t batch = 64;
    std::uint32_t words[4 * batch];
    for (std::int64_t first = begin; first < end; first += batch) {
      const std::int64_t count = std::min(batch, end - first);
      random.blocks(static_cast<std::uint64_t>(first), {words, static_cast<std::size_t>(4 * count)});
      std::uint8_t* out = mask.get() + first * per_block;
      for (std::int64_t i = 0; i < 4 * count; ++i) {
        out[2 * i] = (words[i] & 0xFFFFu) >= threshold;
        out[2 * i + 1] = (words[i] >> 16) >= threshold;
      }
    }
  });
  return mask;
}

/// y[i] (+)= mask[i] ? scale x[i] : 0.
template <Scalar T>
void apply_mask(const std::uint8_t* mask, RealOf<T> scale, const Tensor<T>& x, T* out, bool add) {
  const auto loop = [scale](std::int64_t n, const std::uint8_t* m, const T* in, T* __restrict y, bool accumulate) {
    if (accumulate)
      for (std::int64_t i = 0; i < n; ++i) y[i] += m[i] ? mul(in[i], scale) : T(0);
    else
      for (std::int64_t i = 0; i < n; ++i) y[i] = m[i] ? mul(in[i], scale) : T(0);
  };
  parallel_for(x.size(), elementwise_grain,
               [&](std::int64_t b, std::int64_t e) { loop(e - b, mask + b, x.data() + b, out + b, add); });
}

}  // namespace

template <Scalar T>
Var<T> dropout(const Var<T>& x, double p, bool training, const Random& random) {
  require(p >= 0 && p < 1, "dropout", "the probability is in [0, 1), got {}", p);
  // 65535 at most: with p a hair below 1 something must be left to scale up.
  const auto threshold = std::min<std::uint32_t>(65535, static_cast<std::uint32_t>(std::lround(p * 65536)));
  if (!training || threshold == 0) return x;
  const auto scale = static_cast<RealOf<T>>(65536.0 / (65536 - threshold));
  const auto mask = make_mask(x.size(), threshold, random);
  Tensor<T> y(x.shape());
  apply_mask(mask.get(), scale, x.value(), y.data(), false);
  return record(
      dropout_op, std::move(y),
      [mask, scale, dx = sink(x)](const Tensor<T>& dy) {
        dx.accumulate([&](T* out, bool add) { apply_mask(mask.get(), scale, dy, out, add); });
      },
      x);
}

#define ARGAND_DROPOUT(T) template Var<T> dropout(const Var<T>&, double, bool, const Random&);
ARGAND_FOR_SCALAR(ARGAND_DROPOUT)

}  // namespace argand
