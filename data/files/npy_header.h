#pragma once
/// What an .npy file begins with: type, order and shape of its array
/// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).

#include <cstddef>
#include <string>
#include <string_view>

#include "core/shape.h"

namespace argand {

struct NpyHeader {
  std::string descr;  ///< NumPy's word for the type: "<f4", "<c16", ...
  bool fortran_order = false;
  Shape shape;
  std::size_t bytes = 0;  ///< of magic string, lengths and header together: where the numbers begin
};

/// Bytes that are enough to know how long the header is.
inline constexpr std::size_t npy_beginning = 12;

/// Bytes before the numbers, from at least the first npy_beginning. Throws Error, `where` first, for what is not a .npy file of
/// version 1, 2 or 3.
std::size_t npy_header_bytes(std::string_view beginning, const std::string& where);
/// From exactly the bytes before the numbers. Throws Error for a header that NumPy would not have written.
NpyHeader parse_npy_header(std::string_view bytes, const std::string& where);

/// The bytes before the numbers of a C-ordered array, version 1.0.
std::string npy_header(const std::string& descr, const Shape& shape);

}  // namespace argand
