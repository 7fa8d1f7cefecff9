#include "autograd/check/adjoint.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/check/scalar_projection.h"
#include "autograd/check/usage/usage_pass.h"
#include "autograd/forward.h"
#include "autograd/tape.h"

namespace argand {
namespace {

/// Re Σ conj(a) b and the norms of a and b.
struct InnerProduct {
  double value = 0, a = 0, b = 0;
  void add(const Numbers& left, const Numbers& right) {
    for (std::size_t k = 0; k < left.size(); ++k) {
      value += real_of(conj_mul(left[k], right[k]));
      a += std::norm(left[k]);
      b += std::norm(right[k]);
    }
  }
  double size() const { return std::sqrt(a) * std::sqrt(b); }
};

double disagreement(const InnerProduct& forward, const InnerProduct& backward) {
  const double size = std::max(forward.size(), backward.size());
  return size == 0 ? 0 : std::abs(forward.value - backward.value) / size;
}

/// Random directions: nonzero only for input `alone`, or for all inputs if `alone` is -1.
std::vector<AnyTensor> directions(const std::vector<AnyTensor>& inputs, std::ptrdiff_t alone, std::uint64_t seed) {
  std::vector<AnyTensor> v;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Numbers numbers = random_incoming(inputs[i], seed * 101 + i);
    if (alone >= 0 && static_cast<std::size_t>(alone) != i) std::fill(numbers.begin(), numbers.end(), 0);
    v.push_back(with_numbers<double>(inputs[i], numbers));
  }
  return v;
}

/// Accumulates the errors of the identities tested.
class Identities {
 public:
  void add(double error, const std::string& at) {
    ++tried_;
    if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
    if (error <= worst_) return;
    worst_ = error;
    where_ = at;
  }
  ReportRow row() const {
    std::vector<std::string> faults;
    if (!(worst_ < adjoint_bar))
      faults.push_back(fmt::format(
          "the tangent and the gradient are not adjoint: they differ by {:.1e} ({}), so one of them is wrong", worst_, where_));
    return ReportRow::of(RowKind::Adjoint, "adjoint", tried_, "direction", worst_, adjoint_bar, std::move(faults));
  }

 private:
  std::int64_t tried_ = 0;
  double worst_ = 0;
  std::string where_;
};

}  // namespace

ReportRow check_adjoint(const CheckedFunction& f, const std::vector<AnyTensor>& inputs, const std::string& label) {
  Identities identities;
  const Passes<double> passes(f, inputs);
  const auto count = static_cast<std::ptrdiff_t>(inputs.size());
  const AnyTensor value = passes.value();
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Numbers incoming = random_incoming(value, seed + 77);
    const Sample sample = passes.fresh(incoming);
    for (std::ptrdiff_t alone = count == 1 ? 0 : -1; alone < count; ++alone) {
      const std::vector<AnyTensor> v = directions(inputs, alone, seed);
      InnerProduct forward, backward;
      forward.add(incoming, numbers_of<double>(pushed_forward(f, inputs, v)));
      for (std::size_t i = 0; i < v.size(); ++i) backward.add(sample.gradients[i], numbers_of<double>(v[i]));
      identities.add(disagreement(forward, backward),
                     fmt::format("{}, {}", label, alone < 0 ? "all inputs" : fmt::format("input {}", alone)));
    }
  }
  return identities.row();
}

ReportRow check_adjoint(const std::function<Var<double>()>& loss, const ParameterList<double>& parameters) {
  std::vector<AnyTensor> values;
  for (const auto& p : parameters) values.push_back(std::visit([](const auto& v) -> AnyTensor { return v.value(); }, p.var));
  std::vector<Numbers> gradients;
  {
    Tape tape;
    zero_grad(parameters);
    tape.backward(loss());
    for (const auto& p : parameters)
      gradients.push_back(numbers_of<double>(std::visit([](const auto& v) -> AnyTensor { return v.grad(); }, p.var)));
    zero_grad(parameters);
  }
  Identities identities;
  const auto count = static_cast<std::ptrdiff_t>(parameters.size());
  for (std::ptrdiff_t alone = -1; alone < count; ++alone) {
    const std::vector<AnyTensor> v = directions(values, alone, 3);
    double slope = 0;
    {
      const NoGrad none;
      ForwardMode forward;
      forward.set_directions(parameters, v);
      slope = tangent(loss()).value().item();
    }
    InnerProduct backward;
    for (std::size_t i = 0; i < v.size(); ++i) backward.add(gradients[i], numbers_of<double>(v[i]));
    const double size = std::max(std::abs(slope), backward.size());
    identities.add(size == 0 ? 0 : std::abs(slope - backward.value) / size,
                   alone < 0 ? "all parameters" : parameters[static_cast<std::size_t>(alone)].name);
  }
  return identities.row();
}

}  // namespace argand
