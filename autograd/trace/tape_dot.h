#pragma once
/// A TapeGraph in the DOT language of Graphviz (https://graphviz.org/doc/info/lang.html).

#include <string>

#include "autograd/trace/tape_graph.h"

namespace argand {

struct DotOptions {
  std::string title = {};
  /// How many levels of nested module scopes are opened: 0 draws "blocks.0" as a single box, 1 opens it and draws its "attn" as
  /// one, etc. -1: as many as keep the drawing at about fifty nodes, but ops outside all modules are always drawn.
  int depth = -1;
  /// Numbers the ops that need a gradient v1, v2, ... in the order of the tape, as `argand lab --tape` does.
  bool numbered = false;
};

/// The greatest nesting depth of module scopes.
std::size_t deepest_scope(const TapeGraph& graph);

/// The same graph gives the same text. Solid lines connect what needs a gradient, dashed lines what does not. With gradients, every
/// node shows the norm of its gradient, and an edge between single numbers shows the op's contribution; nodes with infinities or
/// NaNs have a thick red edge.
std::string to_dot(const TapeGraph& graph, const DotOptions& options = {});

}  // namespace argand
