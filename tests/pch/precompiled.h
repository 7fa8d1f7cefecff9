#pragma once
/// What every test includes, compiled once a program.

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>
