#include "autograd/trace/tape_dot.h"

#include <algorithm>
#include <set>

#include "autograd/check/verdict.h"

namespace argand {
namespace {

using NodeRole = TapeNode::Role;
using C = std::complex<double>;
constexpr int readable_nodes = 50;

/// Escapes text for HTML-like labels.
std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

/// Quotes text as a DOT string.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) out += c == '"' || c == '\\' ? std::string("\\") + c : c == '\n' ? std::string("\\n") : std::string(1, c);
  return out + '"';
}

std::string joined_scope(const std::vector<std::string>& parts) { return joined(parts, "."); }

/// A unit of the drawing: a node of the tape, or a whole module drawn as one box.
struct Unit {
  std::vector<std::string> cluster;  ///< the opened modules that contain it
  std::string id;                    ///< identifier in the DOT text
  std::string box;                   ///< the module's path; "" for a single node
  std::vector<std::size_t> nodes;
};

struct Drawing {
  std::vector<Unit> units;
  std::vector<std::size_t> unit_of;  ///< index of each node's unit
};

Drawing collapsed(const std::vector<TapeNode>& nodes, std::size_t depth) {
  Drawing drawing;
  std::map<std::string, std::size_t> boxes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::vector<std::string> scope = nodes[i].scope;
    if (scope.size() <= depth) {
      drawing.unit_of.push_back(drawing.units.size());
      drawing.units.push_back({.cluster = scope, .id = fmt::format("n{}", i), .box = "", .nodes = {i}});
      continue;
    }
    scope.resize(depth + 1);
    const std::string path = joined_scope(scope);
    const auto [box, first] = boxes.emplace(path, drawing.units.size());
    scope.pop_back();
    if (first) drawing.units.push_back({.cluster = scope, .id = fmt::format("b{}", boxes.size() - 1), .box = path, .nodes = {}});
    drawing.units[box->second].nodes.push_back(i);
    drawing.unit_of.push_back(box->second);
  }
  return drawing;
}

std::size_t deepest_of(const std::vector<TapeNode>& nodes) {
  std::size_t deepest = 0;
  for (const TapeNode& node : nodes) deepest = std::max(deepest, node.scope.size());
  return deepest;
}

Drawing readable(const std::vector<TapeNode>& nodes, int depth) {
  if (depth >= 0) return collapsed(nodes, static_cast<std::size_t>(depth));
  for (std::size_t open = deepest_of(nodes); open > 0; --open)
    if (Drawing drawing = collapsed(nodes, open); drawing.units.size() <= readable_nodes) return drawing;
  return collapsed(nodes, 0);
}

std::string small(const std::string& text, const char* colour) {
  return fmt::format("<BR/><FONT POINT-SIZE=\"10\" COLOR=\"{}\">{}</FONT>", colour, escaped(text));
}

/// "ℂ [2, 8, 16]", or the number itself if there is only one.
std::string numbers_of(const TapeNode& node) {
  if (node.role == NodeRole::Ids) return "ids " + node.shape.str();
  if (node.value) return number_name(*node.value, node.is_complex);
  return fmt::format("{} {}", node.is_complex ? "ℂ" : "ℝ", node.shape);
}

/// The gradient, and the number of contributions summed in it.
std::string gradient_line(const TapeNode& node, int contributors) {
  const std::string sum = contributors > 1 ? fmt::format(", the sum of {}", contributors) : "";
  if (node.gradient) return small("grad " + number_name(*node.gradient, node.is_complex) + sum, "#B03A2E");
  return node.gradient_norm ? small(fmt::format("‖grad‖ {:.3g}", *node.gradient_norm), "#B03A2E") : "";
}

std::string node_attributes(const TapeNode& node, const std::string& number, int contributors) {
  const std::string numbers = small(numbers_of(node), "#5D6D7E") + gradient_line(node, contributors);
  const std::string alarm = node.is_infinite() ? ", color=\"#D00000\", penwidth=3" : "";
  const auto label = [&](const std::string& name) { return fmt::format("label=<{}{}>", name, numbers); };
  switch (node.role) {
    case NodeRole::Parameter:
      return label(escaped(node.name)) + ", class=\"parameter\", shape=ellipse, fillcolor=\"#DDF0DD\", color=\"#4E9A57\"" + alarm;
    case NodeRole::Variable:
      return label("variable") + ", class=\"parameter\", shape=ellipse, fillcolor=\"#DDF0DD\", color=\"#4E9A57\"";
    case NodeRole::Ids:
      return label(escaped(node.name)) + ", class=\"ids\", shape=box, style=filled, fillcolor=\"#FFF3CD\", color=\"#B8972A\"";
    case NodeRole::Constant:
      if (node.value)
        return fmt::format("label=<{}>, class=\"constant\", shape=plaintext, style=\"\"",
                           escaped(number_name(*node.value, node.is_complex)));
      return label("constant") + ", class=\"constant\", shape=note, fillcolor=\"#F4F4F4\", color=\"#999999\"";
    case NodeRole::Op: break;
  }
  const char* colours = node.is_complex ? "fillcolor=\"#E4DDF6\", color=\"#7A5FC0\"" : "fillcolor=\"#DCE9F7\", color=\"#4A7DB5\"";
  const std::string name = number.empty() ? "" : number + " = ";
  return fmt::format("{}, class=\"op\", {}{}", label(fmt::format("<B>{}{}</B>", name, escaped(node.name))), colours, alarm);
}

/// A module drawn as one box: its contents and its outputs.
std::string box_attributes(const Unit& unit, const std::vector<TapeNode>& nodes, const std::set<std::size_t>& leaving) {
  std::int64_t ops = 0, complex_ops = 0, parameters = 0;
  double square = 0;
  bool gradients = false, infinite = false;
  std::string out;
  for (std::size_t i : unit.nodes) {
    const TapeNode& node = nodes[i];
    if (node.role == NodeRole::Op) ++ops, complex_ops += node.is_complex;
    infinite = infinite || node.is_infinite();
    if (node.role == NodeRole::Parameter) {
      parameters += node.shape.size() * (node.is_complex ? 2 : 1);
      if (node.gradient_norm) gradients = true, square += *node.gradient_norm * *node.gradient_norm;
    }
    if (!leaving.contains(i)) continue;
    out += (out.empty() ? "" : ", ") + numbers_of(node);
  }
  const std::string how_many = complex_ops > 0 ? fmt::format(", {} complex", complex_ops) : "";
  std::string lines = small(out, "#5D6D7E") + small(fmt::format("{} op{}{}", ops, ops == 1 ? "" : "s", how_many), "#5D6D7E");
  if (parameters > 0) lines += small(fmt::format("{} parameters", parameters), "#4E9A57");
  if (gradients) lines += small(fmt::format("‖grad‖ of all {:.3g}", std::sqrt(square)), "#B03A2E");
  return fmt::format("label=<<B>{}</B>{}>, class=\"module\", shape=box3d, style=filled, {}{}", escaped(unit.box), lines,
                     complex_ops > 0 ? "fillcolor=\"#E4DDF6\", color=\"#7A5FC0\"" : "fillcolor=\"#DCE9F7\", color=\"#4A7DB5\"",
                     infinite ? ", color=\"#D00000\", penwidth=3" : "");
}

class Writer {
 public:
  Writer(const std::vector<TapeNode>& nodes, const DotOptions& options) : nodes_(nodes), drawing_(readable(nodes, options.depth)) {
    text_ = "digraph tape {\n";
    text_ += fmt::format("  graph [label={}, labelloc=t, fontname=\"Helvetica\", fontsize=16, ranksep=0.35, nodesep=0.3];\n",
                         quoted(options.title));
    text_ +=
        "  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=12, margin=\"0.14,0.09\", height=0.3];\n";
    text_ += "  edge [color=\"#5D6D7E\", arrowsize=0.6, fontname=\"Helvetica\", fontsize=10, fontcolor=\"#B03A2E\"];\n";
    int number = 0;
    for (const TapeNode& node : nodes) {
      const bool counted = options.numbered && node.role == NodeRole::Op && node.wants_grad;
      numbers_.push_back(counted ? fmt::format("v{}", ++number) : "");
      for (const auto& [input, amount] : node.contributions) ++contributors_[input];
    }
  }

  std::string text() {
    find_edges();
    cluster({}, "  ");
    for (const auto& [from, to, solid, times] : edges_)
      for (int k = 0; k < times; ++k)
        text_ += fmt::format("  {} -> {}{};\n", drawing_.units[from].id, drawing_.units[to].id,
                             solid ? (k == 0 ? contribution(from, to) : "") : " [style=dashed]");
    return text_ + "}\n";
  }

 private:
  /// The op's contribution to the gradient of its input, on an edge between two single numbers.
  std::string contribution(std::size_t from, std::size_t to) const {
    if (!drawing_.units[from].box.empty() || !drawing_.units[to].box.empty()) return "";
    const std::size_t input = drawing_.units[from].nodes.front();
    const std::map<std::size_t, C>& contributions = nodes_[drawing_.units[to].nodes.front()].contributions;
    const auto share = contributions.find(input);
    if (share == contributions.end()) return "";
    const std::string amount = number_name(share->second, nodes_[input].is_complex);
    return fmt::format(" [label=\" {}{}\"]", amount.starts_with('-') ? "" : "+", amount);
  }

  struct Edge {
    std::size_t from, to;
    bool solid;
    int times;  ///< z·z reads z twice; a box that reads a value many times is connected to it once
  };

  void find_edges() {
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      for (std::size_t input : nodes_[i].inputs) {
        const std::size_t from = drawing_.unit_of[input], to = drawing_.unit_of[i];
        if (from == to) continue;
        leaving_.insert(input);
        const bool solid = nodes_[input].wants_grad && nodes_[i].wants_grad;
        const auto [at, first] = known.emplace(std::pair(from, to), edges_.size());
        if (first) {
          edges_.push_back({from, to, solid, 1});
        } else {
          Edge& edge = edges_[at->second];
          edge.solid = edge.solid || solid;
          if (drawing_.units[from].box.empty() && drawing_.units[to].box.empty()) ++edge.times;
        }
      }
    for (std::size_t i = 0; i < nodes_.size(); ++i)  // unused results are outputs as well
      if (nodes_[i].role == NodeRole::Op && std::none_of(nodes_.begin(), nodes_.end(), [i](const TapeNode& node) {
            return std::find(node.inputs.begin(), node.inputs.end(), i) != node.inputs.end();
          }))
        leaving_.insert(i);
  }

  std::string own_attributes(std::size_t node) const {
    const auto contributors = contributors_.find(node);
    return node_attributes(nodes_[node], numbers_[node], contributors == contributors_.end() ? 0 : contributors->second);
  }

  /// Draws everything inside an opened module; nested modules follow its own nodes.
  void cluster(const std::vector<std::string>& path, const std::string& indent) {
    for (const Unit& unit : drawing_.units)
      if (unit.cluster == path)
        text_ += fmt::format("{}{} [{}];\n", indent, unit.id,
                             unit.box.empty() ? own_attributes(unit.nodes.front()) : box_attributes(unit, nodes_, leaving_));
    std::vector<std::string> inside;
    for (const Unit& unit : drawing_.units)
      if (unit.cluster.size() > path.size() && std::equal(path.begin(), path.end(), unit.cluster.begin()) &&
          std::find(inside.begin(), inside.end(), unit.cluster[path.size()]) == inside.end())
        inside.push_back(unit.cluster[path.size()]);
    for (const std::string& name : inside) {
      std::vector<std::string> deeper = path;
      deeper.push_back(name);
      text_ += fmt::format("{}subgraph {} {{\n", indent, quoted("cluster_" + joined_scope(deeper)));
      text_ +=
          fmt::format("{}  label={}; labeljust=l; fontsize=13; style=\"rounded,filled\"; color=\"#B8C2CC\"; fillcolor=\"{}\";\n",
                      indent, quoted(joined_scope(deeper)), path.size() % 2 == 0 ? "#F7F9FB" : "#FFFFFF");
      cluster(deeper, indent + "  ");
      text_ += indent + "}\n";
    }
  }

  const std::vector<TapeNode>& nodes_;
  Drawing drawing_;
  std::vector<Edge> edges_;
  std::vector<std::string> numbers_;         ///< "v1" or "", per node
  std::map<std::size_t, int> contributors_;  ///< the number of ops that contributed to each node's gradient
  std::set<std::size_t> leaving_;            ///< nodes that are read outside their unit
  std::string text_;
};

}  // namespace

std::size_t deepest_scope(const TapeGraph& graph) { return deepest_of(graph.nodes()); }

std::string to_dot(const TapeGraph& graph, const DotOptions& options) { return Writer(graph.nodes(), options).text(); }

}  // namespace argand
