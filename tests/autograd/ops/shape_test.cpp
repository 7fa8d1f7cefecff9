#include "autograd/ops/shape.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/tape.h"
#include "tests/autograd/same.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(shape_ops)

using C = std::complex<double>;

BOOST_AUTO_TEST_CASE(views_share_storage) {
  const auto z = constant(Tensor<C>({2, 2}, {{1, 2}, {3, 4}, {5, 6}, {7, 8}}));
  BOOST_TEST(reshape(z, {4}).value().shares_storage_with(z.value()));
  const auto x = view_as_real(z);
  BOOST_TEST(static_cast<const void*>(x.value().data()) == static_cast<const void*>(z.value().data()));
  same(x.value(), Tensor<double>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}));
  BOOST_TEST(view_as_complex(x).value().shares_storage_with(z.value()));
  same(view_as_complex(x).value(), z.value());
}

BOOST_AUTO_TEST_CASE(permute_moves_axes) {
  auto x = variable(Tensor<double>({1, 2, 3}, {1, 2, 3, 4, 5, 6}));
  const auto y = permute(x, {2, 0, 1});
  same(y.value(), Tensor<double>({3, 1, 2}, {1, 4, 2, 5, 3, 6}));
  backward(sum(y * constant(Tensor<double>({3, 1, 2}, {10, 20, 30, 40, 50, 60}))));
  same(x.grad(), Tensor<double>({1, 2, 3}, {10, 30, 50, 20, 40, 60}));
  same(transpose(transpose(x, 0, 2), 0, 2).value(), x.value());
  same(permute(number(3.0), {}).value(), Tensor<double>::scalar(3));
}

/// Every permutation of `shape`, by its definition.
template <Scalar T>
void permutes(const Shape& shape) {
  Tensor<T> x(shape);
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<T>(static_cast<RealOf<T>>(i + 1));
  const auto strides = strides_of(shape);
  std::vector<int> axes(static_cast<std::size_t>(shape.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  do {
    const Tensor<T> y = permute(constant(x), axes).value();
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < y.size(); ++i) {
      std::int64_t from = 0, rest = i;
      for (int k = shape.rank() - 1; k >= 0; --k) {
        BOOST_REQUIRE(y.dim(k) == shape[axes[static_cast<std::size_t>(k)]]);
        from += rest % y.dim(k) * strides[static_cast<std::size_t>(axes[static_cast<std::size_t>(k)])];
        rest /= y.dim(k);
      }
      wrong += y.data()[i] != x.data()[from];
    }
    BOOST_TEST(wrong == 0, scalar_name<T>() << " " << shape.str() << ": " << wrong << " elements are in the wrong place");
  } while (std::next_permutation(axes.begin(), axes.end()));
}

// Planes are copied or transposed in tiles: pairs, edges of tiles, and axes with one element or none.
BOOST_AUTO_TEST_CASE(permute_moves_axes_of_any_size) {
  for (const Shape& shape :
       {Shape{5}, Shape{1, 1}, Shape{3, 70}, Shape{2, 4101}, Shape{4101, 2}, Shape{67, 131}, Shape{2, 3, 2}, Shape{7, 5, 2},
        Shape{2, 9, 33}, Shape{1, 65, 1, 3}, Shape{3, 0, 2}, Shape{2, 3, 17, 2}, Shape{2, 2, 3, 1, 5}}) {
    permutes<float>(shape);
    permutes<double>(shape);
    permutes<std::complex<float>>(shape);
    permutes<std::complex<double>>(shape);
  }
}

BOOST_AUTO_TEST_CASE(overlapping_slices_add_up) {
  auto x = variable(Tensor<double>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}));
  const auto a = slice(x, 1, 0, 3), b = slice(x, -1, 1, 4);
  same(a.value(), Tensor<double>({2, 3}, {1, 2, 3, 5, 6, 7}));
  same(b.value(), Tensor<double>({2, 3}, {2, 3, 4, 6, 7, 8}));
  backward(sum(a * 1) + sum(b * 10));
  same(x.grad(), Tensor<double>({2, 4}, {1, 11, 11, 10, 1, 11, 11, 10}));
  BOOST_TEST(slice(x, 0, 1, 1).shape().str() == "[0, 4]");
}

BOOST_AUTO_TEST_CASE(concatenate_undoes_slices) {
  auto x = variable(Tensor<C>({2, 3}, {{1, 1}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, -1}}));
  same(concatenate(std::vector{slice(x, 1, 0, 1), slice(x, 1, 1, 3)}, 1).value(), x.value());
  same(concatenate(std::vector{slice(x, 0, 0, 1), slice(x, 0, 1, 2)}, -2).value(), x.value());
  const auto twice = concatenate(std::vector{x, x}, 0);  // the same variable twice
  BOOST_TEST(twice.shape().str() == "[4, 3]");
  backward(sum(abs2(twice)));
  same(x.grad(), Tensor<C>({2, 3}, {{4, 4}, {8, 0}, {12, 0}, {16, 0}, {20, 0}, {24, -4}}));
}

BOOST_AUTO_TEST_CASE(constants_among_the_parts_get_no_gradient) {
  auto x = variable(Tensor<double>({1}, {1}));
  const auto k = constant(Tensor<double>({2}, {2, 3}));
  backward(sum(concatenate(std::vector{k, x}, 0)));
  same(x.grad(), Tensor<double>({1}, {1}));
  BOOST_TEST(!concatenate(std::vector{k, k}, 0).requires_grad());
}

BOOST_AUTO_TEST_CASE(errors) {
  const auto x = constant(Tensor<double>::zeros({2, 3}));
  BOOST_TEST(error_of([&] { reshape(x, {4}); }) == "reshape: [2, 3] has 6 elements, but [4] needs 4");
  BOOST_TEST(error_of([&] { permute(x, {0, 0}); }) == "permute: [0, 0] is not a permutation of the 2 axes of [2, 3]");
  BOOST_TEST(error_of([&] { permute(x, {0}); }) == "permute: [0] is not a permutation of the 2 axes of [2, 3]");
  BOOST_TEST(error_of([&] { transpose(x, 0, 2); }) == "transpose: axis 2 is out of range for [2, 3]");
  BOOST_TEST(error_of([&] { slice(x, 1, 2, 4); }) == "slice: [2, 4) is out of range for axis 1 of [2, 3]");
  BOOST_TEST(error_of([&] { slice(x, 0, 1, 0); }) == "slice: [1, 0) is out of range for axis 0 of [2, 3]");
  BOOST_TEST(error_of([&] { concatenate(std::vector<Real>{}, 0); }) == "concatenate: no tensors given");
  const auto y = constant(Tensor<double>::zeros({2, 4}));
  BOOST_TEST(error_of([&] {
               concatenate(std::vector{x, y}, 0);
             }) == "concatenate: sizes must match except along axis 0, got [2, 3] and [2, 4]");
  BOOST_TEST(error_of([&] { view_as_complex(x); }) ==
             "view_as_complex: the last axis holds pairs, so its size must be even, got [2, 3]");
  BOOST_TEST(error_of([&] { make_complex(x, y); }) == "make_complex: re and im must have the same shape, got [2, 3] and [2, 4]");
  BOOST_TEST(error_of([&] { polar(x, y); }) == "polar: modulus and phase must have the same shape, got [2, 3] and [2, 4]");
}

BOOST_AUTO_TEST_SUITE_END()
