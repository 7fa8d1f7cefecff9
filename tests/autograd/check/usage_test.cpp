/// Every op in every use: with its gradient added to another, with an input used twice, at all lengths, in float32, etc. The check
/// itself is tested too: a gradient that is wrong in only one use must be found and reported.

#include "autograd/check/usage/usage.h"

#include <boost/test/unit_test.hpp>

#include "autograd/check/planted_fault.h"
#include "autograd/check/usage/usage_size.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/tape.h"
#include "core/arithmetic.h"
#include "core/kernels/elementwise.h"
#include "tests/sanitized.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(usage)

namespace {

#ifdef ARGAND_SANITIZED
constexpr bool thorough = false;  // all of them would take twenty times as long; the release build runs them
#else
constexpr bool thorough = true;
#endif

/// A function registered as square, whose gradient is written by `write`.
template <class Write>
auto square_with(const Write& write) {
  return [write]<Scalar T>(const Var<T>& x) {
    Tensor<T> y(x.shape());
    std::transform(x.value().begin(), x.value().end(), y.begin(), [](T v) { return mul(v, v); });
    return record(
        *Op::find("square"), y,
        [write, v = x.value(), dx = accumulator(x)](const Tensor<T>& dy) {
          dx.accumulate([&](T* out, bool add) { write(v, dy, out, add); });
        },
        [](auto w) -> decltype(w) { throw Error("this test needs no tangent"); }, x);
  };
}

template <class Write>
std::string message_of(const Write& write) {
  OpCheck check;
  check.function("real", square_with(write), check.real({3, 4}));
  return check_usage("mine", check, {.first_fault_only = true}).diagnosis();
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_op_passes_in_every_use) {
  std::size_t with_two_alike = 0;
  for (const Op* op : Op::all()) {
    const Report report = check_usage(*op, {.longest = thorough ? longest_length : short_length});
    BOOST_TEST(report.diagnosis() == "");
    for (std::size_t use = 0; use < number_of_uses; ++use)
      if (static_cast<Use>(use) != Use::SameVariable)
        BOOST_TEST(report.rows[use].compared > 0, op->name()
                                                      << " has no comparison for the use: " << use_name(static_cast<Use>(use)));
    with_two_alike += report.rows[static_cast<std::size_t>(Use::SameVariable)].compared > 0;
  }
#ifdef ARGAND_PLAIN_BLAS
  BOOST_TEST(with_two_alike == 17U);
#else
  BOOST_TEST(with_two_alike == 24U);
#endif
}

BOOST_AUTO_TEST_CASE(every_fault_that_shows_in_one_use_only_is_found_and_named) {
  struct Expected {
    Fault fault;
    const char* words;
  };
  const std::vector<Expected> faults{{Fault::Adding, "wrong when it is added to a gradient"},
                                     {Fault::Overwriting, "wrong when it is added to a gradient"},
                                     {Fault::Tail, "wrong in the last n mod "},
                                     {Fault::FarElements, "wrong from element 4"},
                                     {Fault::Float32, "wrong in float32"},
                                     {Fault::SecondUse, "wrong when the same input is used twice"},
                                     {Fault::ThirdBackward, "wrong from the third backward pass on"},
                                     {Fault::LargeGradient, "wrong for incoming gradients times -4"}};
  for (const Op* op : Op::all())
    for (const Expected& expected : faults) {
      if (expected.fault == Fault::FarElements && !thorough) continue;
      const PlantedFault planted(op->name(), expected.fault);
      const Report report = check_usage(*op, {.first_fault_only = true});
      BOOST_TEST(!report.ok(), op->name() << ", " << fault_name(expected.fault) << ": not noticed");
      BOOST_TEST(report.diagnosis().find(expected.words) != std::string::npos, op->name() << ": expected \"" << expected.words
                                                                                          << "\", but the report says\n"
                                                                                          << report.diagnosis());
    }
}

BOOST_AUTO_TEST_CASE(a_correct_function_passes) {
  BOOST_TEST(message_of([](const auto& x, const auto& dy, auto* out, bool add) {
               for (std::int64_t k = 0; k < x.size(); ++k) {
                 const auto g = conj_mul(2 * x.data()[k], dy.data()[k]);
                 out[k] = add ? out[k] + g : g;
               }
             }) == "");
}

BOOST_AUTO_TEST_CASE(mistakes_of_kernels_are_found) {
  BOOST_TEST(message_of([](const auto& x, const auto& dy, auto* out, bool) {
               for (std::int64_t k = 0; k < x.size(); ++k) out[k] = conj_mul(2 * x.data()[k], dy.data()[k]);
             }).starts_with("real: wrong when it is added to a gradient: float64, gradient of input 0, element [0, 0] is "));
  BOOST_TEST(message_of([](const auto& x, const auto& dy, auto* out, bool add) {
               for (std::int64_t k = 0; k < x.size(); ++k) {
                 const auto g = conj_mul(2 * x.data()[k], dy.data()[k]);
                 if (!add || k < 16) out[k] = add ? out[k] + g : g;  // forgets the tail of the array, but only when adding
               }
             }).starts_with("real, n = 17: wrong when it is added to a gradient: float64, gradient of input 0, element [16] is "));
  BOOST_TEST(message_of([](const auto& x, const auto& dy, auto* out, bool add) {
               for (std::int64_t k = 0; k < x.size(); ++k) {
                 const auto g = conj_mul(2 * x.data()[k], dy.data()[k]);
                 out[k] = (add ? out[k] : 0) + (x.size() - k <= x.size() % 4 ? 0 : g);
               }
             })
                 .starts_with("real, n = 1: wrong in the last n mod 4 elements of n: float64, gradient of input 0, element "
                              "[0] is 0, should "));
}

template <Scalar T>
T conj_times(T a, T b) {
  return conj_mul(a, b);
}

/// The product z w, recorded by `make` from both factors.
template <class Make>
std::string message_of_product(const Make& make) {
  OpCheck check;
  check.function(
      "complex", [make](auto z, auto w) { return make(z, w); }, check.complex({3, 4}), check.complex({3, 4}));
  return check_usage("mine", check, {.first_fault_only = true}).diagnosis();
}

BOOST_AUTO_TEST_CASE(an_input_that_is_not_listed_is_found) {
  const std::string message = message_of_product([]<Scalar T>(const Var<T>& z, const Var<T>& w) {
    return record(
        *Op::find("mul"), z.value() * w.value(),
        [a = z.value(), b = w.value(), dz = accumulator(z), dw = accumulator(w)](const Tensor<T>& dy) {
          dz.add(map(conj_times<T>, b, dy));
          dw.add(map(conj_times<T>, a, dy));
        },
        [](const auto& y) { return y; }, z);  // should also list w
  });
  BOOST_TEST(message.starts_with("complex: wrong when the other inputs are constants: float64, gradient of input 1, element "
                                 "[0, 0] is 0"),
             message);
}

BOOST_AUTO_TEST_CASE(a_captured_variable_is_found) {
  const std::string message = message_of_product([]<Scalar T>(const Var<T>& z, const Var<T>& w) {
    return record(
        *Op::find("mul"), z.value() * w.value(),
        [z, b = w.value(), dz = accumulator(z), dw = accumulator(w)](const Tensor<T>& dy) {
          dz.add(map(conj_times<T>, b, dy));
          dw.add(map(conj_times<T>, z.value(), dy));  // z may have changed since the forward pass
        },
        [](const auto& y) { return y; }, z, w);
  });
  BOOST_TEST(message.starts_with("complex: wrong when an input is written to before the backward pass: float64, gradient of "
                                 "input 1, element [0, 0] is "),
             message);
}

BOOST_AUTO_TEST_CASE(a_case_must_grow) {
  OpCheck check;
  const auto f = [](auto x, auto y) { return mul(x, y); };
  check.function("of one shape", f, check.real({3, 4}), check.real({3, 4}));
  check.function("broadcast", f, check.complex({3, 4}), check.real({4}));
  BOOST_TEST(check_usage("mine", check).diagnosis() ==
             "broadcast: no case with inputs (complex, real) has sizes without a limit; call check.sizes");
  check.sizes("row", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.complex({2, n}), at.real({n})); });
  BOOST_TEST(check_usage("mine", check).diagnosis() == "");
}

BOOST_AUTO_TEST_CASE(what_wrong_elements_have_in_common) {
  BOOST_TEST(common_pattern({}) == "");
  BOOST_TEST(common_pattern({{8, 9, 9}, {8, 13, 13}, {16, 19, 19}}) == "in the last n mod 8 elements of n");
  BOOST_TEST(common_pattern({{8, 9, 9}, {8, 10, 10}, {16, 31, 31}}) == "in the last n mod 16 elements of n");
  BOOST_TEST(common_pattern({{4, 10, 5}, {8, 18, 9}, {4, 14, 7}}) == "in the last n mod 4 elements of a row of n");
  BOOST_TEST(common_pattern({{4096, 20011, 20011}}) == "from element 4096 on");
  BOOST_TEST(common_pattern({{1, 5, 5}, {1, 9, 9}, {1, 40, 40}}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
