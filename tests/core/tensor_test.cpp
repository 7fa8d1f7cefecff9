#include "core/tensor.h"

#include <boost/test/unit_test.hpp>
#include <functional>
#include <utility>
#include <vector>

#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(tensor)

using C = std::complex<double>;

BOOST_AUTO_TEST_CASE(makes_and_reads_numbers) {
  Tensor<double> x({2, 3}, {1, 2, 3, 4, 5, 6});
  BOOST_TEST(x(1, 2) == 6);
  x(0, 1) = 7;
  BOOST_TEST(x.data()[1] == 7);
  BOOST_TEST(Tensor<float>::full({2}, 3.5F)(1) == 3.5F);
  BOOST_TEST(Tensor<float>::scalar(2.F).item() == 2.F);
  BOOST_TEST(Tensor<float>::scalar(2.F).rank() == 0);
  BOOST_TEST(Tensor<double>().size() == 0);
  for (const C z : Tensor<C>::ones({3})) BOOST_TEST(z == C(1));
  for (const C z : Tensor<C>::zeros({3})) BOOST_TEST(z == C(0));
}

BOOST_AUTO_TEST_CASE(copies_share_until_one_is_written_to) {
  Tensor<float> x = Tensor<float>::zeros({4});
  const Tensor<float> other = x.clone();
  BOOST_TEST(!other.shares_storage_with(x));
  const auto changes_alone = [&](const std::function<void(Tensor<float>&)>& write) {
    Tensor<float> copy = x;
    BOOST_TEST(copy.shares_storage_with(x));
    write(copy);
    BOOST_TEST(!copy.shares_storage_with(x));
    BOOST_TEST(std::as_const(copy).data()[2] == 9);
    BOOST_TEST(std::as_const(x).data()[2] == 0);
  };
  changes_alone([](auto& t) { t(2) = 9; });
  changes_alone([](auto& t) { t.data()[2] = 9; });
  changes_alone([](auto& t) { t.span()[2] = 9; });
  changes_alone([](auto& t) { t.begin()[2] = 9; });
  changes_alone([](auto& t) { t.fill(9); });
  changes_alone([](auto& t) { t.add(Tensor<float>::full({4}, 9)); });
  changes_alone([](auto& t) { t = t.reshape({2, 2}), t(1, 0) = 9; });

  // Reading through a const tensor never copies, and a sole owner keeps its storage.
  const float* place = std::as_const(x).data();
  x(0) = 1;
  BOOST_TEST(x.data() == place);
}

BOOST_AUTO_TEST_CASE(a_tensor_that_was_moved_from_is_empty) {
  Tensor<double> a({2}, {1, 2});
  Tensor<double> b = std::move(a);
  BOOST_TEST(a.size() == 0);  // NOLINT: tests what a move leaves behind
  BOOST_CHECK(a.shape() == Shape({0}));
  BOOST_TEST(std::as_const(a).data() == nullptr);
  a.fill(9);
  BOOST_TEST(b(0) == 1);
  Tensor<double> c({1}, {5});
  c = std::move(b);
  BOOST_TEST(c(1) == 2);
  BOOST_TEST(b.size() == 0);
  Tensor<double>& self = c;
  c = std::move(self);
  BOOST_TEST(c(1) == 2);
}

BOOST_AUTO_TEST_CASE(reshapes) {
  const Tensor<double> x({2, 3}, {1, 2, 3, 4, 5, 6});
  BOOST_TEST(x.reshape({3, 2})(2, 0) == 5);
  BOOST_CHECK(x.reshape({-1}).shape() == Shape({6}));
  BOOST_CHECK(x.reshape({3, -1}).shape() == Shape({3, 2}));
  BOOST_TEST(x.reshape({-1}).shares_storage_with(x));
  BOOST_TEST(error_of([&] { x.reshape({4}); }) == "reshape: [2, 3] has 6 elements, but [4] needs 4");
  BOOST_TEST(error_of([&] { x.reshape({4, -1}); }) == "reshape: 6 elements are not divisible by 4");
  BOOST_TEST(error_of([&] { x.reshape({-1, -1}); }) == "reshape: at most one size can be -1");
  BOOST_TEST(error_of([&] { x.reshape({0, -1}); }) == "reshape: 6 elements are not divisible by 0");
}

BOOST_AUTO_TEST_CASE(adds_in_place) {
  Tensor<C> x({2}, {C(1, 2), C(3, 4)});
  x.add(Tensor<C>({2}, {C(10, 0), C(0, 10)}));
  BOOST_TEST(x(0) == C(11, 2));
  BOOST_TEST(x(1) == C(3, 14));
  BOOST_TEST(error_of([&] { x.add(Tensor<C>({1, 2})); }) == "add: shapes do not match: [2] and [1, 2]");
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong) {
  const Tensor<float> x({2, 3});
  BOOST_TEST(error_of([] { Tensor<float>({2, 2}, {1.F, 2.F}); }) == "tensor: [2, 2] takes 4 values, got 2");
  BOOST_TEST(error_of([&] { x(2, 0); }) == "tensor: index 2 is out of range for axis 0 of [2, 3]");
  BOOST_TEST(error_of([&] { x(0, -1); }) == "tensor: index -1 is out of range for axis 1 of [2, 3]");
  BOOST_TEST(error_of([&] { x(0); }) == "tensor: got 1 indices for shape [2, 3]");
  BOOST_TEST(error_of([&] { (void)x.item(); }) == "item: expected one element, got shape [2, 3]");
}

BOOST_AUTO_TEST_CASE(pairs_of_reals_are_complex_numbers) {
  const Tensor<double> x({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor<C> z = as_complex(x);
  BOOST_CHECK(z.shape() == Shape({2, 2}));
  BOOST_TEST(z(1, 0) == C(5, 6));
  BOOST_TEST(z.reshape({4}).shares_storage_with(z));
  const Tensor<double> back = as_real(z);
  BOOST_CHECK(back.shape() == Shape({2, 4}));
  BOOST_TEST(back(1, 1) == 6);
  BOOST_TEST(error_of([] {
               as_complex(Tensor<double>({2, 3}));
             }) == "as_complex: the last axis holds pairs, so its size must be even, got [2, 3]");
  BOOST_TEST(error_of([] { as_real(Tensor<C>::scalar(1)); }) == "as_real: a scalar has no last axis to widen");
  BOOST_TEST(error_of([&] { (void)x.reinterpret<C>({3}); }) ==
             "reinterpret: [2, 4] of float64 has 64 bytes, but [3] of complex128 needs 48");
}

BOOST_AUTO_TEST_CASE(prints) {
  BOOST_TEST(to_string(Tensor<double>::scalar(1.5)) == "1.5");
  BOOST_TEST(to_string(Tensor<double>({2, 2}, {1, 2, 3, 0.25})) == "[[1, 2],\n [3, 0.25]]");
  BOOST_TEST(to_string(Tensor<C>({2}, {C(1, -2), C(0, 0.5)})) == "[1-2i, 0+0.5i]");
  Tensor<float> ramp({9});
  for (int i = 0; i < 9; ++i) ramp(i) = static_cast<float>(i);
  BOOST_TEST(to_string(ramp) == "[0, 1, 2, ..., 6, 7, 8]");
  BOOST_TEST(to_string(Tensor<float>({2, 0})) == "[[],\n []]");
}

BOOST_AUTO_TEST_CASE(ids_check_the_vocabulary) {
  const Ids ids({2, 2}, {0, 7, 3, 9});
  BOOST_TEST(ids[3] == 9);
  BOOST_TEST(error_of([&] { ids.check_below(10, "embedding"); }) == "");
  BOOST_TEST(error_of([&] { ids.check_below(8, "embedding"); }) == "embedding: id 9 at [1, 1] is outside the vocabulary of 8");
  BOOST_TEST(error_of([] {
               Ids({2}, {-1, 0}).check_below(8, "embedding");
             }) == "embedding: id -1 at [0] is outside the vocabulary of 8");
  BOOST_TEST(error_of([] { Ids({3}, {1, 2}); }) == "ids: [3] takes 3 ids, got 2");
}

BOOST_AUTO_TEST_SUITE_END()
