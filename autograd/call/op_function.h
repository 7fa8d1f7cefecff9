#pragma once
/// OpFunction: a library function called by name, with arguments whose types are known at run time. Python and other languages bind
/// these; names and defaults are PyTorch's where PyTorch has the function.
///
///     const OpFunction exp_function("exp", {"input"}, []<Scalar T>(const Var<T>& z) { return exp(z); });
///     const CallResult w = OpFunction::find("exp")->call(std::vector<Argument>{DynamicVar(z)});
///
/// Types are deduced from the C++ function (autograd/call/signature.h); tables give only names and defaults. The library's
/// functions are in tables in autograd/call/functions/, one file per folder of ops.

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/call/argument.h"
#include "autograd/call/signature.h"

namespace argand {

class Op;

inline constexpr std::monostate none{};

/// A parameter as written in a table: a name, and an optional default.
struct ParameterText {
  /// A literal type, so tables need no code at startup.
  struct Default {
    constexpr Default() : kind(ArgumentKind::None), given(false) {}
    constexpr Default(std::monostate) : kind(ArgumentKind::None) {}
    constexpr Default(bool value) : kind(ArgumentKind::Bool), whole(value) {}
    constexpr Default(int value) : kind(ArgumentKind::Int), whole(value) {}
    constexpr Default(double value) : kind(ArgumentKind::Float), real(value) {}
    constexpr Default(const char* value) : kind(ArgumentKind::String), word(value) {}
    constexpr Default(std::initializer_list<std::int64_t> value) : kind(ArgumentKind::Ints), list(value) {}
    ArgumentKind kind;
    bool given = true;
    std::int64_t whole = 0;
    double real = 0;
    const char* word = nullptr;
    std::initializer_list<std::int64_t> list;
  };
  constexpr ParameterText(const char* n) : name(n) {}
  constexpr ParameterText(const char* n, Default value) : name(n), default_value(value) {}
  const char* name;
  Default default_value;
};

/// Names for several results.
struct Results {
  Results() = default;
  explicit Results(std::initializer_list<const char*> n) : names(n.begin(), n.end()) {}
  std::vector<std::string> names;
};

struct CallParameter {
  std::string name;
  ArgumentType type;
  std::optional<Argument> default_value;  ///< empty if the argument is required

  /// The type as written in Python stubs: "Tensor", "int", "float | None", "list[int]".
  std::string type_text() const { return type.text(); }
  /// The default in Python's notation, such as "None", "1e-05", "'backward'" or "(-2, -1)"; empty if the argument is required.
  std::string default_text() const;
};

struct CallResult {
  std::vector<Argument> values;
  bool is_tuple = false;  ///< true for several results or a list (as from split), even of one element; false for a single value
};

class OpFunction {
 public:
  using Parameters = std::initializer_list<ParameterText>;
  /// Registers the function until this object is destroyed. A call uses the best-fitting overload of `f`, or the first of several
  /// that fit equally well. Several results have names, Results{"U", "S", "Vh"}. A function not named after an op has a description
  /// or names the op that it is an alias of. Faults (a name already taken, a default of the wrong type) throw on the first call, as
  /// an Op's do.
  template <class... F>
  requires(std::is_empty_v<F>&&...) OpFunction(const char* name, Parameters parameters, F...)
      : OpFunction(name, "", parameters, {}, overloads<F...>()) {}
  template <class... F>
  requires(std::is_empty_v<F>&&...) OpFunction(const char* name, Parameters parameters, Results results, F...)
      : OpFunction(name, "", parameters, results, overloads<F...>()) {}
  template <class... F>
  requires(std::is_empty_v<F>&&...) OpFunction(const char* name, const char* about, Parameters parameters, F...)
      : OpFunction(name, about, parameters, {}, overloads<F...>()) {}
  template <class... F>
  requires(std::is_empty_v<F>&&...) OpFunction(const char* name, const char* about, Parameters parameters, Results results, F...)
      : OpFunction(name, about, parameters, results, overloads<F...>()) {}
  ~OpFunction();
  OpFunction(const OpFunction&) = delete;
  OpFunction& operator=(const OpFunction&) = delete;

  const std::string& name() const { return name_; }
  /// A one-sentence description; for an op, its equation.
  std::string about() const;
  const std::vector<CallParameter>& parameters() const { return parameters_; }
  /// Names of several results; empty for one result and for a list of any length.
  const std::vector<std::string>& results() const { return results_; }
  /// The op that the function calls, under this name or another; null for a composition of ops.
  const Op* op() const;
  /// "sum(input: Tensor, dim: int | list[int] | None = None, keepdim: bool = False) -> Tensor"
  std::string signature() const;
  /// "Tensor", "Indices", "tuple[Tensor, Indices]", "list[Tensor]", or several of them: "Tensor | tuple[Tensor, Indices]".
  std::string result_text() const;

  /// Calls the function with the first arguments by position and others by name. A real tensor next to a complex one becomes
  /// complex where the function requires it. Arguments that do not fit throw an Error that names the function; the function's own
  /// exceptions propagate.
  CallResult call(std::span<const Argument> positional, std::span<const std::pair<std::string, Argument>> named = {}) const;
  /// Throws if the registration failed.
  void require_usable() const;

  /// Every registered function, by name.
  static std::vector<const OpFunction*> all();
  /// Null if no function has that name.
  static const OpFunction* find(std::string_view name);

 private:
  using Overloads = std::vector<call_detail::Overload>;
  template <class... F>
  static Overloads overloads() {
    Overloads all;
    (call_detail::add_overloads<F>(all), ...);
    return all;
  }
  OpFunction(const char* name, const char* about, Parameters parameters, Results results, Overloads overloads);
  const call_detail::Overload& best_overload(const call_detail::Call& call) const;
  [[noreturn]] void fail_to_match(const call_detail::Call& call, int precision) const;
  std::string parameter_names() const;

  std::string name_, about_, fault_;
  std::vector<CallParameter> parameters_;
  std::vector<std::string> results_;
  Overloads overloads_;
};

}  // namespace argand
