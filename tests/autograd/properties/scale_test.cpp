/// Scaling as a property of every op. If the mathematics is homogeneous, f(2^(ka) x) = 2^(kd) f(x), and the gradient with respect
/// to an input scaled by 2^(ka) is multiplied by 2^(k(d - a)). Both must hold to the last bits as long as inputs and results are
/// within the range of the type. An op that squares its input or divides by it too early loses its results for large k.

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>

#include "autograd/check/usage/usage_pass.h"
#include "autograd/op.h"
#include "tests/autograd/properties/degrees.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(scales)

namespace {

/// The exponents of the smallest and the largest modulus among the nonzero elements. If there are none, lowest > highest.
struct Exponents {
  int lowest = 1 << 20, highest = -(1 << 20);
  explicit Exponents(const Numbers& numbers) {
    for (const auto z : numbers)
      if (z != 0.0) {
        const int e = std::ilogb(std::abs(z));
        lowest = std::min(lowest, e), highest = std::max(highest, e);
      }
  }
  bool none() const { return lowest > highest; }
};

/// The terms of a sum may exceed the sum by this many powers of 2.
constexpr int room = 12;

/// Narrows [least, most] to those k for which 2^(ck) times numbers of these exponents is normal.
template <RealScalar R>
void narrow(const Exponents& e, double c, double& least, double& most) {
  if (c == 0 || e.none()) return;
  const double low = std::numeric_limits<R>::min_exponent - e.lowest,
               high = std::numeric_limits<R>::max_exponent - room - e.highest;
  least = std::max(least, (c > 0 ? low : high) / c);
  most = std::min(most, (c > 0 ? high : low) / c);
}

std::complex<double> scaled(std::complex<double> z, int e) { return {std::ldexp(z.real(), e), std::ldexp(z.imag(), e)}; }

std::vector<AnyTensor> inputs_times(const std::vector<AnyTensor>& inputs, const std::vector<int>& by, int k) {
  std::vector<AnyTensor> out;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Numbers numbers = numbers_of<double>(inputs[i]);
    for (auto& z : numbers) z = scaled(z, k * by[i]);
    out.push_back(with_numbers<double>(inputs[i], numbers));
  }
  return out;
}

template <RealScalar R>
class ScaleCheck {
 public:
  ScaleCheck(std::string name, const OpCheck::Case& c, const FunctionOf<R>& f, const Homogeneous& degree)
      : name_(fmt::format("{} ({}, {})", name, c.label, scalar_name<R>())), f_(f), degree_(degree) {
    // In float32, the inputs are rounded to that type.
    for (const AnyTensor& x : c.inputs) {
      Numbers numbers = numbers_of<double>(x);
      for (auto& z : numbers) z = {static_cast<double>(static_cast<R>(z.real())), static_cast<double>(static_cast<R>(z.imag()))};
      inputs_.push_back(with_numbers<double>(x, numbers));
    }
    inputs_ = inputs_times(inputs_, degree.by, from());
    const Passes<R> passes(f_, inputs_);
    incoming_ = std::visit(
        [](const auto& y) {
          using T = typename std::decay_t<decltype(y)>::value_type;
          return random_incoming(Tensor<std::conditional_t<ComplexScalar<T>, std::complex<double>, double>>::zeros(y.shape()), 7);
        },
        passes.value());
    before_ = passes.fresh(incoming_);
  }

  /// Runs the comparison and returns how many elements were compared.
  int run() {
    double least = -1e9, most = 1e9;
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      narrow<R>(Exponents(numbers_of<double>(inputs_[i])), degree_.by[i], least, most);
    if (degree_.from > 0) least = 0;
    // k goes to the ends of the ranges of the inputs, of the value and of each gradient, and halfway to them.
    std::vector<double> ends = {least, most};
    const auto add = [&](const Numbers& numbers, double degree) {
      double low = least, high = most;
      narrow<R>(Exponents(numbers), degree, low, high);
      if (low <= high) ends.insert(ends.end(), {low, high, low / 2, high / 2});
    };
    add(before_.value, degree_.degree);
    for (std::size_t i = 0; i < inputs_.size(); ++i) add(before_.gradients[i], degree_.degree - degree_.by[i]);
    std::sort(ends.begin(), ends.end());
    int last = 1 << 20;
    for (const double end : ends) {
      // Rounded towards 0, to a k for which every exponent is an integer.
      const int k = degree_.step * static_cast<int>(end / degree_.step);
      if (k != last && k != 0) compare(k);
      last = k;
    }
    return compared_;
  }

 private:
  int from() const { return degree_.from; }

  void compare(int k) {
    Sample after;
    try {
      after = Passes<R>(f_, inputs_times(inputs_, degree_.by, k)).fresh(incoming_);
    } catch (const std::exception& e) {
      BOOST_TEST(false, name_ << " times 2^" << k << " throws: " << e.what());
      return;
    }
    compare("the value", before_.value, after.value, k, degree_.degree);
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      compare(fmt::format("gradient {}", i), before_.gradients[i], after.gradients[i], k, degree_.degree - degree_.by[i]);
  }

  void compare(const std::string& what, const Numbers& before, const Numbers& after, int k, double degree) {
    const int e = static_cast<int>(std::lround(k * degree));
    const Exponents size(before);
    if (size.none()) return;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const int own = before[i] == 0.0 ? size.highest : std::ilogb(std::abs(before[i]));
      if (size.highest + e > std::numeric_limits<R>::max_exponent - room || own + e < std::numeric_limits<R>::min_exponent)
        continue;
      ++compared_;
      const std::complex<double> back = scaled(after[i], -e);
      const double error = std::abs(back - before[i]);
      if (!(error <= degree_.ulp * double(std::numeric_limits<R>::epsilon()) * std::ldexp(1.0, size.highest + 1))) {
        BOOST_TEST(false, name_ << " times 2^" << k << ": " << what << ", element " << i << " is " << after[i] << ", should be "
                                << scaled(before[i], e));
        return;
      }
    }
  }

  std::string name_;
  FunctionOf<R> f_;
  Homogeneous degree_;
  std::vector<AnyTensor> inputs_;
  Numbers incoming_;
  Sample before_;
  int compared_ = 0;
};

bool fits(const Homogeneous& degree, const OpCheck::Case& c) {
  if (degree.by.size() != c.inputs.size()) return false;
  return degree.labels.empty() || std::find(degree.labels.begin(), degree.labels.end(), c.label) != degree.labels.end();
}

void check_cases(const std::string& name, const OpCheck& check, const std::vector<Homogeneous>& degrees) {
  for (const Homogeneous& degree : degrees) {
    int compared = 0;
    for (const OpCheck::Case& c : check.cases()) {
      if (!fits(degree, c)) continue;
      compared += ScaleCheck<double>(name, c, c.f, degree).run();
      compared += ScaleCheck<float>(name, c, c.f32, degree).run();
    }
    BOOST_TEST(compared > 0, name << ": no case matches degree " << degree.degree);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_op_declares_its_degree) {
  for (const Op* op : Op::all())
    BOOST_TEST((degrees().contains(op->name()) || not_homogeneous().contains(op->name()) || not_measured().contains(op->name())),
               op->name());
#ifndef ARGAND_PLAIN_BLAS  // a build without LAPACK lacks some of these ops
  for (const auto& [name, degree] : degrees()) BOOST_TEST((Op::find(name) != nullptr && !not_homogeneous().contains(name)), name);
  for (const auto& [name, reason] : not_homogeneous()) BOOST_TEST((Op::find(name) != nullptr && !reason.empty()), name);
#endif
}

BOOST_AUTO_TEST_CASE(homogeneous_ops_keep_their_bits_at_every_scale) {
  for (const auto& [name, degree] : degrees()) {
    OpCheck check;
    if (const Op* op = Op::find(name)) {
      op->check(check);
      check_cases(name, check, degree);
    }
  }
}

BOOST_AUTO_TEST_CASE(composed_homogeneous_functions_keep_their_bits) {
  for (const auto& [name, function] : homogeneous_functions()) check_cases(name, function.check, {function.degree});
}

BOOST_AUTO_TEST_SUITE_END()
