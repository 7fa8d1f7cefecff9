#pragma once
/// Independent checks. Difference quotients are one way to test a gradient g of L = Re Σ conj(W) f(x). Three others compute the
/// derivative along a random direction v, each in its own way, and compare it with Re Σ conj(g) v:
///
/// - adjoint: Re Σ conj(W) (J v), from a forward derivative; takes no limit (autograd/check/adjoint.h).
/// - taylor: the remainder beyond first order falls like t² or faster; only an exponent is measured (taylor.h).
/// - complex step: Im L(x + i h v) / h at h = 1e-20; subtracts nothing, so nothing cancels. Requires a real-analytic f.
///
/// A fifth, linear, tests whether the gradient is linear in W; where f is recorded on a tape, a sixth, adds, tests whether it is
/// added to existing gradients (incoming_check.h). A check that cannot decide gives the reason.

#include <span>
#include <string>
#include <vector>

#include "autograd/check/scalar_projection.h"
#include "autograd/check/verdict.h"

namespace argand {

enum class Opinion { Agrees, Disagrees, Silent };
std::string_view opinion_name(Opinion opinion);  ///< "agrees", "disagrees", "silent"

struct IndependentCheck {
  std::string name;      ///< "differences", "adjoint", "taylor", "complex step", "linear", "adds"
  Opinion opinion;       ///< whether this check finds the gradient correct
  std::string finding;   ///< "relative error 3e-16", "order 2.00 at steps 3e-07 to 3e-05"; or why it is silent
  std::string of = {};   ///< the part of a report that was checked, if there are several: "complex"
  bool decides = false;  ///< the gradient contradicts itself: a failure proves it wrong, regardless of the other checks

  std::string str() const { return name + " (" + finding + ")"; }
};

/// The result of the difference quotients: a verdict, and the relative error.
IndependentCheck differences_check(Verdict verdict, double relative_error);

/// The results of adjoint, taylor, complex step and linear, in this order, for the first random weights. `tolerance` is relative to
/// the derivative along v.
std::vector<IndependentCheck> independent_checks(const ScalarProjection& projected, double tolerance, std::uint64_t seed);

bool any_disagrees(std::span<const IndependentCheck> checks);

}  // namespace argand
