#pragma once
/// The short-time Fourier transform: the spectrum of a signal as it changes over time. Composed of ops, defined as in torch.stft.

#include <optional>

#include "autograd/var.h"

namespace argand {

/// How a signal is extended beyond its ends when frames are centred.
enum class Padding {
  Reflect,  ///< mirrored at its first and last element: x_2 x_1 | x_0 x_1 x_2 ...
  Zeros,
};

template <RealScalar R>
struct StftOptions {
  std::optional<std::int64_t> hop = {};  ///< distance between frames; n_fft / 4 by default
  std::optional<Var<R>> window = {};     ///< [W], W <= n_fft, in the middle of the frame; ones by default. May require a gradient.
  bool center = true;                    ///< frame t is centred at x[t hop], with the signal padded by n_fft / 2 at both ends
  Padding padding = Padding::Reflect;    ///< Reflect needs more than n_fft / 2 elements
  bool normalized = false;               ///< whether the spectrum is divided by √n_fft
  bool onesided = true;                  ///< for a real signal: only the frequencies 0, ..., n_fft / 2
};

/// X[..., k, t] = Σ_j w_j x[..., t hop + j] e^{-2πi jk/n_fft}: x [..., N] -> [..., n_fft / 2 + 1, 1 + (N - n_fft) / hop], or all
/// n_fft frequencies for a complex x; with centred frames N includes the padding. Throws for a signal shorter than a frame, and for
/// an invalid hop or window.
template <Scalar T>
Var<ComplexOf<T>> stft(const Var<T>& x, std::int64_t n_fft, const StftOptions<RealOf<T>>& options = {});

/// The signal whose stft() with the same options is X, [..., n_fft / 2 + 1, frames]: [..., frames] -> [..., N]. Overlapping frames
/// are added and divided by Σ w², which gives the signal whose frames come closest to X. N is `length` if given, otherwise the span
/// of the frames (without the padding if centred). Throws where all windows are 0, or for a length beyond the frames. Without
/// options.onesided X has all n_fft frequencies, of which only the first half is used. torch.istft; Griffin & Lim, IEEE Trans. ASSP
/// 32 (1984), eq. 6.
template <RealScalar R>
Var<R> istft(const Var<std::complex<R>>& X, std::int64_t n_fft, const StftOptions<R>& options = {},
             std::optional<std::int64_t> length = {});
/// istft() for a complex signal, from all n_fft frequencies; options.onesided is ignored.
template <RealScalar R>
Var<std::complex<R>> complex_istft(const Var<std::complex<R>>& X, std::int64_t n_fft, const StftOptions<R>& options = {},
                                   std::optional<std::int64_t> length = {});

/// sin²(πj/n), j = 0, ..., n-1: the periodic Hann window, torch.hann_window(n).
template <RealScalar R>
Tensor<R> hann_window(std::int64_t n);

}  // namespace argand
