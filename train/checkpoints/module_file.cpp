#include "train/checkpoints/module_file.h"

#include "train/checkpoints/stored_state.h"

namespace argand {
namespace {

constexpr const char* module_format = "argand-module/1";

}  // namespace

template <RealScalar R>
void save_module(const std::string& path, const Module<R>& module, const Optimizer<R>* optimizer, std::int64_t step) {
  SafetensorsWriter writer;
  add_parameters<R>(writer, parameters_of(module), buffers_of(module));
  if (optimizer != nullptr) add_optimizer(writer, *optimizer);
  writer.metadata("format", module_format);
  writer.metadata("step", fmt::format("{}", step));
  writer.save(path);
}

template <RealScalar R>
std::int64_t load_module(const std::string& path, const Module<R>& module, Optimizer<R>* optimizer) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  const auto format = file.metadata().find("format");
  require(format != file.metadata().end() && format->second == module_format, "load_module",
          "{} was not written by save_module (its metadata has no format {})", path, module_format);
  const std::int64_t step = metadata_number<std::int64_t>("load_module", file, "step");
  // Load the optimiser first: it changes nothing unless its entire state fits, and only then are the parameters loaded.
  const ParameterList<R> parameters = parameters_of(module);
  const BufferList<R> buffers = buffers_of(module);
  require_stored<R>("load_module", file, parameters, buffers);
  if (optimizer != nullptr) load_optimizer<R>("load_module", file, std::nullopt, *optimizer);
  load_stored<R>(file, parameters, buffers);
  return step;
}

#define ARGAND_MODULE_FILE(R)                                                                         \
  template void save_module(const std::string&, const Module<R>&, const Optimizer<R>*, std::int64_t); \
  template std::int64_t load_module(const std::string&, const Module<R>&, Optimizer<R>*);
ARGAND_FOR_REAL(ARGAND_MODULE_FILE)

}  // namespace argand
