#include "autograd/call/op_function.h"

#include <algorithm>
#include <map>

#include "autograd/op.h"

namespace argand {

using call_detail::Call;
using call_detail::no_scalar;
using call_detail::Overload;
using call_detail::ParameterType;
using call_detail::ResultForm;

namespace {

std::map<std::string, const OpFunction*, std::less<>>& functions_by_name() {
  static std::map<std::string, const OpFunction*, std::less<>> functions;
  return functions;
}

std::optional<Argument> default_of(const ParameterText::Default& value) {
  if (!value.given) return std::nullopt;
  switch (value.kind) {
    case ArgumentKind::Bool: return value.whole != 0;
    case ArgumentKind::Int: return value.whole;
    case ArgumentKind::Float: return value.real;
    case ArgumentKind::String: return std::string(value.word);
    case ArgumentKind::Ints: return std::vector(value.list);
    default: return none;
  }
}

constexpr bool is_complex(int scalar) { return scalar % 2 == 1; }
constexpr int precision_of(int scalar) { return scalar / 2; }

/// Calls f with the index of the scalar type of every tensor among the arguments.
template <class F>
void for_each_scalar(const Call& call, std::size_t n, const F& f) {
  for (std::size_t i = 0; i < n; ++i) {
    if (const auto* x = std::get_if<DynamicVar>(call.arguments[i])) f(static_cast<int>(x->index()));
    if (const auto* list = std::get_if<std::vector<DynamicVar>>(call.arguments[i]))
      for (const DynamicVar& x : *list) f(static_cast<int>(x.index()));
  }
}

constexpr int does_not_fit = -1;

/// How many tensors or numbers have to become complex to fit, or does_not_fit. `any_complex`: whether any argument is complex.
int cost(const ParameterType& type, const Argument& argument, bool any_complex, int precision) {
  if (!type.kinds.takes(kind_of(argument))) return does_not_fit;
  if (type.scalar == no_scalar || kind_of(argument) == ArgumentKind::None) return 0;
  const auto of_scalar = [&](int scalar) {
    if (scalar == type.scalar) return 0;
    return precision_of(scalar) == precision_of(type.scalar) && is_complex(type.scalar) && any_complex ? 1 : does_not_fit;
  };
  if (const auto* x = std::get_if<DynamicVar>(&argument)) return of_scalar(static_cast<int>(x->index()));
  if (const auto* list = std::get_if<std::vector<DynamicVar>>(&argument)) {
    int sum = 0;
    for (const DynamicVar& x : *list) {
      const int one = of_scalar(static_cast<int>(x.index()));
      if (one == does_not_fit) return does_not_fit;
      sum += one;
    }
    return list->empty() && precision_of(type.scalar) != precision ? does_not_fit : sum;
  }
  if (precision_of(type.scalar) != precision) return does_not_fit;
  return is_complex(type.scalar) && kind_of(argument) != ArgumentKind::Complex ? 1 : 0;
}

}  // namespace

OpFunction::OpFunction(const char* name, const char* about, Parameters parameters, Results results, Overloads overloads)
    : name_(name), about_(about), results_(std::move(results.names)), overloads_(std::move(overloads)) {
  for (const ParameterText& text : parameters) parameters_.push_back({text.name, {}, default_of(text.default_value)});
  try {
    require(!overloads_.empty(), name_, "has no C++ overload with known scalar types");
    require(parameters_.size() <= Call::most_parameters, name_, "has more than {} parameters", Call::most_parameters);
    for (const Overload& overload : overloads_) {
      require(overload.parameters.size() == parameters_.size(), name_,
              "the C++ function takes {} parameters, but {} names were given", overload.parameters.size(), parameters_.size());
      require(overload.form != ResultForm::Tuple || overload.results.size() == results_.size(), name_,
              "the C++ function returns {} results, but {} names were given", overload.results.size(), results_.size());
      for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i].type = parameters_[i].type | overload.parameters[i].kinds;
    }
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const CallParameter& parameter = parameters_[i];
      for (std::size_t k = 0; k < i; ++k)
        require(parameters_[k].name != parameter.name, name_, "duplicate parameter '{}'", parameter.name);
      require(i == 0 || parameter.default_value || !parameters_[i - 1].default_value, name_,
              "'{}' needs a default because the parameter before it has one", parameter.name);
      require(!parameter.default_value || parameter.type.takes(kind_of(*parameter.default_value)), name_,
              "the default of '{}' is not {}", parameter.name, parameter.type.described());
    }
    require(functions_by_name().emplace(name_, this).second, name_, "is already registered; choose another name");
  } catch (const Error& error) {
    fault_ = error.what();
  }
}

OpFunction::~OpFunction() {
  if (find(name_) == this) functions_by_name().erase(name_);
}

std::vector<const OpFunction*> OpFunction::all() {
  std::vector<const OpFunction*> functions;
  for (const auto& [name, function] : functions_by_name()) functions.push_back(function);
  return functions;
}

const OpFunction* OpFunction::find(std::string_view name) {
  const auto it = functions_by_name().find(name);
  return it == functions_by_name().end() ? nullptr : it->second;
}

const Op* OpFunction::op() const { return Op::find(about_.empty() ? name_ : about_); }

std::string OpFunction::about() const {
  if (op() != nullptr) return op()->text().equation;
  return about_.empty() ? "an op that is not in this build" : about_;  // a LAPACK op in a build without LAPACK
}

void OpFunction::require_usable() const {
  if (!fault_.empty()) [[unlikely]]
    throw Error(fault_);
}

CallResult OpFunction::call(std::span<const Argument> positional, std::span<const std::pair<std::string, Argument>> named) const {
  require_usable();
  Call call;
  call.function = this;
  if (positional.size() > parameters_.size()) [[unlikely]]
    fail(name_, "takes {} arguments, got {}; its parameters are {}", parameters_.size(), positional.size(), parameter_names());
  for (std::size_t i = 0; i < positional.size(); ++i) call.arguments[i] = &positional[i];
  for (const auto& [name, value] : named) {
    const auto parameter =
        std::find_if(parameters_.begin(), parameters_.end(), [&wanted = name](const auto& p) { return p.name == wanted; });
    if (parameter == parameters_.end()) [[unlikely]]
      fail(name_, "has no parameter '{}'; its parameters are {}", name, parameter_names());
    const Argument*& place = call.arguments[static_cast<std::size_t>(parameter - parameters_.begin())];
    require(place == nullptr, name_, "'{}' is given twice", name);
    place = &value;
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (call.arguments[i] == nullptr) {
      require(parameters_[i].default_value.has_value(), name_, "argument {} ('{}') is missing", i + 1, parameters_[i].name);
      call.arguments[i] = &*parameters_[i].default_value;
    }
  best_overload(call).call(call);
  return {std::move(call.results), call.is_tuple};
}

const Overload& OpFunction::best_overload(const Call& call) const {
  int precision = no_scalar;
  bool any_complex = false, is_mixed = false;
  for_each_scalar(call, parameters_.size(), [&](int scalar) {
    is_mixed = is_mixed || (precision != no_scalar && precision != precision_of(scalar));
    precision = precision_of(scalar);
    any_complex = any_complex || is_complex(scalar);
  });
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    any_complex = any_complex || kind_of(*call.arguments[i]) == ArgumentKind::Complex;

  const Overload* best = nullptr;
  int least = 0;
  for (const Overload& overload : overloads_) {
    int sum = 0;
    for (std::size_t i = 0; i < parameters_.size() && sum != does_not_fit; ++i) {
      const int one = cost(overload.parameters[i], *call.arguments[i], any_complex, precision);
      sum = one == does_not_fit ? does_not_fit : sum + one;
    }
    if (sum == does_not_fit || (best != nullptr && sum >= least)) continue;
    best = &overload;
    least = sum;
    if (least == 0) break;
  }
  if (best == nullptr || is_mixed) [[unlikely]]
    fail_to_match(call, precision);
  return *best;
}

void OpFunction::fail_to_match(const Call& call, int precision) const {
  const auto argument_text = [&](std::size_t i) { return fmt::format("argument {} ('{}')", i + 1, parameters_[i].name); };
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    require(parameters_[i].type.takes(kind_of(*call.arguments[i])), name_, "{} must be {}, not {}", argument_text(i),
            parameters_[i].type.described(),
            kind_of(*call.arguments[i]) == ArgumentKind::Tensor ? "a tensor" : describe(*call.arguments[i]));
  require(precision != no_scalar, name_, "needs at least one tensor argument; convert a number to a tensor first");
  bool has_float = false, has_double = false;
  for_each_scalar(call, parameters_.size(), [&](int scalar) { (precision_of(scalar) == 0 ? has_float : has_double) = true; });
  require(!has_float || !has_double, name_, "cannot mix float32 and float64; convert one of them");

  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const auto fits = [&](bool as_complex) {
      return std::any_of(overloads_.begin(), overloads_.end(), [&](const Overload& overload) {
        return cost(overload.parameters[i], *call.arguments[i], as_complex, precision) != does_not_fit;
      });
    };
    if (fits(false)) continue;
    const bool fits_as_complex = fits(true);
    fail(name_, "{} must be {}, not {}", argument_text(i), fits_as_complex ? "complex" : "real", describe(*call.arguments[i]));
  }
  std::string types;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (!parameters_[i].default_value || call.arguments[i] != &*parameters_[i].default_value)
      types += fmt::format("{}{}", types.empty() ? "" : ", ", describe(*call.arguments[i]));
  fail(name_, "does not accept this combination of arguments: {}", types);
}

std::string OpFunction::parameter_names() const {
  std::string names;
  for (const CallParameter& parameter : parameters_) names += (names.empty() ? "" : ", ") + parameter.name;
  return names;
}

}  // namespace argand
