#pragma once
/// Growing shapes (autograd/check/usage/usage.h): the gradient expected at any length, and the elements in which it is wrong.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/check/usage/usage_ways.h"
#include "autograd/check/verdict.h"

namespace argand {

/// Every length up to this one is tried: four times the widest vector register and more.
inline constexpr std::int64_t short_length = 67;
/// 1 ... 67 and some tens of thousands, more than one thread's share of elements; none above `longest`.
std::vector<std::int64_t> lengths(std::int64_t longest);

/// Whether the op maps elements one by one: all inputs and the output have one shape, and output element k changes only with
/// element k of the inputs.
bool maps_elements(const Subject& s);

/// Such an op's case with its elements repeated cyclically to n in all: inputs and incoming gradient.
Subject repeated(const Subject& base, std::int64_t n);

/// A case that `sized` added for n, labelled with both labels and n.
Subject sized_case(const OpCheck::SizedCases& sized, const OpCheck::Case& c, std::int64_t n);

/// The elements of such an op's case, repeated cyclically to any length. The expected value and gradient come from a length that
/// every vector register divides.
class Repeated {
 public:
  /// `base` must have its sample and condition.
  explicit Repeated(const Subject& base);
  Subject at(std::int64_t n) const;
  /// The sample of the case itself, as computed within the long one.
  const Sample& expected() const { return whole_; }

 private:
  const Subject& base_;
  Sample whole_;
};

struct WrongPlace {
  std::int64_t element;    ///< the first wrong one, in row-major order
  std::int64_t size;       ///< of the tensor
  std::int64_t last_axis;  ///< length of the last axis
};

/// The first gradient element of s that differs from s.sample.
std::optional<WrongPlace> first_difference(const Subject& s);
/// Whether the gradient of s.sample is the slope of the value in a random direction; sets the explanation if not.
bool slope_agrees(const Subject& s, std::string& explanation);
/// The first element to which that direction must be cut down to find a wrong slope.
std::optional<WrongPlace> first_wrong_slope(const Subject& s);

/// What the places have in common: "in the last n mod 8 elements of n", "from element 4096 on", or nothing.
std::string common_place(const std::vector<WrongPlace>& places);

}  // namespace argand
