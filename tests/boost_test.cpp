/// Boost.Test as it comes without its library (-Dheader_only=true).

#include <boost/test/included/unit_test.hpp>
