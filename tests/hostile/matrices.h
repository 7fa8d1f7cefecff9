#pragma once
/// The matrices on which linear algebra fails.

#include <string>
#include <vector>

#include "core/scalar.h"

namespace hostile {

enum class Kind {
  Ordinary,
  UpperHuge,       ///< upper triangular, its numbers beside the diagonal up to the square root of the type's range
  LowerHuge,       ///< lower triangular
  UpperTiny,       ///< upper triangular, small beside the diagonal
  BlockHuge,       ///< blocks of two on the diagonal, huge above
  Nilpotent,       ///< a chain of numbers of all sizes above a diagonal of zeros
  Graded,          ///< from large to small along the diagonal
  Rows,            ///< each row of another size
  Columns,         ///< each column of another size
  NearlySingular,  ///< singular but for some roundings
  Singular,        ///< small whole numbers, of any rank below n
  Defective,       ///< a Jordan block, seen from another basis
  Repeated,        ///< coinciding eigenvalues
  Clustered,       ///< eigenvalues some roundings apart
  Large,           ///< near the largest number
  Small,           ///< near the smallest
  Ends,            ///< rows at either end of the range
};
inline constexpr int kinds = 17;
inline bool at_the_ends(Kind kind) { return kind >= Kind::Large; }
std::string name(Kind kind);

/// Numbers by rows of a matrix [m, n].
template <argand::Scalar T>
std::vector<T> matrix(Kind kind, int m, int n, std::uint64_t seed);

}  // namespace hostile
