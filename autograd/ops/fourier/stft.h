#pragma once
/// The short-time Fourier transform: what a signal sounds like, moment by moment. Made of ops, with the meaning of torch.stft.

#include <optional>

#include "autograd/var.h"

namespace argand {

/// How a signal is extended beyond its ends, where frames are centred.
enum class Padding {
  Reflect,  ///< mirrored at its first and last number: x_2 x_1 | x_0 x_1 x_2 ...
  Zeros,
};

template <RealScalar R>
struct StftOptions {
  std::optional<std::int64_t> hop = {};  ///< from one frame to the next; n_fft / 4 unless given
  std::optional<Var<R>> window = {};     ///< [W], W <= n_fft, in the middle of the frame; ones unless given. May want a gradient.
  bool center = true;                    ///< frame t is around x[t hop], the signal padded by n_fft / 2 at both ends
  Padding padding = Padding::Reflect;    ///< needs more than n_fft / 2 numbers
  bool normalized = false;               ///< divided by √n_fft
  bool onesided = true;                  ///< of a real signal: the frequencies 0, ..., n_fft / 2 only
};

/// X[..., k, t] = Σ_j w_j x[..., t hop + j] e^{-2πi jk/n_fft}: x [..., N] -> [..., n_fft / 2 + 1, 1 + (N - n_fft) / hop], of a
/// complex x all n_fft frequencies; where frames are centred N counts the padding. Throws for a signal shorter than a frame, and
/// for a hop or a window that does not fit.
template <Scalar T>
Var<ComplexOf<T>> stft(const Var<T>& x, std::int64_t n_fft, const StftOptions<RealOf<T>>& options = {});

/// The signal of which X, [..., n_fft / 2 + 1, frames], is the stft() with the same options: [..., frames] -> [..., N]. Frames are
/// added where they overlap and divided by Σ w² there, which among all signals is the one whose frames come closest to X. N is
/// `length` where given, else as far as the frames reach (centred ones: without the padding). Throws where no window reaches, or
/// for a length beyond the frames. Without options.onesided X has all n_fft frequencies, of which the first half is read.
/// torch.istft; Griffin & Lim, IEEE Trans. ASSP 32 (1984), eq. 6.
template <RealScalar R>
Var<R> istft(const Var<std::complex<R>>& X, std::int64_t n_fft, const StftOptions<R>& options = {},
             std::optional<std::int64_t> length = {});
/// The same of a complex signal, from all n_fft frequencies; options.onesided counts for nothing.
template <RealScalar R>
Var<std::complex<R>> complex_istft(const Var<std::complex<R>>& X, std::int64_t n_fft, const StftOptions<R>& options = {},
                                   std::optional<std::int64_t> length = {});

/// sin²(πj/n), j = 0, ..., n-1: the periodic Hann window, torch.hann_window(n).
template <RealScalar R>
Tensor<R> hann_window(std::int64_t n);

}  // namespace argand
