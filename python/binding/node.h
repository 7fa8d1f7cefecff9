#pragma once
/// The graph that connects Python's tensors. Its nodes are calls of ops, each kept as long as a tensor computed from it exists.
///
/// C++ has one tape per thread, which a backward pass visits once and empties; a training step needs no more. Notebooks are less
/// orderly: they compute two losses of one network, look at a value and drop it, or loop without no_grad. So each call records on
/// its own tape, whose entries move into a node together with their gradients. A node exists as long as something refers to
/// it, and backward() visits those from which the loss was computed. To C++ an op's output is a leaf, so the next tape can use it
/// as an input.

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

/// The part of a node that a picture of the tape shows.
struct Picture {
  Shape shape;
  std::string_view scalar;
  std::optional<AnyValue> value, gradient;  ///< present only for tensors with at most few_numbers elements
};

/// A call of an op, or a source: a tensor that no op computed.
struct Node {
  struct Entry {
    std::shared_ptr<SlotBase> output;
    BackwardClosure backward;
  };
  enum class State { Source, Recorded, Walked };

  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  /// Releases the inputs without recursion, so that a chain of a hundred thousand ops does not overflow the stack.
  ~Node();

  std::string_view name;     ///< name of the op, which outlives the node; empty for a source
  std::uint64_t number = 0;  ///< larger than the inputs' numbers
  State state = State::Source;
  bool walking = false;                          ///< whether a thread is visiting it in a backward pass
  std::uint64_t seen = 0;                        ///< number of the last search that found it
  std::vector<NodePtr> inputs;                   ///< in the order of the op's arguments
  std::unique_ptr<std::complex<double>> factor;  ///< a scalar among the arguments, as in z ** 2 or 3 * z; most calls have none
  std::vector<Entry> entries;                    ///< as recorded; empty after a backward pass

  // For pictures of the tape.
  std::shared_ptr<SlotBase> slot;    ///< of a variable, or of an op's first output until a backward pass
  std::unique_ptr<Picture> picture;  ///< of a constant, or of an op after a backward pass
};

/// A picture shows the elements of tensors that have at most this many.
inline constexpr std::int64_t few_numbers = 64;

Picture picture_of(const Node& node);

/// A node for a variable or constant.
NodePtr source_node(const AnyVar& x);

/// A node for a call that no tape recorded, from its output and its entries.
NodePtr recorded_node(std::string_view name, const AnyVar& output, std::vector<Node::Entry> entries);

/// The result of one call.
struct Computed {
  std::vector<AnyVar> outputs;
  NodePtr node;  ///< null if no gradient is needed
};
/// Calls compute() -> std::vector<AnyVar> and collects what it recorded. Does not need the GIL.
Computed computed(std::string_view name, const std::function<std::vector<AnyVar>()>& compute);

/// Options of a backward pass, which must be started with the GIL held. A visited graph cannot be visited again unless `retain`
/// is set. `interrupted` is called from time to time, and may throw to end the pass; `unlocked` runs its argument without the GIL.
struct Backward {
  bool retain = false;
  std::function<void()> interrupted;
  std::function<void(const std::function<void()>&)> unlocked;
};
void backward(const AnyVar& loss, const NodePtr& node, const Backward& options);
/// Starts from any output with the given gradient, as vector-Jacobian products do.
void backward_from(const AnyVar& output, const NodePtr& node, const AnyValue& gradient, const Backward& options);

/// Whether any thread is in the middle of a backward pass. Call with the GIL held.
bool any_backward_running();

/// dL/dp for each of these slots, empty if L does not depend on it. L is Re Σ conj(seed) output, or the real number `output`
/// if there is no seed. The `grad` of variables is not changed.
std::vector<std::optional<AnyValue>> gradients_of(const AnyVar& output, const NodePtr& node,
                                                  const std::vector<std::shared_ptr<SlotBase>>& slots,
                                                  const std::optional<AnyValue>& seed = {}, const Backward& options = {});

}  // namespace argand::python
