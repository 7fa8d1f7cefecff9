#pragma once
/// The check of an op: functions to differentiate at given inputs, how their sizes vary, and singular points. An OpCheck only
/// collects them; autograd/gradcheck.h and autograd/check/usage/usage.h run them.

#include <algorithm>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "autograd/var.h"
#include "core/random.h"

namespace argand {

/// A type-erased function of several real or complex tensors.
template <RealScalar R>
using FunctionOf = std::function<AnyVarOf<R>(const std::vector<AnyVarOf<R>>&)>;

using AnyTensor = AnyTensorOf<double>;
using AnyVar = AnyVarOf<double>;
using CheckedFunction = FunctionOf<double>;

/// Erases the types of f(Var<In>...); R is the precision in which to call it.
template <RealScalar R, Scalar... In, class F>
FunctionOf<R> erase_types(const F& f) {
  return [f](const std::vector<AnyVarOf<R>>& x) {
    return [&]<std::size_t... I>(std::index_sequence<I...>)->AnyVarOf<R> {
      return f(std::get<Var<std::conditional_t<ComplexScalar<In>, std::complex<R>, R>>>(x[I])...);
    }
    (std::index_sequence_for<In...>());
  };
}

/// The elements of x, real or complex, in precision R.
template <RealScalar R, Scalar T>
auto in_precision(const Tensor<T>& x) {
  Tensor<std::conditional_t<ComplexScalar<T>, std::complex<R>, R>> y(x.shape());
  std::transform(x.begin(), x.end(), y.begin(), [](T v) { return static_cast<typename decltype(y)::value_type>(v); });
  return y;
}

/// The greatest length at which ops are checked: enough for several threads, and not a multiple of any vector length.
inline constexpr std::int64_t longest_length = 20'011;

class OpCheck {
 public:
  /// The gradient of f at `inputs` is compared with numerical differentiation in float64 and complex128, and must agree with itself
  /// in every way an op can be used (autograd/check/usage/usage.h), in both precisions.
  struct Case {
    std::string label;
    CheckedFunction f;
    FunctionOf<float> f32;
    std::vector<AnyTensor> inputs;
  };
  /// One or more cases for every length n.
  struct SizedCases {
    std::string label;
    std::function<void(OpCheck& check, std::int64_t n)> add_cases;
    std::int64_t longest;
  };
  /// f has no derivative at `inputs`. Value and gradient of L = Re Σ f must be finite in float64 and float32, and the gradient must
  /// equal the declared one (`expected`, one per input; if empty, being finite suffices).
  struct SingularCase {
    std::string label;
    CheckedFunction f;
    FunctionOf<float> f32;
    std::vector<AnyTensor> inputs;
    std::vector<AnyTensor> expected;
  };

  /// f is a generic callable of Vars, e.g. [](auto z) { return exp(z); }.
  template <class F, Scalar... In>
  void function(std::string label, const F& f, const Tensor<In>&... inputs) {
    add_case(std::move(label), erase_types<double, In...>(f), erase_types<float, In...>(f), {&inputs...});
  }
  /// Functions of inputs whose sizes depend on n, to find errors in the last elements of a vector or in the second thread:
  /// `add_cases(OpCheck& check, n)` calls check.function(...). It is called for n = 1 ... 67 and n = longest_length, as far as
  /// `longest` allows. Ops that map elements one by one, all of the same shape, need none: their cases are repeated to any length.
  /// Every other op needs at least one call without a limit for each combination of real and complex inputs among its cases.
  void sizes(std::string label, std::function<void(OpCheck& check, std::int64_t n)> add_cases,
             std::int64_t longest = longest_length);
  /// Declares that an element's result depends on its position: no case is repeated to other lengths.
  void position_dependent() { position_dependent_ = true; }
  /// An input at which f has no derivative, and the gradient declared there.
  template <class F, Scalar In>
  void singular(std::string label, const F& f, const Tensor<In>& x, const Tensor<In>& expected) {
    add_singular_case(std::move(label), erase_types<double, In>(f), erase_types<float, In>(f), {&x}, {&expected});
  }
  /// Difficult but not necessarily singular points: everything must be finite, in both precisions.
  template <class F, Scalar... In>
  void finite(std::string label, const F& f, const Tensor<In>&... inputs) {
    add_singular_case(std::move(label), erase_types<double, In...>(f), erase_types<float, In...>(f), {&inputs...}, {});
  }

  /// Fixed random inputs, different on each call. Reals uniform in [low, high).
  Tensor<double> real(const Shape& shape, double low = -2, double high = 2);
  /// Complex numbers with modulus in [0.2, 1.8) and phase in (-π + 0.1, π - 0.1): away from 0 and from the branch cut.
  Tensor<std::complex<double>> complex(const Shape& shape);

  const std::vector<Case>& cases() const { return cases_; }
  const std::vector<SizedCases>& sized_cases() const { return sized_cases_; }
  bool is_position_dependent() const { return position_dependent_; }
  const std::vector<SingularCase>& singular_cases() const { return singular_; }

 private:
  /// A pointer to an input of either scalar type, to be copied.
  using Input = std::variant<const Tensor<double>*, const Tensor<std::complex<double>>*>;
  using Inputs = std::initializer_list<Input>;
  void add_case(std::string label, CheckedFunction f, FunctionOf<float> f32, Inputs inputs);
  void add_singular_case(std::string label, CheckedFunction f, FunctionOf<float> f32, Inputs inputs, Inputs expected);

  std::vector<Case> cases_;
  std::vector<SizedCases> sized_cases_;
  bool position_dependent_ = false;
  std::vector<SingularCase> singular_;
  std::uint64_t stream_ = 0;
};

}  // namespace argand
