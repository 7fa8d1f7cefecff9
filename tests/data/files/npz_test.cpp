/// Checks the bytes of archives; arrays are stored uncompressed, so they can be compared directly. tests/apps/export_test.py opens
/// archives with Python's zipfile and with NumPy.

#include "data/files/npz.h"

#include <boost/test/unit_test.hpp>

#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(npz)

namespace {

/// The header at the start of an .npy file, up to its padding.
std::string beginning(const std::string& descr, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", } ";
}

}  // namespace

BOOST_AUTO_TEST_CASE(shapes_and_types_are_those_of_numpy) {
  const TemporaryDirectory directory;
  NpzWriter writer;
  writer.add("scalar", Tensor<float>::scalar(1));
  writer.add("vector", Tensor<double>::ones({3}));
  writer.add("matrix", Tensor<std::complex<float>>::ones({2, 3}));
  writer.add("empty", Tensor<std::complex<double>>({0, 3}));
  writer.add("ids", Ids({2}, {1, 2}));
  writer.save(directory / "a.npz");
  const std::string bytes = contents_of(directory / "a.npz");
  for (const auto& [descr, shape] :
       {std::pair{"<f4", "()"}, {"<f8", "(3,)"}, {"<c8", "(2, 3)"}, {"<c16", "(0, 3)"}, {"<i4", "(2,)"}})
    BOOST_TEST(bytes.find(beginning(descr, shape)) != bytes.npos, descr << " " << shape);
}

BOOST_AUTO_TEST_CASE(equal_arrays_make_equal_files_and_a_file_is_replaced) {
  const TemporaryDirectory directory;
  NpzWriter writer;
  writer.add("x", Tensor<float>({2}, {1, 2}));
  writer.save(directory / "a.npz");
  writer.save(directory / "b.npz");
  writer.save(directory / "b.npz");
  BOOST_TEST(contents_of(directory / "a.npz") == contents_of(directory / "b.npz"));
}

BOOST_AUTO_TEST_CASE(invalid_names_are_refused) {
  NpzWriter writer;
  const Tensor<float> x = Tensor<float>::scalar(1);
  writer.add("x", x);
  BOOST_TEST(error_of([&] { writer.add("x", x); }) == "npz: two arrays are named \"x\"");
  BOOST_TEST(error_of([&] { writer.add("", x); }) == "npz: \"\" is not a valid array name");
  BOOST_TEST(error_of([&] { writer.add("\xff", x); }) == "npz: \"\\xff\" is not a valid array name");
}

BOOST_AUTO_TEST_SUITE_END()
