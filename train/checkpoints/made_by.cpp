#include "train/checkpoints/made_by.h"

#include "core/machine/blas.h"
#include "core/machine/cpu.h"
#include "core/machine/level.h"
#include "core/parallel.h"

namespace argand {
namespace {

struct ProgramName {
  std::string version, commit;
};

ProgramName& program_name() {
  static ProgramName name;
  return name;
}

}  // namespace

void name_program(const std::string& version, const std::string& commit) { program_name() = {version, commit}; }

nlohmann::ordered_json made_by() {
  nlohmann::ordered_json facts = nlohmann::ordered_json::object();
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) facts[key] = value;
  };
  add("argand", program_name().version);
  add("commit", program_name().commit);
  add("processor", processor_name());
  add("level", std::string(level_name(library_level())));
  add("blas", blas_kernels_name());
  facts["threads"] = num_threads();
  return facts;
}

}  // namespace argand
