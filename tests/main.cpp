/// main() for each folder's test program.

#include <boost/test/unit_test.hpp>

#ifdef BOOST_TEST_DYN_LINK
int main(int argc, char** argv) {
  const auto name_the_suite = [] {
    boost::unit_test::framework::master_test_suite().p_name.value = "argand";
    return true;
  };
  return boost::unit_test::unit_test_main(name_the_suite, argc, argv);
}
#else  // Boost's static library provides main
boost::unit_test::test_suite* init_unit_test_suite(int, char**) {
  boost::unit_test::framework::master_test_suite().p_name.value = "argand";
  return nullptr;
}
#endif
