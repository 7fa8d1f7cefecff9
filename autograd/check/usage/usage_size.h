#pragma once
/// Checks growing shapes (autograd/check/usage/usage.h): the gradient expected at any length, and which elements are wrong.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/check/usage/usage_comparisons.h"
#include "autograd/check/verdict.h"

namespace argand {

/// Every length up to this one is tried: more than four of the widest vector registers.
inline constexpr std::int64_t short_length = 67;
/// 1 ... 67 and longest_length, more elements than one thread processes; none above `longest`.
std::vector<std::int64_t> lengths(std::int64_t longest);

/// Whether the op maps elements one by one: all inputs and the output have the same shape, and output element k changes only with
/// element k of the inputs.
bool maps_elements(const Subject& s);

/// A case of such an op, with the elements of its inputs and incoming gradient repeated cyclically up to a length of n.
Subject repeated(const Subject& base, std::int64_t n);

/// A case that `sized` added for n, labelled with the labels of `sized` and c, and with n.
Subject sized_case(const OpCheck::SizedCases& sized, const OpCheck::Case& c, std::int64_t n);

/// A case of an op that maps elements, repeated cyclically to any length. The expected value and gradient are computed once, at a
/// length that is a multiple of every vector length.
class Repeated {
 public:
  /// `base` must already have its sample and condition, and must outlive this object.
  explicit Repeated(const Subject& base);
  Subject at(std::int64_t n) const;
  /// The sample of the case itself, taken from that long computation.
  const Sample& expected() const { return whole_; }

 private:
  const Subject& base_;
  Sample whole_;
};

struct WrongElement {
  std::int64_t element;    ///< the first wrong element, in row-major order
  std::int64_t size;       ///< size of the tensor
  std::int64_t last_axis;  ///< length of the last axis
};

/// The first gradient element of s that differs from s.sample.
std::optional<WrongElement> first_difference(const Subject& s);
/// Whether the gradient of s.sample is the slope of the value in a random direction; sets the explanation if not.
bool slope_agrees(const Subject& s, std::string& explanation);
/// The element at which the slope along the same direction, restricted to the elements up to this one, first becomes wrong.
std::optional<WrongElement> first_wrong_slope(const Subject& s);

/// What the positions have in common: "in the last n mod 8 elements of n", "from element 4096 on"; empty if nothing.
std::string common_pattern(const std::vector<WrongElement>& places);

}  // namespace argand
