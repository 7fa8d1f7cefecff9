#include "autograd/ops/rows/cross_entropy.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "autograd/ops/products/output_layer.h"
#include "autograd/ops/rows/info_nce.h"
#include "autograd/tape.h"
#include "core/kernels/bf16_gemm.h"
#include "core/random.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(cross_entropy_test)

namespace {

/// The softmax of the other two classes together, whose logits lie `gap` and `gap` + 1 below the target's, and the loss. For a
/// large gap both are close to e^-gap (1 + 1/e).
struct Predicted {
  double others, loss;
  explicit Predicted(double gap) : others(std::exp(-gap) + std::exp(-gap - 1)), loss(std::log1p(others)) { others /= 1 + others; }
};

constexpr double gaps[] = {1, 8, 16, 32, 64};

}  // namespace

BOOST_AUTO_TEST_CASE(well_predicted_targets_keep_their_digits_in_float) {
  for (const double gap : gaps) {
    const float top = 3, below = static_cast<float>(3 - gap);
    const Predicted right(gap);
    const auto near = [&](float got, double exact) {
      BOOST_TEST(static_cast<double>(got) == exact, boost::test_tools::tolerance(1e-6));
    };
    const Var<float> logits = variable(Tensor<float>({1, 3}, {below, top, below - 1}));
    const Var<float> loss = cross_entropy(logits, Ids({1}, {1}));
    backward(loss);
    near(loss.value().item(), right.loss);
    near(logits.grad().data()[1], -right.others);

    // The same logits, computed as the product of one feature of value 1 with W.
    const Var<float> h = variable(Tensor<float>({1, 1}, {1})), W = variable(Tensor<float>({3, 1}, {below, top, below - 1}));
    const Var<float>* const no_bias = nullptr;
    const Var<float> fused = linear_cross_entropy(h, W, no_bias, Ids({1}, {1}));
    backward(fused);
    near(fused.value().item(), right.loss);
    near(W.grad().data()[1], -right.others);

    // The positive of position 3 is at position 0; it has two negatives.
    Tensor<float> s = Tensor<float>::zeros({1, 4, 4});
    s(0, 3, 0) = top, s(0, 3, 1) = below, s(0, 3, 2) = below - 1;
    const Var<float> similarity = variable(s);
    const Var<float> contrast = info_nce(similarity, Ids({1, 4}, {5, 6, 7, 5}));
    backward(contrast);
    near(contrast.value().item(), right.loss);
    near(similarity.grad()(0, 3, 0), -right.others);
  }
}

BOOST_AUTO_TEST_CASE(a_masked_target_costs_infinity_and_a_certain_one_nothing) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Var<float> masked(Tensor<float>({1, 3}, {1, -infinity, 2}));
  BOOST_TEST(cross_entropy(masked, Ids({1}, {1})).value().item() == infinity);
  const Var<float> certain(Tensor<float>({1, 2}, {-infinity, 2}));
  BOOST_TEST(cross_entropy(certain, Ids({1}, {1})).value().item() == 0);
}

BOOST_AUTO_TEST_CASE(as_many_targets_in_another_shape_are_refused) {
  const Var<double> logits(randn<double>({3, 2, 5}, Random(1))), W(randn<double>({7, 5}, Random(2)));
  for (const Shape& shape : {Shape{2, 3}, Shape{6}, Shape{3, 2, 1}}) {
    BOOST_TEST(error_of([&] { cross_entropy(logits, Ids(shape)); }) ==
               fmt::format("cross_entropy: targets of shape {} do not match [3, 2, 5]; expected shape [3, 2]", shape));
    BOOST_TEST(error_of([&] { linear_cross_entropy<double>(logits, W, nullptr, Ids(shape)); }) ==
               fmt::format("linear_cross_entropy: targets of shape {} do not match [3, 2, 5]; expected shape [3, 2]", shape));
  }
  BOOST_TEST(error_of([&] { cross_entropy(logits, Ids({3, 2})); }) == "");
  BOOST_TEST(error_of([&] { linear_cross_entropy<double>(logits, W, nullptr, Ids({3, 2})); }) == "");
}

BOOST_AUTO_TEST_CASE(with_rounded_factors_an_output_layer_is_near_the_exact_one) {
  if (!has_bf16_products()) {
    BOOST_TEST_MESSAGE("skipped: this processor has no AVX512-BF16");
    return;
  }
  const std::int64_t N = 70, V = 900, D = 48;
  const Tensor<float> h = randn<float>({N, D}, Random(1, 1)), W = randn<float>({V, D}, Random(1, 2));
  Ids targets(Shape{N});
  for (std::int64_t i = 0; i < N; ++i) targets[i] = static_cast<std::int32_t>(i * 7 % V);
  const auto exact = sweep_output_layer<float>(h, W, nullptr, targets, true, 32);
  const Bf16Products on(true);
  const auto found = sweep_output_layer<float>(h, W, nullptr, targets, true, 32);
  BOOST_TEST(found.loss != exact.loss);
  BOOST_TEST(found.loss == exact.loss, boost::test_tools::tolerance(2e-3));
  const auto near = [](const Tensor<float>& a, const Tensor<float>& b) {
    double difference = 0, size = 0;
    for (std::int64_t i = 0; i < a.size(); ++i) {
      difference += std::pow(static_cast<double>(a.data()[i] - b.data()[i]), 2);
      size += std::pow(static_cast<double>(b.data()[i]), 2);
    }
    return std::sqrt(difference / size);
  };
  BOOST_TEST(near(found.dh, exact.dh) < 0.02);
  BOOST_TEST(near(found.dW, exact.dW) < 0.02);
}

BOOST_AUTO_TEST_SUITE_END()
