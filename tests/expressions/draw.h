#pragma once
/// Random expressions in the lab's grammar, with every function of the lab.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/random.h"

namespace reference {

/// A sequence of random numbers.
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t stream) : random_(seed, stream) {}
  double uniform() { return random_.uniform(next_++); }
  std::size_t below(std::size_t n) { return std::min(n - 1, static_cast<std::size_t>(uniform() * static_cast<double>(n))); }
  template <class T>
  const T& of(const std::vector<T>& all) {
    return all[below(all.size())];
  }

 private:
  argand::Random random_;
  std::uint64_t next_ = 0;
};

/// An expression as a tree: its text is `form`, such as "sin({})", with the parts in place of the braces.
struct Tree {
  std::string form;
  std::vector<Tree> parts;
  bool real = false;  ///< whether the expression has a real type

  std::string text() const;
  std::size_t size() const;
};

/// A random expression, about `depth` levels deep.
Tree draw(Dice& dice, int depth);

/// The text of a point that is likely to cause trouble.
std::string draw_point(Dice& dice);

/// The smallest tree found by repeated simplification for which `fails` still holds.
Tree shrunk(Tree tree, const std::function<bool(const Tree&)>& fails);

}  // namespace reference
