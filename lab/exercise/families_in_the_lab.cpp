#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lab/exercise/families.h"
#include "lab/lab_hessian.h"
#include "lab/lab_point.h"

namespace argand {
namespace {

using C = std::complex<double>;

std::vector<std::string> kinds_of_points() { return {"minimum", "maximum", "saddle"}; }

/// The kind of critical point according to the tape's Hessian: "minimum", "maximum" or "saddle". Throws Redraw if differences do
/// not confirm the Hessian, or if the point is none of these.
std::string kind_at(const std::string& loss, C at) {
  const LabHessian h = lab_hessian(Expression(loss), {at});
  if (h.verdict() != Verdict::Pass) throw Redraw();
  const std::string kind = h.kind();
  const std::string word = kind.substr(kind.find(' ') + 1);
  const std::vector<std::string> all = kinds_of_points();
  if (std::find(all.begin(), all.end(), word) == all.end()) throw Redraw();
  return word;
}

double largest_curvature(const std::string& loss, C at) {
  const LabHessian h = lab_hessian(Expression(loss), {at});
  if (h.verdict() != Verdict::Pass) throw Redraw();
  return h.eigenvalues.back();
}

}  // namespace

Problem make_phase(Draw& draw) {
  const int k = draw.integer(2, 4);
  const C at = draw.gaussian(3);
  const std::string power = fmt::format("|z|^{}", k), loss = power + "*angle(z)";
  const std::string below = k == 2 ? "" : fmt::format("|z|^{}*", k - 2);
  const double r = draw.pick<double>({0.1, 0.2, 0.25, 0.4, 0.5});
  const C place = draw.pick<C>({-1, -2, C(0, 2), C(0, -3), -0.5, 2});
  return {.title = "The gradient of a phase",
          .text = fmt::format("The phase of z is `angle(z)` = atan2(y, x). Look at L(z) = `{}`.", loss),
          .questions = {
              ask_formula("the gradient ∂L/∂x + i ∂L/∂y away from the cut, a formula in z, z̄ and angle(z)", 3, loss,
                          DerivativeKind::Gradient, fmt::format("{}(i*z + {}*z*angle(z))", below, k), {}, {at}),
              ask_number(fmt::format("the length |g| of the gradient of angle(z) alone at every z with |z| = {}, a number", r), 2,
                         std::abs(slopes_at("angle(z)", {std::polar(r, 0.7)}).gradient())),
              ask_word(fmt::format("is angle(z) differentiable at z = {} (`yes` or `no`)", written(place)), 1, {"yes", "no"},
                       lab_point(Expression("angle(z)"), {place}, 0).conclusive() ? "yes" : "no")}};
}

Problem make_modulus(Draw& draw) {
  const int c = draw.integer(2, 5), k = 2 * draw.integer(1, 2);
  const bool squash = draw.integer(0, 1) == 0;
  const std::string f = squash ? fmt::format("z/({} + |z|^2)", c) : fmt::format("|z|^{}*z + {}*z̄", k, c);
  const std::string dz = squash ? fmt::format("{0}/({0} + |z|^2)^2", c) : fmt::format("{}*|z|^{}", 1 + k / 2, k);
  const std::string dzbar = squash ? fmt::format("-z^2/({} + |z|^2)^2", c) : fmt::format("{}z^2 + {}", k == 2 ? "" : "2*|z|^2*", c);
  return {.title = "An activation that depends on the modulus",
          .text = fmt::format("f(z) = `{}`. Find both derivatives, then compare with the lab.", f),
          .questions = {ask_formula("∂f/∂z, a formula", 2, f, DerivativeKind::Dz, dz),
                        ask_formula("∂f/∂z̄, a formula", 2, f, DerivativeKind::Dzbar, dzbar)}};
}

Problem make_ellipse(Draw& draw) {
  const int n = draw.integer(2, 3), k = draw.integer(2, 9);
  const C at = draw.gaussian(2);
  const std::string f = fmt::format("z^{} + {}*z̄", n, k);
  const Slopes s = slopes_at(f, {at});
  const LabEllipse e = ellipse_of(s.dz, s.dzbar);
  if (e.shorter < 0.05 * e.longer) throw Redraw();
  return {
      .title = "The image of a small circle",
      .text = fmt::format(
          "f(z) = `{}` takes a small circle around z = {} to an ellipse. Its half-axes are given in units of the circle's radius.",
          f, written(at)),
      .questions = {ask_number("the longer half-axis, a number", 1, e.longer),
                    ask_number("the shorter half-axis, a number", 1, e.shorter),
                    ask_word("is the image traversed in the same direction as the circle (`yes` or `no`)", 1, {"yes", "no"},
                             e.determinant > 0 ? "yes" : "no")}};
}

Problem make_curvature(Draw& draw) {
  const C p = draw.gaussian(3);
  int a = draw.nonzero(4), b = draw.nonzero(6);
  if (std::abs(a) == std::abs(b)) throw Redraw();
  const int k = draw.integer(1, 3);
  const std::string quadratic =
      fmt::format("{}*abs2(z - {}) {} {}*re((z - {})^2)", a, within(p), b < 0 ? "-" : "+", std::abs(b), within(p));
  const std::string valley = fmt::format("abs2(z^2 + {})", k * k);
  const double curvature = largest_curvature(valley, C(0, k));
  return {.title = "What kind of point?",
          .text = fmt::format("L(z) = `{}`, and M(z) = `{}`. `argand lab` has `--hessian`.", quadratic, valley),
          .questions = {ask_word(fmt::format("is z = {} a `minimum`, a `maximum` or a `saddle` of L", written(p)), 1,
                                 kinds_of_points(), kind_at(quadratic, p)),
                        ask_word("the same for M at z = 0", 1, kinds_of_points(), kind_at(valley, 0)),
                        ask_number(fmt::format("the largest eigenvalue of M's real Hessian at z = {}, a number", written(C(0, k))),
                                   1, curvature),
                        ask_number("the learning rate above which descent z − η g no longer converges there, a number", 1,
                                   2 / curvature, {{1 / curvature, "half of it: a step may overshoot"}})}};
}

Problem make_algebra(Draw& draw) {
  const int a = draw.nonzero(3), b = draw.nonzero(3), c = draw.nonzero(3), d = draw.nonzero(3), t = draw.nonzero(4),
            s = draw.nonzero(4);
  const double theta = draw.pick<double>({0.1, 0.2, 0.3, 0.5, 0.6, 1.0});
  const std::string real = fmt::format("{} + {}*(-1 + sin(2*t)) - {}", a * c, within(b * d), within(t));
  const std::string loss = fmt::format("f(t) = ({})^2 + {}", real, (a * d + b * c - s) * (a * d + b * c - s));
  const std::string derivative = fmt::format("{}*({})*cos(2*t)", 4 * b * d, real);
  const double slope = slopes_at(loss, {C(theta, 0)}).dz.real();
  return {.title = "Learning the square of the imaginary unit",
          .text = fmt::format("In an algebra with J² = κ(θ) = −1 + sin 2θ the product is (a + bJ)(c + dJ) = (ac + κbd) + (ad + "
                              "bc)J. Let u + vJ be the product of "
                              "the numbers with (a, b) = ({}, {}) and (c, d) = ({}, {}), and L = (u − {})² + (v − {})². L depends "
                              "on the real number θ.",
                              a, b, c, d, within(t), within(s)),
          .questions = {ask_formula("dL/dθ, a formula; write t for θ", 3, loss, DerivativeKind::Dz, derivative, {}, {C(theta, 0)}),
                        ask_number(fmt::format("dL/dθ at θ = {}, a number", theta), 1, slope)}};
}

Problem make_matrix(Draw& draw) {
  const C a = draw.gaussian(2), b = draw.gaussian(2), c = draw.gaussian(2), d = draw.gaussian(2), p = draw.gaussian(3),
          q = draw.gaussian(3);
  const std::vector<C> at = {draw.gaussian(2), draw.gaussian(2)};
  const std::string loss = fmt::format("f(z, w) = |{}*z + {}*w - {}|^2 + |{}*z + {}*w - {}|^2", within(a), within(b), within(p),
                                       within(c), within(d), within(q));
  const C r1 = a * at[0] + b * at[1] - p, r2 = c * at[0] + d * at[1] - q;
  const std::string forgotten = "the matrix is transposed, but not conjugated";
  return {.title = "Least squares",
          .text = fmt::format("A has the rows ({}, {}) and ({}, {}), b = ({}, {}), and L = ‖A(z, w) − b‖² at z = {}, w = {}. The "
                              "lab reads it as\n`{}`.",
                              written(a), written(b), written(c), written(d), written(p), written(q), written(at[0]),
                              written(at[1]), loss),
          .questions = {ask_gradient("the gradient with respect to z, a number", 2, slopes_at(loss, at, 0).gradient(),
                                     {{2.0 * (a * r1 + c * r2), forgotten}}),
                        ask_gradient("the gradient with respect to w, a number", 2, slopes_at(loss, at, 1).gradient(),
                                     {{2.0 * (b * r1 + d * r2), forgotten}})}};
}

}  // namespace argand
