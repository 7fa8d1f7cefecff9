/// Conversion between Arguments and C++ types.

#include <limits>

#include "autograd/call/op_function.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "core/random.h"

namespace argand::call_detail {
namespace {

const std::string& name_of(const Call& call, std::size_t i) { return call.function->parameters()[i].name; }

template <Scalar T>
Var<T> as_var(const DynamicVar& x) {
  if (const auto* exact = std::get_if<Var<T>>(&x)) return *exact;
  if constexpr (ComplexScalar<T>) return to_complex(std::get<Var<RealOf<T>>>(x));
  fail("call", "{} for {}", scalar_name(x), argand::scalar_name<T>());
}

template <Scalar T>
T as_number(const Argument& number) {
  if (const auto* whole = std::get_if<std::int64_t>(&number)) return static_cast<T>(static_cast<double>(*whole));
  if (const auto* real = std::get_if<double>(&number)) return static_cast<T>(*real);
  if constexpr (ComplexScalar<T>) return static_cast<T>(std::get<std::complex<double>>(number));
  fail("call", "expected a real number, got {}", describe(number));
}

template <class I>
I in_range(const Call& call, std::size_t i, std::int64_t value) {
  require(value >= std::numeric_limits<I>::min() && value <= std::numeric_limits<I>::max(), call.function->name(),
          "{} for '{}' is out of range for an index", value, name_of(call, i));
  return static_cast<I>(value);
}

/// The list, or a single number as a list of one element.
std::vector<std::int64_t> whole_numbers(const Argument& argument) {
  if (const auto* one = std::get_if<std::int64_t>(&argument)) return {*one};
  return std::get<std::vector<std::int64_t>>(argument);
}

// Selects, by type, how an Argument is converted to a P.
template <class P>
struct As {};

template <Scalar T>
Var<T> made(As<Var<T>>, const Call& call, std::size_t i) {
  return as_var<T>(std::get<DynamicVar>(*call.arguments[i]));
}

template <Scalar T>
TensorOrNumber<T> made(As<TensorOrNumber<T>>, const Call& call, std::size_t i) {
  if (const auto* x = std::get_if<DynamicVar>(call.arguments[i])) return TensorOrNumber<T>(as_var<T>(*x));
  return TensorOrNumber<T>(Tensor<T>::scalar(as_number<T>(*call.arguments[i])));
}

template <Scalar T>
std::vector<Var<T>> made(As<std::vector<Var<T>>>, const Call& call, std::size_t i) {
  std::vector<Var<T>> list;
  for (const DynamicVar& x : std::get<std::vector<DynamicVar>>(*call.arguments[i])) list.push_back(as_var<T>(x));
  return list;
}

template <Scalar T>
T made(As<T>, const Call& call, std::size_t i) {
  return as_number<T>(*call.arguments[i]);
}

template <std::signed_integral I>
I made(As<I>, const Call& call, std::size_t i) {
  return in_range<I>(call, i, std::get<std::int64_t>(*call.arguments[i]));
}

template <std::integral I>
std::vector<I> made(As<std::vector<I>>, const Call& call, std::size_t i) {
  std::vector<I> list;
  for (const std::int64_t value : whole_numbers(*call.arguments[i])) list.push_back(in_range<I>(call, i, value));
  return list;
}

/// {height, width}, or one number for both.
template <std::size_t n>
std::array<std::int64_t, n> made(As<std::array<std::int64_t, n>>, const Call& call, std::size_t i) {
  const std::vector<std::int64_t> list = whole_numbers(*call.arguments[i]);
  require(list.size() == 1 || list.size() == n, call.function->name(), "'{}' has {} values; expected 1 or {}", name_of(call, i),
          list.size(), n);
  std::array<std::int64_t, n> sizes{};
  for (std::size_t k = 0; k < n; ++k) sizes[k] = list[list.size() == 1 ? 0 : k];
  return sizes;
}

Ids made(As<Ids>, const Call& call, std::size_t i) {
  if (const auto* ids = std::get_if<Ids>(call.arguments[i])) return *ids;
  auto list = made(As<std::vector<Ids::value_type>>(), call, i);
  const auto n = static_cast<std::int64_t>(list.size());
  return Ids({n}, std::move(list));
}

template <class P>
requires std::same_as<P, std::monostate> || std::same_as<P, bool> || std::same_as<P, std::string> || std::same_as<P, Mask> P
made(As<P>, const Call& call, std::size_t i) {
  return std::get<P>(*call.arguments[i]);
}

}  // namespace

template <class P>
P argument_as(const Call& call, std::size_t i) {
  return made(As<P>(), call, i);
}

template <Scalar T>
void append_result(Call& call, Var<T> result) {
  call.results.emplace_back(DynamicVar(std::move(result)));
}
void append_result(Call& call, Ids result) { call.results.emplace_back(std::move(result)); }

#define ARGAND_ARGUMENT_AS(P) template P argument_as<P>(const Call&, std::size_t);
#define ARGAND_TAKEN_OF(T)                \
  ARGAND_ARGUMENT_AS(Var<T>)              \
  ARGAND_ARGUMENT_AS(TensorOrNumber<T>)   \
  ARGAND_ARGUMENT_AS(std::vector<Var<T>>) \
  ARGAND_ARGUMENT_AS(T)                   \
  template void append_result(Call&, Var<T>);
ARGAND_FOR_SCALAR(ARGAND_TAKEN_OF)
ARGAND_ARGUMENT_AS(std::monostate)
ARGAND_ARGUMENT_AS(bool)
ARGAND_ARGUMENT_AS(int)
ARGAND_ARGUMENT_AS(std::int64_t)
ARGAND_ARGUMENT_AS(std::string)
ARGAND_ARGUMENT_AS(std::vector<int>)
ARGAND_ARGUMENT_AS(std::vector<std::int64_t>)
ARGAND_ARGUMENT_AS(Ids)
ARGAND_ARGUMENT_AS(Mask)
using Pair = std::array<std::int64_t, 2>;
using Triple = std::array<std::int64_t, 3>;
ARGAND_ARGUMENT_AS(Pair)
ARGAND_ARGUMENT_AS(Triple)

}  // namespace argand::call_detail
