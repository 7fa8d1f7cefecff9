#include "autograd/ops/gather.h"

#include <boost/test/unit_test.hpp>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/tape.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "tests/autograd/same.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(gather)

using C = std::complex<double>;

BOOST_AUTO_TEST_CASE(a_word_that_occurs_twice_gets_both_gradients) {
  auto table = variable(Tensor<double>({3, 2}, {1, 2, 3, 4, 5, 6}));
  const auto y = embedding(table, Ids({1, 3}, {2, 0, 2}));
  same(y.value(), Tensor<double>({1, 3, 2}, {5, 6, 1, 2, 5, 6}));
  backward(sum(y * constant(Tensor<double>({1, 3, 2}, {1, 2, 3, 4, 10, 20}))));
  same(table.grad(), Tensor<double>({3, 2}, {3, 4, 0, 0, 11, 22}));
}

BOOST_AUTO_TEST_CASE(complex_rows) {
  auto table = variable(Tensor<C>({2, 1}, {{1, 2}, {3, 4}}));
  backward(sum(abs2(embedding(table, Ids({3}, {1, 1, 0})))));
  same(table.grad(), Tensor<C>({2, 1}, {{2, 4}, {12, 16}}));  // 2z for each lookup of the row
}

BOOST_AUTO_TEST_CASE(a_tied_table_is_added_to_in_place) {
  const std::int64_t V = 5000, D = 64;
  auto table = variable(Tensor<float>::ones({V, D}));
  const Ids ids({4}, {7, 0, 7, 4999});
  backward(sum(table) + sum(embedding(table, ids)));    // the first term, visited last, adds a dense gradient
  const Tensor<float> expected = table.grad().clone();  // a deep copy, so that the gradient's storage is not shared
  BOOST_TEST(expected(7, 3) == 3);
  BOOST_TEST(expected(0, 0) == 2);
  BOOST_TEST(expected(1, 63) == 1);

  // When the table already has a gradient, the scatter touches only the looked-up rows and allocates nothing of the table's size.
  const float* before = std::as_const(table.slot()->grad).data();
  const auto loss = sum(embedding(table, ids));
  const auto peak = [] { return memory_stats().in_use; };
  const auto in_use = peak();
  std::int64_t most = 0;
  Tape::current().on_backward([&](const TapeEntry&) { most = std::max(most, peak() - in_use); });
  backward(loss);
  Tape::current().on_backward(nullptr);
  BOOST_TEST(std::as_const(table.slot()->grad).data() == before);
  BOOST_TEST(most < V * D);  // in bytes; a temporary of the table's size would take four times as many
  BOOST_TEST(table.grad()(7, 3) == 5);
  BOOST_TEST(table.grad()(1, 63) == 1);
}

BOOST_AUTO_TEST_CASE(the_mean_embedding_is_the_mean_of_embeddings) {
  const Ids ids({3, 4}, {1, 0, 4, 1, 2, 2, 2, 2, 3, 0, 1, 4});
  const Var<double> table = variable(randn<double>({5, 3}, Random(1))), same_table = variable(table.value());
  const auto weights = constant(Tensor<double>({3, 1}, {1, 0, -2}));  // no gradient comes from text 1
  const Var<double> fused = embedding_mean(table, ids);
  backward(sum(fused * weights));
  const Var<double> chain = mean(embedding(same_table, ids), 1);
  backward(sum(chain * weights));
  for (std::int64_t i = 0; i < fused.size(); ++i) BOOST_TEST(std::abs(fused.value().data()[i] - chain.value().data()[i]) < 1e-15);
  for (std::int64_t i = 0; i < table.size(); ++i)
    BOOST_TEST(std::abs(table.grad().data()[i] - same_table.grad().data()[i]) < 1e-15);
  BOOST_TEST(table.grad()(2, 0) == 0);
}

BOOST_AUTO_TEST_CASE(scattering_is_the_adjoint_of_gathering) {
  const Ids ids({2, 2}, {1, 0, 1, 3});
  auto rows = variable(Tensor<double>({2, 2, 1}, {1, 2, 3, 4}));
  const auto y = scatter_add(rows, ids, 4);
  same(y.value(), Tensor<double>({4, 1}, {2, 4, 0, 4}));
  backward(sum(y * constant(Tensor<double>({4, 1}, {10, 20, 30, 40}))));
  same(rows.grad(), Tensor<double>({2, 2, 1}, {20, 10, 20, 40}));
}

BOOST_AUTO_TEST_CASE(the_same_bits_for_any_number_of_threads) {
  const int threads = num_threads();
  Ids ids({4096});
  const Random random(5);
  for (std::int64_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<Ids::value_type>(random.below(static_cast<std::uint64_t>(i), 50));
  const auto rows = constant(randn<float>({4096, 100}, random));
  set_num_threads(1);
  const Tensor<float> one = scatter_add(rows, ids, 60).value();
  set_num_threads(3);
  const Tensor<float> three = scatter_add(rows, ids, 60).value();
  set_num_threads(threads);
  same(one, three);
}

BOOST_AUTO_TEST_CASE(errors) {
  const auto table = constant(Tensor<double>::zeros({8, 2}));
  const Ids ids({2, 4}, {0, 1, 2, 9, 0, 0, 0, 0});
  BOOST_TEST(error_of([&] { embedding(table, ids); }) == "embedding: id 9 at [0, 3] is outside the vocabulary of 8");
  BOOST_TEST(error_of([&] { embedding(table, Ids({1}, {-1})); }) == "embedding: id -1 at [0] is outside the vocabulary of 8");
  BOOST_TEST(error_of([&] { embedding(constant(Tensor<double>::zeros({8})), ids); }) ==
             "embedding: the table must be a matrix [V, D], got [8]");
  BOOST_TEST(error_of([&] {
               embedding_mean(table, Ids({2, 0}));
             }) == "embedding_mean: needs at least one row to average, got ids of shape [2, 0]");
  BOOST_TEST(error_of([&] {
               scatter_add(constant(Tensor<double>::zeros({2, 3})), Ids({3}, {0, 0, 0}), 4);
             }) == "scatter_add: needs one row per id, got [2, 3] for ids of shape [3]");
  BOOST_TEST(error_of([&] {
               scatter_add(constant(Tensor<double>::zeros({1, 3})), Ids({1}, {4}), 4);
             }) == "scatter_add: id 4 at [0] is outside the vocabulary of 4");
}

BOOST_AUTO_TEST_SUITE_END()
