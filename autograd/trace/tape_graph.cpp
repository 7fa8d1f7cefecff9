#include "autograd/trace/tape_graph.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "autograd/trace/slot_gradient.h"

namespace argand {
namespace {

/// "blocks.0.attn" -> blocks.0, attn.
std::vector<std::string> parts_of(const std::string& scope) {
  std::vector<std::string> parts;
  std::istringstream words(scope);
  for (std::string word; std::getline(words, word, '.');) {
    const bool number = std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (number && !parts.empty())
      parts.back() += '.' + word;
    else
      parts.push_back(word);
  }
  return parts;
}

void keep_common(std::vector<std::string>& scope, const std::vector<std::string>& other) {
  scope.erase(std::mismatch(scope.begin(), scope.end(), other.begin(), other.end()).first, scope.end());
}

std::optional<std::complex<double>> single_number(const AnyValue& x) {
  return std::visit(
      [](const auto& tensor) { return tensor.size() == 1 ? std::optional(std::complex<double>(tensor.data()[0])) : std::nullopt; },
      x);
}

double norm(const AnyValue& x) {
  return std::visit(
      [](const auto& tensor) {
        double square = 0;
        for (const auto& g : tensor.span()) square += std::norm(std::complex<double>(g));
        return std::sqrt(square);
      },
      x);
}

TapeNode described(TapeNode::Role role, const Watched& x) {
  TapeNode node{.role = role, .value = single_number(x.value)};
  std::visit(
      [&]<Scalar T>(const Tensor<T>& tensor) {
        node.shape = tensor.shape();
        node.is_complex = ComplexScalar<T>;
      },
      x.value);
  node.wants_grad = x.slot != nullptr;
  return node;
}

std::tuple<const void*, std::string, bool> address(const Watched& x) {
  return std::visit(
      []<Scalar T>(const Tensor<T>& tensor) {
        return std::tuple{static_cast<const void*>(tensor.data()), tensor.shape().str(), ComplexScalar<T>};
      },
      x.value);
}

}  // namespace

bool TapeNode::is_infinite() const {
  const auto bad = [](const auto& x) { return x && !std::isfinite(std::abs(*x)); };
  return bad(value) || bad(gradient) || bad(gradient_norm);
}

TapeGraph::TapeGraph() {
  before_ = watch_forward([this](const ForwardEvent& event) {
    if (*before_) (*before_)(event);
    add(event);
  });
}

void TapeGraph::stop() {
  if (before_) watch_forward(std::move(*before_));
  before_.reset();
}

void TapeGraph::add(const ForwardEvent& event) {
  std::vector<std::size_t> inputs;
  const std::vector<std::string> scope = parts_of(event.scope);
  for (const Watched& input : event.inputs)
    if (!std::visit([](const auto& tensor) { return tensor.size() == 0; }, input.value))  // an absent bias
      inputs.push_back(node_of(input, scope));
  TapeNode node = described(TapeNode::Role::Op, event.output);
  node.name = event.op.name();
  node.op = &event.op;
  node.scope = scope;
  node.inputs = std::move(inputs);
  if (event.output.slot)
    by_slot_[event.output.slot.get()] = nodes_.size();
  else
    by_address_[address(event.output)] = nodes_.size();
  nodes_.push_back(std::move(node));
  values_.push_back(event.output);
}

std::size_t TapeGraph::node_of(const Watched& input, const std::vector<std::string>& scope) {
  const SlotBase* slot = input.slot.get();
  const auto found = slot ? by_slot_.find(slot) : by_slot_.end();
  const auto constant = slot ? by_address_.end() : by_address_.find(address(input));
  if (found != by_slot_.end() || constant != by_address_.end()) {
    const std::size_t at = found != by_slot_.end() ? found->second : constant->second;
    if (nodes_[at].role != TapeNode::Role::Op) keep_common(nodes_[at].scope, scope);
    return at;
  }
  const auto name = names_.find(slot);
  TapeNode node = described(slot == nullptr        ? TapeNode::Role::Constant
                            : name != names_.end() ? TapeNode::Role::Parameter
                                                   : TapeNode::Role::Variable,
                            input);
  if (slot != nullptr && name != names_.end()) node.name = name->second;
  node.scope = scope;
  if (slot)
    by_slot_[slot] = nodes_.size();
  else
    by_address_[address(input)] = nodes_.size();
  nodes_.push_back(std::move(node));
  values_.push_back(input);
  return nodes_.size() - 1;
}

void TapeGraph::add_ids(const std::string& name, const Shape& shape, const std::vector<std::string>& ops) {
  const std::size_t at = nodes_.size();
  TapeNode ids{.role = TapeNode::Role::Ids, .name = name, .shape = shape};
  bool read = false;
  for (TapeNode& node : nodes_) {
    if (node.op == nullptr || std::find(ops.begin(), ops.end(), node.name) == ops.end()) continue;
    if (read)
      keep_common(ids.scope, node.scope);
    else
      ids.scope = node.scope;
    node.inputs.push_back(at);
    read = true;
  }
  if (!read) return;
  nodes_.push_back(std::move(ids));
  values_.push_back({Tensor<float>(), nullptr});
}

template <RealScalar R>
void TapeGraph::backward(const Var<R>& loss) {
  stop();
  Tape& tape = Tape::current();
  Tape::BackwardWatch before;
  std::map<std::size_t, std::complex<double>> gathered;
  before = tape.on_backward([this, &before, &gathered](const TapeEntry& entry) {
    if (before) before(entry);
    const auto at = by_slot_.find(entry.output.get());
    if (at == by_slot_.end()) return;
    note_gradient(at->second, *entry.output);
    note_contributions(at->second, gathered);
  });
  tape.backward(loss);
  tape.on_backward(std::move(before));
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (values_[i].slot && values_[i].slot->leaf) note_gradient(i, *values_[i].slot);
}

void TapeGraph::note_gradient(std::size_t node, const SlotBase& slot) {
  const std::optional<AnyValue> g = slot_gradient(&slot);
  if (!g) return;
  nodes_[node].gradient_norm = norm(*g);
  nodes_[node].gradient = single_number(*g);
}

/// Called after every vjp: the change in an input's gradient since the last call is this op's contribution.
void TapeGraph::note_contributions(std::size_t node, std::map<std::size_t, std::complex<double>>& gathered) {
  for (const std::size_t input : nodes_[node].inputs) {
    if (nodes_[node].contributions.contains(input) || !nodes_[input].value || !values_[input].slot) continue;
    const std::optional<AnyValue> now = slot_gradient(values_[input].slot.get());
    if (!now) continue;
    const std::complex<double> sum = *single_number(*now);
    nodes_[node].contributions[input] = sum - gathered[input];
    gathered[input] = sum;
  }
}

template void TapeGraph::backward(const Var<float>&);
template void TapeGraph::backward(const Var<double>&);

}  // namespace argand
