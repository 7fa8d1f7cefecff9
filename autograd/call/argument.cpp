#include "autograd/call/argument.h"

#include <array>

namespace argand {
namespace {

struct KindText {
  ArgumentKind kind;
  std::string_view annotation, noun;
};
/// The kinds' names, in the order in which annotations list them.
constexpr std::array kind_texts{
    KindText{ArgumentKind::Tensor, "Tensor", "a tensor"},
    KindText{ArgumentKind::Tensors, "list[Tensor]", "a list of tensors"},
    KindText{ArgumentKind::Indices, "Indices", "indices"},
    KindText{ArgumentKind::Mask, "Mask", "a mask"},
    KindText{ArgumentKind::Bool, "bool", "a bool"},
    KindText{ArgumentKind::Int, "int", "an int"},
    KindText{ArgumentKind::Float, "float", "a float"},
    KindText{ArgumentKind::Complex, "complex", "a complex number"},
    KindText{ArgumentKind::Ints, "list[int]", "a list of ints"},
    KindText{ArgumentKind::String, "str", "a string"},
    KindText{ArgumentKind::None, "None", "None"},
};

}  // namespace

std::string_view scalar_name(const DynamicVar& x) {
  return std::visit([]<Scalar T>(const Var<T>&) { return scalar_name<T>(); }, x);
}

std::string describe(const Argument& argument) {
  if (const auto* x = std::get_if<DynamicVar>(&argument)) return fmt::format("a {} tensor", scalar_name(*x));
  for (const KindText& text : kind_texts)
    if (text.kind == kind_of(argument)) return std::string(text.noun);
  return "?";
}

namespace {

/// An int is accepted as a float, and a float as a complex number, so annotations name only the widest type.
bool is_implied(const ArgumentType& type, ArgumentKind kind) {
  return (kind == ArgumentKind::Int && (type.takes(ArgumentKind::Float) || type.takes(ArgumentKind::Complex))) ||
         (kind == ArgumentKind::Float && type.takes(ArgumentKind::Complex));
}

std::string joined(const ArgumentType& type, std::string_view separator, std::string_view KindText::*text) {
  std::string all;
  for (const KindText& one : kind_texts)
    if (type.takes(one.kind) && !is_implied(type, one.kind)) all += fmt::format("{}{}", all.empty() ? "" : separator, one.*text);
  return all;
}

}  // namespace

std::string ArgumentType::text() const { return joined(*this, " | ", &KindText::annotation); }
std::string ArgumentType::described() const { return joined(*this, " or ", &KindText::noun); }

}  // namespace argand
