#pragma once
/// Independent checks. Difference quotients are one way to see whether a gradient g of L = Re Σ conj(W) f(x) is right. Three more
/// look along one random direction v, each in its own way, and compare with Re Σ conj(g) v:
///
/// - adjoint: Re Σ conj(W) (J v), by a forward derivative; no limit is taken (autograd/check/adjoint.h).
/// - taylor: the remainder after first order falls like t² or faster; only an exponent is measured (taylor.h beside this).
/// - complex step: Im L(x + i h v) / h at h = 1e-20; nothing is subtracted, so nothing cancels. For real-analytic f.
///
/// A fifth, linear, asks whether the gradient is linear in W, and where f is recorded on a tape a sixth, adds, whether it is added
/// to what is there (incoming_check.h beside this). One that cannot tell says why.

#include <span>
#include <string>
#include <vector>

#include "autograd/check/scalar_projection.h"
#include "autograd/check/verdict.h"

namespace argand {

enum class Opinion { Agrees, Disagrees, Silent };
std::string_view opinion_name(Opinion opinion);  ///< "agrees", "disagrees", "silent"

struct IndependentCheck {
  std::string name;      ///< "differences", "adjoint", "taylor", "complex step"
  Opinion opinion;       ///< of the gradient
  std::string finding;   ///< "relative error 3e-16", "order 2.00 at steps 3e-07 to 3e-05"; or why it is silent
  std::string of = {};   ///< what was looked at, where a report is about several: "complex"
  bool decides = false;  ///< where it disagrees the gradient is wrong, whatever the others say: it contradicts itself

  std::string str() const { return name + " (" + finding + ")"; }
};

/// What difference quotients say: a verdict, and how far the two were apart.
IndependentCheck differences_check(Verdict verdict, double relative_error);

/// What adjoint, taylor, complex step and linear say, in this order, under the first random weights. `tolerance` is
/// relative, of the derivative along v.
std::vector<IndependentCheck> independent_checks(const ScalarProjection& projected, double tolerance, std::uint64_t seed);

bool any_disagrees(std::span<const IndependentCheck> checks);

}  // namespace argand
