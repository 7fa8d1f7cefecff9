#include "autograd/check/parameter_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/check/gradcheck_diagnosis.h"
#include "autograd/check/independent/incoming_check.h"
#include "autograd/check/op_report.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/tape.h"

namespace argand {
namespace {

double value_of(const std::function<Var<double>()>& loss) {
  const NoGrad none;
  return loss().value().item();
}

ComplexValues gradient_of(const AnyVar& parameter) {
  return std::visit(
      [](const auto& v) {
        const auto dx = v.grad();
        return ComplexValues(dx.begin(), dx.end());
      },
      parameter);
}

double largest_of(const ComplexValues& gradient) {
  double largest = 0;
  for (const auto& g : gradient) largest = std::max(largest, std::abs(g));
  return largest;
}

double& coordinate(AnyVar& parameter, std::int64_t element, bool imaginary) {
  return std::visit(
      [&]<class T>(Var<T>& v) -> double& {
        return reinterpret_cast<double*>(v.value().data())[ComplexScalar<T> ? 2 * element + (imaginary ? 1 : 0) : element];
      },
      parameter);
}

/// The elements to check: those with the largest gradients, then random others.
std::vector<std::int64_t> choose(const ComplexValues& gradient, int samples, const Random& random) {
  const auto size = gradient.size();
  const auto wanted = std::min(size, static_cast<std::size_t>(samples));
  std::vector<std::int64_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return std::abs(gradient[static_cast<std::size_t>(a)]) > std::abs(gradient[static_cast<std::size_t>(b)]);
  });
  for (std::size_t k = (wanted + 1) / 2; k < wanted; ++k)
    std::swap(order[k], order[k + static_cast<std::size_t>(random.below(k, size - k))]);
  order.resize(wanted);
  return order;
}

class ParameterCheck {
 public:
  ParameterCheck(const std::function<Var<double>()>& loss, ParameterList<double> parameters, int samples,
                 const GradcheckOptions& options)
      : loss_(loss), parameters_(std::move(parameters)), samples_(samples), options_(options), centre_(value_of(loss)) {
    require(value_of(loss) == centre_, "gradcheck", "two evaluations of the loss differ; fix its dropout seed");
    zero_grad(parameters_);
    Tape tape;
    const Var<double> L = loss_();
    for (const TapeEntry& entry : tape.entries())
      if (std::find(ops_.begin(), ops_.end(), entry.op->name()) == ops_.end()) ops_.push_back(entry.op->name());
    tape.backward(L);
    for (const Parameter<double>& p : parameters_) {
      analytic_.push_back(gradient_of(p.var));
      largest_ = std::max(largest_, largest_of(analytic_.back()));
    }
    zero_grad(parameters_);
  }

  Report run() {
    report_.name = options_.name;
    report_.subject = "parameter";
    for (std::size_t i = 0; i < parameters_.size(); ++i) check(i);
    report_.independent = {differences_check(report_), linear(), adds()};
    if (options_.blame_ops && report_.count(Verdict::Fail) > 0) report_.blamed = failing_ops(ops_);
    return std::move(report_);
  }

 private:
  Derivative derivative(std::size_t i, std::int64_t element, bool imaginary, const RiddersOptions& ridders) {
    double& x = coordinate(parameters_[i].var, element, imaginary);
    const double here = x;
    const Changes changes = [&](double t, std::span<Change> change) {
      x = t;
      const double y = value_of(loss_);
      x = here;
      change[0] = {y - centre_, double_epsilon * std::max(std::abs(y), std::abs(centre_))};
    };
    return differentiate(changes, here, 1, ridders).front();
  }

  Comparison compare(std::size_t i, std::int64_t element, const RiddersOptions& ridders) {
    Comparison pair;
    pair.analytic = analytic_[i][static_cast<std::size_t>(element)];
    pair.add(derivative(i, element, false, ridders), false);
    if (parameters_[i].is_complex()) pair.add(derivative(i, element, true, ridders), true);
    return pair;
  }

  void check(std::size_t i) {
    const Parameter<double>& p = parameters_[i];
    const auto chosen = choose(analytic_[i], samples_, Random(options_.seed, i));
    ReportRow row = ReportRow::of(p.name, std::visit([](const auto& v) -> AnyTensor { return v.value(); }, p.var));
    double scale = largest_of(analytic_[i]);
    ComplexValues analytic, numerical;
    for (const std::int64_t element : chosen) {
      ElementCheck e{.input = i, .element = element, .values = compare(i, element, options_.ridders)};
      scale = std::max(scale, e.values.size());
      analytic.push_back(e.values.analytic);
      numerical.push_back(e.values.numerical);
      row.elements.push_back(e);
    }
    for (ElementCheck& e : row.elements) {
      e.values.allow_rounding(largest_);
      e.relative_error = e.values.relative_error(scale);
      e.verdict = judge(e.values, scale, options_.tolerance);
      if (e.verdict != Verdict::Inconclusive) continue;
      Comparison finer = compare(i, e.element, options_.ridders.finer());
      finer.allow_rounding(largest_);
      const Judged again = judge(finer, scale, options_.tolerance);
      if (again != Verdict::Pass) continue;  // repeating a comparison never makes it fail (gradcheck.cpp)
      e.values = finer;
      e.relative_error = finer.relative_error(scale);
      e.verdict = again;
    }
    row.conclude();
    std::vector<Suspicion> suspicions{{"conjugated", numerical}};
    for (auto& g : suspicions[0].values) g = std::conj(g);
    if (row.verdict == Verdict::Fail) row.diagnosis = resemblance(analytic, numerical, suspicions);
    report_.rows.push_back(std::move(row));
  }

  /// The parameters' gradients after a backward pass from the loss times c.
  std::vector<ComplexValues> pass(double c) {
    Tape tape;
    tape.backward(scale(loss_(), c));
    std::vector<ComplexValues> g;
    for (const Parameter<double>& p : parameters_) g.push_back(gradient_of(p.var));
    zero_grad(parameters_);
    return g;
  }

  std::vector<std::vector<double>> no_rounding() const {
    std::vector<std::vector<double>> none;
    for (const ComplexValues& g : analytic_) none.emplace_back(g.size(), 0.0);
    return none;
  }

  IndependentCheck linear() {
    return linear_check([this](std::span<const std::complex<double>> W) { return pass(W[0].real()); }, {1}, {1.5}, no_rounding(),
                        options_.tolerance);
  }

  IndependentCheck adds() {
    const auto added = [this](const std::vector<ComplexValues>& c, std::span<const std::complex<double>> W) {
      for (std::size_t i = 0; i < parameters_.size(); ++i)
        std::visit(
            [&]<class T>(Var<T>& v) {
              Tensor<T> g(v.shape());
              for (std::size_t k = 0; k < c[i].size(); ++k) {
                if constexpr (ComplexScalar<T>)
                  g.data()[k] = c[i][k];
                else
                  g.data()[k] = c[i][k].real();
              }
              v.set_grad(std::move(g));
            },
            parameters_[i].var);
      return pass(W[0].real());
    };
    return adds_check(added, {1}, analytic_, no_rounding(), options_.tolerance);
  }

  const std::function<Var<double>()>& loss_;
  ParameterList<double> parameters_;
  int samples_;
  const GradcheckOptions& options_;
  double centre_, largest_ = 0;  // the loss, and the largest gradient of all parameters
  std::vector<ComplexValues> analytic_;
  std::vector<std::string> ops_;
  Report report_;
};

}  // namespace

Report gradcheck_parameters(const std::function<Var<double>()>& loss, ParameterList<double> parameters, int samples_per_tensor,
                            const GradcheckOptions& options) {
  require(samples_per_tensor >= 1, "gradcheck", "samples_per_tensor must be at least 1, got {}", samples_per_tensor);
  return ParameterCheck(loss, std::move(parameters), samples_per_tensor, options).run();
}

}  // namespace argand
