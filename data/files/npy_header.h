#pragma once
/// The header of an .npy file: type, order and shape of its array
/// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).

#include <cstddef>
#include <string>
#include <string_view>

#include "core/shape.h"

namespace argand {

struct NpyHeader {
  std::string descr;  ///< NumPy's type string: "<f4", "<c16", ...
  bool fortran_order = false;
  Shape shape;
  std::size_t bytes = 0;  ///< magic string, lengths and header together: the offset of the numbers
};

/// The number of bytes from which the length of the header is known.
inline constexpr std::size_t npy_beginning = 12;

/// The offset of the numbers, from at least the first npy_beginning bytes. Throws Error, starting with `where`, unless it is a .npy
/// file of version 1, 2 or 3.
std::size_t npy_header_bytes(std::string_view beginning, const std::string& where);
/// Parses exactly the bytes before the numbers. Throws Error for a header that NumPy would not have written.
NpyHeader parse_npy_header(std::string_view bytes, const std::string& where);

/// The bytes before the numbers of a C-ordered array, version 1.0.
std::string npy_header(const std::string& descr, const Shape& shape);

}  // namespace argand
