#pragma once
/// Measures linear algebra and reductions on hostile matrices, for the page docs/accuracy.md.

#include "tests/accuracy/table.h"

namespace hostile {

/// How many matrices were compared, and how many were refused.
struct Seen {
  int cases = 0, refused = 0;
};
/// Fills the rows of Range::Hostile and Range::Ends.
Seen measure_hostile(accuracy::Table& table);

}  // namespace hostile
