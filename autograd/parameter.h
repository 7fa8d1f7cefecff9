#pragma once
/// Named parameters: the one list shared by checkpoints, optimisers, printing and parity tests. Names are those of the
/// architecture's specification, "blocks.0.attn.q.weight". A Var is a handle: the list reads and changes the model's own values. A
/// variable used in several places in a model is listed once, under its first name; its slot holds the other names.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "autograd/var.h"

namespace argand {

template <RealScalar R>
struct Parameter {
  std::string name;
  AnyVarOf<R> var;

  const Shape& shape() const {
    return std::visit([](const auto& v) -> const Shape& { return v.shape(); }, var);
  }
  bool is_complex() const { return var.index() == 1; }
  /// Null for a constant.
  SlotBase* slot() const {
    return std::visit([](const auto& v) -> SlotBase* { return v.slot().get(); }, var);
  }
  Role role() const { return slot() != nullptr && slot()->info ? slot()->info->role : Role::Other; }
  /// Real degrees of freedom: a complex number counts twice.
  std::int64_t degrees_of_freedom() const { return shape().size() * (is_complex() ? 2 : 1); }
};

template <RealScalar R>
using ParameterList = std::vector<Parameter<R>>;

/// Throws an Error that names `whom` when the list has a non-variable (which never gets a gradient), a duplicate (which would be
/// counted, clipped and updated twice) or two variables with the same name.
template <RealScalar R>
void require_variables(const ParameterList<R>& parameters, std::string_view whom) {
  std::map<const SlotBase*, const std::string*> seen;
  std::set<std::string_view> names;
  for (const auto& p : parameters) {
    require(p.slot() != nullptr, whom, "{} is a constant and gets no gradient; make it with variable(), or leave it out", p.name);
    require(p.slot()->leaf, whom, "{} is the output of an op; only a variable() can be trained", p.name);
    require(names.insert(p.name).second, whom, "two variables have the name {}; names in a saved state must be unique", p.name);
    const auto [first, fresh] = seen.emplace(p.slot(), &p.name);
    require(fresh, whom, "{} and {} are the same variable; list it once, as parameters_of() does", *first->second, p.name);
  }
}

template <RealScalar R>
std::int64_t count_parameters(const ParameterList<R>& parameters) {
  require_variables(parameters, "count_parameters");
  std::int64_t n = 0;
  for (const auto& p : parameters) n += p.degrees_of_freedom();
  return n;
}

template <RealScalar R>
void zero_grad(const ParameterList<R>& parameters) {
  for (auto p : parameters) std::visit([](auto& v) { v.zero_grad(); }, p.var);
}

}  // namespace argand
