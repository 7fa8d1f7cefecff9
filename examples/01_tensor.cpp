/// 1. A tensor: an array of real or complex elements with a shape, and what a copy is.
///
/// Run:       build/examples/01_tensor
/// Try next:  read x(2, 0), reshape to [4, 2], or multiply Z by a matrix of the wrong size, and read the messages.

#include "autograd/ops/products/matmul.h"
#include "core/random.h"

using namespace argand;
using C = std::complex<double>;

int main() {
  // The last axis is contiguous (row-major): these are the rows (1, 2, 3) and (4, 5, 6).
  const Tensor<double> x({2, 3}, {1, 2, 3, 4, 5, 6});
  fmt::print("x, of shape {}, {} numbers:\n{}\nx(1, 2) = {}\n", x.shape(), x.size(), to_string(x), x(1, 2));

  // A tensor is a value, like an int. A copy costs nothing until one of the two is modified; that one then gets its own data.
  Tensor<double> y = x;
  fmt::print("a copy shares the numbers ({}); ", y.shares_storage_with(x));
  y(0, 0) = 10;
  fmt::print("changing it leaves x(0, 0) = {} ({})\n", x(0, 0), y.shares_storage_with(x));

  // The same elements in another shape; one size may be -1 and is then computed.
  fmt::print("the same numbers, [3, 2]:\n{}\n", to_string(x.reshape({3, -1})));

  // Complex numbers are consecutive pairs of reals, and can be viewed as such.
  const Tensor<C> z({3}, {C(1, 2), C(0, -1), C(3, 0)});
  fmt::print("z = {}, as pairs of reals {}\n", to_string(z), to_string(as_real(z)));

  // Random number i depends only on (seed, i): it is the same in any order, for any number of threads.
  // A complex normal number has half of its variance in each part, so that E|z|² = 1.
  const Tensor<C> noise = randn<C>({10000}, Random(/*seed=*/7));
  double power = 0;
  for (const C n : noise) power += std::norm(n) / 10000;
  fmt::print("mean |z|² of 10000 complex normal numbers: {:.2f}\n", power);

  // A matrix product: Z Zᴴ is Hermitian, and its diagonal holds the sum of |z|² over each row. BLAS computes it.
  const Tensor<C> Z({2, 2}, {C(1, 1), C(0, 2), C(3, 0), C(0, -1)});
  fmt::print("Z Zᴴ =\n{}\n", to_string(matmul(constant(Z), constant(Z), Transpose::No, Transpose::Conjugate).value()));

  // Invalid operations throw an Error whose message says why.
  try {
    x.reshape({4, 2});
  } catch (const Error& error) {
    fmt::print("refused: {}\n", error.what());
  }
}
