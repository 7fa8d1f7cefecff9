#pragma once
/// What `argand portrait` draws for a function f of one complex number: its values, the gradients of L (f if f is real, Re f
/// otherwise), the distinguished points, and descent paths.

#include <complex>
#include <vector>

#include "lab/expression/expression.h"

namespace argand {

struct PortraitField {
  std::vector<std::complex<double>> values, gradients;  ///< f, and ∂L/∂x + i ∂L/∂y
  bool real_valued = false;
};

/// Evaluates f and the gradient of L at all points with one backward pass.
PortraitField portrait_field(const Expression& f, const std::vector<std::complex<double>>& points);

/// The centres of side x side pixels that cover low <= Re z, Im z <= high, top row first.
std::vector<std::complex<double>> square_of_points(double low, double high, std::int64_t side);

enum class MarkKind { Zero, Pole, Minimum, Maximum, Saddle };

struct Mark {
  MarkKind kind;
  std::complex<double> at;
};

/// Isolated zeros and poles of f, and critical points of L, with low <= Re z, Im z <= high: local minima of |f|, 1/|f| and the
/// gradient's modulus on a grid, refined by a search that halves its steps. The kind of a critical point follows from the gradient
/// on a circle around it: around a minimum or a maximum it turns in the same sense as the path, around a saddle in the opposite
/// sense. Points closer to each other than a hundredth of the square count as one; curves and areas of zeros are not reported.
std::vector<Mark> portrait_marks(const Expression& f, double low, double high);

/// Gradient descent: z, z - rate g(z), ..., for `steps` steps, or fewer on overflow; uses conj(g) instead of g if `conjugated`.
std::vector<std::complex<double>> portrait_path(const Expression& f, std::complex<double> z, double rate, bool conjugated,
                                                int steps);

/// The power of two by which values are divided before colouring, so that large or small values do not make the picture white or
/// black: 1 if the median modulus is between 1/4 and 4.
double colour_scale(const std::vector<std::complex<double>>& values);

}  // namespace argand
