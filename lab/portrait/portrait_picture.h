#pragma once
/// The picture of `argand portrait` as a script for gnuplot.

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/expression/expression.h"

namespace argand {

/// The function to draw: an expression of one variable, or the name of a function; "tanh" means tanh(z). Throws InputError.
Expression portrait_function(const std::string& text);

/// A descent; `conjugated`: along the conjugate of the gradient, as with a framework that returns the conjugate.
struct PortraitWalk {
  std::vector<std::complex<double>> points;
  bool conjugated;
};

/// The square low <= Re z, Im z <= high in a picture of width x height pixels.
struct PortraitPicture {
  double low, high;
  std::int64_t width, height;
  bool vector_graphics;  ///< SVG; otherwise PNG
  std::vector<PortraitWalk> walks{};
};

/// What gnuplot reads from standard input to write the picture to standard output: the colours of f, then those of its gradient
/// with contours, arrows, marks and walks, and a legend. The script includes the pixels, so it is not pure text.
std::string portrait_script(const Expression& f, const PortraitPicture& wanted);

}  // namespace argand
