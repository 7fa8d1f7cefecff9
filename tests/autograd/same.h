#pragma once
/// Checks that two tensors are equal in shape and in every element.

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "core/tensor.h"

namespace argand {

template <Scalar T>
void same(const Tensor<T>& x, const Tensor<T>& expected) {
  BOOST_TEST(x.shape().str() == expected.shape().str());
  BOOST_TEST(std::equal(x.begin(), x.end(), expected.begin(), expected.end()), to_string(x) + " is not " + to_string(expected));
}

}  // namespace argand
