/// The program around a room's tests.

#include <boost/test/unit_test.hpp>

int main(int argc, char** argv) {
  const auto name_the_suite = [] {
    boost::unit_test::framework::master_test_suite().p_name.value = "argand";
    return true;
  };
  return boost::unit_test::unit_test_main(name_the_suite, argc, argv);
}
