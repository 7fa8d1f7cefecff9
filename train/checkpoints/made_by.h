#pragma once
/// The environment of a run: program, processor, matrix kernels. A run's log records it (docs/log.md).

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace argand {

/// Sets the version and commit of the program; the commit may be "". Call this before training.
void name_program(const std::string& version, const std::string& commit);

/// {"argand": version, "commit": ..., "processor": model name, "level": the x86-64 level in use, "blas": OpenBLAS's kernels,
/// "threads": the number of threads}; unknown entries are left out.
nlohmann::ordered_json made_by();

}  // namespace argand
