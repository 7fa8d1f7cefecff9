#include "core/arithmetic.h"

#include <boost/test/unit_test.hpp>
#include <sstream>
#include <type_traits>

#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(tensor_arithmetic)

using C = std::complex<double>;

namespace {

template <Scalar T>
void equal(const Tensor<T>& x, const Shape& shape, std::initializer_list<T> numbers) {
  BOOST_TEST(x.shape().str() == shape.str());
  const std::vector<T> mine(x.begin(), x.end()), expected(numbers);
  BOOST_TEST((mine == expected), to_string(x));
}

}  // namespace

BOOST_AUTO_TEST_CASE(element_by_element) {
  const Tensor<double> a({2}, {1, 2}), b({2}, {4, 8});
  equal(a + b, {2}, {5.0, 10.0});
  equal(a - b, {2}, {-3.0, -6.0});
  equal(a * b, {2}, {4.0, 16.0});
  equal(a / b, {2}, {0.25, 0.25});
  equal(-a, {2}, {-1.0, -2.0});
}

BOOST_AUTO_TEST_CASE(complex_as_soon_as_one_operand_is) {
  const Tensor<double> x({2}, {1, 2});
  const Tensor<C> z({2}, {{0, 1}, {1, 1}});
  equal(x + z, {2}, {C(1, 1), C(3, 1)});
  equal(z - x, {2}, {C(-1, 1), C(-1, 1)});
  equal(z * z, {2}, {C(-1, 0), C(0, 2)});
  equal(x / z, {2}, {C(0, -1), C(1, -1)});
  equal(z * 2.0, {2}, {C(0, 2), C(2, 2)});
  equal(x * C(0, 1), {2}, {C(0, 1), C(0, 2)});
  equal(C(1, 1) - z, {2}, {C(1, 0), C(0, 0)});
  static_assert(std::is_same_v<decltype(Tensor<float>() * 0.5), Tensor<float>>, "a double constant keeps a float tensor float");
}

BOOST_AUTO_TEST_CASE(shapes_broadcast_or_the_error_names_both) {
  const Tensor<double> m({2, 2}, {1, 2, 3, 4}), row({2}, {10, 20}), column({2, 1}, {10, 20});
  equal(m + row, {2, 2}, {11.0, 22.0, 13.0, 24.0});
  equal(m + column, {2, 2}, {11.0, 12.0, 23.0, 24.0});
  BOOST_TEST(error_of([&] { m + Tensor<double>::ones({3}); }) == "add: shapes cannot be broadcast together: [2, 2] and [3]");
}

BOOST_AUTO_TEST_CASE(in_place_changes_this_tensor_alone) {
  Tensor<double> x({2}, {1, 2});
  const Tensor<double> copy = x;
  x += copy;
  x *= 3;
  x -= Tensor<double>::scalar(1);
  x /= 2.0;
  equal(x, {2}, {2.5, 5.5});
  equal(copy, {2}, {1.0, 2.0});
  const Tensor<double>& itself = x;
  x -= itself;
  equal(x, {2}, {0.0, 0.0});
  Tensor<double> small({2}, {1, 2});
  BOOST_TEST(error_of([&] {
               small += Tensor<double>::ones({3, 2});
             }) == "+=: the result has shape [3, 2], which does not match [2]");
  equal(small, {2}, {1.0, 2.0});
}

BOOST_AUTO_TEST_CASE(tensors_print_alike_everywhere) {
  const Tensor<C> z({2}, {{1, -2}, {0.5, 0}});
  BOOST_TEST(to_string(z) == "[1-2i, 0.5+0i]");
  BOOST_TEST(fmt::format("{}", z) == to_string(z));
  std::ostringstream out;
  out << z;
  BOOST_TEST(out.str() == to_string(z));
}

BOOST_AUTO_TEST_SUITE_END()
