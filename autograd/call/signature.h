#pragma once
/// Calls a C++ function with Arguments: the parameters and their scalar types are deduced from the function's type.
///
/// The function is a lambda without captures, usually a template over scalar types. Each scalar type that its constraints allow
/// gives an Overload: [](const Var<double>&) is one, []<RealScalar R>(const Var<R>&) two, []<Scalar T>(const Var<T>&) four, and
/// []<Scalar A, Scalar B>(const Var<A>&, const Var<B>&) eight, since both arguments must have the same precision.

#include <array>
#include <optional>
#include <span>
#include <tuple>

#include "autograd/call/argument.h"

namespace argand {

class OpFunction;

/// A parameter that also accepts a number, as in mul(z, 2); it becomes a constant of rank 0, in the precision of the call.
template <Scalar T>
struct TensorOrNumber : Var<T> {
  explicit TensorOrNumber(Var<T> x) : Var<T>(std::move(x)) {}
};

namespace call_detail {

/// The index of a scalar type in DynamicVar.
template <Scalar T>
inline constexpr int scalar_index = (sizeof(RealOf<T>) == sizeof(double) ? 2 : 0) + (ComplexScalar<T> ? 1 : 0);
inline constexpr int no_scalar = -1;

/// The arguments that one overload accepts for one parameter.
struct ParameterType {
  ArgumentType kinds;
  int scalar = no_scalar;  ///< scalar type, for a tensor
};

/// One call: its arguments, in the order of the parameters, and its results.
struct Call {
  static constexpr std::size_t most_parameters = 20;
  const OpFunction* function = nullptr;
  std::array<const Argument*, most_parameters> arguments{};
  std::vector<Argument> results;
  bool is_tuple = false;

  bool is_none(std::size_t i) const { return arguments[i]->index() == 0; }
};

/// Argument i as a C++ type P. Throws if a number does not fit, such as a dimension of 2^40.
template <class P>
P argument_as(const Call& call, std::size_t i);

template <class P>
struct Optional : std::false_type {};
template <class P>
struct Optional<std::optional<P>> : std::true_type {};

template <class P>
P take(const Call& call, std::size_t i) {
  if constexpr (Optional<P>::value)
    return call.is_none(i) ? P() : P(argument_as<typename P::value_type>(call, i));
  else
    return argument_as<P>(call, i);
}

template <class P>
struct TypeOf;  // the ParameterType of each allowed C++ parameter type
template <Scalar T>
struct TypeOf<Var<T>> {
  static constexpr ParameterType value{{ArgumentKind::Tensor}, scalar_index<T>};
};
template <Scalar T>
struct TypeOf<std::vector<Var<T>>> {
  static constexpr ParameterType value{{ArgumentKind::Tensors}, scalar_index<T>};
};
template <RealScalar R>
struct TypeOf<TensorOrNumber<R>> {
  static constexpr ParameterType value{{ArgumentKind::Tensor, ArgumentKind::Int, ArgumentKind::Float}, scalar_index<R>};
};
template <RealScalar R>
struct TypeOf<TensorOrNumber<std::complex<R>>> {
  static constexpr ParameterType value{{ArgumentKind::Tensor, ArgumentKind::Int, ArgumentKind::Float, ArgumentKind::Complex},
                                       scalar_index<std::complex<R>>};
};
template <RealScalar R>
struct TypeOf<R> {
  static constexpr ParameterType value{{ArgumentKind::Int, ArgumentKind::Float}};
};
template <RealScalar R>
struct TypeOf<std::complex<R>> {
  static constexpr ParameterType value{{ArgumentKind::Int, ArgumentKind::Float, ArgumentKind::Complex}};
};
template <std::integral I>
struct TypeOf<I> {
  static constexpr ParameterType value{{ArgumentKind::Int}};
};
template <>
struct TypeOf<bool> {
  static constexpr ParameterType value{{ArgumentKind::Bool}};
};
template <>
struct TypeOf<std::monostate> {  // for an overload in which the argument is omitted
  static constexpr ParameterType value{{ArgumentKind::None}};
};
template <>
struct TypeOf<std::string> {
  static constexpr ParameterType value{{ArgumentKind::String}};
};
template <std::integral I>
struct TypeOf<std::vector<I>> {
  static constexpr ParameterType value{{ArgumentKind::Int, ArgumentKind::Ints}};
};
template <std::size_t n>
struct TypeOf<std::array<std::int64_t, n>> {
  static constexpr ParameterType value{{ArgumentKind::Int, ArgumentKind::Ints}};
};
template <>
struct TypeOf<Ids> {
  static constexpr ParameterType value{{ArgumentKind::Indices, ArgumentKind::Ints}};
};
template <>
struct TypeOf<Mask> {
  static constexpr ParameterType value{{ArgumentKind::Mask}};
};
template <class P>
struct TypeOf<std::optional<P>> {
  static constexpr ParameterType value{TypeOf<P>::value.kinds | ArgumentType{ArgumentKind::None}, TypeOf<P>::value.scalar};
};

template <Scalar T>
void append_result(Call& call, Var<T> result);
void append_result(Call& call, Ids result);

template <class Result>
void set_results(Call& call, Result result) {
  append_result(call, std::move(result));
}
template <Scalar T>
void set_results(Call& call, std::vector<Var<T>> results) {
  call.is_tuple = true;
  for (Var<T>& result : results) append_result(call, std::move(result));
}
template <class... Result>
void set_results(Call& call, std::tuple<Result...> results) {
  call.is_tuple = true;
  std::apply([&](auto&... result) { (append_result(call, std::move(result)), ...); }, results);
}

enum class ResultForm { One, Tuple, List };
template <class Result>
inline constexpr ArgumentKind result_kind = std::same_as<Result, Ids> ? ArgumentKind::Indices : ArgumentKind::Tensor;
template <class Result>
struct ResultOf {
  static constexpr ResultForm form = ResultForm::One;
  static constexpr std::array kinds{result_kind<Result>};
};
template <class... Result>
struct ResultOf<std::tuple<Result...>> {
  static constexpr ResultForm form = ResultForm::Tuple;
  static constexpr std::array kinds{result_kind<Result>...};
};
template <Scalar T>
struct ResultOf<std::vector<Var<T>>> {
  static constexpr ResultForm form = ResultForm::List;
  static constexpr std::array kinds{ArgumentKind::Tensor};
};

/// A C++ function for fixed argument types.
struct Overload {
  std::span<const ParameterType> parameters;
  std::span<const ArgumentKind> results;
  ResultForm form = ResultForm::One;
  void (*call)(Call&) = nullptr;
};

template <class Function>
struct Signature;
template <class F, class Result, class... P>
struct Signature<Result (F::*)(P...) const> {
  static constexpr std::array<ParameterType, sizeof...(P)> parameters{TypeOf<std::remove_cvref_t<P>>::value...};
  static void call(Call& call) {
    [&]<std::size_t... I>(std::index_sequence<I...>) { set_results(call, F{}(take<std::remove_cvref_t<P>>(call, I)...)); }
    (std::index_sequence_for<P...>());
  }
  static Overload overload() { return {parameters, ResultOf<Result>::kinds, ResultOf<Result>::form, &call}; }
};

template <class F, Scalar... T>
void add_overload(std::vector<Overload>& to) {
  if constexpr (requires { typename std::type_identity<decltype(&F::template operator()<T...>)>::type; })
    to.push_back(Signature<decltype(&F::template operator()<T...>)>::overload());
}

template <class F>
void add_overloads(std::vector<Overload>& to) {
  if constexpr (requires { typename std::type_identity<decltype(&F::operator())>::type; })
    to.push_back(Signature<decltype(&F::operator())>::overload());
  const auto in_precision = [&]<RealScalar R>(R) {
    using C = std::complex<R>;
    add_overload<F, R>(to), add_overload<F, C>(to);
    add_overload<F, R, R>(to), add_overload<F, R, C>(to), add_overload<F, C, R>(to), add_overload<F, C, C>(to);
  };
  in_precision(float()), in_precision(double());
}

}  // namespace call_detail
}  // namespace argand
