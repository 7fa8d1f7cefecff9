#include "autograd/ops/selected_attention.h"

#include <boost/test/unit_test.hpp>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/reduction.h"
#include "autograd/ops/shape.h"
#include "autograd/ops/softmax.h"
#include "autograd/tape.h"
#include "core/parallel.h"
#include "core/random.h"
#include "tests/autograd/same.h"
#include "tests/error_text.h"

using namespace argand;

namespace {

Ids choices(std::int64_t N, std::int64_t k, std::int64_t P) {
  Ids ids({N, k});
  for (std::int64_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<Ids::value_type>(Random(9).below(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(P)));
  return ids;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(selected_attention_test)

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
             }) == "selected_attention: needs q [..., r], a memory [P, r] and choices [..., k], got [2, 4], [5, 3], [2, 1]");
  BOOST_TEST(error_of([&] {
               selected_attention(x({2, 3}), x({5, 3}), Ids({2, 1}, {0, 5}), 1);
             }) == "selected_attention: id 5 at [1, 0] is outside the vocabulary of 5");
}

BOOST_AUTO_TEST_SUITE_END()
