#include <fmt/format.h>

#include <algorithm>

#include "autograd/wirtinger.h"
#include "lab/exercise/families.h"

namespace argand {
namespace {

using C = std::complex<double>;

const std::string answer_in_z = "a formula in z and z̄";

/// Whether ∂f/∂z̄ vanishes around the point, only at it, or not even there, according to the tape.
std::string where_holomorphic(const std::string& f, C at) {
  const auto vanishes = [&](C z) {
    const TapeWirtinger d = tape_wirtinger(Expression(f), {AnyTensor(Tensor<C>({1}, {z}))});
    return std::abs(d.dzbar[0]) <= 1e-9 * (1 + std::abs(d.dz[0]));
  };
  if (!vanishes(at)) return "no";
  for (int n = 0; n < 8; ++n)
    if (!vanishes(at + std::polar(0.3, 0.2 + 0.7853981 * n))) return "point";
  return "yes";
}

/// Formulas for L, its gradient, and the gradient with a mistake. In `gradient`, {z} and {b} are placeholders for z and z̄, {k} for
/// the leading factor.
struct Claim {
  std::string loss, gradient;
  int factor;
  std::string with(const std::string& z, const std::string& bar, double k) const {
    std::string text = gradient;
    for (const auto& [mark, put] : {std::pair<std::string, std::string>{"{z}", z}, {"{b}", bar}, {"{k}", fmt::format("{:g}", k)}})
      for (std::size_t at = 0; (at = text.find(mark)) != std::string::npos;) text.replace(at, mark.size(), put);
    return text;
  }
  std::string right() const { return with("z", "z̄", factor); }
};

bool is_gradient(const std::string& loss, const std::string& claimed) {
  return judge_answer(Expression(loss), {C(1, 2)}, 0, DerivativeKind::Gradient, claimed).is_right();
}

}  // namespace

Problem make_wirtinger(Draw& draw) {
  const int c = draw.integer(2, 5), n = draw.integer(1, 3), m = draw.integer(1, 3), d = draw.integer(2, 4), k = draw.integer(1, 3);
  if (n == m || n - 1 == m || (n == m - 1 && k == 1))
    throw Redraw();  // if the derivative were real, a conjugation mistake would not show
  const std::string f = monomial(c, n, m) + " + " + monomial(d, 0, k);
  return {.title = "Two derivatives",
          .text = fmt::format("f(z) = `{}`. Expand to first order in the step and read off the coefficients of dz and dz̄.", f),
          .questions = {ask_formula("∂f/∂z, " + answer_in_z, 2, f, DerivativeKind::Dz, monomial(c * n, n - 1, m)),
                        ask_formula("∂f/∂z̄, " + answer_in_z, 2, f, DerivativeKind::Dzbar,
                                    monomial(c * m, n, m - 1) + " + " + monomial(d * k, 0, k - 1))}};
}

Problem make_gradient(Draw& draw) {
  const int n = draw.integer(2, 3);
  const C c = draw.gaussian(4), at = draw.gaussian(2);
  const std::string inner = fmt::format("z^{} + {}", n, within(c)), loss = fmt::format("|{}|^2", inner);
  return {
      .title = "A gradient",
      .text = fmt::format("L(z) = `{}`. The gradient is ∂L/∂x + i ∂L/∂y, with z = x + iy.", loss),
      .questions = {ask_formula("the gradient, " + answer_in_z, 3, loss, DerivativeKind::Gradient,
                                fmt::format("{}*({})", monomial(2 * n, 0, n - 1), inner),
                                {{fmt::format("{}*({})", monomial(2 * n, n - 1, 0), inner), "the derivative is not conjugated"}}),
                    ask_gradient(fmt::format("the gradient at z = {}, a number", written(at)), 1, slopes_at(loss, {at}).gradient(),
                                 {{2.0 * n * std::pow(at, n - 1) * (std::pow(at, n) + c), "the derivative is not conjugated"}})}};
}

Problem make_convention(Draw& draw) {
  const C c = draw.gaussian(4), at = draw.gaussian(3);
  const int k = draw.integer(2, 4) * (draw.integer(0, 1) == 0 ? 1 : -1);
  const std::string loss = fmt::format("|z - {}|^2 {} {}*re(z^2)", within(c), k < 0 ? "-" : "+", std::abs(k));
  const Slopes s = slopes_at(loss, {at});
  const C g = s.gradient();
  struct Convention {
    std::string name;
    C value;
  };
  std::vector<Convention> all = {
      {"what JAX's `jax.grad` returns", std::conj(g)}, {"∂L/∂z̄", s.dzbar}, {"∂L/∂z", s.dz}, {"what PyTorch leaves in `z.grad`", g}};
  const std::size_t missing = static_cast<std::size_t>(draw.integer(0, 2));
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(missing));
  draw.shuffle(all);
  Problem problem{.title = "Whose gradient?",
                  .text = fmt::format("L(z) = `{}` at z = {}. Give each as a number.", loss, written(at)),
                  .questions = {}};
  for (const Convention& one : all) {
    problem.questions.push_back(ask_gradient(one.name, 1, one.value));
    problem.questions.back().forgiving = false;
  }
  return problem;
}

Problem make_chain(Draw& draw) {
  const C a = draw.gaussian(2), b = draw.gaussian(2), c = draw.gaussian(4), z = draw.gaussian(2);
  const std::string layer = fmt::format("{}*z + {}*z̄", within(a), within(b));
  const C w = a * z + b * std::conj(z);
  const C upper = slopes_at(fmt::format("f(w) = |w^2 + {}|^2", within(c)), {w}).gradient();
  const C lower = slopes_at(fmt::format("|({})^2 + {}|^2", layer, within(c)), {z}).gradient();
  if (std::abs(upper) > 400 || std::abs(lower) > 2000) throw Redraw();
  return {.title = "Back through two layers",
          .text = fmt::format("w = `{}` and L = `|w^2 + {}|^2`, at z = {}. Go backwards, one layer after the other.", layer,
                              within(c), written(z)),
          .questions = {
              ask_number("w, a number", 1, w),
              ask_gradient("the gradient of L with respect to w, a number", 1, upper,
                           {{4.0 * w * (w * w + c), "the derivative is not conjugated"}}),
              ask_gradient("the gradient of L with respect to z, a number", 3, lower,
                           {{std::conj(a) * upper, "a term of the chain rule is missing"},
                            {a * upper + b * std::conj(upper), "the conjugates of the chain rule are in the wrong places"},
                            {std::conj(a) * upper + b * upper, "the conjugates of the chain rule are in the wrong places"},
                            {a * upper + std::conj(b * upper), "the conjugates of the chain rule are in the wrong places"},
                            {(a + b) * upper, "the conjugates of the chain rule are missing"},
                            {std::conj(a * upper) + b * upper, "the conjugates of the chain rule are in the wrong places"}})}};
}

Problem make_holomorphic(Draw& draw) {
  const C at = draw.gaussian(2), c = draw.gaussian(3);
  const int k = draw.integer(2, 4);
  std::vector<std::string> all = {
      draw.pick<std::string>({fmt::format("z^{} - {}*z", k, within(c)), fmt::format("conj(z̄^{} + {})", k, within(c)),
                              fmt::format("|z|^2*z^{}/z̄", k), fmt::format("exp({}*z) + {}", k, within(c))}),
      fmt::format("{}*z + (z̄ - {})^2", within(c), within(std::conj(at))),
      draw.pick<std::string>({fmt::format("z^{}*z̄", k), fmt::format("{}*z + re(z)", within(c)), fmt::format("z^2 + {}*z̄", k),
                              fmt::format("{}*z̄^2", k)})};
  draw.shuffle(all);
  Problem problem{
      .title = "Holomorphic?",
      .text = fmt::format(
          "Is f complex differentiable at z = {}? Answer `yes` (there and around it: f is holomorphic), `point` (at this point "
          "only), or `no`.",
          written(at)),
      .questions = {}};
  std::vector<std::string> found;
  for (const std::string& f : all) {
    found.push_back(where_holomorphic(f, at));
    problem.questions.push_back(ask_word(fmt::format("f(z) = `{}`", f), 1, {"yes", "point", "no"}, found.back()));
  }
  if (std::count(found.begin(), found.end(), "point") != 1) throw Redraw();
  return problem;
}

Problem make_mistake(Draw& draw) {
  const int a = draw.integer(2, 5), b = draw.integer(2, 4), n = draw.integer(2, 4);
  const C c = draw.gaussian(3);
  std::vector<Claim> claims = {{fmt::format("{}*|z|^4", a), "{k}*|z|^2*{z}", 4 * a},
                               {fmt::format("re({}*z^{})", within(c), n),
                                fmt::format("{{k}}*{}*{{b}}{}", within(std::conj(c)), n == 2 ? "" : fmt::format("^{}", n - 1)), n},
                               {fmt::format("{}*|z|", a), "{k}*{z}/|z|", a},
                               {fmt::format("im({}*z^2)", b), "{k}*i*{b}", 2 * b},
                               {fmt::format("|z^2 - {}|^2", within(c)), fmt::format("{{k}}*{{b}}*({{z}}^2 - {})", within(c)), 4}};
  draw.shuffle(claims);
  claims.resize(3);
  const int planted = draw.integer(0, 2), kind = draw.integer(0, 2);
  std::string text = "Someone has derived three gradients ∂L/∂x + i ∂L/∂y. One is wrong.\n", printed;
  std::vector<std::string> wrong;
  const std::vector<std::string> letters = {"a", "b", "c"};
  for (int k = 0; k < 3; ++k) {
    const Claim& claim = claims[static_cast<std::size_t>(k)];
    std::string shown = claim.right();
    if (k == planted)
      shown = kind == 0 ? claim.with("z̄", "z", claim.factor) : claim.with("z", "z̄", kind == 1 ? claim.factor / 2.0 : -claim.factor);
    if (k == planted) printed = shown;
    if (!is_gradient(claim.loss, shown)) wrong.push_back(letters[static_cast<std::size_t>(k)]);
    text += fmt::format("\n- ({}) L = `{}`, gradient `{}`", letters[static_cast<std::size_t>(k)], claim.loss, shown);
  }
  if (wrong.size() != 1) throw Redraw();
  const Claim& claim = claims[static_cast<std::size_t>(planted)];
  return {.title = "Find the mistake",
          .text = std::move(text),
          .questions = {ask_word("which one is wrong, a letter", 1, letters, wrong[0]),
                        ask_formula("its correct gradient, " + answer_in_z, 2, claim.loss, DerivativeKind::Gradient, claim.right(),
                                    {{printed, "this is the wrong one on the sheet", false}})}};
}

Problem make_step(Draw& draw) {
  const C c = draw.gaussian(4), z = draw.gaussian(2);
  const double rate = draw.pick<double>({0.01, 0.02, 0.05});
  const std::string loss = fmt::format("|z^2 + {}|^2", within(c));
  const C g = slopes_at(loss, {z}).gradient();
  return {.title = "A step downhill",
          .text = fmt::format("L(z) = `{}`, z = {}, learning rate η = {}.", loss, written(z), rate),
          .questions = {ask_gradient("z after one step z − η g along the gradient g, a number", 2, z - rate * g,
                                     {{z - rate * std::conj(g), "a step along the conjugate"},
                                      {z - rate * g / 2.0, "the step is half as long: ∂L/∂z̄ was taken for the gradient"},
                                      {z + rate * g, "a step uphill"}}),
                        ask_number("by how much L changes in this step to first order, a number", 2, -rate * std::norm(g),
                                   {{-rate * std::norm(g) / 2, "half of it: L changes by the real part of ḡ dz"},
                                    {-std::norm(g), "the learning rate is missing"}})}};
}

}  // namespace argand
