/// The explanations on the page: why some errors exceed 16 ulp, and why some ops are not measured.

#include "tests/accuracy/table.h"

namespace accuracy {

namespace {

/// Explains errors above 64 units on hostile matrices.
std::string hostile_reason(const Row& row) {
  const auto is = [&](const char* op) { return row.op == op; };
  if (is("qr"))
    return "if columns are linearly dependent up to rounding, R_jj is pure rounding error, or it is 0 and the gradient, "
           "which divides by it, is refused.";
  if (is("eigh") && row.range == Range::Ends) return "λ² in the loss overflows.";
  if (is("svd") && row.range == Range::Ends)
    return "s² in the loss overflows; so does the reciprocal of the distance between two subnormal singular values.";
  if (is("eigh") || is("svd"))
    return "the derivative of vectors whose eigenvalues or singular values lie a thousand roundings apart is divided by that "
           "distance, which leaves three correct digits.";
  if (is("eig") && row.range == Range::Ends) return "λ² in the function overflows.";
  if (is("eig"))
    return "if the matrix is defective up to rounding, its eigenvectors coincide up to rounding, and V⁻¹ amplifies the error, "
           "although f(A) itself may be well conditioned; matrix_exp, sqrtm, logm, matrix_power and solve do not use eigenvectors.";
  if (is("vector_norm"))
    return "where the norm itself is beyond the range of the type, the gradient, computed from it, is infinite as well.";
  if (is("prod") || is("cumprod")) return "a partial product overflows, and inf * 0 is NaN.";
  return "";
}

}  // namespace

std::string reason(const Row& row) {
  const bool extreme = row.range == Range::Extreme;
  const auto is = [&](const char* op) { return row.op == op; };
  if (row.range == Range::Hostile || row.range == Range::Ends) return hostile_reason(row);
  if (is("gelu")) return "below -37 (-13 in float32) the gradient is a multiple, up to 15, of e^(-x²/2), which is subnormal.";
  if (is("sinc"))
    return "near its zeros, between neighbouring whole numbers, the derivative (cos πz - w)/z is a difference of almost equal "
           "numbers.";
  if (is("rotary"))
    return "the angle tω is rounded to float64, which turns the result by up to |tω|/2 ulp; float32 and complex64 use the same "
           "angle.";
  if (is("logaddexp"))
    return "where e^a + e^b is close to 1, the result is a difference of almost equal numbers, a and -log(1 + e^(b - a)).";
  if (extreme && is("magnitude_modrelu")) return "the factor (|z| + c)/|z| overflows where c is more than 1e38 times |z|.";
  if (extreme && is("modrelu"))
    return "for a subnormal |z| near the kink, |z| + c underflows to 0, so the unit counts as inactive.";
  if (extreme && is("swiglu"))
    return "where g or u is subnormal, σ(g) g or σ(g) u is rounded to a subnormal number before it is multiplied.";
  if (extreme && is("div"))
    return "the gradient with respect to b contains w/b, and where w = a/b is subnormal, few of its digits are left.";
  if (is("linear_cross_entropy"))
    return "exponentials below 1e-308 are subnormal, and their rounding errors are multiplied by h, here as large as 1e3.";
  return "";
}

const std::map<std::string, std::string>& not_measured() {
  static const std::string moves = "only moves numbers, without changing them.";
  static const std::string sums = "a sum of products, like matmul, sum or attention.";
  static const std::string fourier = "sums of products of all lengths; tests/autograd/ops/fourier_test.cpp bounds their errors.";
  static const std::map<std::string, std::string> ops = {
      {"angular_attention", sums},
      {"binary_cross_entropy", sums},
      {"concatenate", moves},
      {"conv2d", sums},
      {"conv3d", sums},
      {"conv_transpose2d", sums},
      {"dropout", "like scale, with a random mask."},
      {"embedding", moves},
      {"embedding_mean", sums},
      {"expand", moves},
      {"fft", fourier},
      {"fftn", fourier},
      {"hamilton_matrix", moves},
      {"huber", sums},
      {"ifft", fourier},
      {"ifftn", fourier},
      {"index_select", moves},
      {"info_nce", sums},
      {"irfft", fourier},
      {"lgamma",
       "computed by the C library, its derivative by Boost.Math; errors near its zeros 1 and 2 are large relative to the value."},
      {"linear_recurrence", sums},
      {"magnitude_attention", sums},
      {"mse", sums},
      {"permute", moves},
      {"polygamma", "computed by Boost.Math."},
      {"projection", sums},
      {"qic_dual", sums},
      {"qic_linear", sums},
      {"reshape", moves},
      {"rfft", fourier},
      {"scatter_add", sums},
      {"sinusoid", "sin and cos of float64 angles; see sin and cos."},
      {"slice", moves},
      {"unfold", moves},
      {"view_as_complex", moves},
      {"view_as_real", moves},
      {"where", moves},
      {"whiten", "a covariance matrix and its inverse square root; the error grows with its condition number."},
  };
  return ops;
}

}  // namespace accuracy
