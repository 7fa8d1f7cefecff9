#pragma once
/// Checks an op the way it is used. Difference quotients (autograd/gradcheck.h) judge a gradient that is computed once, in float64,
/// for a dozen elements. A training run adds gradients to others, uses an op twice, in float32, at lengths that no vector register
/// divides, with several threads and incoming gradients of any size. All of that must give the same gradient, so analytic gradients
/// are compared with each other, element by element, and only growing shapes need differences again: one along a random direction.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/check/report.h"
#include "autograd/op.h"
#include "autograd/op_check.h"

namespace argand {

/// The ways to use a gradient, in the order in which they are checked.
enum class Use {
  Again,         ///< three times, from new variables on new tapes: the same bits
  Added,         ///< added to random numbers that are there already, and to itself repeatedly
  Twice,         ///< two outputs of the same variables on one tape: the sum of both gradients
  SameVariable,  ///< one variable in the place of two inputs: the sum of their gradients
  Scaled,        ///< incoming gradients times -4 and times very large and very small powers of 2: the gradient times the same
  Split,         ///< the incoming gradient in two parts, zeros elsewhere: the sum of both gradients
  Alone,         ///< each input the only variable among constants: the same gradient; none if the op does not list it
  Overwritten,   ///< inputs overwritten between forward and backward pass: the same bits, those for the numbers that were read
  Float32,       ///< in float32 and complex64: the gradient in float64, up to rounding
  Size,     ///< at 1 ... 67 elements and at some tens of thousands: what differences along a direction say; for an op that maps
            ///< elements one by one, what the same element has among twelve
  Threads,  ///< with 1, 2 and 3 threads: the same bits
};
inline constexpr std::size_t number_of_uses = 11;
/// "wrong when it is added to a gradient", ...
std::string_view use_name(Use use);
/// "use: added", ...
std::string use_row_name(Use use);

struct UsageFault {
  Use use;
  std::string label;    ///< of the case, "complex, n = 13"
  std::string message;  ///< "wrong when it is added to a gradient: float64, input 0, element [1, 2] is 1-2i, should be 3+1i"
};

/// What was compared and what was wrong.
struct UsageTally {
  std::array<std::int64_t, number_of_uses> compared = {};  ///< numbers, by use
  std::array<double, number_of_uses> worst = {};           ///< difference, in units of what rounding may cause
  std::vector<UsageFault> faults = {};                     ///< at most one per case and length

  /// One row per use, in their order.
  Report report(std::string name) const;
};

struct UsageOptions {
  bool first_fault_only = false;          ///< stop at the first fault
  std::int64_t longest = longest_length;  ///< no length above this one
};

/// Runs the op's cases, original and grown, through every use. It is also a fault if no growing case has the types of a given case.
Report check_usage(const Op& op, const UsageOptions& options = {});
/// The same for cases of a function that is not an op itself.
Report check_usage(std::string name, const OpCheck& check, const UsageOptions& options = {});

}  // namespace argand
