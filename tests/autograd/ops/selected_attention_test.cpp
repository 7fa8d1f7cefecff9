#include "autograd/ops/attention/selected_attention.h"

#include <boost/test/unit_test.hpp>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/products/projection.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/rows/softmax.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"
#include "core/parallel.h"
#include "core/random.h"
#include "tests/autograd/same.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(selected_attention_test)

namespace {

Ids choices(std::int64_t N, std::int64_t k, std::int64_t P) {
  Ids ids({N, k});
  for (std::int64_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<Ids::value_type>(Random(9).below(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(P)));
  return ids;
}

}  // namespace

BOOST_AUTO_TEST_CASE(is_a_softmax_over_the_chosen_rows_and_so_is_its_gradient) {
  const std::int64_t N = 6, k = 3, P = 5, r = 4;
  const Ids selected = choices(N, k, P);
  const Var<double> q = variable(randn<double>({N, r}, Random(1))), memory = variable(randn<double>({P, r}, Random(2)));
  const auto weights = constant(randn<double>({N, r}, Random(3)));
  const Var<double> fused = selected_attention(q, memory, selected, 0.7);
  backward(sum(fused * weights));
  const Tensor<double> dq = q.grad().clone(), dmemory = memory.grad().clone();
  Var<double> q2 = variable(q.value()), memory2 = variable(memory.value());
  const Var<double> rows = embedding(memory2, selected);  // [N, k, r]
  const Var<double> beta = softmax(scale(sum(reshape(q2, {N, 1, r}) * rows, -1), 0.7));
  const Var<double> chain = sum(reshape(beta, {N, k, 1}) * rows, 1);
  backward(sum(chain * weights));
  for (std::int64_t i = 0; i < fused.size(); ++i) {
    BOOST_TEST(std::abs(fused.value().data()[i] - chain.value().data()[i]) < 1e-14);
    BOOST_TEST(std::abs(dq.data()[i] - q2.grad().data()[i]) < 1e-14);
  }
  for (std::int64_t i = 0; i < dmemory.size(); ++i) BOOST_TEST(std::abs(dmemory.data()[i] - memory2.grad().data()[i]) < 1e-14);
}

/// The gradient with respect to the query where one of three rows has nearly all the weight: the others have e^-14 or less.
template <RealScalar R>
Tensor<R> gradient_when_saturated() {
  const Var<R> q = variable(Tensor<R>({1, 4}, {8, 2, R(-4), 1}));
  const Var<R> memory = constant(Tensor<R>({3, 4}, {1, 2, R(-1), R(0.5), 0, 1, R(-0.25), 3, R(-1), R(0.5), 2, 1}));
  const Tensor<R> dy({1, 4}, {1, R(-0.75), 2, R(0.5)});
  backward(projection(selected_attention(q, memory, Ids({1, 3}, {2, 0, 1}), 1), dy));
  return q.grad().clone();
}

BOOST_AUTO_TEST_CASE(gradients_keep_their_digits_when_one_row_has_all_the_weight) {
  const Tensor<float> got = gradient_when_saturated<float>();
  const Tensor<double> right = gradient_when_saturated<double>();
  for (int i = 0; i < 4; ++i) BOOST_TEST(static_cast<double>(got.data()[i]) == right.data()[i], boost::test_tools::tolerance(2e-6));
}

BOOST_AUTO_TEST_CASE(the_same_bits_for_any_number_of_threads) {
  const int threads = num_threads();
  std::vector<Tensor<float>> gradients;
  for (const int n : {1, 3}) {
    set_num_threads(n);
    const Var<float> q = constant(randn<float>({500, 64}, Random(1)));
    const Var<float> memory = variable(randn<float>({40, 64}, Random(2)));
    backward(sum(selected_attention(q, memory, choices(500, 5, 40), 1)));
    gradients.push_back(memory.grad());
  }
  set_num_threads(threads);
  same(gradients[0], gradients[1]);
}

BOOST_AUTO_TEST_CASE(errors) {
  const auto x = [](std::initializer_list<std::int64_t> shape) { return constant(Tensor<double>::zeros(Shape(shape))); };
  BOOST_TEST(error_of([&] {
               selected_attention(x({2, 4}), x({5, 3}), Ids({2, 1}), 1);
             }) == "selected_attention: expects q [..., r], memory [P, r] and selected [..., k], got [2, 4], [5, 3], [2, 1]");
  BOOST_TEST(error_of([&] {
               selected_attention(x({2, 3}), x({5, 3}), Ids({2, 1}, {0, 5}), 1);
             }) == "selected_attention: id 5 at [1, 0] is outside the vocabulary of 5");
}

BOOST_AUTO_TEST_SUITE_END()
