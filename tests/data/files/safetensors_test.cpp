#include "data/files/safetensors.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <complex>
#include <limits>

#include "core/random.h"
#include "data/files/checksum.h"
#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(safetensors)

using c64 = std::complex<float>;
using c128 = std::complex<double>;

namespace {

const std::string golden = ARGAND_GOLDEN_DIR;

/// Writes a safetensors file from a header and data, without any checks.
std::string raw_file(const TemporaryDirectory& directory, std::string_view header, std::string_view data) {
  const std::uint64_t length = header.size();
  std::string bytes(reinterpret_cast<const char*>(&length), 8);
  bytes += header;
  bytes += data;
  return directory.file("raw.safetensors", bytes);
}

template <class T>
bool equal(const Tensor<T>& a, const Tensor<T>& b) {
  return a.shape() == b.shape() && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_type_returns_as_it_was) {
  const TemporaryDirectory directory;
  const Random random(7);
  const auto f32 = randn<float>({3, 5}, random);
  const auto f64 = randn<double>({2, 2, 2}, random);
  const auto z64 = randn<c64>({4}, random);
  const auto z128 = randn<c128>({2, 3}, random);
  const Ids ids({2, 2}, {1, -2, 3, 2147483647});

  SafetensorsWriter writer;
  writer.add("float", f32);
  writer.add("double", f64);
  writer.add("complex.float", z64);
  writer.add("complex.double", z128);
  writer.add("ids", ids);
  writer.add("scalar", Tensor<double>::scalar(0.1));
  writer.add("empty", Tensor<float>({0, 3}));
  writer.metadata("step", "12");
  writer.metadata("größe", "\"quoted\"\n");
  writer.save(directory / "a.safetensors");

  const auto file = SafetensorsFile::open(directory / "a.safetensors");
  BOOST_TEST(equal(file.tensor<float>("float"), f32));
  BOOST_TEST(equal(file.tensor<double>("double"), f64));
  BOOST_TEST(equal(file.tensor<c64>("complex.float"), z64));
  BOOST_TEST(equal(file.tensor<c128>("complex.double"), z128));
  BOOST_TEST((file.ids("ids").shape() == ids.shape()));
  BOOST_TEST(std::equal(ids.span().begin(), ids.span().end(), file.ids("ids").span().begin()));
  BOOST_TEST(file.tensor<double>("scalar").item() == 0.1);
  BOOST_TEST(file.tensor<double>("scalar").rank() == 0);
  BOOST_TEST((file.tensor<float>("empty").shape() == Shape{0, 3}));
  BOOST_TEST(file.dtype("complex.float") == "C64");
  BOOST_TEST(file.dtype("complex.double") == "F64");
  BOOST_TEST((file.shape("complex.double") == Shape{2, 3}));
  BOOST_TEST(file.info("complex.double").is_complex);
  BOOST_TEST(file.metadata("step") == "12");
  BOOST_TEST(file.metadata("größe") == "\"quoted\"\n");
  BOOST_TEST(file.metadata("complex") == R"(["complex.double"])");
  BOOST_TEST(file.contains("ids"));
  BOOST_TEST(!file.contains("step"));
}

BOOST_AUTO_TEST_CASE(bits_survive) {
  const TemporaryDirectory directory;
  const double inf = std::numeric_limits<double>::infinity();
  SafetensorsWriter writer;
  writer.add("x", Tensor<double>({5}, {-0.0, inf, -inf, 5e-324, std::nan("")}));
  writer.save(directory / "a");
  const auto x = SafetensorsFile::open(directory / "a").tensor<double>("x");
  BOOST_TEST(std::signbit(x(0)));
  BOOST_TEST(x(1) == inf);
  BOOST_TEST(x(2) == -inf);
  BOOST_TEST(x(3) == 5e-324);
  BOOST_TEST(std::isnan(x(4)));
}

BOOST_AUTO_TEST_CASE(precision_is_converted) {
  const TemporaryDirectory directory;
  SafetensorsWriter writer;
  writer.add("f64", Tensor<double>({2}, {0.1, 1e300}));
  writer.add("f32", Tensor<float>({1}, {0.1F}));
  writer.add("z128", Tensor<c128>({1}, {{0.1, -0.2}}));
  writer.add("z64", Tensor<c64>({1}, {{0.1F, -0.2F}}));
  writer.save(directory / "a");
  const auto file = SafetensorsFile::open(directory / "a");
  BOOST_TEST(file.tensor<float>("f64")(0) == 0.1F);
  BOOST_TEST(std::isinf(file.tensor<float>("f64")(1)));
  BOOST_TEST(file.tensor<double>("f32").item() == static_cast<double>(0.1F));
  BOOST_TEST((file.tensor<c64>("z128").item() == c64(0.1F, -0.2F)));
  BOOST_TEST((file.tensor<c128>("z64").item() == c128(0.1F, -0.2F)));
}

BOOST_AUTO_TEST_CASE(half_precisions_are_read) {
  const TemporaryDirectory directory;
  // 1, -2, 65504 (the largest), 2^-24 (the smallest subnormal), -0, infinity and NaN in IEEE half precision; 1 and -2.5 in
  // bfloat16.
  const std::string half("\x00\x3c\x00\xc0\xff\x7b\x01\x00\x00\x80\x00\x7c\x01\x7e", 14), bfloat("\x80\x3f\x20\xc0", 4);
  const auto file = SafetensorsFile::open(
      raw_file(directory,
               R"({"h":{"dtype":"F16","shape":[7],"data_offsets":[0,14]},"b":{"dtype":"BF16","shape":[2],"data_offsets":[14,18]}})",
               half + bfloat));
  const auto h = file.tensor<double>("h");
  BOOST_TEST(h(0) == 1);
  BOOST_TEST(h(1) == -2);
  BOOST_TEST(h(2) == 65504);
  BOOST_TEST(h(3) == 0x1p-24);
  BOOST_TEST((h(4) == 0 && std::signbit(h(4))));
  BOOST_TEST(std::isinf(h(5)));
  BOOST_TEST(std::isnan(h(6)));
  BOOST_TEST(equal(file.tensor<float>("b"), Tensor<float>({2}, {1, -2.5})));
}

BOOST_AUTO_TEST_CASE(the_bytes_are_fixed) {
  const TemporaryDirectory directory;
  SafetensorsWriter writer;
  writer.add("ids", Ids({1}, {258}));
  writer.add("z", Tensor<c128>({1}, {{1, 0}}));
  writer.metadata("k", "v");
  writer.save(directory / "a");
  // Wider types come first, and the header is padded to a multiple of 8 bytes, so the data is aligned.
  const std::string zeros(32, '0');
  const std::string header = R"({"__metadata__":{"checksum":")" + zeros +
                             R"(","checksum_algorithm":"XXH3-128","complex":"[\"z\"]","k":"v"},)"
                             R"("z":{"dtype":"F64","shape":[1,2],"data_offsets":[0,16]},)"
                             R"("ids":{"dtype":"I32","shape":[1],"data_offsets":[16,20]}})";
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  std::string expected(8, '\0');
  expected[0] = static_cast<char>(padded.size() % 256);
  expected[1] = static_cast<char>(padded.size() / 256);
  expected += padded + std::string("\0\0\0\0\0\0\xf0\x3f", 8) + std::string(8, '\0') + std::string("\x02\x01\0\0", 4);
  expected.replace(expected.find(zeros), zeros.size(), checksum_of(expected));
  BOOST_TEST(contents_of(directory / "a") == expected);
  writer.save(directory / "b");
  BOOST_TEST(contents_of(directory / "b") == expected);
}

BOOST_AUTO_TEST_CASE(a_file_written_by_python_is_read) {
  const auto file = SafetensorsFile::open(golden + "/complexformer-per-head.safetensors");
  BOOST_TEST(file.metadata("format") == "argand-parity/1");
  BOOST_TEST(file.names().front() == "tokens");
  BOOST_TEST((file.ids("tokens").shape() == Shape{2, 12}));
  BOOST_TEST((file.shape("expect.logits") == Shape{2, 12, 23}));
  BOOST_TEST(!file.info("param.embedding.weight").is_complex);
  BOOST_TEST(file.tensor<double>("expect.loss").item() == 6.233820902545659);
}

BOOST_AUTO_TEST_CASE(a_file_may_be_replaced_while_it_is_open) {
  const TemporaryDirectory directory;
  SafetensorsWriter old_writer, new_writer;
  old_writer.add("x", Tensor<float>({1}, {1}));
  new_writer.add("y", Tensor<double>({2}, {2, 3}));
  old_writer.save(directory / "a");
  const auto file = SafetensorsFile::open(directory / "a");
  new_writer.save(directory / "a");
  BOOST_TEST(file.tensor<float>("x").item() == 1);
}

BOOST_AUTO_TEST_CASE(a_file_that_shrinks_while_it_is_open_is_an_error) {
  const TemporaryDirectory directory;
  SafetensorsWriter writer;
  writer.add("x", Tensor<float>::zeros({1000}));
  writer.save(directory / "a");
  const auto file = SafetensorsFile::open(directory / "a");
  std::filesystem::resize_file(directory / "a", 200);
  BOOST_TEST(error_of([&] { file.tensor<float>("x"); }) ==
             "safetensors: " + (directory / "a") + " was truncated while it was being read");
}

BOOST_AUTO_TEST_CASE(invalid_requests_have_clear_errors) {
  const TemporaryDirectory directory;
  SafetensorsWriter writer;
  writer.add("x", Tensor<float>({1}, {1}));
  writer.add("z", Tensor<c64>({1}, {1}));
  writer.add("ids", Ids({1}, {1}));
  const std::string path = directory / "a";
  writer.save(path);
  const auto file = SafetensorsFile::open(path);
  const std::string start = "safetensors: " + path + ": ";
  BOOST_TEST(error_of([&] { file.tensor<float>("y"); }) == start + "no tensor named \"y\"");
  BOOST_TEST(error_of([&] { file.tensor<double>("z"); }) == start + "tensor \"z\" is complex, but was requested as float64");
  BOOST_TEST(error_of([&] { file.tensor<c64>("x"); }) == start + "tensor \"x\" is F32, but was requested as complex64");
  BOOST_TEST(error_of([&] { file.tensor<float>("ids"); }) == start + "tensor \"ids\" is I32, but was requested as float32");
  BOOST_TEST(error_of([&] { file.ids("x"); }) == start + "tensor \"x\" is F32, but was requested as ids (I64 or I32)");
  BOOST_TEST(error_of([&] { file.metadata("step"); }) == start + "no metadata key \"step\"");
}

BOOST_AUTO_TEST_CASE(ids_must_fit) {
  const TemporaryDirectory directory;
  const std::string path =
      raw_file(directory, R"({"ids":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}})", std::string("\0\0\0\0\x01\0\0\0", 8));
  BOOST_TEST(error_of([&] { SafetensorsFile::open(path).ids("ids"); }) ==
             "safetensors: " + path + ": tensor \"ids\": id 4294967296 does not fit in 32 bits");
}

BOOST_AUTO_TEST_CASE(the_writer_refuses_what_the_reader_would) {
  SafetensorsWriter writer;
  writer.add("x", Tensor<float>({1}, {1}));
  writer.metadata("k", "v");
  const Tensor<float> x({1}, {1});
  BOOST_TEST(error_of([&] { writer.add("x", x); }) == "safetensors: two tensors are named \"x\"");
  BOOST_TEST(error_of([&] { writer.add("__metadata__", x); }) == "safetensors: a tensor cannot be named __metadata__");
  BOOST_TEST(error_of([&] { writer.add("\xff", x); }) == "safetensors: the tensor name \"\\xff\" is not UTF-8");
  BOOST_TEST(error_of([&] { writer.metadata("k", "w"); }) == "safetensors: metadata \"k\" is set twice");
  BOOST_TEST(error_of([&] { writer.metadata("complex", "[]"); }) == "safetensors: the metadata key complex is reserved");
  BOOST_TEST(error_of([&] { writer.metadata("checksum", "0"); }) == "safetensors: the metadata key checksum is reserved");
  BOOST_TEST(error_of([&] { writer.metadata("text", "\xc0\x80"); }) == "safetensors: metadata \"text\" is not UTF-8");
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_opened_is_named) {
  const TemporaryDirectory directory;
  BOOST_TEST(error_of([&] { SafetensorsFile::open(directory / "none"); }) ==
             "safetensors: cannot open " + (directory / "none") + ": No such file or directory");
  BOOST_TEST(error_of([&] { SafetensorsFile::open(directory.path()); }) ==
             "safetensors: " + directory.path() + " is not a regular file");
}

BOOST_AUTO_TEST_CASE(loading_fills_one_tensor_and_refuses_another_shape) {
  const TemporaryDirectory directory;
  SafetensorsWriter writer;
  writer.add("x", Tensor<c64>({2}, {c64(1, 2), c64(3, 4)}));
  writer.save(directory / "a.safetensors");
  const auto file = SafetensorsFile::open(directory / "a.safetensors");

  Tensor<c64> x = Tensor<c64>::zeros({2});
  const Tensor<c64> copy = x;
  file.load("x", x);
  BOOST_TEST((x(1) == c64(3, 4)));
  BOOST_TEST((copy(1) == c64(0)));
  Tensor<c64> wrong({3});
  BOOST_TEST(error_of([&] { file.load("x", wrong); }) ==
             "safetensors: " + file.path() + ": tensor \"x\" has shape [2], but was requested as [3]");
}

BOOST_AUTO_TEST_SUITE_END()
