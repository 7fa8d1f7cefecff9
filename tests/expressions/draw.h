#pragma once
/// Random expressions of the lab's grammar, with every function that the lab has.

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
  bool real = false;  ///< the expression is real by its types

  std::string text() const;
  std::size_t size() const;
};

/// A random expression of about that many levels.
Tree draw(Dice& dice, int depth);

/// A point, as text, that is likely to cause trouble.
std::string draw_point(Dice& dice);

/// The smallest tree that can be found with the same property.
Tree shrunk(Tree tree, const std::function<bool(const Tree&)>& fails);

}  // namespace reference
