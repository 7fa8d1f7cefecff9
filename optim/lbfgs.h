#pragma once
/// L-BFGS (Liu and Nocedal, "On the limited memory BFGS method for large scale optimization", Mathematical Programming 45, 1989)
/// for losses that are the same function at every call: a whole data set, a physical model. No learning rate: a line search finds
/// every step's length.
///
/// What it remembers are pairs s = z_{k+1} - z_k, y = g_{k+1} - g_k, and all it does with them uses one inner product,
///
///     ⟨a, b⟩ = Re Σ conj(a) b,
///
/// the product of the pairs (x, y) in R^{2n}. It must be this one: y = H s to first order with H the Hessian of L as a function of
/// 2n reals, and H is linear for real factors only, H(iz) ≠ iHz (autograd/hessian.h). The curvature condition
///
///     Re⟨s, y⟩ > 0
///
/// says that L bends upwards along s; then, and only then, is there a positive definite matrix that takes s to y. The imaginary
/// part of sᴴy may be anything; it vanishes where H commutes with i, as for L = zᴴAz. The strong Wolfe conditions, with p the
/// direction and t the length,
///
///     L(z + tp) <= L(z) + c1 t ⟨g, p⟩,        |⟨g(z + tp), p⟩| <= c2 |⟨g, p⟩|,        0 < c1 < c2 < 1,
///
/// see to it: ⟨s, y⟩ >= (1 - c2) t |⟨g, p⟩| > 0. A complex parameter and its pair of reals take the same steps, and a loss whose
/// plane is turned is walked down along the turned path.

#include <deque>
#include <functional>
#include <optional>

#include "optim/optimizer.h"

namespace argand {

struct LbfgsOptions {
  int history = 10;        ///< pairs (s, y) that are remembered
  double decrease = 1e-4;  ///< c1
  double curvature = 0.9;  ///< c2
  int evaluations = 25;    ///< of loss and gradient, at most, in one line search
  double flat = 1e-12;     ///< ends where the gradient's norm, sqrt Σ|g|², is not above it
};

/// Why it ended.
enum class LbfgsEnd {
  Iterations,  ///< the number of iterations was reached
  Flat,        ///< the gradient vanished
  NoLower,     ///< the line search failed even along the gradient: rounding of the loss, a kink, or a wrong gradient
};

struct LbfgsReport {
  double loss;         ///< where it ended
  double gradient;     ///< sqrt Σ|g|² there
  int iterations = 0;  ///< of this call
  int evaluations = 0;
  LbfgsEnd end = LbfgsEnd::Iterations;
};

template <RealScalar R>
class Lbfgs {
 public:
  /// Throws Error for a constant out of its range, and for a list with a non-variable or a duplicate.
  Lbfgs(ParameterList<R> parameters, const LbfgsOptions& options);

  /// Changes the parameters in place, up to this many iterations; further calls continue with the stored curvature. The loss never
  /// rises by more than rounding. `loss` computes it on the tape, a single number; backward is called here, and leaves in the
  /// parameters the gradient of where it ended. Throws Error when loss or gradient are not finite at the start, and for a parameter
  /// whose shape has changed.
  LbfgsReport minimise(const std::function<Var<R>()>& loss, int iterations);

  /// "s.K.NAME" and "y.K.NAME" for every parameter, K = 0 the youngest pair; zeros for pairs that are not there yet.
  OptimizerState<R> state() const;
  /// As Optimizer::load_state.
  void load_state(const OptimizerState<R>& state);

 private:
  using Vector = std::vector<R>;  // all parameters' numbers, one parameter after the other, a complex one as pairs
  struct Pair {
    Vector s, y;
    double sy;  // ⟨s, y⟩
  };
  struct Point {
    double t, value, slope;
    Vector gradient;
    bool wolfe;  // whether it ends a search
  };
  Vector direction(const Vector& gradient) const;
  Point search(const std::function<std::optional<Point>(double)>& along, const Point& start, double t, double ceiling,
               double noise) const;

  ParameterList<R> parameters_;
  LbfgsOptions options_;
  std::vector<AnyTensorOf<R>> shapes_;  // as the parameters, for checks and states
  std::deque<Pair> pairs_;              // the youngest first
  std::int64_t steps_ = 0;
};

}  // namespace argand
