#include "autograd/ops/fourier/stft.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/fourier/fourier.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/shape.h"

namespace argand {
namespace {

/// Row t: which number of the signal each place of frame t has; N where it has a zero.
Ids places_of_frames(std::int64_t N, std::int64_t n_fft, std::int64_t hop, std::int64_t before, Padding padding) {
  Ids places(Shape{1 + (N + 2 * before - n_fft) / hop, n_fft});
  for (std::int64_t i = 0; i < places.size(); ++i) {
    std::int64_t at = i / n_fft * hop + i % n_fft - before;
    const bool beyond = at < 0 || at >= N;
    if (beyond) at = padding == Padding::Zeros ? N : at < 0 ? -at : 2 * (N - 1) - at;
    places[i] = static_cast<Ids::value_type>(at);
  }
  return places;
}

template <RealScalar R>
Var<R> in_the_middle(const Var<R>& window, std::int64_t n) {
  const std::int64_t left = (n - window.size()) / 2, right = n - window.size() - left;
  return concatenate(std::vector<Var<R>>{Var<R>(Tensor<R>::zeros({left})), window, Var<R>(Tensor<R>::zeros({right}))}, 0);
}

}  // namespace

template <Scalar T>
Var<ComplexOf<T>> stft(const Var<T>& x, std::int64_t n_fft, const StftOptions<RealOf<T>>& options) {
  require(x.rank() >= 1, "stft", "needs a signal, got a single number");
  require(n_fft >= 1, "stft", "a frame has at least one number, got n_fft = {}", n_fft);
  const std::int64_t N = x.dim(-1), before = options.center ? n_fft / 2 : 0, hop = options.hop.value_or(n_fft / 4);
  require(hop >= 1, "stft", "a hop of {}; frames must go on, give one of at least 1", hop);
  require(N < std::numeric_limits<Ids::value_type>::max(), "stft", "a signal of {} numbers is too long; cut it", N);
  require(before == 0 || options.padding != Padding::Reflect || before < N, "stft",
          "{} numbers cannot be mirrored for frames of {}; take a shorter frame or Padding::Zeros", N, n_fft);
  require(N + 2 * before >= n_fft, "stft", "a signal of {} is shorter than a frame of {}", N, n_fft);
  if (options.window)
    require(options.window->rank() == 1 && options.window->size() <= n_fft, "stft",
            "a window of shape {} does not fit into frames of {}", options.window->shape(), n_fft);

  // One row a number of the signal, with what all the signals have there; the last one has the zeros.
  Shape shape = x.shape();
  const std::int64_t signals = shape.rows();
  Var<T> rows = transpose(reshape(x, Shape{signals, N}));
  if (options.padding == Padding::Zeros) rows = concatenate(std::vector{rows, Var<T>(Tensor<T>::zeros({1, signals}))}, 0);
  Var<T> frames = permute(embedding(rows, places_of_frames(N, n_fft, hop, before, options.padding)), {2, 0, 1});
  if (options.window) frames = frames * in_the_middle(*options.window, n_fft);

  const FourierNorm norm = options.normalized ? FourierNorm::Ortho : FourierNorm::Backward;
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
#define ARGAND_HANN(R) template Tensor<R> hann_window(std::int64_t);
ARGAND_FOR_REAL(ARGAND_HANN)

}  // namespace argand
