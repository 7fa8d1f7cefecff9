#pragma once
/// A TapeGraph in the DOT language of Graphviz (https://graphviz.org/doc/info/lang.html).

#include <string>

#include "autograd/trace/tape_graph.h"

namespace argand {

struct DotOptions {
  std::string title = {};
  /// How many module scopes are opened, one inside another: 0 draws "blocks.0" as a single box, 1 opens it and draws its "attn" as
  /// one, and so on. -1: as many as keep the drawing at some fifty nodes, but ops outside of all modules are always drawn.
  int depth = -1;
};

/// The same graph gives the same text. What needs a gradient is joined by solid lines, what needs none by dashed ones; where
/// gradients were noted, every node has the norm of its own.
std::string to_dot(const TapeGraph& graph, const DotOptions& options = {});

}  // namespace argand
