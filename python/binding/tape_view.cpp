/// A tensor's graph as data for drawing: everything from which it was computed, in order.

#include <pybind11/stl.h>

#include <algorithm>
#include <unordered_map>

#include "autograd/trace/slot_gradient.h"
#include "python/binding/bindings.h"
#include "python/binding/tensor_object.h"

namespace argand::python {
namespace {

py::object shown(const std::optional<AnyValue>& x) {
  if (!x) return py::none();
  return std::visit([](const auto& t) -> py::object { return view_of(t); }, *x);
}

py::dict dict_of(const Node& node, const std::unordered_map<const Node*, std::size_t>& places) {
  py::dict d;
  py::list inputs;
  for (const NodePtr& input : node.inputs) inputs.append(places.at(input.get()));
  d["op"] = std::string(node.name);
  d["inputs"] = inputs;
  const Picture picture = picture_of(node);
  const bool variable = node.state == Node::State::Source && node.slot != nullptr;
  d["shape"] = py::tuple(py::cast(std::vector<std::int64_t>(picture.shape.begin(), picture.shape.end())));
  d["dtype"] = std::string(picture.scalar);
  d["factor"] = node.factor ? py::cast(*node.factor) : py::none();
  d["variable"] = variable;
  d["name"] = variable ? node.slot->name() : std::string_view();
  d["value"] = shown(picture.value);
  d["gradient"] = shown(picture.gradient);
  return d;
}

/// One dict for each op and each tensor that it read, inputs first; small tensors include their elements and gradients.
py::list tape_nodes(const py::object& tensor) {
  if (!is_tensor(tensor.ptr())) throw py::type_error("tape: expected a Tensor");
  std::vector<const Node*> nodes, open{node_of(as_tensor(tensor.ptr())).get()};
  std::unordered_map<const Node*, std::size_t> places;
  while (!open.empty()) {
    const Node* const node = open.back();
    open.pop_back();
    if (!places.emplace(node, 0).second) continue;
    nodes.push_back(node);
    for (auto input = node->inputs.rbegin(); input != node->inputs.rend(); ++input) open.push_back(input->get());
  }
  // Sources have the number 0; a stable sort keeps them in the order in which they were found.
  std::stable_sort(nodes.begin(), nodes.end(), [](const Node* a, const Node* b) { return a->number < b->number; });
  for (std::size_t i = 0; i < nodes.size(); ++i) places[nodes[i]] = i;
  py::list all;
  for (const Node* node : nodes) all.append(dict_of(*node, places));
  return all;
}

}  // namespace

void bind_tape_view(py::module_& m) { m.def("tape_nodes", &tape_nodes, py::arg("tensor")); }

}  // namespace argand::python
