#include "python/binding/node.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>

#include "autograd/trace/slot_gradient.h"

namespace argand::python {

Picture picture_of(const Node& node) {
  if (node.picture != nullptr) return *node.picture;
  Picture picture;
  visit_slot(node.slot.get(), [&]<class T>(const Slot<T>* slot) {
    picture = {slot->shape, scalar_name<T>(), {}, {}};
    const bool few = slot->shape.size() <= few_numbers;
    if (few) picture.value = slot->value;
    if (few || node.state == Node::State::Source) picture.gradient = slot_gradient(slot);
  });
  return picture;
}

namespace {

std::atomic<std::uint64_t> last_number = 0;
std::uint64_t last_search = 0;  // guarded by the GIL
int walks = 0;                  // backward passes in progress; guarded by the GIL

/// Makes an op's output, and its tangent, a leaf of the next tape.
template <Scalar T>
Var<T> as_leaf(Var<T> w) {
  if (w.slot() != nullptr && w.slot()->leaf) return w;  // the op returned one of its inputs unchanged
  const std::optional<Var<T>> moving = w.tangent();
  if (const std::shared_ptr<Slot<T>> slot = w.slot()) {
    slot->value = w.value();
    slot->leaf = true;
    w = Var<T>(slot);
  }
  return moving ? w.with_tangent(as_leaf(*moving)) : w;
}

/// The nodes that a backward pass from `root` has to visit, latest first.
std::vector<Node*> reachable(const NodePtr& root) {
  std::vector<Node*> found, open;
  const std::uint64_t search = ++last_search;
  const auto visit = [&](const NodePtr& node) {
    if (node->state == Node::State::Source || node->seen == search) return;
    require(node->state != Node::State::Walked, "backward",
            "the backward pass through this {} is over and its saved tensors have been freed; compute it again, or keep them with "
            "backward(retain_graph=True)",
            node->name);
    require(!node->walking, "backward", "another thread is running backward through this {}", node->name);
    node->seen = search;
    open.push_back(node.get());
  };
  visit(root);
  while (!open.empty()) {
    Node* const node = open.back();
    open.pop_back();
    found.push_back(node);
    for (const NodePtr& input : node->inputs) visit(input);
  }
  std::sort(found.begin(), found.end(), [](const Node* a, const Node* b) { return a->number > b->number; });
  return found;
}

/// Frees what only a backward pass needs, but keeps what a picture of the tape shows.
void end_of(Node& node) {
  if (node.picture == nullptr) node.picture = std::make_unique<Picture>(picture_of(node));
  node.slot.reset();
  node.entries.clear();
  node.state = Node::State::Walked;
}

void walk(Node& node, bool retain) {
  for (auto entry = node.entries.rbegin(); entry != node.entries.rend(); ++entry) {
    if (!entry->output->has_grad()) continue;
    entry->backward();
    if (entry->output == node.slot) node.picture = std::make_unique<Picture>(picture_of(node));
    if (!entry->output->retained) entry->output->clear_grad();
  }
  if (!retain) end_of(node);
}

void walk_all(const std::vector<Node*>& nodes, const Backward& options) {
  using Clock = std::chrono::steady_clock;
  const NoGrad none;
  auto asked = Clock::now();
  for (Node* const node : nodes) {
    walk(*node, options.retain);
    if (options.interrupted && Clock::now() - asked > std::chrono::milliseconds(50)) {
      options.interrupted();
      asked = Clock::now();
    }
  }
}

void backward_with(const NodePtr& node, const std::function<void()>& seed, const Backward& options) {
  std::vector<Node*> nodes;
  if (node != nullptr) nodes = reachable(node);
  for (Node* n : nodes) n->walking = true;
  ++walks;
  const auto rest = [&] {
    --walks;
    for (Node* n : nodes) n->walking = false;
  };
  try {
    seed();
    if (options.unlocked)
      options.unlocked([&] { walk_all(nodes, options); });
    else
      walk_all(nodes, options);
  } catch (...) {  // the gradients of an incomplete pass are useless
    for (Node* n : nodes) {
      for (const Node::Entry& entry : n->entries) entry.output->clear_grad();
      end_of(*n);
    }
    rest();
    throw;
  }
  rest();
}

template <Scalar T>
void seed_gradient(const Var<T>& output, Tensor<T> gradient) {
  GradientAccumulator<T>(output).add(std::move(gradient));
}

}  // namespace

const std::shared_ptr<SlotBase> slot_of(const AnyVar& x) {
  return std::visit([](const auto& v) -> std::shared_ptr<SlotBase> { return v.slot(); }, x);
}
const Shape& shape_of(const AnyVar& x) {
  return std::visit([](const auto& v) -> const Shape& { return v.shape(); }, x);
}
AnyValue value_of(const AnyVar& x) {
  return std::visit([](const auto& v) -> AnyValue { return v.value(); }, x);
}

bool any_backward_running() { return walks > 0; }

Node::~Node() {
  std::vector<NodePtr> open = std::move(inputs);
  while (!open.empty()) {
    const NodePtr node = std::move(open.back());
    open.pop_back();
    if (node.use_count() > 1) continue;
    for (NodePtr& input : node->inputs) open.push_back(std::move(input));
    node->inputs.clear();
  }
}

namespace {
std::shared_ptr<Node> node_for(const AnyVar& x) {
  auto node = std::make_shared<Node>();
  node->slot = slot_of(x);
  if (node->slot == nullptr)
    std::visit(
        [&]<class T>(const Var<T>& v) {
          node->picture = std::make_unique<Picture>(Picture{v.shape(), scalar_name<T>(), {}, {}});
          if (v.size() <= few_numbers) node->picture->value = v.value();
        },
        x);
  return node;
}
}  // namespace

NodePtr source_node(const AnyVar& x) { return node_for(x); }

NodePtr recorded_node(std::string_view name, const AnyVar& output, std::vector<Node::Entry> entries) {
  const NodePtr node = node_for(output);
  node->name = name;
  node->number = ++last_number;
  node->state = Node::State::Recorded;
  node->entries = std::move(entries);
  return node;
}

Computed computed(std::string_view name, const std::function<std::vector<AnyVar>()>& compute) {
  Tape tape;
  Computed result{compute(), nullptr};
  for (AnyVar& output : result.outputs) std::visit([](auto& v) { v = as_leaf(std::move(v)); }, output);
  if (!tape.entries().empty() && !result.outputs.empty()) {
    std::vector<Node::Entry> entries;
    entries.reserve(tape.entries().size());
    for (const TapeEntry& entry : tape.entries()) entries.push_back({entry.output, entry.backward});
    result.node = recorded_node(name, result.outputs.front(), std::move(entries));
  }
  return result;
}

void backward(const AnyVar& loss, const NodePtr& node, const Backward& options) {
  require(!(loss.index() % 2 == 1), "backward", "the loss must be real, but is complex; take its real part or its modulus first");
  const Shape& shape = shape_of(loss);
  require(shape.size() == 1, "backward", "requires a real scalar loss, got shape {}; sum or average first", shape);
  require(slot_of(loss) != nullptr, "backward", "the loss does not depend on any variable, or was computed inside no_grad");
  std::visit(
      [&]<class T>(const Var<T>& v) {
        if constexpr (RealScalar<T>)
          backward_with(
              node, [&] { seed_gradient(v, Tensor<T>::ones(v.shape())); }, options);
      },
      loss);
}

void backward_from(const AnyVar& output, const NodePtr& node, const AnyValue& gradient, const Backward& options) {
  std::visit(
      [&]<class T>(const Var<T>& v) {
        require(v.slot() != nullptr, "backward", "this tensor does not depend on any variable, or was computed inside no_grad");
        const auto* g = std::get_if<Tensor<T>>(&gradient);
        require(g != nullptr, "backward", "the gradient of a {} tensor must have the same type", scalar_name<T>());
        backward_with(
            node, [&] { seed_gradient(v, *g); }, options);
      },
      output);
}

std::vector<std::optional<AnyValue>> gradients_of(const AnyVar& output, const NodePtr& node,
                                                  const std::vector<std::shared_ptr<SlotBase>>& slots,
                                                  const std::optional<AnyValue>& seed, const Backward& options) {
  std::map<std::shared_ptr<SlotBase>, std::optional<AnyValue>> before;
  const auto keep = [&](const std::shared_ptr<SlotBase>& slot) {
    if (slot != nullptr && before.emplace(slot, slot_gradient(slot.get())).second) slot->clear_grad();
  };
  for (const auto& slot : slots) keep(slot);
  if (node != nullptr)
    for (const Node* n : reachable(node))
      for (const NodePtr& input : n->inputs)
        if (input->state == Node::State::Source) keep(input->slot);
  const auto restore = [&] {
    for (auto& [slot, gradient] : before)
      visit_slot(slot.get(), [&]<class T>(Slot<T>* s) {
        s->clear_grad();
        if (!gradient) return;
        s->grad = std::get<Tensor<T>>(*gradient);
        s->present = true;
      });
  };
  std::vector<std::optional<AnyValue>> found;
  try {
    if (seed)
      backward_from(output, node, *seed, options);
    else
      backward(output, node, options);
    for (const auto& slot : slots) found.push_back(slot_gradient(slot.get()));
  } catch (...) {
    restore();
    throw;
  }
  restore();
  return found;
}

}  // namespace argand::python
