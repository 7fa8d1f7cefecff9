/// Every op must propagate a NaN to everything that depends on it. The check itself is tested too: it must find an op that loses a
/// NaN or spreads it to the wrong elements.

#include "autograd/check/nan_check.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <regex>

#include "autograd/ops/attention/attention.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/tape.h"
#include "tests/sanitized.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(nan_in_nan_out)

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// A case in which elements that do not depend on the NaN still become NaN, and the reason. No op is allowed to lose a NaN.
struct Exception {
  const char* op;
  const char* fault;  ///< a regular expression that matches "label: message"
  const char* reason;
};
constexpr const char* of_one_number = "for a single number the op is a constant, but computed from that number: x - x, x / x";
constexpr const char* one_key = "the first query sees one key, whose weight is 1 for any score, but is computed from the score";
constexpr const char* padded = "the zeros of the padding take part in products, as in PyTorch, and 0 * NaN is NaN";
constexpr const char* dropped = "a dropped weight is a factor of 0, and 0 * NaN is NaN";
constexpr const char* dual = "the weight of J's part is 0 at this angle, and 0 * NaN is NaN";
constexpr const char* factors = "LAPACK stops at a NaN or spreads it, so no element of the factors can be trusted";
constexpr const char* whole_matrix = "a NaN entry makes the whole function of the matrix NaN, even its structural zeros";
constexpr const char* no_sine = "the element is multiplied by a sine or a cosine that is 0 here, and 0 * NaN is NaN";
const std::vector<Exception> exceptions{
    {"angular_attention", R"(causal.* element \[\d+, 0, .* at \[\d+, 0, .*)", one_key},
    {"angular_attention", "dropout: .*", dropped},
    {"angular_attention", "keys, n = 1: .*", of_one_number},
    {"attention", R"(causal.* element \[\d+, 0, .* at \[\d+, 0, .*)", one_key},
    {"attention", "dropout: .*", dropped},
    {"attention", "keys, n = 1: .*", of_one_number},
    {"conv2d", "(columns|complex, stride|complex, groups).*", padded},
    {"conv3d", "(layers|columns|complex).*", padded},
    {"conv_transpose2d", "(columns|complex, stride).*", padded},
    {"cross_entropy", "classes, .*n = 1: .*", of_one_number},
#ifndef ARGAND_PLAIN_BLAS
    {"cholesky", ".*", factors},
    {"det", ".*the gradient of input 0 at .*",
     "a cofactor does not depend on its own row and column, but it is computed from factors that do"},
    {"eig", ".*real.* part of the incoming gradient.* the gradient of input 0 at .*",
     "the gradient of a real A is the real part of a complex product, in which imaginary zeros meet the NaN"},
    {"eigh", ".*in the imaginary part of the incoming gradient.* the gradient of input 0 at .*",
     "a function of a Hermitian matrix has a real diagonal, so the imaginary part of the diagonal's gradient has no meaning"},
#endif
    {"irfft", ".* part of input 0.* the value at .*", no_sine},
    {"layer_norm", ".*width, n = 1: .*", of_one_number},
    {"linear_cross_entropy", "classes, n = 1: .*", of_one_number},
    {"log_softmax", "row, n = 1: .*", of_one_number},
    {"logcumsumexp", ".*n = 1: .*", of_one_number},
    {"logsumexp", "row, n = 1: .*", of_one_number},
    {"magnitude_attention", R"((causal|quaternions).*(input 3, | element \[\d+, 0, ).*(input 3 at | at \[\d+, 0, ).*)", one_key},
    {"magnitude_attention", "dropout: .*", dropped},
    {"magnitude_attention", ".*keys, n = 1: .*", of_one_number},
    {"magnitude_layer_norm", ".*θ = π/4: .*", dual},
    {"magnitude_layer_norm", ".*width, n = 1: .*", of_one_number},
    {"magnitude_modrelu", ".*θ = π/4: .*", dual},
#ifndef ARGAND_PLAIN_BLAS
    {"logm", "(real, equal eigenvalues|complex, defective): .*", whole_matrix},
    {"matrix_exp", "real, (nilpotent|triangular, far from normal|the same transposed): .*", whole_matrix},
    {"sqrtm", "(real, equal eigenvalues|complex, defective): .*", whole_matrix},
#endif
    {"magnitude_relu", ".*", "the identity, computed through the magnitude, which cancels"},
    {"magnitude_rms_norm", ".*θ = π/4: .*", dual},
    {"matrix_power", "real, nilpotent, p = 2: .*", "products of whole matrices, where 0 * NaN is NaN"},
    {"max", ".* the gradient of input 0 at .*",
     "it is unknown which number is the largest, so all gradients along the axis are NaN"},
#ifndef ARGAND_PLAIN_BLAS
    {"qr", ".*", factors},
#endif
    {"median", ".* the gradient of input 0 at .*", "like max"},
    {"min", ".* the gradient of input 0 at .*", "like max"},
    {"rfft", ".* part of the incoming gradient.*", no_sine},
    {"rotate", "at 0.*", "0 * e^(i NaN) is NaN, and so is the gradient of the angle"},
    {"selected_attention", "chosen rows, n = 1: .*", of_one_number},
    {"softmax", "row, n = 1: .*", of_one_number},
    {"stddev", ".*, n = 1: .*", of_one_number},
    {"variance", ".*, n = 1: .*", of_one_number},
    {"whiten", "width, n = 1: .*", of_one_number},
};

/// An op registered as square, with a value and a gradient chosen by the test.
template <class Value, class Slope>
auto square_as(const Value& value, const Slope& slope) {
  return [=]<Scalar T>(const Var<T>& x) {
    Tensor<T> y(x.shape());
    for (std::int64_t k = 0; k < x.size(); ++k) y.data()[k] = value(x.value(), k);
    return record(
        *Op::find("square"), y,
        [slope, v = x.value(), dx = accumulator(x)](const Tensor<T>& dy) {
          Tensor<T> g(v.shape());
          for (std::int64_t k = 0; k < v.size(); ++k) g.data()[k] = slope(v, dy, k);
          dx.add(g);
        },
        [](auto w) -> decltype(w) { throw Error("this test needs no tangent"); }, x);
  };
}

template <class Value, class Slope>
std::string message_of(const Value& value, const Slope& slope) {
  OpCheck check;
  check.function("real", square_as(value, slope), check.real({2, 3}));
  return check_nan("mine", check).diagnosis();
}

const auto right_value = [](const auto& x, std::int64_t k) { return x.data()[k] * x.data()[k]; };
const auto right_slope = [](const auto& x, const auto& dy, std::int64_t k) { return 2 * x.data()[k] * dy.data()[k]; };

}  // namespace

BOOST_AUTO_TEST_CASE(every_op_passes_a_nan_on_to_what_depends_on_it_and_to_nothing_else) {
  std::size_t ops = 0;
  std::vector<bool> needed(exceptions.size(), false);
  for (const Op* op : Op::all()) {
    const Report report = sanitized ? check_nan(*op, 2) : check_nan(*op);
    ++ops;
    BOOST_TEST(report.rows[0].compared > 0, op->name());
    BOOST_TEST(report.rows[1].compared > 0, op->name());
    std::vector<std::pair<std::size_t, std::regex>> patterns;
    for (std::size_t k = 0; k < exceptions.size(); ++k)
      if (op->name() == exceptions[k].op) patterns.emplace_back(k, exceptions[k].fault);
    for (const std::string& fault : report.rows[0].faults) BOOST_TEST(false, op->name() << ": " << fault);
    for (const std::string& fault : report.rows[1].faults) {
      bool excepted = false;
      for (const auto& [k, pattern] : patterns)
        if (std::regex_match(fault, pattern)) excepted = needed[k] = true;
      BOOST_TEST(excepted, op->name() << ": " << fault);
    }
  }
  BOOST_TEST(ops == Op::all().size());
  if (sanitized) return;  // the elements that were left out may need the exceptions
  for (std::size_t k = 0; k < exceptions.size(); ++k)
    BOOST_TEST(needed[k], exceptions[k].op << " (" << exceptions[k].fault << ") needs no exception: " << exceptions[k].reason);
}

BOOST_AUTO_TEST_CASE(a_nan_that_gets_lost_is_found) {
  BOOST_TEST(message_of(right_value, right_slope) == "");
  // fmax ignores a NaN if the other argument is a number, and so loses it.
  BOOST_TEST(message_of([](const auto& x, std::int64_t k) { return std::fmax(right_value(x, k), 0); }, right_slope)
                 .starts_with("real: float64: with NaN in input 0, element [0, 0], the value at [0, 0] is 0, should be NaN"));
  BOOST_TEST(message_of(right_value, [](const auto& x, const auto& dy,
                                        std::int64_t k) { return std::isnan(x.data()[k]) ? 0 : right_slope(x, dy, k); })
                 .starts_with("real: float64: with NaN in input 0, element [0, 0], the gradient of input 0 at [0, 0] is 0, "
                              "should be NaN"));
  BOOST_TEST(message_of(right_value, [](const auto& x, const auto& dy,
                                        std::int64_t k) { return std::isnan(dy.data()[k]) ? 0 : right_slope(x, dy, k); })
                 .starts_with("real: float64: with NaN in the incoming gradient, element [0, 0], the gradient of input 0 at "
                              "[0, 0] is 0, should be NaN"));
  // The NaN is lost only in the tail of a row, after the last full pack.
  BOOST_TEST(message_of(
                 [](const auto& x, std::int64_t k) {
                   const bool tail = x.size() > 6 && k >= x.size() - x.size() % 4;
                   return tail ? std::fmax(right_value(x, k), 0) : right_value(x, k);
                 },
                 right_slope)
                 .starts_with("real, n = 19: float64: with NaN in input 0, element [18], the value at [18] is 0, should be NaN"));
  // The NaN is lost only in float32.
  BOOST_TEST(message_of(
                 [](const auto& x, std::int64_t k) {
                   const auto y = right_value(x, k);
                   return sizeof(y) == 4 ? std::fmax(y, decltype(y + 0)(0)) : y;
                 },
                 right_slope)
                 .starts_with("real: float32: with NaN in input 0, element [0, 0], the value at [0, 0] is 0, should be NaN"));
}

BOOST_AUTO_TEST_CASE(a_nan_where_it_does_not_belong_is_found) {
  // A mask applied by multiplication spreads NaN to elements that should not depend on it.
  BOOST_TEST(message_of(
                 [](const auto& x, std::int64_t k) {
                   auto y = right_value(x, k);
                   for (const auto v : x) y += 0 * v;
                   return y;
                 },
                 right_slope)
                 .starts_with("real: float64: with NaN in input 0, element [0, 0], the value at [0, 1] is nan, should be "));
}

/// A past bug: a row of NaN scores was mistaken for one with no visible key.
BOOST_AUTO_TEST_CASE(attention_with_a_query_of_nan) {
  for (const std::int64_t T : {3, 64, 130}) {
    AttentionOptions options;
    options.n_heads = 2;
    Tensor<double> numbers = randn<double>({1, T, 4}, Random(1));
    numbers(0, 1, 0) = not_a_number;  // query 1 of head 0
    const Var<double> q = variable(numbers), k = variable(randn<double>({1, T, 4}, Random(2)));
    const Var<double> o = attention(q, k, k, options);
    for (std::int64_t t = 0; t < T; ++t)
      for (std::int64_t d = 0; d < 4; ++d) BOOST_TEST(std::isnan(o.value()(0, t, d)) == (t == 1 && d < 2));
    const Var<double> loss = sum(o);
    BOOST_TEST(std::isnan(loss.value().item()));
    Tape::current().clear();
  }
}

/// Keys and values that come after a query, or are hidden, may contain anything, even NaN.
BOOST_AUTO_TEST_CASE(attention_does_not_see_the_nan_of_the_future) {
  const std::int64_t T = 150, first_nan = 70;
  AttentionOptions options;
  options.n_heads = 2, options.scale = 0.5, options.causal = true;
  auto hidden = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(T), std::uint8_t{1});
  (*hidden)[3] = 0;
  options.visible_keys = hidden;
  const auto run = [&](double in_future, double in_hidden) {
    Tensor<double> numbers = randn<double>({1, T, 4}, Random(2));
    for (std::int64_t d = 0; d < 4; ++d) {
      for (std::int64_t t = first_nan; t < T; ++t) numbers(0, t, d) += in_future;
      numbers(0, 3, d) += in_hidden;
    }
    const Var<double> q = variable(randn<double>({1, T, 4}, Random(1))), k = variable(numbers), v = variable(numbers.clone());
    const Var<double> o = attention(q, k, v, options);
    std::vector<Tensor<double>> results{o.value().clone()};
    backward(sum(o * constant(randn<double>({1, T, 4}, Random(3)))));
    for (const auto* x : {&q, &k, &v}) results.push_back(x->grad().clone());
    return results;
  };
  const auto before = run(0, 0), hidden_nan = run(0, not_a_number), future_nan = run(not_a_number, not_a_number);
  for (std::size_t i = 0; i < before.size(); ++i)
    for (std::int64_t t = 0; t < T; ++t)
      for (std::int64_t d = 0; d < 4; ++d) {
        BOOST_TEST(hidden_nan[i](0, t, d) == before[i](0, t, d));
        // The output and the gradient of the query do not depend on the future. The gradients of keys and values do: later queries
        // make them NaN.
        const bool is_of_query = i < 2;
        if (is_of_query && t < first_nan) BOOST_TEST(std::abs(future_nan[i](0, t, d) - before[i](0, t, d)) < 1e-13);
        if (t >= first_nan || (!is_of_query && t != 3)) BOOST_TEST(std::isnan(future_nan[i](0, t, d)));
      }
}

BOOST_AUTO_TEST_SUITE_END()
