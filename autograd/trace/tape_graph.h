#pragma once
/// The tape as a graph: ops, their inputs and outputs; with gradients after a backward pass. Drawn by Graphviz:
///
///     TapeGraph graph(model.parameters());
///     const Var<float> loss = model.loss(tokens, targets).total;
///     graph.backward(loss);                                   // or graph.stop() for a drawing without gradients
///     write_file_atomically("model.dot", to_dot(graph));
///
/// Unlike the tape, it also includes constants and ops that are not differentiated.

#include <complex>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "autograd/parameter.h"
#include "autograd/tape.h"

namespace argand {

struct TapeNode {
  enum class Role { Op, Parameter, Variable, Constant, Ids };
  Role role = Role::Op;
  std::string name = {};   ///< name of the op or parameter, or ""
  const Op* op = nullptr;  ///< null unless the node is an op
  /// The module path of an op, {"blocks.0", "attn"}; for an input, the part of the path that all its users share.
  std::vector<std::string> scope = {};
  Shape shape = {};
  bool is_complex = false;
  bool wants_grad = false;
  std::vector<std::size_t> inputs = {};  ///< nodes, in the op's order

  std::optional<std::complex<double>> value = {};     ///< for a single number only
  std::optional<double> gradient_norm = {};           ///< sqrt(Σ |g|²), after backward(); empty if no gradient arrived
  std::optional<std::complex<double>> gradient = {};  ///< for a single number only
  /// The contribution of this op's vjp to the gradient of each input that is a single number; keys are nodes of `inputs`.
  std::map<std::size_t, std::complex<double>> contributions = {};

  /// Whether its value or its gradient, where known, has an element that is not finite.
  bool is_infinite() const;
};

class TapeGraph {
 public:
  /// Records this thread's ops until stop(), backward() or destruction. Variables in `parameters` appear under the names they have
  /// in it.
  template <RealScalar R>
  explicit TapeGraph(const ParameterList<R>& parameters) : TapeGraph() {
    for (const Parameter<R>& p : parameters) std::visit([&](const auto& v) { names_.emplace(v.slot().get(), p.name); }, p.var);
  }
  TapeGraph();
  ~TapeGraph() { stop(); }
  TapeGraph(const TapeGraph&) = delete;
  TapeGraph& operator=(const TapeGraph&) = delete;

  /// Adds a node for token ids, which ops do not list as inputs: drawn with this shape, as an input of all ops with these names.
  void add_ids(const std::string& name, const Shape& shape, const std::vector<std::string>& ops);
  void stop();
  /// Stops recording, runs the backward pass of the current tape from the loss, and stores the gradient of every node.
  template <RealScalar R>
  void backward(const Var<R>& loss);

  /// In topological order: each op comes after its inputs.
  const std::vector<TapeNode>& nodes() const { return nodes_; }

 private:
  void add(const ForwardEvent& event);
  std::size_t node_of(const Watched& input, const std::vector<std::string>& scope);
  void note_gradient(std::size_t node, const SlotBase& slot);
  void note_contributions(std::size_t node, std::map<std::size_t, std::complex<double>>& gathered);

  std::vector<TapeNode> nodes_;
  std::vector<Watched> values_;  ///< the nodes' values; holding them keeps their addresses unique
  std::unordered_map<const SlotBase*, std::string> names_;
  std::unordered_map<const SlotBase*, std::size_t> by_slot_;
  std::map<std::tuple<const void*, std::string, bool>, std::size_t> by_address_;  ///< constants: address, shape, complex
  std::optional<ForwardWatch> before_;
};

}  // namespace argand
