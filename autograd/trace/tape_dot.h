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
  /// Ops that need a gradient are v1, v2, ... in the order of the tape, as `argand lab --tape` calls them.
  bool numbered = false;
};

/// How many module scopes lie one inside another.
std::size_t deepest_scope(const TapeGraph& graph);

/// The same graph gives the same text. What needs a gradient is joined by solid lines, what needs none by dashed ones; where
/// gradients were noted, every node has the norm of its own, and an edge between single numbers what the op paid for it; nodes with
/// infinities or NaNs have a thick red edge.
std::string to_dot(const TapeGraph& graph, const DotOptions& options = {});

}  // namespace argand
