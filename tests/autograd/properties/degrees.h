#pragma once
/// The degree of homogeneity of every op, or the reason why it has none.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "autograd/op_check.h"

namespace argand {

/// States that f(2^(ka) x) = 2^(kd) f(x) for those cases of an op's check that have one of these labels and as many inputs as `by`
/// has elements.
struct Homogeneous {
  std::vector<int> by;                   ///< a for each input
  double degree;                         ///< d
  std::vector<std::string> labels = {};  ///< empty for every case
  /// If nonzero, the inputs of the case are first multiplied by 2^(a from) and then only scaled up, so that eps is negligible
  /// compared with them.
  int from = 0;
  int step = 1;    ///< k is a multiple of this, so that kd is an integer
  double ulp = 8;  ///< how far the results may differ, in units in the last place of the largest result
};

/// The degrees of each op by its name; an op of several inputs may be homogeneous in each of them.
const std::map<std::string, std::vector<Homogeneous>>& degrees();
/// The ops that are not homogeneous, by name, each with the reason.
const std::map<std::string, std::string>& not_homogeneous();

/// Recent ops whose scaling and behaviour at infinity have not been measured yet. Remove an op once it has a row.
const std::set<std::string>& not_measured();

/// A homogeneous function composed of several ops.
struct HomogeneousFunction {
  OpCheck check;
  Homogeneous degree;
};
const std::map<std::string, HomogeneousFunction>& homogeneous_functions();

}  // namespace argand
