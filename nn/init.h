#pragma once
/// Initial values: parameters draw from separate random streams, in order of construction, so a model's initial state is a pure
/// function of (config, seed).

#include <cmath>

#include "autograd/var.h"
#include "core/random.h"

namespace argand {

/// Fan in and fan out of a weight [out, in] or [out, in, kernel...]: the number of inputs per output, and of outputs per input.
struct Fans {
  double in, out;
};
/// Throws Error for fewer than two axes or an empty axis.
Fans fans_of(const Shape& weight);

/// A uniformly distributed matrix [m, n] with orthonormal rows (m <= n) or columns: real orthogonal, or complex unitary. Uses the
/// QR decomposition of a Gaussian matrix with a positive diagonal of R (Mezzadri, "How to generate random matrices from the
/// classical compact groups", Notices of the AMS 54, 2007), by Gram-Schmidt applied twice. Throws unless `shape` is a matrix.
template <Scalar T>
Tensor<T> random_unitary(const Shape& shape, const Random& random);

class Init {
 public:
  explicit Init(std::uint64_t seed) : seed_(seed) {}

  /// N(0, std²). A complex number has half the variance in each component, so its phase is uniform and its modulus is Rayleigh with
  /// E|w|² = std²: the distribution that Trabelsi et al. ("Deep complex networks", ICLR 2018, section 3.6) draw in polar form.
  template <Scalar T>
  Var<T> normal(Role role, const Shape& shape, double std) {
    return variable(randn<T>(shape, next(), static_cast<RealOf<T>>(std)), role);
  }
  /// E|w|² = 2/(fan in + fan out), real or complex (Glorot and Bengio, AISTATS 2010; Trabelsi et al., section 3.6).
  template <Scalar T>
  Var<T> glorot(Role role, const Shape& shape) {
    return normal<T>(role, shape, std::sqrt(2 / (fans_of(shape).in + fans_of(shape).out)));
  }
  /// E|w|² = 2/(fan in), for activations that halve the power: ReLU, or its complex version crelu (He et al., ICCV 2015; Trabelsi
  /// et al., section 3.6).
  template <Scalar T>
  Var<T> he(Role role, const Shape& shape) {
    return normal<T>(role, shape, std::sqrt(2 / fans_of(shape).in));
  }
  /// gain times a random_unitary matrix [out, in kernel...]: E|w|² = gain²/max(out, in kernel...).
  template <Scalar T>
  Var<T> unitary(Role role, const Shape& shape, double gain = 1) {
    Tensor<T> w = random_unitary<T>({shape[0], shape.size() / shape[0]}, next()).reshape(shape);
    for (T& x : w.span()) x *= static_cast<RealOf<T>>(gain);
    return variable(std::move(w), role);
  }
  /// Uniform in [low, high]; `high` is included because rounding to single precision can produce it.
  template <RealScalar R>
  Var<R> uniform(Role role, const Shape& shape, double low, double high) {
    Tensor<R> values = Tensor<R>::zeros(shape);
    const Random random = next();
    std::uint64_t i = 0;
    for (R& x : values.span()) x = static_cast<R>(low + (high - low) * random.uniform(i++));
    return variable(std::move(values), role);
  }
  template <Scalar T>
  Var<T> full(Role role, const Shape& shape, double value) {
    return variable(Tensor<T>::full(shape, T(static_cast<RealOf<T>>(value))), role);
  }

 private:
  Random next() { return Random(seed_, stream_++); }
  std::uint64_t seed_, stream_ = 0;
};

}  // namespace argand
