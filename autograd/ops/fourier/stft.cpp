#include "autograd/ops/fourier/stft.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/fourier/fourier.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/own_name.h"
#include "autograd/ops/shape.h"

namespace argand {
namespace {

/// Row t holds, for each position of frame t, the index of the signal's element there, or N for a padded zero.
Ids frame_indices(std::int64_t N, std::int64_t n_fft, std::int64_t hop, std::int64_t before, Padding padding) {
  Ids places(Shape{1 + (N + 2 * before - n_fft) / hop, n_fft});
  for (std::int64_t i = 0; i < places.size(); ++i) {
    std::int64_t at = i / n_fft * hop + i % n_fft - before;
    const bool beyond = at < 0 || at >= N;
    if (beyond) at = padding == Padding::Zeros ? N : at < 0 ? -at : 2 * (N - 1) - at;
    places[i] = static_cast<Ids::value_type>(at);
  }
  return places;
}

FourierNorm norm_of(bool normalized) { return normalized ? FourierNorm::Ortho : FourierNorm::Backward; }

template <RealScalar R>
Var<R> centre_padded(const Var<R>& window, std::int64_t n) {
  const std::int64_t left = (n - window.size()) / 2, right = n - window.size() - left;
  return concatenate(std::vector<Var<R>>{Var<R>(Tensor<R>::zeros({left})), window, Var<R>(Tensor<R>::zeros({right}))}, 0);
}

}  // namespace

template <Scalar T>
Var<ComplexOf<T>> stft(const Var<T>& x, std::int64_t n_fft, const StftOptions<RealOf<T>>& options) {
  require(x.rank() >= 1, "stft", "expects a signal, got a scalar");
  require(n_fft >= 1, "stft", "n_fft must be at least 1, got {}", n_fft);
  const std::int64_t N = x.dim(-1), before = options.center ? n_fft / 2 : 0, hop = options.hop.value_or(n_fft / 4);
  require(hop >= 1, "stft", "hop must be at least 1, got {}", hop);
  require(N < std::numeric_limits<Ids::value_type>::max(), "stft", "a signal of {} samples is too long; split it", N);
  require(before == 0 || options.padding != Padding::Reflect || before < N, "stft",
          "{} samples are too few to reflect for frames of {}; use a shorter frame or Padding::Zeros", N, n_fft);
  require(N + 2 * before >= n_fft, "stft", "a signal of {} samples is shorter than a frame of {}", N, n_fft);
  if (options.window)
    require(options.window->rank() == 1 && options.window->size() <= n_fft, "stft",
            "a window of shape {} does not fit into frames of {}", options.window->shape(), n_fft);

  // One row per position in time, with that element of every signal; a last row holds the zeros.
  Shape shape = x.shape();
  const std::int64_t signals = shape.rows();
  Var<T> rows = transpose(reshape(x, Shape{signals, N}));
  if (options.padding == Padding::Zeros) rows = concatenate(std::vector{rows, Var<T>(Tensor<T>::zeros({1, signals}))}, 0);
  Var<T> frames = permute(embedding(rows, frame_indices(N, n_fft, hop, before, options.padding)), {2, 0, 1});
  if (options.window) frames = frames * centre_padded(*options.window, n_fft);

  const FourierNorm norm = norm_of(options.normalized);
  const auto spectrum = [&]() -> Var<ComplexOf<T>> {
    if constexpr (RealScalar<T>)
      if (options.onesided) return rfft(frames, std::nullopt, -1, norm);
    return fft(frames, std::nullopt, -1, norm);
  };
  const Var<ComplexOf<T>> X = transpose(spectrum());
  shape.erase(-1);
  shape.push_back(X.dim(1));
  shape.push_back(X.dim(2));
  return reshape(X, shape);
}

namespace {

/// A hint on how some window can reach element i of a signal that begins at `begin` within the span of the frames.
template <RealScalar R>
std::string coverage_hint(std::int64_t i, std::int64_t begin, const Tensor<R>& window, R zero, std::int64_t frames,
                          std::int64_t hop, bool center) {
  const auto counts = [zero](R w) { return w * w > zero; };
  const std::int64_t first = std::find_if(window.begin(), window.end(), counts) - window.begin();
  if (first == window.size()) return "the window is 0 everywhere; choose another";
  std::int64_t last = window.size() - 1;
  while (!counts(window.data()[last])) --last;
  if (begin + i < first)
    return fmt::format("the window is 0 at its start, and no frame precedes the first; use {}a window that is nonzero there",
                       center ? "" : "centred frames, or ");
  if (begin + i > (frames - 1) * hop + last && i > 0)
    return fmt::format("the window is 0 at its end, and no frame follows the last; use a length of at most {}", i);
  if (hop > last - first + 1)
    return fmt::format("use a hop of at most {}, the length of the window without its zeros", last - first + 1);
  return "use a window without zeros inside, or another hop";
}

/// Adds frames [..., frames, n_fft], multiplied by their windows, into signals [..., N].
template <Scalar T>
Var<T> overlapped(Var<T> frames, std::int64_t n_fft, const StftOptions<RealOf<T>>& options, std::optional<std::int64_t> length) {
  using R = RealOf<T>;
  const std::int64_t hop = options.hop.value_or(n_fft / 4), count = frames.dim(-2), reach = n_fft + (count - 1) * hop;
  require(hop >= 1, "istft", "hop must be at least 1, got {}", hop);
  if (options.window)
    require(options.window->rank() == 1 && options.window->size() <= n_fft, "istft",
            "a window of shape {} does not fit into frames of {}", options.window->shape(), n_fft);
  const std::int64_t begin = options.center ? n_fft / 2 : 0, end = length ? begin + *length : reach - begin;
  require(end <= reach && end > begin, "istft", "{} samples were requested, but the frames cover {}", end - begin, reach - begin);

  const Var<R> window = options.window ? centre_padded(*options.window, n_fft) : Var<R>(Tensor<R>::ones({n_fft}));
  Shape shape = frames.shape();
  shape.erase(-1);
  shape[-1] = end - begin;
  const std::int64_t signals = shape.rows();
  const Ids places = frame_indices(reach, n_fft, hop, 0, Padding::Zeros);
  const auto added = [&](const auto& rows, std::int64_t columns) {  // [signals, frames, n_fft] -> [N, signals]
    return slice(scatter_add(permute(reshape(rows, Shape{columns, count, n_fft}), {1, 2, 0}), places, reach), 0, begin, end);
  };
  const Var<R> weight = added(window * window + Var<R>(Tensor<R>::zeros({count, n_fft})), 1);
  R zero = 0;  // largest sum of squared windows that counts as 0
  for (const R w : window.value().span()) zero = std::max(zero, R(1e-11) * w * w);
  for (std::int64_t i = 0; i < weight.size(); ++i)
    if (const R sum = weight.value().data()[i]; sum <= zero)
      fail("istft", "no window covers sample {} of the signal; {}", i,
           coverage_hint(i, begin, window.value(), zero, count, hop, options.center));
  return reshape(transpose(added(frames * window, signals) / weight), shape);
}

template <RealScalar R>
void check_frequencies(const Var<std::complex<R>>& X, std::int64_t n_fft, bool onesided) {
  require(n_fft >= 1, "istft", "n_fft must be at least 1, got {}", n_fft);
  require(X.rank() >= 2 && X.dim(-1) >= 1 && X.dim(-2) == (onesided ? n_fft / 2 + 1 : n_fft), "istft",
          "frames of {} have {} frequencies: expected [..., {}, frames], got {}", n_fft, onesided ? n_fft / 2 + 1 : n_fft,
          onesided ? n_fft / 2 + 1 : n_fft, X.shape());
}

}  // namespace

template <RealScalar R>
Var<R> istft(const Var<std::complex<R>>& X, std::int64_t n_fft, const StftOptions<R>& options, std::optional<std::int64_t> length) {
  check_frequencies(X, n_fft, options.onesided);
  const Var<std::complex<R>> half = options.onesided ? X : slice(X, -2, 0, n_fft / 2 + 1);
  return overlapped(irfft(transpose(half), n_fft, -1, norm_of(options.normalized)), n_fft, options, length);
}

template <RealScalar R>
Var<std::complex<R>> complex_istft(const Var<std::complex<R>>& X, std::int64_t n_fft, const StftOptions<R>& options,
                                   std::optional<std::int64_t> length) {
  return in_own_name("complex_istft", [&] {
    check_frequencies(X, n_fft, false);
    return overlapped(ifft(transpose(X), n_fft, -1, norm_of(options.normalized)), n_fft, options, length);
  });
}

template <RealScalar R>
Tensor<R> hann_window(std::int64_t n) {
  Tensor<R> w({n});
  for (std::int64_t j = 0; j < n; ++j) {
    const double s = std::sin(std::numbers::pi * static_cast<double>(j) / static_cast<double>(n));
    w(j) = static_cast<R>(s * s);
  }
  return w;
}

#define ARGAND_STFT(T) template Var<ComplexOf<T>> stft(const Var<T>&, std::int64_t, const StftOptions<RealOf<T>>&);
ARGAND_FOR_SCALAR(ARGAND_STFT)
#define ARGAND_HANN(R)                                                                                                  \
  template Var<R> istft(const Var<std::complex<R>>&, std::int64_t, const StftOptions<R>&, std::optional<std::int64_t>); \
  template Var<std::complex<R>> complex_istft(const Var<std::complex<R>>&, std::int64_t, const StftOptions<R>&,         \
                                              std::optional<std::int64_t>);                                             \
  template Tensor<R> hann_window(std::int64_t);
ARGAND_FOR_REAL(ARGAND_HANN)

}  // namespace argand
