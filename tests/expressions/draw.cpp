#include "tests/expressions/draw.h"

#include <fmt/format.h>

#include "lab/expression/expression_functions.h"

namespace reference {
namespace {

using argand::ExpressionFunction;
using argand::Takes;

const std::vector<std::string> real_numbers = {"0",    "1",      "2",      "0.5",   "3",     "0.1",   "pi",
                                               "e",    "1e-8",   "1e8",    "1e16",  "1e-16", "1e-20", "1e150",
                                               "1e20", "1e-150", "1e-300", "1e300", "709.8", "1.5"};
const std::vector<std::string> complex_numbers = {"i", "(1+i)", "2i", "(0.6-0.8i)", "1e-10i", "1e10i"};
const std::vector<std::string> exponents = {"2", "3", "-1", "0.5", "-0.5", "1.5", "0", "1", "5", "0.1", "-2", "2.5", "65", "1e-3"};

Tree leaf(Dice& dice) {
  const std::size_t kind = dice.below(8);
  if (kind < 5) return {"z", {}, false};
  if (kind < 7) return {dice.of(real_numbers), {}, true};
  return {dice.of(complex_numbers), {}, false};
}

Tree draw_real(Dice& dice, int depth);

/// A random call of f, with real expressions for the arguments that must be real.
Tree call(Dice& dice, const ExpressionFunction& f, int depth) {
  Tree tree{f.name + "(", {}, false};
  for (std::size_t k = 0; k < f.takes.size(); ++k) {
    tree.form += k == 0 ? "{}" : ", {}";
    tree.parts.push_back(f.takes[k] == Takes::Real ? draw_real(dice, depth - 1)
                                                   : draw(dice, depth - 1 - static_cast<int>(dice.below(2))));
  }
  tree.form += ")";
  return tree;
}

Tree draw_real(Dice& dice, int depth) {
  static const std::vector<std::string> parts = {"re({})", "im({})", "abs({})", "abs2({})", "angle({})"};
  const std::size_t kind = dice.below(10);
  if (kind == 0) return {dice.of(real_numbers), {}, true};
  if (kind == 1) return {"(-" + dice.of(real_numbers) + ")", {}, true};
  if (kind <= 3 && depth > 1) {
    std::vector<const ExpressionFunction*> real;
    for (const ExpressionFunction& f : argand::expression_functions())
      if (f.takes == std::vector<Takes>{Takes::Real}) real.push_back(&f);
    Tree tree = call(dice, *dice.of(real), depth);
    tree.real = true;
    return tree;
  }
  return {dice.of(parts), {draw(dice, depth - 1)}, true};
}

}  // namespace

std::string Tree::text() const {
  std::string text;
  std::size_t next = 0;
  for (std::size_t k = 0; k < form.size(); ++k) {
    if (form[k] == '{')
      text += parts[next++].text(), ++k;
    else
      text += form[k];
  }
  return text;
}

std::size_t Tree::size() const {
  std::size_t n = 1;
  for (const Tree& part : parts) n += part.size();
  return n;
}

Tree draw(Dice& dice, int depth) {
  if (depth <= 0) return leaf(dice);
  static const std::vector<std::string> operators = {"({} + {})", "({} - {})", "({} * {})", "({} / {})",
                                                     "(-{})",     "({})^({})", "(1/{})"};
  if (dice.below(5) < 2) {
    const std::string& form = dice.of(operators);
    Tree tree{form, {}, false};
    for (std::size_t k = 0; k + 1 < form.size(); ++k)
      if (form[k] == '{') tree.parts.push_back(draw(dice, depth - 1 - static_cast<int>(dice.below(2))));
    if (form == "({})^({})" && dice.below(4) != 0) tree.parts[1] = {dice.of(exponents), {}, true};
    return tree;
  }
  return call(dice, dice.of(argand::expression_functions()), depth);
}

std::string draw_point(Dice& dice) {
  static const std::vector<std::string> special = {"0",    "0",   "1",    "-1",   "i",   "-i", "2",    "-2",   "0.5",
                                                   "-0.5", "1+i", "-1-i", "1.5i", "-2i", "pi", "pi/2", "i*pi", "i*pi/2"};
  static const std::vector<std::string> extreme = {"1e-8",    "1e-20i",        "1e-160",    "1e-300",  "-1e-300i", "5e-324",
                                                   "1e8",     "1e20i",         "1e60",      "-1e75i",  "1e160",    "-1e300",
                                                   "1.5e308", "710",           "-745",      "800i",    "1+1e-16i", "-1+1e-300i",
                                                   "1e10i",   "1e300+1e-300i", "1e-9+1e9i", "-1e-5+1i"};
  const std::size_t kind = dice.below(10);
  if (kind < 5) return dice.of(special);
  if (kind < 8) return dice.of(extreme);
  if (kind == 8) return fmt::format("{:.17g}", 4 * dice.uniform() - 2);  // a real number, which lies on many of the branch cuts
  return fmt::format("{:.17g}{:+.17g}i", 4 * dice.uniform() - 2, 4 * dice.uniform() - 2);
}

namespace {

/// Calls `take` with each tree in which one node is replaced by a simpler one, until it accepts one.
void simpler(const Tree& tree, const std::function<bool(const Tree&)>& take, bool& done,
             const std::function<Tree(const Tree&)>& within) {
  static const std::vector<Tree> leaves = {{"z", {}, false}, {"1", {}, true}, {"2", {}, true}};
  for (const Tree& part : tree.parts)
    if (!done && take(within(part))) done = true;
  for (const Tree& leaf : leaves)
    if (!done && tree.size() > 1 && take(within(leaf))) done = true;
  for (std::size_t k = 0; k < tree.parts.size() && !done; ++k)
    simpler(tree.parts[k], take, done, [&](const Tree& replaced) {
      Tree whole = tree;
      whole.parts[k] = replaced;
      return within(whole);
    });
}

}  // namespace

Tree shrunk(Tree tree, const std::function<bool(const Tree&)>& fails) {
  for (bool changed = true; changed;) {
    changed = false;
    Tree smaller;
    const auto take = [&](const Tree& candidate) {
      if (candidate.size() >= tree.size() || !fails(candidate)) return false;
      smaller = candidate;
      return true;
    };
    simpler(tree, take, changed, [](const Tree& t) { return t; });
    if (changed) tree = smaller;
  }
  return tree;
}

}  // namespace reference
