/// The explanations on the page: why some errors exceed 16 ulp, and why some ops are not measured.

#include "tests/accuracy/table.h"

namespace accuracy {

namespace {

/// Explains errors above 64 units on hostile matrices.
std::string hostile_reason(const Row& row) {
  const auto is = [&](const char* op) { return row.op == op; };
  if (is("qr"))
    return "of columns that depend on each other to rounding: R_jj is rounding alone, or 0, where the gradient, which divides by "
           "it, "
           "is refused.";
  if (is("eigh") && row.range == Range::Ends) return "λ² of the loss itself overflows.";
  if (is("eigh"))
    return "eigenvalues a thousand roundings apart: the derivative of vectors is divided by their distance, which leaves three "
           "digits.";
  if (is("svd") && row.range == Range::Ends)
    return "s² of the loss itself overflows; so does the inverse of the distance of two subnormal singular values.";
  if (is("svd"))
    return "singular values a thousand roundings apart: the derivative of vectors is divided by their distance, which leaves three "
           "digits. Singular values are right to roundings of the largest, and what depends on much smaller ones has no digits.";
  if (is("eig") && row.range == Range::Ends) return "λ² of the function itself overflows.";
  if (is("eig"))
    return "of a matrix that is defective to rounding the eigenvectors are one to rounding, and V⁻¹ multiplies what is lost, which "
           "f(A) "
           "itself need not feel; matrix_exp, sqrtm, logm, matrix_power and solve go no way through eigenvectors.";
  if (is("vector_norm")) return "where the norm itself is beyond the type, the gradient, which is made of it, is infinite as well.";
  if (is("prod") || is("cumprod")) return "a product that overflows on the way, times 0, is NaN.";
  return "";
}

}  // namespace

std::string reason(const Row& row) {
  const bool extreme = row.range == Range::Extreme;
  const auto is = [&](const char* op) { return row.op == op; };
  if (row.range == Range::Hostile || row.range == Range::Ends) return hostile_reason(row);
  if (is("gelu") || is("cgelu"))
    return "below -37 (-13 in float32) the result is subnormal, and so is its factor erfc, whose rounding is multiplied by |x|/2.";
  if (is("sinc"))
    return "the derivative (cos πz - w)/z is a difference of equal numbers where it is 0, between two whole numbers each.";
  if (is("rotary"))
    return "the angle tω is rounded to float64, which turns it by up to |tω|/2 ulp; float32 and complex64 have float64's angle.";
  if (is("logaddexp"))
    return "where e^a + e^b is close to 1 the result is a difference of equal numbers, a and -log(1 + e^(b - a)).";
  if (extreme && is("magnitude_modrelu")) return "the factor (|z| + c)/|z| lies beyond the type where c exceeds |z| 1e38-fold.";
  if (extreme && is("modrelu")) return "for a subnormal |z| beside the kink, |z| + c underflows to 0: inactive.";
  if (extreme && is("swiglu"))
    return "where g or u is subnormal, σ(g) g or σ(g) u is rounded as a subnormal number before the product.";
  if (extreme && is("div")) return "the gradient by b takes w/b, and where w = a/b is subnormal it has few digits left.";
  if (is("linear_cross_entropy"))
    return "exponentials below 1e-308 are subnormal, and their rounding is multiplied by h, here as large as 1e3.";
  return "";
}

const std::map<std::string, std::string>& not_measured() {
  static const std::string moves = "moves numbers, which stay what they are.";
  static const std::string sums = "a sum of products, as matmul, sum or attention.";
  static const std::string fourier = "sums of products of all lengths; tests/autograd/ops/fourier_test.cpp bounds them.";
  static const std::map<std::string, std::string> ops = {
      {"angular_attention", sums},
      {"binary_cross_entropy", sums},
      {"concatenate", moves},
      {"conv2d", sums},
      {"conv3d", sums},
      {"conv_transpose2d", sums},
      {"dropout", "scale, with a random choice."},
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
      {"lgamma", "the C library's, its derivative Boost.Math's; relative to the value large errors beside its zeros 1 and 2."},
      {"linear_recurrence", sums},
      {"magnitude_attention", sums},
      {"mse", sums},
      {"permute", moves},
      {"polygamma", "Boost.Math's."},
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
      {"whiten", "a covariance and its inverse root; the error is that of its condition."},
  };
  return ops;
}

}  // namespace accuracy
