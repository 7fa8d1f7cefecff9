#ifndef ARGAND_APPS_PRECOMPILED_HPP  // not `#pragma once`: GCC warns of it in a header that is compiled
#define ARGAND_APPS_PRECOMPILED_HPP
/// What nearly every file of apps/ includes, compiled once: CLI11 alone takes seconds.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#endif
