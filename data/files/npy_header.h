#pragma once
/// The header of an .npy file: the type, memory order and shape of its array
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
  std::size_t bytes = 0;  ///< offset of the array data: magic string, version, length and header together
};

/// How many bytes are needed to determine the length of the header.
inline constexpr std::size_t npy_beginning = 12;

/// The offset of the array data, computed from the first npy_beginning bytes or more. Throws Error, naming `where`, unless the
/// bytes begin an .npy file of version 1, 2 or 3.
std::size_t npy_header_bytes(std::string_view beginning, const std::string& where);
/// Parses exactly the bytes before the array data. Throws Error for a header that NumPy would not have written.
NpyHeader parse_npy_header(std::string_view bytes, const std::string& where);

/// The bytes before the data of a C-ordered array, in format version 1.0.
std::string npy_header(const std::string& descr, const Shape& shape);

}  // namespace argand
