/// What the page says of errors above 16 ulp and of ops that are not measured.

#include "tests/accuracy/table.h"

namespace accuracy {

std::string reason(const Row& row) {
  const bool extreme = row.range == Range::Extreme;
  const auto is = [&](const char* op) { return row.op == op; };
  if (is("gelu") || is("cgelu"))
    return "below -37 (-13 in float32) the result is subnormal, and so is the erfc it is a multiple of: its rounding is multiplied "
           "by |x|/2.";
  if (is("rotary"))
    return "the angle tω is rounded to float64, which turns it by up to |tω|/2 ulp; float32 and complex64 have float64's angle.";
  if (extreme && is("magnitude_modrelu")) return "the factor (|z| + c)/|z| lies beyond the type where c exceeds |z| 1e38-fold.";
  if (extreme && is("modrelu")) return "for a subnormal |z| beside the kink, |z| + c underflows to 0: inactive.";
  if (extreme && is("swiglu"))
    return "where g or u is subnormal, σ(g) g or σ(g) u is rounded as a subnormal number before the product.";
  if (extreme && is("div")) return "the gradient by b takes w/b, and where w = a/b is subnormal it has few digits left.";
  return "";
}

const std::map<std::string, std::string>& not_measured() {
  static const std::string moves = "moves numbers, which stay what they are.";
  static const std::string sums = "a sum of products; its error is that of its sums, which grows with their length.";
  static const std::map<std::string, std::string> ops = {
      {"angular_attention", sums},
      {"attention", sums},
      {"concatenate", moves},
      {"cross_entropy", sums},
      {"dropout", "scale, with a random choice."},
      {"embedding", moves},
      {"embedding_mean", sums},
      {"external", "computes nothing itself."},
      {"hamilton_matrix", moves},
      {"info_nce", sums},
      {"layer_norm", sums},
      {"linear", sums},
      {"linear_cross_entropy", sums},
      {"logsumexp", sums},
      {"magnitude_attention", sums},
      {"magnitude_layer_norm", sums},
      {"magnitude_rms_norm", sums},
      {"matmul", sums},
      {"max", moves},
      {"mean", sums},
      {"permute", moves},
      {"projection", sums},
      {"qic_dual", sums},
      {"qic_linear", sums},
      {"reshape", moves},
      {"rms_norm", sums},
      {"scatter_add", sums},
      {"selected_attention", sums},
      {"sinusoid", "sin and cos of float64 angles; see sin and cos."},
      {"slice", moves},
      {"softmax", sums},
      {"sum", sums},
      {"variance", sums},
      {"view_as_complex", moves},
      {"view_as_real", moves},
  };
  return ops;
}

}  // namespace accuracy
