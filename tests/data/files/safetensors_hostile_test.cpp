/// Damaged or malicious files: each must either throw an Error that says what is wrong, or load as its header declares.

#include <boost/test/unit_test.hpp>
#include <complex>
#include <optional>
#include <set>

#include "core/random.h"
#include "data/files/safetensors.h"
#include "tests/data/files/without_checksum.h"
#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(safetensors_hostile)

using c64 = std::complex<float>;
using c128 = std::complex<double>;

namespace {

std::string file_bytes(std::string_view header, std::string_view data = "") {
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8).append(header).append(data);
}

struct Hostile {
  std::string header;
  std::size_t data_bytes;
  std::string error;  ///< without the "safetensors: PATH: " at the start
};

std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

const std::vector<Hostile>& hostile_headers() {
  static const std::vector<Hostile> cases = {
      {"", 0, "the header does not start with {"},
      {"[]", 0, "the header does not start with {"},
      {"\xef\xbb\xbf{}", 0, "the header does not start with {"},
      {" {}", 0, "the header does not start with {"},
      {std::string("{}\0", 3), 0, "a null byte in the header, at byte 2"},
      {"{", 0, "the header is not JSON, at byte 2"},
      {"{} x", 0, "the header is not JSON, at byte 4"},
      {"{}{}", 0, "the header is not JSON, at byte 3"},
      {"{\"\xff\":1}", 0, "the header is not JSON, at byte 3"},
      {"{\"a\":NaN}", 0, "the header is not JSON, at byte 6"},
      {"{\"a\":1,}", 0, "\"a\" must be an object, not a number"},
      {R"({"a":[]})", 0, "\"a\" must be an object, not an array"},
      {R"({"__metadata__":"x"})", 0, "\"__metadata__\" must be an object, not a string"},
      {R"({"__metadata__":{"k":1}})", 0, "metadata \"k\" must be a string, not a number"},
      {R"({"__metadata__":{"k":{}}})", 0, "metadata \"k\" must be a string, not an object"},
      {R"({"__metadata__":{"k":null}})", 0, "metadata \"k\" must be a string, not null"},
      {R"({"__metadata__":{"k":"1","k":"2"}})", 0, "duplicate metadata key \"k\""},
      {R"({"__metadata__":{},"__metadata__":{}})", 0, "duplicate name \"__metadata__\""},
      {"{" + tensor("a", "F32", "[0]", "[0,0]") + "," + tensor("a", "F32", "[0]", "[0,0]") + "}", 0, "duplicate name \"a\""},
      {R"({"a":{}})", 0, "tensor \"a\": no dtype"},
      {R"({"a":{"dtype":"F32"}})", 0, "tensor \"a\": no shape"},
      {R"({"a":{"dtype":"F32","shape":[]}})", 0, "tensor \"a\": no data_offsets"},
      {R"({"a":{"dtype":"F32","dtype":"F64"}})", 0, "tensor \"a\": duplicate key \"dtype\""},
      {R"({"a":{"stride":[1]}})", 0, "tensor \"a\": unknown key \"stride\""},
      {"{" + tensor("a", "F31", "[1]", "[0,4]") + "}", 4, "tensor \"a\": unknown dtype \"F31\""},
      {R"({"a":{"dtype":4}})", 0, "tensor \"a\": dtype cannot be a number"},
      {R"({"a":{"shape":4}})", 0, "tensor \"a\": shape cannot be a number"},
      {R"({"a":{"dtype":["F32"]}})", 0, "tensor \"a\": dtype cannot be an array"},
      {R"({"a":{"shape":{}}})", 0, "tensor \"a\": shape cannot be an object"},
      {"{" + tensor("a", "F32", "[-1]", "[0,4]") + "}", 4, "tensor \"a\": shape cannot hold a negative number"},
      {"{" + tensor("a", "F32", "[1.0]", "[0,4]") + "}", 4,
       "tensor \"a\": shape cannot hold a number that is not a 64-bit integer"},
      {"{" + tensor("a", "F32", "[1e0]", "[0,4]") + "}", 4,
       "tensor \"a\": shape cannot hold a number that is not a 64-bit integer"},
      {"{" + tensor("a", "F32", "[true]", "[0,4]") + "}", 4, "tensor \"a\": shape cannot hold a boolean"},
      {"{" + tensor("a", "F32", "[[1]]", "[0,4]") + "}", 4, "tensor \"a\": shape cannot hold an array"},
      {"{" + tensor("a", "F32", "[18446744073709551616]", "[0,4]") + "}", 4,
       "tensor \"a\": shape cannot hold a number that is not a 64-bit integer"},
      {"{" + tensor("a", "F32", "[18446744073709551615]", "[0,4]") + "}", 4,
       "tensor \"a\": a size of 18446744073709551615 is too large"},
      // 2^40 · 2^40 wraps to 0, and 2^32 · 2^32 · 4 does too: overflow of the product must be detected.
      {"{" + tensor("a", "F32", "[1099511627776,1099511627776]", "[0,0]") + "}", 0, "tensor \"a\": too many elements"},
      {"{" + tensor("a", "F32", "[4294967296,4294967296,4]", "[0,0]") + "}", 0, "tensor \"a\": too many elements"},
      {"{" + tensor("a", "F32", "[0,1099511627776,1099511627776]", "[0,0]") + "}", 0, "tensor \"a\": too many elements"},
      {"{" + tensor("a", "F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]") + "}", 4, "tensor \"a\": more than 8 axes"},
      {"{" + tensor("a", "F32", "[2]", "[0]") + "}", 8, "tensor \"a\": data_offsets must be two numbers"},
      {"{" + tensor("a", "F32", "[2]", "[0,8,8]") + "}", 8, "tensor \"a\": data_offsets must be two numbers"},
      {"{" + tensor("a", "F32", "[2]", "[8,0]") + "}", 8, "tensor \"a\": F32 [2] takes 8 bytes, data_offsets are [8, 0]"},
      {"{" + tensor("a", "F32", "[2]", "[-8,0]") + "}", 8, "tensor \"a\": data_offsets cannot hold a negative number"},
      {"{" + tensor("a", "F32", "[2]", "[0,4]") + "}", 4, "tensor \"a\": F32 [2] takes 8 bytes, data_offsets are [0, 4]"},
      {"{" + tensor("a", "F64", "[2]", "[0,8]") + "}", 8, "tensor \"a\": F64 [2] takes 16 bytes, data_offsets are [0, 8]"},
      {"{" + tensor("a", "F32", "[2]", "[0,8]") + "}", 7,
       "tensor \"a\": data_offsets [0, 8] reach beyond the 7 bytes of data; the file may be truncated"},
      {"{" + tensor("a", "F32", "[1]", "[18446744073709551611,18446744073709551615]") + "}", 4,
       "tensor \"a\": data_offsets [18446744073709551611, 18446744073709551615] reach beyond the 4 bytes of data; the file may be "
       "truncated"},
      {"{" + tensor("a", "F32", "[2]", "[0,8]") + "}", 9, "1 bytes after the last tensor"},
      {"{}", 1, "1 bytes after the last tensor"},
      {"{" + tensor("a", "F32", "[1]", "[4,8]") + "}", 8, "tensor \"a\": data_offsets [4, 8] leave a hole at byte 0"},
      {"{" + tensor("a", "F32", "[1]", "[0,4]") + "," + tensor("b", "F32", "[1]", "[8,12]") + "}", 12,
       "tensor \"b\": data_offsets [8, 12] leave a hole at byte 4"},
      {"{" + tensor("a", "F32", "[2]", "[0,8]") + "," + tensor("b", "F32", "[2]", "[4,12]") + "}", 12,
       "tensor \"b\": data_offsets [4, 12] leave an overlap before byte 8"},
      {"{" + tensor("a", "F32", "[1]", "[0,4]") + "," + tensor("b", "F32", "[1]", "[0,4]") + "}", 4,
       "tensor \"b\": data_offsets [0, 4] leave an overlap before byte 4"},
      {R"({"__metadata__":{"complex":"a"}})", 0, "metadata \"complex\" must be a JSON list of names"},
      {R"({"__metadata__":{"complex":"[1]"}})", 0, "metadata \"complex\" must be a JSON list of names"},
      {R"({"__metadata__":{"complex":"\"a\""}})", 0, "metadata \"complex\" must be a JSON list of names"},
      {R"({"__metadata__":{"complex":"[[]]"}})", 0, "metadata \"complex\" must be a JSON list of names"},
      {R"({"__metadata__":{"complex":"{}"}})", 0, "metadata \"complex\" must be a JSON list of names"},
      {R"({"__metadata__":{"complex":")" + std::string(100000, '[') + "\"}}", 0,
       "metadata \"complex\" must be a JSON list of names"},
      {R"({"__metadata__":{"complex":"[\"a\"]"}})", 0, "metadata \"complex\" names \"a\", which is missing or named twice"},
      {R"({"__metadata__":{"complex":"[\"a\",\"a\"]"},)" + tensor("a", "F32", "[2]", "[0,8]") + "}", 8,
       "metadata \"complex\" names \"a\", which is missing or named twice"},
      {R"({"__metadata__":{"complex":"[\"a\"]"},)" + tensor("a", "F32", "[2,1]", "[0,8]") + "}", 8,
       "tensor \"a\": F32 [2, 1] cannot be complex pairs; F64 or F32 with a last axis of 2 can"},
      {R"({"__metadata__":{"complex":"[\"a\"]"},)" + tensor("a", "I32", "[2]", "[0,8]") + "}", 8,
       "tensor \"a\": I32 [2] cannot be complex pairs; F64 or F32 with a last axis of 2 can"},
      {R"({"__metadata__":{"complex":"[\"a\"]"},)" + tensor("a", "F32", "[]", "[0,4]") + "}", 4,
       "tensor \"a\": F32 [] cannot be complex pairs; F64 or F32 with a last axis of 2 can"},
      {std::string(100000, '{'), 0, "the header is not JSON, at byte 2"},
      {R"({"a":)" + std::string(100000, '['), 0, "\"a\" must be an object, not an array"},
  };
  return cases;
}

/// Opens the file and reads every tensor in its own type. Returns the Error's text, or nothing if all went well.
std::optional<std::string> error_reading(const std::string& path, const SafetensorsFile* original) {
  try {
    const auto file = SafetensorsFile::open(path);
    std::set<std::string> names;
    for (const std::string& name : file.names()) {
      BOOST_REQUIRE(names.insert(name).second);
      const StoredTensor& t = file.info(name);
      const bool same = original != nullptr && original->contains(name) && original->dtype(name) == t.dtype &&
                        original->shape(name) == t.shape && original->info(name).is_complex == t.is_complex;
      const auto compare = [&](const auto& x, const auto& y) { BOOST_REQUIRE(std::equal(x.begin(), x.end(), y.begin(), y.end())); };
      try {
        if (t.dtype == "I32" || t.dtype == "I64") {
          const Ids ids = file.ids(name);
          BOOST_REQUIRE((ids.shape() == t.shape));
          if (same) compare(ids.span(), original->ids(name).span());
        } else if (t.is_complex) {
          const auto z = file.tensor<c128>(name);
          BOOST_REQUIRE((z.shape() == t.shape));
          if (same) compare(z, original->tensor<c128>(name));
        } else {
          const auto x = file.tensor<double>(name);
          BOOST_REQUIRE((x.shape() == t.shape));
          if (same) compare(x, original->tensor<double>(name));
        }
      } catch (const Error&) {
        BOOST_REQUIRE(!same);  // an unusual dtype or a large id: refused only when the tensor is requested
      }
    }
    return std::nullopt;
  } catch (const Error& e) {
    return e.what();
  }
}

/// A small file with one tensor of each type.
std::string sample_file(const TemporaryDirectory& directory) {
  SafetensorsWriter writer;
  writer.add("a", Tensor<double>({2, 3}, {1, 2, 3, 4, 5, 6}));
  writer.add("b.c", Tensor<c64>({2}, {{1, 2}, {3, 4}}));
  writer.add("b.d", Tensor<c128>({1}, {{5, 6}}));
  writer.add("e", Ids({3}, {7, 8, 9}));
  writer.add("f", Tensor<float>({1, 1}, {10}));
  writer.metadata("step", "3");
  writer.save(directory / "sample");
  return directory / "sample";
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_fault_has_its_text) {
  const TemporaryDirectory directory;
  for (const Hostile& hostile : hostile_headers()) {
    const std::string path = directory.file("hostile", file_bytes(hostile.header, std::string(hostile.data_bytes, '\0')));
    const std::string error = error_of([&] { SafetensorsFile::open(path); });
    BOOST_TEST(error == "safetensors: " + path + ": " + hostile.error);
  }
}

BOOST_AUTO_TEST_CASE(lengths_are_bounded_before_memory_is_asked_for) {
  const TemporaryDirectory directory;
  const std::string start = "safetensors: " + (directory / "x") + ": ";
  const auto error = [&](std::string_view bytes) {
    directory.file("x", bytes);
    return error_of([&] { SafetensorsFile::open(directory / "x"); });
  };
  BOOST_TEST(error("") == start + "0 bytes is too short for a safetensors file");
  BOOST_TEST(error("1234567") == start + "7 bytes is too short for a safetensors file");
  BOOST_TEST(error(std::string("\3\0\0\0\0\0\0\0{}", 10)) ==
             start + "a header of 3 bytes does not fit in a file of 10; it may be truncated");
  BOOST_TEST(error(std::string(8, '\xff')) == "safetensors: " + (directory / "x") +
                                                  " is not a safetensors file: its first bytes declare a header of "
                                                  "18446744073709551615 bytes, but the format allows at most 100000000");
  BOOST_TEST(error("PK\3\4 and so on").find("is a ZIP archive (an .npz?), not safetensors; NumPy can read it") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(hostile_names_do_not_reach_the_terminal) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x", file_bytes(R"({"\u001b[2J)" + std::string(1000, 'n') + R"(":1})"));
  BOOST_TEST(error_of([&] { SafetensorsFile::open(path); }) ==
             "safetensors: " + path + ": \"\\x1b[2J" + std::string(60, 'n') + "…\" must be an object, not a number");
}

BOOST_AUTO_TEST_CASE(every_truncation_is_refused) {
  const TemporaryDirectory directory;
  const std::string bytes = contents_of(sample_file(directory));
  for (std::size_t length = 0; length < bytes.size(); ++length)
    BOOST_REQUIRE(error_reading(directory.file("cut", bytes.substr(0, length)), nullptr).has_value());
  BOOST_TEST(error_reading(directory.file("longer", bytes + '\0'), nullptr).has_value());
  BOOST_TEST(!error_reading(directory.file("whole", bytes), nullptr).has_value());
}

BOOST_AUTO_TEST_CASE(every_flipped_bit_is_noticed) {
  const TemporaryDirectory directory;
  const std::string bytes = contents_of(sample_file(directory));
  BOOST_TEST(SafetensorsFile::open(directory / "sample").has_checksum());
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      BOOST_TEST_REQUIRE(error_reading(directory.file("flipped", changed), nullptr).has_value(), "byte " << i << ", bit " << bit);
    }
  std::string number = bytes;
  number.back() ^= 1;
  BOOST_TEST(error_reading(directory.file("flipped", number), nullptr).value() ==
             "safetensors: " + directory / "flipped" +
                 " is damaged: its checksum does not match its content (a program that edits the file must drop checksum and "
                 "checksum_algorithm from its metadata)");
}

BOOST_AUTO_TEST_CASE(incomplete_checksums_are_refused) {
  const TemporaryDirectory directory;
  for (const std::string metadata :
       {R"("checksum":"0")", R"("checksum_algorithm":"XXH3-128")", R"("checksum" : "00000000000000000000000000000000")",
        R"("checksum":"0","checksum_algorithm":"XXH3-128")"}) {
    const std::string path = directory.file("half", file_bytes("{\"__metadata__\":{" + metadata + "}}"));
    BOOST_TEST(error_of([&] { SafetensorsFile::open(path); }) ==
               "safetensors: " + path + " is damaged: the checksum or checksum_algorithm in its metadata is invalid");
  }
}

BOOST_AUTO_TEST_CASE(a_name_that_looks_like_a_checksum_is_a_name) {
  const TemporaryDirectory directory;
  SafetensorsWriter writer;
  const std::string zeros(32, '0');
  for (const std::string& name : {R"({"checksum":")" + zeros + "\"", R"(,"checksum":")" + zeros + "\"", std::string("checksum")})
    writer.add(name, Tensor<float>({1}, {1}));
  writer.metadata(R"(a","checksum)", zeros);
  writer.save(directory / "a");
  BOOST_TEST(SafetensorsFile::open(directory / "a").names().size() == 3U);
}

BOOST_AUTO_TEST_CASE(without_a_checksum_every_flipped_bit_of_the_header_is_refused_or_harmless) {
  const TemporaryDirectory directory;
  const std::string path = sample_file(directory);
  const auto original = SafetensorsFile::open(path);
  const std::string bytes = without_checksum(contents_of(path));
  const std::size_t header_end = 8 + static_cast<unsigned char>(bytes[0]) + 256 * static_cast<unsigned char>(bytes[1]);
  int refused = 0;
  for (std::size_t i = 0; i < header_end; ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      refused += error_reading(directory.file("flipped", changed), &original).has_value();
    }
  BOOST_TEST(refused > 1000);  // harmless damage changes letters within names, or the padding
}

BOOST_AUTO_TEST_CASE(random_damage_is_refused_or_harmless) {
  const TemporaryDirectory directory;
  const std::string bytes = without_checksum(contents_of(sample_file(directory)));
  BOOST_TEST(!error_reading(directory.file("whole", bytes), nullptr).has_value());
  const std::vector<std::string> tokens = {"{",
                                           "}",
                                           "[",
                                           "]",
                                           ",",
                                           ":",
                                           "\"",
                                           "0",
                                           "-1",
                                           "99999999999999999999",
                                           "1e9",
                                           "null",
                                           "\\u0000",
                                           "\"shape\"",
                                           "\"data_offsets\"",
                                           "\"dtype\"",
                                           "\"F64\"",
                                           "\"C64\"",
                                           "\"__metadata__\"",
                                           std::string(1, '\0'),
                                           "\xff",
                                           "\xed\xa0\x80",
                                           " "};
  const Random random(2024);
  std::uint64_t draw = 0;
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random.below(draw++, n)); };
  int refused = 0;
  constexpr int rounds = 6000;
  for (int round = 0; round < rounds; ++round) {
    std::string header = bytes.substr(8);
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
      const std::size_t at = below(header.size());
      switch (below(4)) {
        case 0: header.insert(at, tokens[below(tokens.size())]); break;
        case 1: header.erase(at, 1 + below(8)); break;
        case 2: header[at] = static_cast<char>(below(256)); break;
        default: header.insert(at, header.substr(below(header.size()), below(40))); break;  // repeats a piece
      }
    }
    // Usually the declared length fits the damaged header; occasionally it is arbitrary.
    const std::uint64_t length =
        below(3) != 0 ? header.size() - std::min<std::size_t>(header.size(), 100) : below(2 * header.size());
    refused += error_reading(directory.file("damaged", std::string(reinterpret_cast<const char*>(&length), 8) + header), nullptr)
                   .has_value();
  }
  BOOST_TEST(refused > rounds / 2);
}

BOOST_AUTO_TEST_SUITE_END()
