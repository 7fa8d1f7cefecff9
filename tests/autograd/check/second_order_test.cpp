/// Second derivatives of every op, found by a backward pass from its tangent, must agree with differences of gradients and be
/// symmetric. At singular points, forward mode must use the gradient that the op declares.

#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>

#include "autograd/check/adjoint.h"
#include "autograd/check/numerical.h"
#include "autograd/check/usage/usage_pass.h"
#include "autograd/forward.h"
#include "autograd/ops.h"
#include "autograd/tape.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(second_order)

namespace {

using Vector = std::vector<Numbers>;  // one entry for each input

double product(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < a[i].size(); ++k) sum += real_of(conj_mul(a[i][k], b[i][k]));
  return sum;
}
double norm(const Vector& a) { return std::sqrt(product(a, a)); }

/// a + t b, input by input.
Vector moved(Vector a, double t, const Vector& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < a[i].size(); ++k) a[i][k] += t * b[i][k];
  return a;
}

Numbers flat(const Vector& a) {
  Numbers row;
  for (const Numbers& part : a) row.insert(row.end(), part.begin(), part.end());
  return row;
}

/// L = Σ w_k |f(x)_k - W_k|² with random weights w > 0 and points W, with respect to f: grad = 2w (f - W). It has curvature even
/// where f is linear or |f| is constant.
class BentLoss {
 public:
  BentLoss(CheckedFunction f, std::vector<AnyTensor> inputs) : f_(std::move(f)), inputs_(std::move(inputs)) {
    for (const AnyTensor& x : inputs_) point_.push_back(numbers_of<double>(x));
    const AnyTensor y = Passes<double>(f_, inputs_).value();
    target_ = random_incoming(y, 5);
    for (const auto& w : random_incoming(y, 6)) weight_.push_back(std::abs(w));
  }

  Vector direction(std::uint64_t seed) const {
    Vector v;
    for (const AnyTensor& x : inputs_) v.push_back(random_incoming(x, 100 * seed + v.size()));
    return v;
  }

  Vector gradient(const Vector& at) const {
    const Passes<double> passes(f_, tensors(at));
    return passes.fresh(incoming(numbers_of<double>(passes.value()))).gradients;
  }

  /// d/dt gradient(x + t v) at t = 0 by extrapolated differences, with the elements of all inputs in one row.
  Numbers difference(const Vector& v) const {
    const Numbers here = flat(gradient(point_));
    const Changes changes = [&](double t, std::span<Change> real_and_imaginary) {
      const Numbers there = flat(gradient(moved(point_, t, v)));
      for (std::size_t k = 0; k < here.size(); ++k) {
        const double rounding = double_epsilon * std::abs(there[k]);
        real_and_imaginary[2 * k] = {there[k].real() - here[k].real(), rounding};
        real_and_imaginary[2 * k + 1] = {there[k].imag() - here[k].imag(), rounding};
      }
    };
    const std::vector<Derivative> slopes = differentiate(changes, 0, 2 * here.size());
    Numbers product;
    for (std::size_t k = 0; k < here.size(); ++k)
      product.emplace_back(slopes[2 * k].central.value, slopes[2 * k + 1].central.value);
    return product;
  }

  /// H v, the gradient of L̇ = Re Σ conj(2w (f - W)) ḟ. Its gradients with respect to ḟ, 2w (f - W), and with respect to f, 2w ḟ,
  /// are set by hand, so that f is the only op involved.
  Vector hessian_times(const Vector& v) const {
    Tape tape;
    ForwardMode forward;
    const std::vector<AnyVar> x = Passes<double>(f_, inputs_).variables();
    const std::vector<AnyTensor> dots = tensors(v);
    for (std::size_t i = 0; i < x.size(); ++i)
      std::visit([&]<class T>(const Var<T>& z) { forward.set_direction(z, std::get<Tensor<T>>(dots[i])); }, x[i]);
    std::visit(
        [&]<class T>(const Var<T>& y) {
          const AnyTensor value = y.value(), dot = tangent(y).value();
          Numbers into_y = numbers_of<double>(dot);
          for (std::size_t k = 0; k < into_y.size(); ++k) into_y[k] *= 2 * weight_[k];
          GradientAccumulator<T>(y).add(std::get<Tensor<T>>(with_numbers<double>(value, into_y)));
          GradientAccumulator<T>(tangent(y))
              .add(std::get<Tensor<T>>(with_numbers<double>(value, incoming(numbers_of<double>(value)))));
        },
        f_(x));
    tape.backward(variable(Tensor<double>::scalar(0)));  // the outputs already have their gradients: only the backward walk remains
    return Passes<double>::gradients(x);
  }

 private:
  std::vector<AnyTensor> tensors(const Vector& numbers) const {
    std::vector<AnyTensor> x;
    for (std::size_t i = 0; i < inputs_.size(); ++i) x.push_back(with_numbers<double>(inputs_[i], numbers[i]));
    return x;
  }
  Numbers incoming(Numbers y) const {
    for (std::size_t k = 0; k < y.size(); ++k) y[k] = 2 * weight_[k] * (y[k] - target_[k]);
    return y;
  }

  CheckedFunction f_;
  std::vector<AnyTensor> inputs_;
  Vector point_;
  Numbers target_;
  std::vector<double> weight_;
};

double ratio(double error, double size) { return size == 0 ? error : error / size; }

struct Disagreement {
  double from_differences = 0, asymmetry = 0;
};
Disagreement second_derivatives(const OpCheck::Case& c) {
  const BentLoss loss(c.f, c.inputs);
  const Vector u = loss.direction(1), v = loss.direction(2), Hu = loss.hessian_times(u), Hv = loss.hessian_times(v);
  const Vector exact{flat(Hv)}, numerical{loss.difference(v)};
  return {ratio(norm(moved(exact, -1, numerical)), std::max(norm(exact), norm(numerical))),
          ratio(std::abs(product(u, Hv) - product(Hu, v)), std::max(norm(u) * norm(Hv), norm(Hu) * norm(v)))};
}

bool lacks_a_rule(const Error& e) { return std::string(e.what()).find("has no rule for tangents") != std::string::npos; }

/// Cases whose gradient and tangent are mostly rounding error, so that there is nothing to compare, and why.
const std::map<std::string, std::string> nothing_but_rounding = {
    {"attention, huge scores",
     "the softmax is 0 or 1 and its derivative 0; the remaining rounding error is multiplied by keys of 1e15"},
    {"whiten, a row on a line",
     "the matrix is singular except for eps = 1e-5, whose power -3/2 multiplies differences that cancel"},
};

}  // namespace

BOOST_AUTO_TEST_CASE(second_derivatives_of_every_op_are_right_and_symmetric) {
  std::string missing;
  for (const Op* op : Op::all()) {
    OpCheck check;
    op->check(check);
    for (const OpCheck::Case& c : check.cases()) {
      Disagreement worst;
      try {
        worst = second_derivatives(c);
      } catch (const Error& e) {
        if (!lacks_a_rule(e)) throw;
        missing += op->name() + " ";
        break;
      }
      BOOST_TEST(worst.from_differences < 1e-7, op->name() << ", " << c.label << ": from differences " << worst.from_differences);
      BOOST_TEST(worst.asymmetry < 1e-12, op->name() << ", " << c.label << ": asymmetry " << worst.asymmetry);
      BOOST_TEST_MESSAGE(op->name() << ", " << c.label << ": " << worst.from_differences << ", " << worst.asymmetry);
    }
  }
  BOOST_TEST(missing == "");
}

BOOST_AUTO_TEST_CASE(at_singular_points_forward_is_the_adjoint_of_the_declared_gradient) {
  for (const Op* op : Op::all()) {
    OpCheck check;
    op->check(check);
    for (const OpCheck::SingularCase& c : check.singular_cases()) {
      if (nothing_but_rounding.contains(op->name() + ", " + c.label)) continue;
      ReportRow report;
      try {
        report = check_adjoint(c.f, c.inputs, c.label);
      } catch (const Error& e) {
        if (!lacks_a_rule(e)) throw;
        break;
      }
      BOOST_TEST((report.verdict == Verdict::Pass), op->name() << ": " << report.diagnosis);
      BOOST_TEST_MESSAGE(op->name() << ", " << c.label << ": " << report.worst_error);
    }
  }
}

BOOST_AUTO_TEST_CASE(at_a_pole_tangents_are_0_as_the_gradients_are) {
  const auto zero = Tensor<double>::scalar(0), one = Tensor<double>::scalar(1);
  BOOST_TEST(jvp([](const auto& x) { return log(x); }, along(zero, one)).item() == 0);
  BOOST_TEST(jvp([](const auto& x) { return 1.0 / x; }, along(zero, one)).item() == 0);
  BOOST_TEST(jvp([](const auto& x) { return pow(x, -1); }, along(zero, one)).item() == 0);
  // The second derivative of log is also 0 at the pole, and correct at 2; that of x³ is correct at 0 and at 2.
  const Real x = variable(Tensor<double>({2}, {0, 2}));
  const auto curvature = [&](const auto& f) {
    const auto first = [&] { return reshape(slice(f(x), 0, 0, 1) + slice(f(x), 0, 1, 2), Shape{}); };
    return std::get<Tensor<double>>(hvp<double>(first, {{"x", x}}, {Tensor<double>::ones({2})})[0]);
  };
  const auto log_at = curvature([](const Real&v) { return log(v); }), cube_at = curvature([](const Real&v) { return pow(v, 3); });
  BOOST_TEST((log_at(0) == 0 && log_at(1) == -0.25));
  BOOST_TEST((cube_at(0) == 0 && cube_at(1) == 12));
}

BOOST_AUTO_TEST_SUITE_END()
