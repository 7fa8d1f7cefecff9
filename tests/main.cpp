
#define BOOST_TEST_MODULE argand
#include <boost/test/unit_test.hpp>
