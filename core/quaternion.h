#pragma once
/// The Hamilton product of quaternions a + bi + cj + dk, i² = j² = k² = ijk = -1, as a table.

namespace argand {

/// One of the sixteen terms.
struct HamiltonTerm {
  int part;  ///< part of the left factor
  int sign;
};
/// Part c of q·r is Σ_p hamilton[c][p].sign · q[hamilton[c][p].part] · r[p].
inline constexpr HamiltonTerm hamilton[4][4] = {{{0, 1}, {1, -1}, {2, -1}, {3, -1}},
                                                {{1, 1}, {0, 1}, {3, -1}, {2, 1}},
                                                {{2, 1}, {3, 1}, {0, 1}, {1, -1}},
                                                {{3, 1}, {2, -1}, {1, 1}, {0, 1}}};

}  // namespace argand
