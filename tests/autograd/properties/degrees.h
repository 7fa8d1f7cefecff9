#pragma once
/// The degree of homogeneity of every op, or why it has none.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "autograd/op_check.h"

namespace argand {

/// f(2^(ka) x) = 2^(kd) f(x) for the cases of an op's check that have these labels and as many inputs.
struct Homogeneous {
  std::vector<int> by;                   ///< a of each input
  double degree;                         ///< d
  std::vector<std::string> labels = {};  ///< empty: every case
  int from = 0;    ///< only for inputs larger than those of the case by 2^from, and larger yet: where eps is nothing beside them
  int step = 1;    ///< k is a multiple of it: so that kd is whole
  double ulp = 8;  ///< how many the results may differ by, of the largest among them
};

/// By name; an op of several inputs may be homogeneous in each of them.
const std::map<std::string, std::vector<Homogeneous>>& degrees();
/// By name, with the reason.
const std::map<std::string, std::string>& not_homogeneous();

/// Recent ops whose scaling and behaviour at infinity have not been measured yet. Remove an op once it has a row.
const std::set<std::string>& not_measured();

/// A function that is made of several ops.
struct HomogeneousFunction {
  OpCheck check;
  Homogeneous degree;
};
const std::map<std::string, HomogeneousFunction>& homogeneous_functions();

}  // namespace argand
