#pragma once
/// Kinds of matrices on which linear algebra tends to fail.

#include <string>
#include <vector>

#include "core/scalar.h"

namespace hostile {

enum class Kind {
  Ordinary,
  UpperHuge,       ///< upper triangular, with off-diagonal entries up to the cube root of the type's range
  LowerHuge,       ///< lower triangular
  UpperTiny,       ///< upper triangular, with small off-diagonal entries
  BlockHuge,       ///< blocks of two on the diagonal, with huge entries above them
  Nilpotent,       ///< entries of all magnitudes just above the diagonal, zeros elsewhere
  Graded,          ///< entries that decrease along the diagonal
  Rows,            ///< rows of different magnitudes
  Columns,         ///< columns of different magnitudes
  NearlySingular,  ///< singular up to a few roundings
  Singular,        ///< small integers, of any rank below n
  Defective,       ///< a Jordan block in another basis
  Repeated,        ///< coinciding eigenvalues
  Clustered,       ///< eigenvalues that are about a thousand roundings apart
  Large,           ///< entries near the largest number
  Small,           ///< entries near the smallest number
  Ends,            ///< rows alternately at both ends of the range
};
inline constexpr int kinds = 17;
inline bool at_the_ends(Kind kind) { return kind >= Kind::Large; }
std::string name(Kind kind);

/// The entries of a matrix [m, n] in row-major order.
template <argand::Scalar T>
std::vector<T> matrix(Kind kind, int m, int n, std::uint64_t seed);

}  // namespace hostile
