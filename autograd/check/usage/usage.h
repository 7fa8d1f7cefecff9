#pragma once
/// Checks gradients as training uses them. Difference quotients (autograd/gradcheck.h) judge a gradient computed once, in float64,
/// for a dozen elements. A training run adds gradients to others, uses an op twice, in float32, at lengths that are not multiples
/// of a vector register, with several threads and incoming gradients of any size. All of that must give the same gradient, so
/// analytic gradients are compared with each other, element by element. Only growing shapes need difference quotients again, one
/// along a random direction.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/check/report.h"
#include "autograd/op.h"
#include "autograd/op_check.h"

namespace argand {

/// The ways of using a gradient, in the order in which they are checked; after each colon, the expected result.
enum class Use {
  Again,         ///< three times, from new variables on new tapes: the same bits
  Added,         ///< added to existing random gradients, and to itself repeatedly
  Twice,         ///< two outputs of the same variables on one tape: the sum of both gradients
  SameVariable,  ///< one variable passed as two inputs: the sum of their gradients
  Scaled,        ///< incoming gradients times -4 and very large and very small powers of 2: the gradient times the same factors
  Split,         ///< the incoming gradient as a sum of two, each padded with zeros: the sum of both gradients
  Alone,         ///< one input a variable, the others constant: the same gradient; none if the op does not list that input
  Overwritten,   ///< inputs overwritten between forward and backward pass: the same bits, as for the original values
  Float32,       ///< in float32 and complex64: the gradient in float64, up to rounding
  Size,          ///< at 1 ... 67 elements and at longest_length: the gradient that differences along a direction give; for an
                 ///< op that maps elements one by one, the gradient of the element that was repeated
  Threads,       ///< with 1, 2 and 3 threads: the same bits
};
inline constexpr std::size_t number_of_uses = 11;
/// "wrong when it is added to a gradient", ...
std::string_view use_name(Use use);
/// "use: added", ...
std::string use_row_name(Use use);

struct UsageFault {
  Use use;
  std::string label;    ///< label of the case, "complex, n = 13"
  std::string message;  ///< "wrong when it is added to a gradient: float64, input 0, element [1, 2] is 1-2i, should be 3+1i"
};

/// How many values were compared, and the faults found.
struct UsageTally {
  std::array<std::int64_t, number_of_uses> compared = {};  ///< number of values compared, by use
  std::array<double, number_of_uses> worst = {};           ///< largest difference, in units of the rounding expected
  std::vector<UsageFault> faults = {};                     ///< at most one per case and length

  /// One row per use, in the order of Use.
  Report report(std::string name) const;
};

struct UsageOptions {
  bool first_fault_only = false;          ///< stop at the first fault
  std::int64_t longest = longest_length;  ///< maximum length
};

/// Runs the op's cases, original and grown, through every use. Types that occur in a case but in no growing case are a fault, too.
Report check_usage(const Op& op, const UsageOptions& options = {});
/// The same for cases of a function that is not registered as an op.
Report check_usage(std::string name, const OpCheck& check, const UsageOptions& options = {});

}  // namespace argand
