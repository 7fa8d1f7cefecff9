#pragma once
/// Modules name their parameters once, in visit(); checkpoints, optimisers, printing and parity cases all use these names.

#include <optional>
#include <string>

#include "autograd/parameter.h"

namespace argand {

template <RealScalar R>
class Module;

/// What visit() is given: f("weight", weight) adds a parameter, f("attn", attn) everything inside a module, with joined names.
template <RealScalar R>
class Visit {
 public:
  explicit Visit(ParameterList<R>& list, std::string prefix = "") : list_(list), prefix_(std::move(prefix)) {}
  void operator()(const std::string& name, const Var<R>& parameter) const { add(prefix_ + name, parameter); }
  void operator()(const std::string& name, const Var<std::complex<R>>& parameter) const { add(prefix_ + name, parameter); }
  template <class T>
  void operator()(const std::string& name, const std::optional<T>& maybe) const {
    if (maybe) (*this)(name, *maybe);
  }
  void operator()(const std::string& name, const Module<R>& module) const { module.visit(Visit(list_, prefix_ + name + ".")); }

 private:
  void add(const std::string& name, AnyVarOf<R> var) const {
    Parameter<R> parameter{name, std::move(var)};
    SlotBase* slot = parameter.slot();
    if (slot != nullptr) {
      for (const Parameter<R>& known : list_)
        if (known.slot() == slot) return slot->aliases.push_back(name);
      slot->name = name;
      slot->aliases.clear();
    }
    list_.push_back(std::move(parameter));
  }

  ParameterList<R>& list_;
  std::string prefix_;
};

/// A module can be moved, not copied: its variables are handles, and a copy would be tied to them without saying so. Make a second
/// one and load the first one's values; to tie on purpose, give both the same Var. A parameter keeps its identity: change
/// its value(); another Var in its place is one that an optimiser made before does not know.
template <RealScalar R>
class Module {
 public:
  Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  Module(Module&&) noexcept = default;
  Module& operator=(Module&&) noexcept = default;
  virtual ~Module() = default;
  virtual void visit(const Visit<R>& f) const = 0;
};

template <RealScalar R>
ParameterList<R> parameters_of(const Module<R>& module) {
  ParameterList<R> list;
  module.visit(Visit<R>(list));
  return list;
}

}  // namespace argand
