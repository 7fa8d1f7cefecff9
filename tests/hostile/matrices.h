#pragma once
/// Kinds of matrices on which linear algebra tends to fail.

#include <string>
#include <vector>

#include "core/scalar.h"

namespace hostile {

enum class Kind {
  Ordinary,
  UpperHuge,       ///< upper triangular, its numbers beside the diagonal up to the square root of the type's range
  LowerHuge,       ///< lower triangular
  UpperTiny,       ///< upper triangular, with small numbers beside the diagonal
  BlockHuge,       ///< blocks of two on the diagonal, huge numbers above them
  Nilpotent,       ///< a chain of numbers of all sizes above a diagonal of zeros
  Graded,          ///< from large to small along the diagonal
  Rows,            ///< each row of another size
  Columns,         ///< each column of another size
  NearlySingular,  ///< singular up to a few roundings
  Singular,        ///< small whole numbers, of any rank below n
  Defective,       ///< a Jordan block, seen from another basis
  Repeated,        ///< coinciding eigenvalues
  Clustered,       ///< eigenvalues that are a few roundings apart
  Large,           ///< near the largest number
  Small,           ///< near the smallest
  Ends,            ///< rows at either end of the range
};
inline constexpr int kinds = 17;
inline bool at_the_ends(Kind kind) { return kind >= Kind::Large; }
std::string name(Kind kind);

/// The numbers of a matrix [m, n], by rows.
template <argand::Scalar T>
std::vector<T> matrix(Kind kind, int m, int n, std::uint64_t seed);

}  // namespace hostile
