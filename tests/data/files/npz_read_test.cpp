/// Reads archives that NumPy 1.24 wrote (tests/fuzz/seeds/npz), archives that NpzWriter wrote, and archives with incorrect headers.

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "data/files/npy_header.h"
#include "data/files/npz.h"
#include "data/files/safetensors.h"
#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(npz_read)

namespace {

NpzFile of_numpy(const std::string& name) {
  return NpzFile::open(std::string(ARGAND_SOURCE_DIR) + "/tests/fuzz/seeds/npz/" + name);
}

/// An archive with an uncompressed member, whose bytes can be changed in place.
std::string archive_of_one() {
  NpzWriter writer;
  writer.add("x", Tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  return writer.bytes();
}

std::string changed(std::string bytes, const std::string& from, const std::string& to) {
  BOOST_TEST_REQUIRE(from.size() == to.size());
  const std::size_t at = bytes.find(from);
  BOOST_TEST_REQUIRE(at != bytes.npos, from);
  return bytes.replace(at, from.size(), to);
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_numpy_stored) {
  const NpzFile file = of_numpy("stored");
  BOOST_TEST(file.names() == (std::vector<std::string>{"matrix", "scalar", "fortran"}), boost::test_tools::per_element());
  const Tensor<float> matrix = file.tensor<float>("matrix");
  BOOST_TEST((matrix.shape() == Shape{2, 3}));
  for (std::int64_t i = 0; i < 6; ++i) BOOST_TEST(matrix.data()[i] == static_cast<float>(i) + 0.5F);
  BOOST_TEST(file.tensor<double>("scalar").item() == 2.5);
  BOOST_TEST(file.info("fortran").fortran_order);
  const Tensor<float> fortran = file.tensor<float>("fortran");
  BOOST_TEST(std::ranges::equal(fortran.span(), matrix.span()));
}

BOOST_AUTO_TEST_CASE(what_numpy_deflated) {
  const NpzFile file = of_numpy("deflated");
  const Tensor<double> half = file.tensor<double>("half");
  BOOST_TEST(half(0) == 1);
  BOOST_TEST(half(1) == -0.5);
  BOOST_TEST(half(2) == std::ldexp(1.0, -24));
  BOOST_TEST(std::isinf(half(3)));
  BOOST_TEST((file.tensor<std::complex<double>>("c64")(0, 1) == std::complex<double>(3, -4)));
  BOOST_TEST((file.tensor<std::complex<float>>("c128")(0) == std::complex<float>(0, 0.25F)));
  BOOST_TEST(file.ids("ids")[3] == 4);
  BOOST_TEST(file.ids("small")[1] == -1);
  const Tensor<float> cube = file.tensor<float>("cube");
  BOOST_TEST((cube.shape() == Shape{2, 3, 4}));
  for (std::int64_t i = 0; i < 24; ++i) BOOST_TEST(cube.data()[i] == static_cast<float>(i));
  BOOST_TEST(of_numpy("version_2").tensor<float>("v")(1) == 2.5F);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_says_why) {
  const NpzFile file = of_numpy("others"), numbers = of_numpy("deflated");
  const auto text = [](const NpzFile& of, const std::string& rest) { return "npz: " + of.path() + ": " + rest; };
  const std::string types = "; supported: float16 to float64, complex64, complex128, int32 and int64, little-endian";
  BOOST_TEST(error_of([&] { file.tensor<float>("big"); }) == text(file, "\"big\" has type \">f4\"" + types));
  BOOST_TEST(error_of([&] { file.tensor<float>("flags"); }) == text(file, "\"flags\" has type \"|b1\"" + types));
  BOOST_TEST((file.tensor<float>("empty").shape() == Shape{0, 3}));
  BOOST_TEST(error_of([&] { file.ids("wide"); }) == text(file, "\"wide\" contains 1099511627776, which does not fit in 32 bits"));
  BOOST_TEST(error_of([&] { file.ids("text"); }) == text(file, "\"text\" has type \"<U1\", expected 32- or 64-bit integers"));
  BOOST_TEST(error_of([&] { numbers.tensor<float>("c64"); }) == text(numbers, "\"c64\" is complex, not real"));
  BOOST_TEST(error_of([&] { numbers.tensor<std::complex<float>>("half"); }) == text(numbers, "\"half\" is real, not complex"));
  BOOST_TEST(error_of([&] { numbers.tensor<float>("ids"); }) ==
             text(numbers, "\"ids\" contains integers; expected floating-point or complex numbers"));
  BOOST_TEST(error_of([&] { numbers.tensor<float>("none"); }) == "npz: " + numbers.path() + " has no array \"none\"");
}

BOOST_AUTO_TEST_CASE(what_was_written_reads_the_same) {
  const TemporaryDirectory directory;
  NpzWriter writer;
  writer.add("a/b.weight", Tensor<std::complex<double>>({2}, {{1, 2}, {-0.0, NAN}}));
  writer.add("ids", Ids({2, 1}, {5, -6}));
  writer.save(directory / "a.npz");
  const NpzFile file = NpzFile::open(directory / "a.npz");
  BOOST_TEST((file.tensor<std::complex<double>>("a/b.weight")(0) == std::complex<double>(1, 2)));
  BOOST_TEST(std::signbit(file.tensor<std::complex<double>>("a/b.weight")(1).real()));
  BOOST_TEST(file.ids("ids")[1] == -6);
}

BOOST_AUTO_TEST_CASE(inconsistent_archives_are_refused) {
  const TemporaryDirectory directory;
  const std::string good = archive_of_one(), path = directory / "bad.npz", x = "npz: " + path + ": \"x.npy\"";
  const auto error = [&](const std::string& bytes) {
    directory.file("bad.npz", bytes);
    return error_of([&] { NpzFile::open(path).tensor<float>("x"); });
  };
  BOOST_TEST(error(good) == "");
  BOOST_TEST(error("").starts_with("npz: cannot open " + path + ": "));
  BOOST_TEST(error(good.substr(0, good.size() / 2)).starts_with("npz: cannot open " + path + ": "));
  BOOST_TEST(error(changed(good, "(2, 3)", "(2, 9)")) ==
             x + ": shape [2, 9] of type <f4 does not match the 24 bytes after the header");
  BOOST_TEST(error(changed(good, "'<f4'", "'<f8'")) ==
             x + ": shape [2, 3] of type <f8 does not match the 24 bytes after the header");
  BOOST_TEST(error(changed(good, "\x93NUMPY", "\x93numpy")) == x + " is not a .npy file");
  BOOST_TEST(error(changed(good, "\x93NUMPY\x01", "\x93NUMPY\x09")) ==
             x + " has format version 9; argand reads versions 1, 2 and 3");
  BOOST_TEST(error(changed(good, "'shape'", "'shapr'")).find("is not a valid NumPy header") != std::string::npos);
  BOOST_TEST(error(changed(good, std::string("\0\0\x80\x3f", 4), std::string("\0\0\x80\x40", 4))).starts_with(x + " is damaged: "));
}

BOOST_AUTO_TEST_CASE(a_pickle_of_pytorch_is_refused_with_the_command_that_converts_it) {
  const TemporaryDirectory scratch;
  NpzWriter writer;
  writer.add("archive/data", Tensor<float>({1}, {1}));
  std::string bytes = writer.bytes();  // torch.save() writes a ZIP archive with such a member
  for (std::size_t at = 0; (at = bytes.find(".npy", at)) != bytes.npos; ++at) bytes.replace(at, 4, ".pkl");
  const std::string path = scratch.file("w.pt", bytes);
  const std::string why = path +
                          " is a PyTorch pickle, which can run arbitrary code, so argand does not read it; convert it with "
                          "Python: safetensors.torch.save_file(torch.load(\"" +
                          path + "\", weights_only=True), \"" + scratch / "w.safetensors" + "\")";
  BOOST_TEST(error_of([&] { NpzFile::open(path); }) == "npz: " + why);
  BOOST_TEST(error_of([&] { SafetensorsFile::open(path); }) == "safetensors: " + why);
}

BOOST_AUTO_TEST_CASE(headers_that_numpy_would_not_write) {
  const auto header = [](const std::string& dictionary) {
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += {static_cast<char>(dictionary.size() & 0xFF), static_cast<char>(dictionary.size() >> 8)};
    return bytes + dictionary;
  };
  const NpyHeader read = parse_npy_header(header("{'shape':(2,),\"descr\": '<f4','fortran_order':True}\n"), "it");
  BOOST_TEST(read.fortran_order);
  BOOST_TEST((read.shape == Shape{2}));
  for (const char* bad :
       {"{}", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), } x", "{'descr': '<f4', 'shape': (2,), }",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,), }", "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2", "{'descr': '<f4"})
    BOOST_TEST(error_of([&] { parse_npy_header(header(bad), "it"); }).find("is not a valid NumPy header") != std::string::npos,
               bad);
  BOOST_TEST(error_of([&] {
               parse_npy_header(header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}"), "it");
             }) == "npz: it is a structured array; save each field as an array of its own");
  BOOST_TEST(error_of([&] {
               parse_npy_header(header("{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}"), "it");
             }) == "npz: it has more than 8 axes");
}

BOOST_AUTO_TEST_SUITE_END()
