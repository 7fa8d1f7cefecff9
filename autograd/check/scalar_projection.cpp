#include "autograd/check/scalar_projection.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "autograd/forward.h"
#include "autograd/ops/products/projection.h"
#include "autograd/tape.h"
#include "autograd/trace/slot_gradient.h"
#include "core/arithmetic.h"

namespace argand {
namespace {

ComplexValues values_of(const AnyTensor& y) {
  return std::visit([](const auto& t) { return ComplexValues(t.begin(), t.end()); }, y);
}

AnyTensor tensor_of(const AnyVar& y) {
  return std::visit([](const auto& v) { return AnyTensor(v.value()); }, y);
}

std::vector<AnyVar> make_vars(const std::vector<AnyTensor>& inputs, bool differentiable) {
  std::vector<AnyVar> vars;
  for (const AnyTensor& x : inputs)
    std::visit([&]<class T>(const Tensor<T>& t) { vars.emplace_back(differentiable ? variable(t.clone()) : constant(t)); }, x);
  return vars;
}

/// Whether a and b are equal, NaN in the same parts, or differ by at most `tolerance` times the larger.
bool agree(std::complex<double> a, std::complex<double> b, double tolerance) {
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  if (same(a.real(), b.real()) && same(a.imag(), b.imag())) return true;
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

Var<double> project(const AnyVar& y, std::span<const std::complex<double>> weights) {
  return std::visit(
      [&]<class T>(const Var<T>& v) {
        Tensor<T> W(v.shape());
        for (std::size_t k = 0; k < weights.size(); ++k) {
          if constexpr (ComplexScalar<T>)
            W.data()[k] = weights[k];
          else
            W.data()[k] = weights[k].real();
        }
        return projection(v, W);
      },
      y);
}

std::vector<ComplexValues> gradients_of(const std::vector<AnyVar>& vars) {
  std::vector<ComplexValues> gradients;
  for (const AnyVar& x : vars)
    gradients.push_back(std::visit(
        [](const auto& v) {
          const auto dx = v.grad();
          return ComplexValues(dx.begin(), dx.end());
        },
        x));
  return gradients;
}

/// f without a tape, and its gradients by one backward pass on its own tape.
DifferentiableFunction on_tapes(const CheckedFunction& f) {
  require(recording(), "gradcheck", "gradients cannot be checked inside a NoGrad; call gradcheck outside it");
  const auto value = [f](const std::vector<AnyTensor>& x) {
    const NoGrad none;
    return tensor_of(f(make_vars(x, false)));
  };
  const auto gradients = [f](const std::vector<AnyTensor>& x, std::span<const std::complex<double>> weights) {
    Tape tape;
    const std::vector<AnyVar> vars = make_vars(x, true);
    const Var<double> L = project(f(vars), weights);
    if (L.requires_grad()) {
      const KeptGradients others(tape);  // f may read variables of the caller: restore their gradients
      tape.backward(L);
      return gradients_of(vars);
    }
    return gradients_of(vars);
  };
  const auto tangent = [f](const std::vector<AnyTensor>& x, const std::vector<AnyTensor>& v) { return pushed_forward(f, x, v); };
  return {value, gradients, tangent};
}

}  // namespace

AnyTensor pushed_forward(const CheckedFunction& f, const std::vector<AnyTensor>& x, const std::vector<AnyTensor>& v) {
  const NoGrad none;
  const ForwardMode forward;
  std::vector<AnyVar> vars;
  for (std::size_t i = 0; i < x.size(); ++i)
    std::visit(
        [&]<class T>(const Tensor<T>& point) {
          vars.emplace_back(constant(point).with_tangent(constant(std::get<Tensor<T>>(v[i]))));
        },
        x[i]);
  return std::visit([](const auto& w) -> AnyTensor { return tangent(w).value(); }, f(vars));
}

ComplexValues random_numbers(const Random& random, std::size_t n, bool is_complex) {
  ComplexValues numbers(n);
  for (std::size_t k = 0; k < n; ++k) {
    const double modulus = 0.5 + random.uniform(2 * k), turn = random.uniform(2 * k + 1);
    numbers[k] = is_complex ? std::polar(modulus, 2 * std::numbers::pi * turn) : (turn < 0.5 ? -modulus : modulus);
  }
  return numbers;
}

Functional Functional::of(std::span<const std::complex<double>> weights) {
  Functional functional;
  for (std::size_t k = 0; k < weights.size(); ++k)
    if (weights[k] != 0.0) functional.terms.push_back({k, weights[k]});
  return functional;
}

ScalarProjection::ScalarProjection(DifferentiableFunction f, std::vector<AnyTensor> inputs)
    : f_(std::move(f)), inputs_(std::move(inputs)) {
  require(!inputs_.empty(), "gradcheck", "there is no input to differentiate with respect to");
  const AnyTensor y = f_.value(inputs_);
  output_ = values_of(y);
  output_shape_ = std::visit([](const auto& t) { return t.shape(); }, y);
  output_is_complex_ = y.index() == 1;
  std::int64_t elements = 0;
  for (std::size_t k = 0; k < inputs_.size(); ++k) elements += input_size(k);
  require(!output_.empty() || elements == 0, "gradcheck", "the function's output has shape {}: there is nothing to differentiate",
          output_shape_);
  const ComplexValues again = values_of(f_.value(inputs_));
  for (std::size_t k = 0; k < output_.size(); ++k)
    require(again.size() == output_.size() && agree(again[k], output_[k], 0), "gradcheck",
            "two calls at the same inputs differ at output element {}; fix the function's random seed", k);
}

ScalarProjection::ScalarProjection(CheckedFunction f, std::vector<AnyTensor> inputs)
    : ScalarProjection(on_tapes(f), std::move(inputs)) {
  recorded_ = std::move(f);
  const Tape tape;
  const ComplexValues recorded = values_of(tensor_of(recorded_(make_vars(inputs_, true))));
  for (std::size_t k = 0; k < output_.size(); ++k)
    require(agree(recorded[k], output_[k], 1e-10), "gradcheck",
            "output element {} differs between a recorded call and one inside no_grad", k);
}

void ScalarProjection::extend(const CheckedFunction& complex_extension) {
  f_.extended = [complex_extension](const std::vector<AnyTensor>& z) {
    const NoGrad none;
    return tensor_of(complex_extension(make_vars(z, false)));
  };
}

std::int64_t ScalarProjection::input_size(std::size_t input) const { return input_shape(input).size(); }

const Shape& ScalarProjection::input_shape(std::size_t input) const {
  return std::visit([](const auto& t) -> const Shape& { return t.shape(); }, inputs_[input]);
}

ComplexValues ScalarProjection::random_weights(std::uint64_t seed, std::uint64_t projection) const {
  if (recorded_ == nullptr && output_.size() == 1 && !output_is_complex_) return {1.0};
  return random_numbers(Random(seed, projection), output_.size(), output_is_complex_);
}

std::vector<ComplexValues> ScalarProjection::analytic(std::span<const std::complex<double>> weights) const {
  return f_.gradients(inputs_, weights);
}

std::vector<std::vector<double>> ScalarProjection::rounding_of(const std::vector<ComplexValues>& gradients,
                                                               std::span<const std::complex<double>> weights) const {
  double most = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) most += 1e-12 * std::abs(weights[k] * output_[k]);
  std::vector<std::vector<double>> rounding;
  for (const ComplexValues& g : gradients) rounding.emplace_back(g.size(), 0.0);
  for (const double factor : {0.7, 0.9}) {
    ComplexValues scaled(weights.begin(), weights.end());
    for (auto& W : scaled) W *= factor;
    const std::vector<ComplexValues> other = analytic(scaled);
    for (std::size_t i = 0; i < gradients.size(); ++i)
      for (std::size_t k = 0; k < gradients[i].size(); ++k) {
        const double seen = 4 * std::abs(other[i][k] / factor - gradients[i][k]);
        if (seen <= most) rounding[i][k] = std::max(rounding[i][k], seen);
      }
  }
  return rounding;
}

double& ScalarProjection::coordinate(AnyTensor& x, std::int64_t element, bool imaginary) {
  return std::visit(
      [&]<class T>(Tensor<T>& t) -> double& {
        return reinterpret_cast<double*>(t.data())[ComplexScalar<T> ? 2 * element + (imaginary ? 1 : 0) : element];
      },
      x);
}

ComplexValues ScalarProjection::output_at(const std::vector<AnyTensor>& inputs) const {
  ComplexValues y = values_of(f_.value(inputs));
  require(
      y.size() == output_.size(), "gradcheck",
      "the function returns {} numbers at the point but {} near it; if its output shape depends on its input, it has no derivative",
      output_.size(), y.size());
  return y;
}

ComplexValues ScalarProjection::output_at(std::size_t input, std::int64_t element, bool imaginary, double t) const {
  std::vector<AnyTensor> inputs = inputs_;
  // A copy, since the output may share storage with the input, as a reshape does.
  inputs[input] = std::visit([](const auto& original) { return AnyTensor(original.clone()); }, inputs_[input]);
  coordinate(inputs[input], element, imaginary) = t;
  return output_at(inputs);
}

void ScalarProjection::compare(const ComplexValues& y, std::span<const Functional> functionals, std::vector<bool>& reached,
                               std::span<Change> changes) const {
  // Subtract first, then sum: outputs that do not depend on the changed element cancel exactly and contribute no rounding error.
  // Outputs that depend on it (they changed at a larger step, or a NaN reached them) contribute rounding error even if they do not
  // change at this step.
  for (std::size_t j = 0; j < functionals.size(); ++j) {
    changes[j] = {};
    for (const auto& [k, weight] : functionals[j].terms) {
      if (y[k] != output_[k]) reached[k] = true;
      if (!reached[k]) continue;
      const std::complex<double> difference = y[k] - output_[k];
      changes[j].value += weight.real() * difference.real() + weight.imag() * difference.imag();
      changes[j].rounding += double_epsilon * std::abs(weight) * std::max(std::abs(y[k]), std::abs(output_[k]));
    }
  }
}

std::vector<bool> ScalarProjection::reached_from(std::size_t input, std::int64_t element, bool imaginary) const {
  std::vector<bool> reached(output_.size(), true);
  try {
    const ComplexValues y = output_at(input, element, imaginary, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = 0; k < y.size() && y.size() == output_.size(); ++k)
      reached[k] = std::isnan(y[k].real()) || std::isnan(y[k].imag());
  } catch (const std::exception&) {  // f may reject NaN; then assume that every output depends on the coordinate
  }
  return reached;
}

std::vector<Derivative> ScalarProjection::numerical(std::size_t input, std::int64_t element, bool imaginary,
                                                    std::span<const Functional> functionals, const RiddersOptions& options) const {
  AnyTensor original = inputs_[input];
  const double x = coordinate(original, element, imaginary);
  std::vector<bool> reached = reached_from(input, element, imaginary);
  const Changes changes = [&](double t, std::span<Change> change) {
    compare(output_at(input, element, imaginary, t), functionals, reached, change);
  };
  return differentiate(changes, x, functionals.size(), options);
}

std::vector<AnyTensor> ScalarProjection::like_inputs(const std::vector<ComplexValues>& numbers) const {
  std::vector<AnyTensor> tensors;
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    std::visit(
        [&]<class T>(const Tensor<T>& x) {
          Tensor<T> t(x.shape());
          for (std::size_t k = 0; k < numbers[i].size(); ++k) {
            if constexpr (ComplexScalar<T>)
              t.data()[k] = numbers[i][k];
            else
              t.data()[k] = numbers[i][k].real();
          }
          tensors.emplace_back(std::move(t));
        },
        inputs_[i]);
  return tensors;
}

Changes ScalarProjection::changes_along(const std::vector<ComplexValues>& direction,
                                        std::span<const Functional> functionals) const {
  std::vector<bool> moves;
  for (const ComplexValues& v : direction)
    moves.push_back(std::any_of(v.begin(), v.end(), [](std::complex<double> z) { return z != 0.0; }));
  return [this, functionals, v = like_inputs(direction), moves = std::move(moves),
          reached = std::vector<bool>(output_.size(), true)](double t, std::span<Change> changes) mutable {
    std::vector<AnyTensor> moved = inputs_;
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (moves[i]) std::visit([&]<class T>(const Tensor<T>& x) { moved[i] = x + t * std::get<Tensor<T>>(v[i]); }, inputs_[i]);
    compare(output_at(moved), functionals, reached, changes);
  };
}

std::vector<Derivative> ScalarProjection::along(const std::vector<ComplexValues>& direction,
                                                std::span<const Functional> functionals, const RiddersOptions& options) const {
  return differentiate(changes_along(direction, functionals), 0, functionals.size(), options);
}

std::vector<std::string> ScalarProjection::recorded_ops() const {
  if (recorded_ == nullptr) return {};
  const Tape tape;
  const AnyVar y = recorded_(make_vars(inputs_, true));
  std::vector<std::string> names;
  for (const TapeEntry& entry : tape.entries())
    if (std::find(names.begin(), names.end(), entry.op->name()) == names.end()) names.push_back(entry.op->name());
  return names;
}

}  // namespace argand
