/// Boost.Test as a header, for builds without its library (-Dheader_only=true).

#include <boost/test/included/unit_test.hpp>
