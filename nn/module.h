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
  void operator()(const std::string& name, const Var<R>& parameter) const { list_.push_back({prefix_ + name, parameter}); }
  void operator()(const std::string& name, const Var<std::complex<R>>& parameter) const {
    list_.push_back({prefix_ + name, parameter});
  }
  template <class T>
  void operator()(const std::string& name, const std::optional<T>& maybe) const {
    if (maybe) (*this)(name, *maybe);
  }
  void operator()(const std::string& name, const Module<R>& module) const { module.visit(Visit(list_, prefix_ + name + ".")); }

 private:
  ParameterList<R>& list_;
  std::string prefix_;
};

template <RealScalar R>
class Module {
 public:
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
