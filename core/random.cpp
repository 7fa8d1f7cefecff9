#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/kernels/pack.h"
#include "core/parallel.h"

namespace argand {

std::array<std::uint32_t, 4> Random::block(std::uint64_t i) const {
  // The multipliers and the Weyl constants of the key schedule are those of Philox4x32-10 in the paper cited in random.h.
  std::array<std::uint32_t, 4> x = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32),
                                    static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)};
  std::uint32_t k0 = static_cast<std::uint32_t>(seed_), k1 = static_cast<std::uint32_t>(seed_ >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * x[0], p1 = std::uint64_t{0xCD9E8D57} * x[2];
    x = {static_cast<std::uint32_t>(p1 >> 32) ^ x[1] ^ k0, static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ x[3] ^ k1, static_cast<std::uint32_t>(p0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return x;
}

namespace {

/// As many blocks side by side as a register has 64-bit lanes. A word is the lower half of a lane; the upper half is ignored.
typedef std::uint64_t Words __attribute__((vector_size(register_bytes)));
constexpr std::size_t lanes = sizeof(Words) / sizeof(std::uint64_t);

/// The 64-bit products of the lower halves.
Words product(Words a, Words b) {
#if defined(__AVX512F__)
  return (Words)_mm512_maskz_mul_epu32(0xFF, (__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  return (Words)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
  return (Words)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
  return (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF);
#endif
}

}  // namespace

void Random::blocks(std::uint64_t first, std::span<std::uint32_t> words) const {
  constexpr Words none{};
  std::size_t done = 0;
  for (; done + 4 * lanes <= words.size(); done += 4 * lanes) {
    Words x0;
    for (std::size_t l = 0; l < lanes; ++l) x0[l] = first + done / 4 + l;
    Words x1 = x0 >> 32, x2 = none + stream_, x3 = none + (stream_ >> 32);
    std::uint32_t k0 = static_cast<std::uint32_t>(seed_), k1 = static_cast<std::uint32_t>(seed_ >> 32);
    for (int round = 0; round < 10; ++round) {
      const Words p0 = product(none + 0xD2511F53, x0), p1 = product(none + 0xCD9E8D57, x2);
      x0 = (p1 >> 32) ^ x1 ^ (none + k0);
      x1 = p1;
      x2 = (p0 >> 32) ^ x3 ^ (none + k1);
      x3 = p0;
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    std::uint32_t* out = words.data() + done;
    for (std::size_t l = 0; l < lanes; ++l) {
      out[4 * l] = static_cast<std::uint32_t>(x0[l]);
      out[4 * l + 1] = static_cast<std::uint32_t>(x1[l]);
      out[4 * l + 2] = static_cast<std::uint32_t>(x2[l]);
      out[4 * l + 3] = static_cast<std::uint32_t>(x3[l]);
    }
  }
  for (; done < words.size(); done += 4) {
    const auto x = block(first + done / 4);
    std::copy(x.begin(), x.end(), words.begin() + static_cast<std::ptrdiff_t>(done));
  }
}

namespace {
double unit(std::uint32_t high, std::uint32_t low) {
  return static_cast<double>((std::uint64_t{high} << 32 | low) >> 11) * 0x1p-53;
}
}  // namespace

double Random::uniform(std::uint64_t i) const {
  const auto x = block(i);
  return unit(x[0], x[1]);
}

double Random::normal(std::uint64_t i) const {
  const auto x = block(i);
  const double u = 1 - unit(x[0], x[1]);  // in (0, 1]: the logarithm is finite
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * unit(x[2], x[3]));
}

std::uint64_t Random::below(std::uint64_t i, std::uint64_t n) const {
  const auto x = block(i);
  __extension__ using Wide = unsigned __int128;  // __int128 is an extension of GCC and Clang, so it needs the keyword
  return static_cast<std::uint64_t>((static_cast<Wide>(std::uint64_t{x[0]} << 32 | x[1]) * n) >> 64);
}

namespace {
/// Fills a tensor from a function of the element's index; a complex element uses two numbers.
template <Scalar T, class F>
Tensor<T> generate(const Shape& shape, const F& number) {
  Tensor<T> x(shape);
  T* out = x.data();
  parallel_for(x.size(), elementwise_grain, [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t i = b; i < e; ++i) {
      const auto n = static_cast<std::uint64_t>(i);
      if constexpr (ComplexScalar<T>) out[i] = {number(2 * n), number(2 * n + 1)};
      if constexpr (RealScalar<T>) out[i] = number(n);
    }
  });
  return x;
}
}  // namespace

template <Scalar T>
Tensor<T> randn(const Shape& shape, const Random& random, RealOf<T> std) {
  const double scale = static_cast<double>(std) * (ComplexScalar<T> ? std::numbers::sqrt2 / 2 : 1.0);
  return generate<T>(shape, [&](std::uint64_t i) { return static_cast<RealOf<T>>(scale * random.normal(i)); });
}

template <Scalar T>
Tensor<T> rand(const Shape& shape, const Random& random, RealOf<T> low, RealOf<T> high) {
  // Rounding to float can yield `high` itself, which is outside the interval.
  const RealOf<T> last = high > low ? std::nextafter(high, low) : low;
  return generate<T>(
      shape, [&](std::uint64_t i) { return std::min(last, low + (high - low) * static_cast<RealOf<T>>(random.uniform(i))); });
}

#define ARGAND_RANDOM(T)                                               \
  template Tensor<T> randn<T>(const Shape&, const Random&, RealOf<T>); \
  template Tensor<T> rand<T>(const Shape&, const Random&, RealOf<T>, RealOf<T>);
ARGAND_FOR_SCALAR(ARGAND_RANDOM)

}  // namespace argand
