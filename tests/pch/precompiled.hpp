#ifndef ARGAND_TESTS_PRECOMPILED_HPP  // not `#pragma once`: GCC warns of it in a header that is compiled
#define ARGAND_TESTS_PRECOMPILED_HPP
/// What every test includes, compiled once a program.

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#endif
