#pragma once
/// What `argand portrait` draws of a function f of one complex number: its values, the gradients of L (f where f is real, Re f
/// otherwise), the points that stand out, and walks downhill.

#include <complex>
#include <vector>

#include "lab/expression/expression.h"

namespace argand {

struct PortraitField {
  std::vector<std::complex<double>> values, gradients;  ///< f, and ∂L/∂x + i ∂L/∂y
  bool real_valued = false;
};

/// f and the gradient of L at all points at once, by one backward pass.
PortraitField portrait_field(const Expression& f, const std::vector<std::complex<double>>& points);

/// The points low <= Re z, Im z <= high at the centres of side x side squares, the uppermost row first.
std::vector<std::complex<double>> square_of_points(double low, double high, std::int64_t side);

enum class MarkKind { Zero, Pole, Minimum, Maximum, Saddle };

struct Mark {
  MarkKind kind;
  std::complex<double> at;
};

/// Isolated zeros and poles of f, and critical points of L, with low <= Re z, Im z <= high: local minima of |f|, 1/|f| and the
/// gradient's modulus on a grid, followed down by a search that halves its steps. What kind of critical point: around a minimum or
/// a maximum the gradient turns with whoever walks around it, around a saddle against him. Points nearer to each other than a
/// hundredth of the square count as one; curves and areas of zeros are none.
std::vector<Mark> portrait_marks(const Expression& f, double low, double high);

/// z, z - rate g(z), ..., `steps` steps (fewer where they leave the finite numbers); along conj(g) instead where `conjugated`.
std::vector<std::complex<double>> portrait_path(const Expression& f, std::complex<double> z, double rate, bool conjugated,
                                                int steps);

/// The power of two by which values are divided before they are coloured, so that pictures of large or small numbers are neither
/// white nor black: 1 where the median modulus is between 1/4 and 4.
double colour_scale(const std::vector<std::complex<double>>& values);

}  // namespace argand
