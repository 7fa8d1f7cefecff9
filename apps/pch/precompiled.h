#pragma once
/// What nearly every file of apps/ includes, compiled once: CLI11 alone takes seconds.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>
