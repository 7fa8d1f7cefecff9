#pragma once
/// L-BFGS (Liu and Nocedal, "On the limited memory BFGS method for large scale optimization", Mathematical Programming 45, 1989)
/// for losses that are the same function at every call: a whole data set, a physical model. There is no learning rate: a line
/// search determines the length of each step.
///
/// L-BFGS remembers pairs s = z_{k+1} - z_k, y = g_{k+1} - g_k, and uses them only through one inner product,
///
///     ⟨a, b⟩ = Re Σ conj(a) b,
///
/// the product of the pairs (x, y) in R^{2n}. No other inner product works: y = H s to first order with H the Hessian of L as a
/// function of 2n reals, and H is only real-linear, H(iz) ≠ iHz (autograd/hessian.h). The curvature condition
///
///     Re⟨s, y⟩ > 0
///
/// means that L curves upwards along s; if and only if it holds, a positive definite matrix maps s to y. The imaginary part of sᴴy
/// is arbitrary; it vanishes where H commutes with i, as for L = zᴴAz. The strong Wolfe conditions, with p the direction and t the
/// length,
///
///     L(z + tp) <= L(z) + c1 t ⟨g, p⟩,        |⟨g(z + tp), p⟩| <= c2 |⟨g, p⟩|,        0 < c1 < c2 < 1,
///
/// ensure the curvature condition: ⟨s, y⟩ >= (1 - c2) t |⟨g, p⟩| > 0. A complex parameter and its pair of reals take the same
/// steps, and rotating the plane of a loss rotates the path.

#include <deque>
#include <functional>
#include <optional>

#include "optim/optimizer.h"

namespace argand {

struct LbfgsOptions {
  int history = 10;        ///< pairs (s, y) to remember
  double decrease = 1e-4;  ///< c1
  double curvature = 0.9;  ///< c2
  int evaluations = 25;    ///< maximum evaluations of loss and gradient per line search
  double flat = 1e-12;     ///< stops if the gradient norm, sqrt Σ|g|², is at most this
};

/// Why minimise() stopped.
enum class LbfgsEnd {
  Iterations,  ///< the iteration limit was reached
  Flat,        ///< the gradient vanished
  NoLower,     ///< the line search failed even along the gradient: rounding of the loss, a kink, or a wrong gradient
};

struct LbfgsReport {
  double loss;         ///< at the end
  double gradient;     ///< norm sqrt Σ|g|² at the end
  int iterations = 0;  ///< in this call
  int evaluations = 0;
  LbfgsEnd end = LbfgsEnd::Iterations;
};

template <RealScalar R>
class Lbfgs {
 public:
  /// Throws Error if an option is out of range, or if the list contains a non-variable, a duplicate or two variables with the same
  /// name.
  Lbfgs(ParameterList<R> parameters, const LbfgsOptions& options);

  /// Changes the parameters in place, for at most `iterations` iterations; further calls continue with the stored curvature. The
  /// loss never rises by more than rounding. `loss` computes a scalar on the tape; minimise() calls backward() and leaves the final
  /// point's gradient in the parameters. Throws Error if the loss or gradient is not finite at the start, or if a parameter's shape
  /// has changed.
  LbfgsReport minimise(const std::function<Var<R>()>& loss, int iterations);

  /// "s.K.NAME" and "y.K.NAME" for every parameter, where K = 0 is the newest pair; zeros for missing pairs.
  OptimizerState<R> state() const;
  /// The same contract as Optimizer::load_state.
  void load_state(const OptimizerState<R>& state);

 private:
  using Vector = std::vector<R>;  // the elements of all parameters in order, complex ones as pairs
  struct Pair {
    Vector s, y;
    double sy;  // ⟨s, y⟩
  };
  struct Point {
    double t, value, slope;
    Vector gradient;
    bool wolfe;  // whether it satisfies the strong Wolfe conditions
  };
  Vector direction(const Vector& gradient) const;
  Point search(const std::function<std::optional<Point>(double)>& along, const Point& start, double t, double ceiling,
               double noise) const;

  ParameterList<R> parameters_;
  LbfgsOptions options_;
  std::vector<AnyTensorOf<R>> shapes_;  // the shapes of the parameters, for checks and states
  std::deque<Pair> pairs_;              // newest first
  std::int64_t steps_ = 0;
};

}  // namespace argand
