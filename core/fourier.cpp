#include "core/fourier.h"

#include <kissfft/kissfft.hh>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <vector>

#include "core/kernels/pack.h"
#include "core/kernels/reduce.h"
#include "core/memory.h"

namespace argand {
namespace {

/// KissFFT is a template over its number type. With this type, it transforms as many sequences at once as a register has lanes.
struct Lanes {
  static constexpr int width = Pack<double>::width;
  Pack<double> x;

  Lanes(double same = 0) : x(same) {}
  explicit Lanes(Pack<double> lanes) : x(lanes) {}
  operator double() const { return x[0]; }  // for acos(-1), from which KissFFT computes the angles

  friend Lanes operator+(Lanes a, Lanes b) { return Lanes(a.x + b.x); }
  friend Lanes operator-(Lanes a, Lanes b) { return Lanes(a.x - b.x); }
  friend Lanes operator-(Lanes a) { return Lanes(-a.x); }
  friend Lanes operator*(Lanes a, Lanes b) { return Lanes(a.x * b.x); }
  friend Lanes operator*(std::size_t i, Lanes a) { return Lanes(static_cast<double>(i)) * a; }
  Lanes& operator+=(Lanes b) { return *this = *this + b; }
  Lanes& operator-=(Lanes b) { return *this = *this - b; }
  Lanes& operator*=(Lanes b) { return *this = *this * b; }
};
using ComplexLanes = std::complex<Lanes>;
using Complex128 = std::complex<double>;

}  // namespace
}  // namespace argand

/// KissFFT's twiddle factors e^{iφ}.
template <>
inline argand::ComplexLanes std::exp(const argand::ComplexLanes& z) {
  const std::complex<double> w = std::polar(1.0, static_cast<double>(z.imag()));
  return {w.real(), w.imag()};
}

namespace argand {
namespace {

/// e^{∓2πi m/n}. The angle is reduced to a quarter turn while it is still an integer, so the reduction is exact.
Complex128 root_of_unity(std::int64_t m, std::int64_t n, FourierSign sign) {
  m %= n;
  const bool lower = 2 * m > n;
  if (lower) m = n - m;
  const bool left = 4 * m > n;
  const double angle = std::numbers::pi * static_cast<double>(left ? n - 2 * m : 2 * m) / static_cast<double>(n);
  const Complex128 w{left ? -std::cos(angle) : std::cos(angle), std::sin(angle)};
  return lower == (sign == FourierSign::Plus) ? std::conj(w) : w;
}

/// e^{∓2πi m/n} for any m in [0, n), as a product of two table entries out of about 2√n.
struct Roots {
  int shift;
  std::vector<Complex128> coarse, fine;

  Roots(std::int64_t n, FourierSign sign) : shift(std::bit_width(static_cast<std::uint64_t>(n)) / 2) {
    for (std::int64_t m = 0; m < n; m += std::int64_t{1} << shift) coarse.push_back(root_of_unity(m, n, sign));
    for (std::int64_t m = 0; m < std::int64_t{1} << shift; ++m) fine.push_back(root_of_unity(m, n, sign));
  }
  Complex128 operator()(std::int64_t m) const {
    return mul(coarse[static_cast<std::size_t>(m >> shift)], fine[static_cast<std::size_t>(m & ((1 << shift) - 1))]);
  }
};

/// The factors of Bluestein's algorithm: b_j = e^{∓πi j²/n}, and the spectrum, of length m, of conj(b) wrapped around index 0.
struct Chirp {
  std::int64_t m;
  std::vector<Complex128> b, spectrum;
  Chirp(std::int64_t n, FourierSign sign);
};

/// The calling thread's table for length n. Drops the thread's other tables when their total length would exceed `limit`.
template <class Table>
const Table& table_of(std::int64_t n, FourierSign sign, std::int64_t limit) {
  thread_local std::map<std::pair<std::int64_t, FourierSign>, std::unique_ptr<const Table>> tables;
  thread_local std::int64_t kept = 0;
  auto& table = tables[{n, sign}];
  if (table == nullptr) {
    if (kept + n > limit) {
      tables.clear();
      kept = 0;
    }
    kept += n;
    return *(tables[{n, sign}] = std::make_unique<const Table>(n, sign));
  }
  return *table;
}

struct Butterflies : kissfft<Lanes> {
  Butterflies(std::int64_t n, FourierSign sign) : kissfft(static_cast<std::size_t>(n), sign == FourierSign::Plus) {}
};

/// Memory from the pool that tensors use.
class Work {
 public:
  explicit Work(std::int64_t n) : memory_(allocate(static_cast<std::size_t>(n) * sizeof(Complex128))) {}
  Complex128* data() const { return static_cast<Complex128*>(memory_.get()); }

 private:
  std::shared_ptr<void> memory_;
};

constexpr std::int64_t largest_prime = 47;  ///< the largest prime factor given to KissFFT, which takes p² steps for a prime p

bool has_small_prime_factors(std::int64_t n) {
  for (std::int64_t p = 2; p <= largest_prime; ++p)
    while (n % p == 0) n /= p;
  return n == 1;
}

/// The largest divisor of n up to √n whose prime factors are all small enough for KissFFT; 1 if there is no larger one.
std::int64_t small_divisor(std::int64_t n) {
  auto d = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));
  while (n % d != 0 || !has_small_prime_factors(d)) --d;
  return d;
}

/// The offset of the first element of sequence s along the axis; neighbouring elements are `inner` apart.
std::int64_t start_of(const AxisView& view, std::int64_t s) { return s / view.inner * view.n * view.inner + s % view.inner; }

/// Sequences s, ..., s + count - 1 of an array, one per lane: load(j) and store(j) access element j of each.
template <class T>
class LaneView {
 public:
  LaneView(T* array, const AxisView& view, std::int64_t s, int count) : array_(array), step_(view.inner), count_(count) {
    for (int l = 0; l < count; ++l) start_[static_cast<std::size_t>(l)] = start_of(view, s + l);
    dense_ = count == Lanes::width && start_[Lanes::width - 1] == start_[0] + Lanes::width - 1;
  }
  ComplexLanes load(std::int64_t j) const {
    if (dense_) {
      const ComplexPack<double> z = PackAt<double, true>{start_[0] + j * step_, Lanes::width}.load(array_);
      return {Lanes(z.re), Lanes(z.im)};
    }
    Pack<double> re(0.0), im(0.0);
    for (int l = 0; l < count_; ++l) {
      const auto z = array_[start_[static_cast<std::size_t>(l)] + j * step_];
      re.lanes[l] = z.real(), im.lanes[l] = z.imag();
    }
    return {Lanes(re), Lanes(im)};
  }
  void store(std::int64_t j, ComplexLanes z) const {
    const Pack<double> re = z.real().x, im = z.imag().x;
    if (dense_) return PackAt<double, true>{start_[0] + j * step_, Lanes::width}.store(array_, {re, im});
    for (int l = 0; l < count_; ++l) array_[start_[static_cast<std::size_t>(l)] + j * step_] = T(Complex128(re[l], im[l]));
  }

 private:
  T* array_;
  std::int64_t step_;
  int count_;
  std::array<std::int64_t, Lanes::width> start_;
  bool dense_;
};

struct Transform {
  FourierSign sign;
  double c;  ///< scales the result

  /// Transforms every sequence along the axis. `in` and `out` are different arrays with the same layout.
  template <class In, class Out>
  void operator()(const AxisView& view, const In* in, Out* out) const {
    const std::int64_t n = view.n;
    constexpr std::int64_t longest = 1024;  // n inputs, n results and n factors, a register each, stay in the cache
    const std::int64_t Q = small_divisor(n);
    if (has_small_prime_factors(n) && (n <= 16 || Q == 1 || (n <= longest && view.outer * view.inner >= 8)))
      transform_lanes(view, in, view, out, [](std::int64_t, int, std::int64_t, ComplexLanes z) { return z; });
    else if (Q > 1)
      cooley_tukey(view, Q, in, out);
    else
      by_convolution(view, in, out);
  }

 private:
  /// Transforms with KissFFT. Element j is first multiplied by its twiddle factor, `twiddle(s, count, j, z)`.
  template <class In, class Out, class Twiddle>
  void transform_lanes(const AxisView& from, const In* in, const AxisView& to, Out* out, const Twiddle& twiddle) const {
    const std::int64_t n = from.n, grain = Lanes::width * std::max<std::int64_t>(1, elementwise_grain / (n * Lanes::width));
    parallel_for(from.outer * from.inner, grain, [&](std::int64_t begin, std::int64_t end) {
      const auto& butterflies = table_of<Butterflies>(n, sign, 1 << 13);
      std::vector<ComplexLanes> x(static_cast<std::size_t>(n)), y(x.size());
      for (std::int64_t s = begin; s < end; s += Lanes::width) {
        const int count = static_cast<int>(std::min<std::int64_t>(Lanes::width, end - s));
        const LaneView<const In> source(in, from, s, count);
        const LaneView<Out> target(out, to, s, count);
        for (std::int64_t j = 0; j < n; ++j) x[static_cast<std::size_t>(j)] = twiddle(s, count, j, source.load(j));
        butterflies.transform(x.data(), y.data());
        for (std::int64_t k = 0; k < n; ++k) target.store(k, y[static_cast<std::size_t>(k)] * Lanes(c));
      }
    });
  }

  /// n = PQ (Cooley and Tukey, 1965), with j = Qa + b, k = d + Pe and w = e^{∓2πi/n}:
  ///     X[d + Pe] = Σ_b w^{bd} (Σ_a x[Qa + b] w^{Qad}) w^{Pbe}
  /// First Q transforms of length P run side by side, then P of length Q.
  template <class In, class Out>
  void cooley_tukey(const AxisView& view, std::int64_t Q, const In* in, Out* out) const {
    const std::int64_t n = view.n, P = n / Q, inner = view.inner, all = view.outer * n * inner;
    const Work first(all);
    Transform{sign, 1}(seen(view.outer, P, Q * inner), in, first.data());
    const Roots& roots = table_of<Roots>(n, sign, 1 << 24);
    const AxisView rows = seen(view.outer * P, Q, inner), columns = seen(view.outer, Q, P * inner);
    transform_lanes(rows, first.data(), columns, out, [&](std::int64_t s, int count, std::int64_t b, ComplexLanes z) {
      Pack<double> re(1.0), im(0.0);
      for (int l = 0; l < count; ++l) {
        const Complex128 w = roots((s + l) / inner % P * b);
        re.lanes[l] = w.real(), im.lanes[l] = w.imag();
      }
      return z * ComplexLanes(Lanes(re), Lanes(im));
    });
  }

  static AxisView seen(std::int64_t outer, std::int64_t n, std::int64_t inner) { return AxisView(Shape{outer, n, inner}, 1); }

  /// For a length that is a large prime (Bluestein, 1970). jk = (j² + k² - (k - j)²)/2 turns the sum into a convolution,
  ///     X_k = b_k Σ_j (b_j x_j) conj(b_{k-j}),
  /// computed as a product of transforms whose length has small prime factors.
  template <class In, class Out>
  void by_convolution(const AxisView& view, const In* in, Out* out) const {
    const Chirp& chirp = table_of<Chirp>(view.n, sign, 1 << 22);
    const std::int64_t n = view.n, m = chirp.m, sequences = view.outer * view.inner;
    const std::int64_t together = std::max<std::int64_t>(1, (1 << 18) / m);
    for (std::int64_t s = 0; s < sequences; s += together) {
      const std::int64_t rows = std::min(together, sequences - s);
      const Work a(rows * m), b(rows * m);
      Complex128 *const pa = a.data(), *const pb = b.data();
      parallel_for(rows, row_grain(m), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
          const In* x = in + start_of(view, s + r);
          for (std::int64_t j = 0; j < n; ++j)
            pa[r * m + j] = mul(chirp.b[static_cast<std::size_t>(j)], Complex128(x[j * view.inner]));
          std::fill(pa + r * m + n, pa + (r + 1) * m, Complex128(0));
        }
      });
      Transform{FourierSign::Minus, 1}(seen(rows, m, 1), pa, pb);
      parallel_for(rows * m, elementwise_grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) pb[i] = mul(pb[i], chirp.spectrum[static_cast<std::size_t>(i % m)]);
      });
      Transform{FourierSign::Plus, c / static_cast<double>(m)}(seen(rows, m, 1), pb, pa);
      parallel_for(rows, row_grain(n), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
          Out* y = out + start_of(view, s + r);
          for (std::int64_t k = 0; k < n; ++k) y[k * view.inner] = Out(mul(chirp.b[static_cast<std::size_t>(k)], pa[r * m + k]));
        }
      });
    }
  }
};

/// The smallest of 2^k, 3 2^k, 5 2^k, 9 2^k and 15 2^k that is at least n.
std::int64_t length_for_convolution(std::int64_t n) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t odd : {1, 3, 5, 9, 15})
    least = std::min(least, odd * static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>((n + odd - 1) / odd))));
  return least;
}

Chirp::Chirp(std::int64_t n, FourierSign sign) : m(length_for_convolution(2 * n - 1)) {
  for (std::int64_t j = 0; j < n; ++j) b.push_back(root_of_unity(j * j % (2 * n), 2 * n, sign));
  std::vector<Complex128> around(static_cast<std::size_t>(m));
  for (std::int64_t j = 0; j < n; ++j)
    around[static_cast<std::size_t>(j)] = around[static_cast<std::size_t>((m - j) % m)] = std::conj(b[static_cast<std::size_t>(j)]);
  spectrum.resize(around.size());
  Transform{FourierSign::Minus, 1}(AxisView(Shape{m}, 0), around.data(), spectrum.data());
}

}  // namespace

template <ComplexScalar T>
Tensor<T> fourier(const Tensor<T>& x, int axis, FourierSign sign, double c) {
  const AxisView view(x.shape(), axis);
  Tensor<T> y(x.shape());
  if (x.size() > 0) Transform{sign, c}(view, x.data(), y.data());
  return y;
}

#define ARGAND_FOURIER(T) template Tensor<T> fourier(const Tensor<T>&, int, FourierSign, double);
ARGAND_FOR_COMPLEX(ARGAND_FOURIER)

}  // namespace argand
