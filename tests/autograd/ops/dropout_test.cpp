#include "autograd/ops/elementwise/dropout.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/tape.h"
#include "core/parallel.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(dropout_op)

using C = std::complex<float>;

BOOST_AUTO_TEST_CASE(identity_without_a_copy) {
  const auto x = variable(Tensor<float>::ones({8}));
  BOOST_TEST(dropout(x, 0, true, Random(1)).value().shares_storage_with(x.value()));
  BOOST_TEST(dropout(x, 0.5, false, Random(1)).value().shares_storage_with(x.value()));
}

BOOST_AUTO_TEST_CASE(drops_the_requested_share_and_scales_the_rest) {
  const std::int64_t n = 1 << 20;
  for (const double p : {0.1, 0.5, 0.9}) {
    const Tensor<float> y = dropout(constant(Tensor<float>::ones({n})), p, true, Random(2, 7)).value();
    std::int64_t dropped = 0;
    for (const float v : y.span()) {
      if (v == 0)
        ++dropped;
      else
        BOOST_REQUIRE_CLOSE(v, 1 / (1 - p), 0.02);  // p is rounded to a multiple of 2^-16
    }
    BOOST_TEST(std::abs(static_cast<double>(dropped) / n - p) < 5 * std::sqrt(p * (1 - p) / n) + 1e-5);
  }
}

BOOST_AUTO_TEST_CASE(the_gradient_passes_where_the_value_did) {
  auto x = variable(Tensor<float>::ones({1000}));
  const auto y = dropout(x, 0.3, true, Random(3));
  backward(sum(y));
  const Tensor<float> dx = x.grad();
  BOOST_TEST(std::equal(y.value().begin(), y.value().end(), dx.begin()));
}

BOOST_AUTO_TEST_CASE(complex_numbers_drop_whole_and_like_the_reals) {
  const Random random(4, 1);
  const Tensor<float> x = dropout(constant(Tensor<float>::ones({1000})), 0.3, true, random).value();
  const Tensor<C> z = dropout(constant(Tensor<C>::full({1000}, C(1, -2))), 0.3, true, random).value();
  for (std::int64_t i = 0; i < 1000; ++i) BOOST_TEST(z(i) == C(x(i), -2 * x(i)));
}

BOOST_AUTO_TEST_CASE(the_mask_depends_on_seed_and_stream_alone) {
  const int threads = num_threads();
  const auto x = constant(Tensor<float>::ones({50001}));
  const auto mask = [&](const Random& random) { return dropout(x, 0.5, true, random).value(); };
  const auto equal = [](const Tensor<float>& a, const Tensor<float>& b) { return std::equal(a.begin(), a.end(), b.begin()); };
  set_num_threads(1);
  const Tensor<float> one = mask(Random(5, 6));
  set_num_threads(3);
  BOOST_TEST(equal(mask(Random(5, 6)), one));
  set_num_threads(threads);
  BOOST_TEST(!equal(mask(Random(5, 7)), one));
  BOOST_TEST(!equal(mask(Random(6, 6)), one));
}

BOOST_AUTO_TEST_CASE(a_dropped_infinity_is_zero) {
  const Tensor<float> y = dropout(constant(Tensor<float>::full({64}, INFINITY)), 0.5, true, Random(8)).value();
  for (const float v : y.span()) BOOST_TEST((v == 0 || std::isinf(v)));
}

BOOST_AUTO_TEST_CASE(errors) {
  const auto x = constant(Tensor<float>::ones({2}));
  BOOST_TEST(error_of([&] { dropout(x, 1, true, Random(1)); }) == "dropout: the probability must be in [0, 1), got 1");
  BOOST_TEST(error_of([&] { dropout(x, -0.5, true, Random(1)); }) == "dropout: the probability must be in [0, 1), got -0.5");
  BOOST_TEST(error_of([&] { dropout(x, NAN, true, Random(1)); }) == "dropout: the probability must be in [0, 1), got nan");
}

BOOST_AUTO_TEST_SUITE_END()
