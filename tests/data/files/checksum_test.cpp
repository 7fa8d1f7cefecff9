#include "data/files/checksum.h"

#include <boost/test/unit_test.hpp>

using namespace argand;

BOOST_AUTO_TEST_SUITE(checksum)

/// The expected values were printed by `xxhsum -H2` from Debian's package xxhash.
BOOST_AUTO_TEST_CASE(is_that_of_the_program_xxhsum) {
  BOOST_TEST(checksum_of("") == "99aa06d3014798d86001c324468d497f");
  BOOST_TEST(checksum_of("argand\n") == "29511b3aa5a9ba78376a91df576a1332");
}

BOOST_AUTO_TEST_CASE(does_not_depend_on_the_pieces) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * i % 251);
  for (std::size_t cut : {0U, 1U, 16U, 17U, 240U, 241U, 512U, 999U, 1000U})
    BOOST_TEST(Checksum().add(text.substr(0, cut)).add(text.substr(cut)).hex() == checksum_of(text), cut);
  Checksum sum;
  sum.add(text);
  BOOST_TEST(sum.hex() == sum.hex());
  text[500] ^= 1;
  BOOST_TEST(sum.hex() != checksum_of(text));
}

BOOST_AUTO_TEST_SUITE_END()
