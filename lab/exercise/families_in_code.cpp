#include <fmt/format.h>

#include <cmath>

#include "autograd/tape.h"
#include "lab/exercise/families.h"
#include "lab/expression/expression_point.h"
#include "optim/adamw.h"

namespace argand {
namespace {

using C = std::complex<double>;

/// z after `steps` of z -= rate * g, with g the gradient or its conjugate.
C walked(const std::string& loss, C z, double rate, int steps, bool conjugate = false) {
  const Expression f(loss);
  for (int step = 0; step < steps; ++step) {
    const auto at = variable(Tensor<C>({1}, {z}));
    backward(loss_of(f({at})));
    const C g = at.grad().data()[0];
    z -= rate * (conjugate ? std::conj(g) : g);
  }
  return z;
}

C walked_by_adam(const std::string& loss, C z, double rate, int steps, ComplexMoments moments) {
  const Expression f(loss);
  auto at = variable(Tensor<C>({1}, {z}));
  AdamW<double> optimizer({{"z", at}}, {.beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .weight_decay = 0, .complex_moments = moments});
  for (int step = 0; step < steps; ++step) {
    at.zero_grad();
    backward(loss_of(f({at})));
    optimizer.step(rate);
  }
  return at.value().data()[0];
}

double loss_at(const std::string& loss, C z) { return loss_of(Expression(loss)({variable(Tensor<C>({1}, {z}))})).value().item(); }

/// Rounds a number to the digits shown, since the student computes with those.
C as_shown(C z) { return {std::round(z.real() * 1e4) / 1e4, std::round(z.imag() * 1e4) / 1e4}; }

/// The lines of a hand-written backward pass, and its values by name.
class Program {
 public:
  void set(const std::string& name, C value) { names_.push_back(name), values_.emplace_back(constant(Tensor<C>({1}, {value}))); }
  C value(const std::string& expression) const {
    return std::visit([](const auto& v) { return C(v.value().data()[0]); }, Expression(expression, names_)(values_));
  }

 private:
  std::vector<std::string> names_;
  std::vector<AnyVar> values_;
};

struct Line {
  std::string name, right, wrong;
};

}  // namespace

Problem make_network(Draw& draw) {
  std::string loss = "f(v, w) =", table = "| x | y |\n| --- | --- |";
  for (int k = 0; k < 3; ++k) {
    const C x = draw.decimal(), y = draw.decimal();
    loss += fmt::format("{} |v*tanh({}*w) - {}|^2", k == 0 ? "" : " +", within(x), within(y));
    table += fmt::format("\n| {} | {} |", written(x), written(y));
  }
  const std::vector<C> at = {draw.decimal(), draw.decimal()};
  const Slopes v = slopes_at(loss, at, 0), w = slopes_at(loss, at, 1);
  return {.title = "The smallest network",
          .text = fmt::format("It computes v · tanh(w x). L is the sum of |v · tanh(w x) − y|² over these three pairs, at v = {}, "
                              "w = {}. Write a program, with a framework or "
                              "without.\n\n{}",
                              written(at[0]), written(at[1]), table),
          .questions = {ask_number("L, a number", 1, v.value),
                        ask_gradient("the gradient with respect to v, a number", 2, v.gradient()),
                        ask_gradient("the gradient with respect to w, a number", 2, w.gradient())}};
}

Problem make_descent(Draw& draw) {
  const C c = draw.gaussian(3), start = as_shown(draw.decimal() + draw.gaussian(2));
  const double rate = draw.pick<double>({0.005, 0.01, 0.015});
  const int steps = draw.integer(8, 15), n = draw.integer(2, 3);
  const std::string loss = fmt::format("|z^{} + {}|^2 + |z|^2", n, within(c));
  const C end = walked(loss, start, rate, steps);
  if (!(loss_at(loss, end) < loss_at(loss, start)) || std::abs(end - walked(loss, start, rate, steps + 1)) < 0.01) throw Redraw();
  return {.title = "Descent",
          .text = fmt::format("L(z) = `{}`. Start at z = {} and take {} steps along the gradient with learning rate {}.", loss,
                              written(start), steps, rate),
          .questions = {
              ask_gradient("z at the end, a number", 2, end,
                           {{walked(loss, start, rate, steps, true), "steps along the conjugate"},
                            {walked(loss, start, rate / 2, steps), "the steps are half as long: ∂L/∂z̄ was taken for the gradient"},
                            {walked(loss, start, rate, steps - 1), "one step is missing"},
                            {walked(loss, start, rate, steps + 1), "one step too many"}}),
              ask_number("L there, a number", 1, loss_at(loss, end))}};
}

Problem make_adam(Draw& draw) {
  const C c = draw.gaussian(3), start = draw.gaussian(2);
  const double rate = draw.pick<double>({0.05, 0.08, 0.1});
  const int steps = draw.integer(4, 8);
  const std::string loss = fmt::format("|z^2 + {}|^2", within(c));
  const C one = walked_by_adam(loss, start, rate, steps, ComplexMoments::Modulus),
          two = walked_by_adam(loss, start, rate, steps, ComplexMoments::Two);
  if (std::abs(one - two) < 0.01) throw Redraw();
  return {.title = "What Adam squares",
          .text = fmt::format("L(z) = `{}`. Start at z = {} and take {} steps of Adam with β₁ = 0.9, β₂ = 0.999, ε = 1e-8, bias "
                              "correction, learning rate {}, no weight decay.",
                              loss, written(start), steps, rate),
          .questions = {ask_gradient("z at the end if v averages |g|² (one second moment), a number", 2, one,
                                     {{two, "this is Adam with two second moments"}}),
                        ask_gradient("z at the end if Re g and Im g each have a second moment, a number", 2, two,
                                     {{one, "this is Adam with one second moment"}})}};
}

Problem make_backward(Draw& draw) {
  const C v = draw.gaussian(2), w = draw.gaussian(2), x = as_shown(draw.decimal()), t = draw.gaussian(3);
  const auto [act, right, wrong] =
      draw.pick<std::array<std::string, 3>>({{"p^2", "conj(2*p)*g_h", "2*p*g_h"},
                                             {"tanh(p)", "conj(1 - h^2)*g_h", "(1 - h^2)*g_h"},
                                             {"p*|p|^2", "2*|p|^2*g_h + p^2*conj(g_h)", "2*|p|^2*g_h + p^2*g_h"}});
  const std::vector<Line> lines = {{"g_o", "2*(o - t)", "o - t"},
                                   {"g_v", "conj(h)*g_o", "h*g_o"},
                                   {"g_h", "conj(v)*g_o", "v*g_o"},
                                   {"g_p", right, wrong},
                                   {"g_w", "conj(x)*g_p", "x*g_p"}};
  const std::size_t planted = static_cast<std::size_t>(draw.integer(0, 4));
  Program with_mistake;
  for (const auto& [name, value] : std::vector<std::pair<std::string, C>>{{"v", v}, {"w", w}, {"x", x}, {"t", t}})
    with_mistake.set(name, value);
  std::string text = fmt::format(
      "A program computes L = |v h − t|² with h = `{}` and p = w x, at v = {}, w = {}, x = {}, t = {}, and computes its backward "
      "pass by hand. One line is wrong.\n\n"
      "        p = w*x;  h = {};  o = v*h",
      act, written(v), written(w), written(x), written(t), act);
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{{"p", "w*x"}, {"h", act}, {"o", "v*h"}})
    with_mistake.set(name, with_mistake.value(value));
  // What the tape gives for each intermediate value, and what each line yields when the previous values are correct.
  Program tape = with_mistake;
  const std::vector<std::string> losses = {"f(o, t) = |o - t|^2", "f(v, h, t) = |v*h - t|^2", "f(h, v, t) = |v*h - t|^2",
                                           fmt::format("f(p, v, t) = |v*({}) - t|^2", act),
                                           fmt::format("f(w, x, v, t) = |v*({}) - t|^2", act == "p^2"       ? "(w*x)^2"
                                                                                         : act == "tanh(p)" ? "tanh(w*x)"
                                                                                                            : "w*x*|w*x|^2")};
  std::string found;
  C slope = 0;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const std::string& line = k == planted ? lines[k].wrong : lines[k].right;
    text += fmt::format("\n    {}   {} = {}", k + 1, lines[k].name, line);
    std::vector<C> at;
    const Expression loss(losses[k]);
    for (const std::string& name : loss.variables()) at.push_back(tape.value(name));
    slope = slopes_at(losses[k], at).gradient();
    if (std::abs(tape.value(line) - slope) > 1e-8 * std::abs(slope)) found += std::to_string(k + 1);
    tape.set(lines[k].name, slope);
    with_mistake.set(lines[k].name, with_mistake.value(line));
  }
  if (found.size() != 1) throw Redraw();
  return {.title = "A line is wrong",
          .text = std::move(text),
          .questions = {ask_word("which line, a number from 1 to 5", 2, {"1", "2", "3", "4", "5"}, found),
                        ask_gradient("the correct gradient of L with respect to w, a number", 2, slope,
                                     {{with_mistake.value("g_w"), "this is the program's result, with its mistake"}})}};
}

const std::vector<ProblemFamily>& problem_families() {
  static const std::vector<ProblemFamily> all = {
      {"wirtinger", "both derivatives of a polynomial in z and z̄", 1, make_wirtinger},
      {"gradient", "the gradient of |zⁿ + c|²", 1, make_gradient},
      {"convention", "PyTorch's gradient, JAX's gradient, ∂L/∂z̄ and ∂L/∂z", 1, make_convention},
      {"chain", "back through two layers", 1, make_chain},
      {"holomorphic", "complex differentiable: around, at a point, or not", 1, make_holomorphic},
      {"mistake", "three gradients, of which one is wrong", 1, make_mistake},
      {"step", "one step of gradient descent", 1, make_step},
      {"phase", "the gradient of atan2", 2, make_phase},
      {"modulus", "both derivatives of an activation", 2, make_modulus},
      {"ellipse", "the image of a small circle", 2, make_ellipse},
      {"curvature", "minimum, maximum, saddle; the largest learning rate", 2, make_curvature},
      {"algebra", "the derivative with respect to the angle θ of a learnable algebra", 2, make_algebra},
      {"matrix", "least squares in a vector of two numbers", 2, make_matrix},
      {"network", "the gradients of a network with two weights", 3, make_network},
      {"descent", "several steps of gradient descent", 3, make_descent},
      {"adam", "Adam with one second moment, and with two", 3, make_adam},
      {"backward", "a backward pass by hand, with a wrong line", 3, make_backward},
  };
  return all;
}

}  // namespace argand
