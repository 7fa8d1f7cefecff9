#pragma once
/// Arguments of ops, with types known only at run time: tensors of any scalar type, numbers, strings, lists.

#include <complex>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "autograd/var.h"
#include "core/mask.h"

namespace argand {

/// A variable whose scalar type is known only at run time.
using DynamicVar = std::variant<Var<float>, Var<std::complex<float>>, Var<double>, Var<std::complex<double>>>;

/// An argument or a result of a call. std::monostate is None: an omitted dimension, bias or length.
using Argument = std::variant<std::monostate, bool, std::int64_t, double, std::complex<double>, std::string,
                              std::vector<std::int64_t>, DynamicVar, std::vector<DynamicVar>, Ids, Mask>;

/// The alternatives of Argument, in the order of the variant.
enum class ArgumentKind { None, Bool, Int, Float, Complex, String, Ints, Tensor, Tensors, Indices, Mask };
inline ArgumentKind kind_of(const Argument& argument) { return static_cast<ArgumentKind>(argument.index()); }

/// "float32", "complex64", "float64", "complex128".
std::string_view scalar_name(const DynamicVar& x);
/// With an article: "an int", "a complex128 tensor", "a list of ints", "None".
std::string describe(const Argument& argument);

/// The kinds of argument that a parameter accepts.
class ArgumentType {
 public:
  constexpr ArgumentType() = default;
  constexpr ArgumentType(std::initializer_list<ArgumentKind> kinds) {
    for (const ArgumentKind kind : kinds) kinds_ |= bit(kind);
  }
  constexpr bool takes(ArgumentKind kind) const { return (kinds_ & bit(kind)) != 0; }
  constexpr ArgumentType operator|(ArgumentType other) const {
    other.kinds_ |= kinds_;
    return other;
  }
  friend constexpr bool operator==(ArgumentType, ArgumentType) = default;

  /// As a Python annotation: "Tensor", "float", "int | list[int] | None". An int is accepted as a float, and either as a complex
  /// number; arrays of integers and of booleans are "Indices" and "Mask".
  std::string text() const;
  /// As error messages describe it: "a tensor", "an int or None".
  std::string described() const;

 private:
  static constexpr unsigned bit(ArgumentKind kind) { return 1u << static_cast<unsigned>(kind); }
  unsigned kinds_ = 0;
};

}  // namespace argand
