#pragma once
/// A module that applies layers one after another.

#include <tuple>
#include <utility>

#include "nn/module.h"

namespace argand {

namespace detail {
struct NoReal {};
template <RealScalar R>
R real_of_module(const Module<R>&);
NoReal real_of_module(...);
/// The R of the first stage that is a Module<R>.
template <class Stage, class... Stages>
struct FirstReal {
  using Own = decltype(real_of_module(std::declval<const Stage&>()));
  static auto choose() {
    if constexpr (!std::same_as<Own, NoReal> || sizeof...(Stages) == 0)
      return Own();
    else
      return FirstReal<Stages...>::choose();
  }
};
}  // namespace detail

/// Calls each stage with the result of the previous one. Stages are modules or functions without parameters; the scalar type may
/// change from stage to stage. Parameters are named by position, "0.weight", "2.bias".
///
///     Sequential net{Linear<C>(init, 1, 16), ModRelu<float>(init, 16), Linear<C>(init, 16, 1),
///                    [](const Var<C>& z) { return abs2(z); }};
///
/// Use braces: unlike parentheses, they evaluate in order, so every layer draws the same initial values with any compiler.
template <class... Stages>
class Sequential final : public Module<decltype(detail::FirstReal<Stages...>::choose())> {
 public:
  using Real = decltype(detail::FirstReal<Stages...>::choose());
  explicit Sequential(Stages... stages) : stages_(std::move(stages)...) {}

  template <class X>
  auto operator()(const X& x) const {
    return from<0>(x);
  }
  void visit(const Visit<Real>& f) const override { visit_stages(f, std::index_sequence_for<Stages...>()); }

  /// The stage at position i.
  template <std::size_t i>
  auto& stage() {
    return std::get<i>(stages_);
  }

 private:
  template <std::size_t i, class X>
  auto from(const X& x) const {
    if constexpr (i == sizeof...(Stages))
      return x;
    else
      return from<i + 1>(std::get<i>(stages_)(x));
  }
  template <std::size_t... i>
  void visit_stages(const Visit<Real>& f, std::index_sequence<i...>) const {
    const auto visit_stage = [&](std::size_t place, const auto& stage) {
      if constexpr (std::derived_from<std::decay_t<decltype(stage)>, Module<Real>>) f(std::to_string(place), stage);
    };
    (visit_stage(i, std::get<i>(stages_)), ...);
  }

  std::tuple<Stages...> stages_;
};

}  // namespace argand
