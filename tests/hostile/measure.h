#pragma once
/// Runs an op forwards and backwards on the hostile matrices and compares it with the exact result, in units of the condition
/// number times the rounding error.

#include <atomic>

#include "autograd/var.h"
#include "tests/accuracy/table.h"
#include "tests/hostile/exact_tape.h"
#include "tests/hostile/matrices.h"

namespace hostile {

using argand::ComplexScalar;
using argand::RealOf;
using argand::Scalar;
using argand::Shape;
using argand::Tensor;
using argand::Var;

/// Which perturbations of the input define the condition number: each entry relative to itself, or relative to the largest entry of
/// its matrix.
enum class Condition { Entries, Norm };

struct Op {
  std::string name, what;
  Condition condition;
  Reference reference;
  int least = 0, most = 8;  ///< the range of sizes n
  int rows_more = 0;        ///< m - n
  int seeds = 2;
  std::function<bool(Kind)> takes = [](Kind) { return true; };
  /// Whether the op may, as documented, refuse matrices for which the exact function has a value.
  bool loosely_refused = false;
  bool positive = false;  ///< measured on A Aᴴ, rounded
  /// Whether matrices are left out if rounding them leaves no correct digit of the value: pinv if the rank is uncertain, functions
  /// of eigenvalues or singular values that depend on those smaller than the rounding of the largest.
  bool leaves_out_lost = false;
};

struct Counts {
  std::atomic<int> cases = 0, refused = 0;
};

/// The op under test: Var<T> [count, m, n] -> Var<Out> [count, k].
template <Scalar T, Scalar Out>
using Function = std::function<Var<Out>(const Var<T>&)>;

/// Finds the worst errors of f for matrices inside the type's range and at its ends.
template <Scalar T, Scalar Out>
void measure(accuracy::Cell& inside, accuracy::Cell& ends, const Op& op, const Function<T, Out>& f, Counts& counts);

}  // namespace hostile
