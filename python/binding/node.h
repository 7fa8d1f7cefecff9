#pragma once
/// What Python's tensors are joined by: a graph whose nodes are calls of ops, kept as long as a tensor that came of them.
///
/// C++ has one tape a thread, walked once and then empty, which is all that a training step needs. A notebook is less orderly: two
/// losses of one network, a value that is looked at and forgotten, a loop without no_grad. So each call records on a tape of its
/// own, whose entries, gradients and all, move into a node; a node lives as long as somebody can reach it, and backward() walks
/// those that the loss was computed from. An op's output becomes a leaf of C++'s, so that the next tape takes it as it comes.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "autograd/call/argument.h"
#include "autograd/tape.h"
#include "autograd/watch.h"

namespace argand::python {

/// A variable or constant of any scalar.
using AnyVar = DynamicVar;

const std::shared_ptr<SlotBase> slot_of(const AnyVar& x);
const Shape& shape_of(const AnyVar& x);
AnyValue value_of(const AnyVar& x);

struct Node;
using NodePtr = std::shared_ptr<Node>;

/// What a picture of the tape shows of a node.
struct Picture {
  Shape shape;
  std::string_view scalar;
  std::optional<AnyValue> value, gradient;  ///< of few numbers
};

/// A call of an op, or a tensor that no op made.
struct Node {
  struct Entry {
    std::shared_ptr<SlotBase> output;
    BackwardClosure backward;
  };
  enum class State { Source, Recorded, Walked };

  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  /// Without recursion: a chain of a hundred thousand ops is no deeper than one.
  ~Node();

  std::string_view name;     ///< of the op, a string that stays; empty for a source
  std::uint64_t number = 0;  ///< a node's is larger than those of its inputs
  State state = State::Source;
  bool walking = false;                          ///< by some thread
  std::uint64_t seen = 0;                        ///< by which search
  std::vector<NodePtr> inputs;                   ///< in the order of the op's arguments
  std::unique_ptr<std::complex<double>> factor;  ///< a number among the arguments: z ** 2, 3 * z; most calls have none
  std::vector<Entry> entries;                    ///< as recorded; empty once they were walked

  // For pictures of the tape.
  std::shared_ptr<SlotBase> slot;    ///< of a variable; of an op's first output until it was walked
  std::unique_ptr<Picture> picture;  ///< of a constant, and of an op that was walked
};

/// As many numbers as a picture shows.
inline constexpr std::int64_t few_numbers = 64;

Picture picture_of(const Node& node);

/// A node for a variable or constant.
NodePtr source_node(const AnyVar& x);

/// A node of a call that was not recorded by a tape: its output and gradients as they are.
NodePtr recorded_node(std::string_view name, const AnyVar& output, std::vector<Node::Entry> entries);

/// What one call has computed.
struct Computed {
  std::vector<AnyVar> outputs;
  NodePtr node;  ///< null when no gradient is wanted
};
/// Calls compute() -> std::vector<AnyVar> and gathers what it recorded. Needs no lock of Python's.
Computed computed(std::string_view name, const std::function<std::vector<AnyVar>()>& compute);

/// The gradient of the real number `loss`, which `node` has made, into the leaves that it depends on. What is walked cannot be
/// walked again unless it is retained. `interrupted`, asked every now and then, throws to end the walk. To be called with Python's
/// lock; `unlocked` runs what it is given without it.
struct Backward {
  bool retain = false;
  std::function<void()> interrupted;
  std::function<void(const std::function<void()>&)> unlocked;
};
void backward(const AnyVar& loss, const NodePtr& node, const Backward& options);
/// From any output, with a gradient for it: what vector-Jacobian products are made of.
void backward_from(const AnyVar& output, const NodePtr& node, const AnyValue& gradient, const Backward& options);

/// Whether some thread is in the middle of a backward pass. Asked with Python's lock.
bool any_backward_running();

/// dL/dp of each of these slots, nothing where L does not depend on it; of L = Re Σ conj(seed) output, or of the real number
/// `output`. What variables hold in grad stays as it is.
std::vector<std::optional<AnyValue>> gradients_of(const AnyVar& output, const NodePtr& node,
                                                  const std::vector<std::shared_ptr<SlotBase>>& slots,
                                                  const std::optional<AnyValue>& seed = {}, const Backward& options = {});

}  // namespace argand::python
