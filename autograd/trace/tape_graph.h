#pragma once
/// The tape as a graph: ops, their inputs and outputs; with gradients after a backward pass. Drawn by Graphviz:
///
///     TapeGraph graph(model.parameters());
///     const Var<float> loss = model.loss(tokens, targets).total;
///     graph.backward(loss);                                   // or graph.stop() for a drawing without gradients
///     write_file_atomically("model.dot", to_dot(graph));
///
/// Unlike the tape, it also has constants and ops that are not differentiated.

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
  std::string name = {};   ///< the op's, the parameter's, or ""
  const Op* op = nullptr;  ///< null unless an op
  /// The module path of an op, {"blocks.0", "attn"}; for an op's input, the part of the path that all its readers share.
  std::vector<std::string> scope = {};
  Shape shape = {};
  bool is_complex = false;
  bool wants_grad = false;
  std::vector<std::size_t> inputs = {};  ///< nodes, in the op's order

  std::optional<std::complex<double>> value = {};     ///< if there is a single number
  std::optional<double> gradient_norm = {};           ///< sqrt(Σ |g|²), after backward(); nothing if none arrived
  std::optional<std::complex<double>> gradient = {};  ///< if there is a single number
  /// What this op's vjp added to the gradient of each input that is a single number; keys are nodes of `inputs`.
  std::map<std::size_t, std::complex<double>> paid = {};

  /// Whether its value or its gradient, where known, has a number that is not finite.
  bool is_infinite() const;
};

class TapeGraph {
 public:
  /// Records this thread's ops from now until stop(), backward() or its end. Variables in the list have names.
  template <RealScalar R>
  explicit TapeGraph(const ParameterList<R>& parameters) : TapeGraph() {
    for (const Parameter<R>& p : parameters) std::visit([&](const auto& v) { names_.emplace(v.slot().get(), p.name); }, p.var);
  }
  TapeGraph();
  ~TapeGraph() { stop(); }
  TapeGraph(const TapeGraph&) = delete;
  TapeGraph& operator=(const TapeGraph&) = delete;

  /// Adds token ids, which no op lists as a tensor: drawn with this shape, as read by every op of these names.
  void add_ids(const std::string& name, const Shape& shape, const std::vector<std::string>& ops);
  void stop();
  /// Stops, runs the backward pass of the current tape from the loss, and notes the gradient of every node.
  template <RealScalar R>
  void backward(const Var<R>& loss);

  /// Each op comes after everything that it reads.
  const std::vector<TapeNode>& nodes() const { return nodes_; }

 private:
  void add(const ForwardEvent& event);
  std::size_t node_of(const Watched& input, const std::vector<std::string>& scope);
  void note_gradient(std::size_t node, const SlotBase& slot);
  void note_payments(std::size_t node, std::map<std::size_t, std::complex<double>>& gathered);

  std::vector<TapeNode> nodes_;
  std::vector<Watched> values_;  ///< of the nodes; while they are held, no other tensor has their address
  std::unordered_map<const SlotBase*, std::string> names_;
  std::unordered_map<const SlotBase*, std::size_t> by_slot_;
  std::map<std::tuple<const void*, std::string, bool>, std::size_t> by_address_;  ///< constants: address, shape, complex
  std::optional<ForwardWatch> before_;
};

}  // namespace argand
