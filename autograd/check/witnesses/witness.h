#pragma once
/// Second opinions. Difference quotients are one witness of whether a gradient g of L = Re Σ conj(W) f(x) is right. Three more look
/// along one random direction v, each in its own way, and compare with Re Σ conj(g) v:
///
/// - adjoint: Re Σ conj(W) (J v), by a forward derivative; no limit is taken (autograd/check/adjoint.h).
/// - taylor: the remainder after first order falls like t² or faster; only an exponent is measured (taylor.h beside this).
/// - complex step: Im L(x + i h v) / h at h = 1e-20; nothing is subtracted, so nothing cancels. For real-analytic f.
///
/// A witness that cannot speak says why.

#include <span>
#include <string>
#include <vector>

#include "autograd/check/probe.h"
#include "autograd/check/verdict.h"

namespace argand {

enum class Opinion { Agrees, Disagrees, Silent };
std::string_view opinion_name(Opinion opinion);  ///< "agrees", "disagrees", "silent"

struct Witness {
  std::string name;     ///< "differences", "adjoint", "taylor", "complex step"
  Opinion opinion;      ///< of the gradient
  std::string finding;  ///< "relative error 3e-16", "order 2.00 at steps 3e-07 to 3e-05"; or why it is silent

  std::string str() const { return name + " (" + finding + ")"; }
};

/// What difference quotients say: a verdict, and how far the two were apart.
Witness differences_witness(Verdict verdict, double relative_error);

/// What adjoint, taylor and complex step say, in this order, under the probe's first random weights. `tolerance` is relative, of
/// the derivative along v.
std::vector<Witness> second_opinions(const Probe& probe, double tolerance, std::uint64_t seed);

bool any_disagrees(const std::vector<Witness>& witnesses);
/// "adjoint (relative error 2e-3), taylor (...)": those with this opinion, empty where there are none.
std::string witnesses_text(std::span<const Witness> witnesses, Opinion opinion);

}  // namespace argand
