#pragma once
/// By what a run is made: the program, the processor, the kernels that multiply. A run's log says it (docs/log.md).

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace argand {

/// What this program calls itself: a version, and the commit that it was built from, or "". To be said before anything is trained.
void name_program(const std::string& version, const std::string& commit);

/// {"argand": version, "commit": ..., "processor": its model, "level": of x86-64 that runs, "blas": OpenBLAS's kernels,
/// "threads": how many compute}; what is not known is not there.
nlohmann::ordered_json made_by();

}  // namespace argand
