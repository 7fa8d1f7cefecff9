#include "train/checkpoints/module_file.h"

#include <set>

#include "core/machine/number.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

constexpr const char *format_name = "argand-module/1", *optimizer_prefix = "optimizer.";

const char* kind_of(bool is_complex) { return is_complex ? "complex" : "real"; }

}  // namespace

bool is_memory(const std::string& name) { return name.starts_with(optimizer_prefix) || name.starts_with("encodings."); }

std::int64_t whole_number(const char* what, const SafetensorsFile& file, const std::string& key) {
  const std::string& text = file.metadata(key);
  std::int64_t value = 0;
  const auto [end, error] = number_from(text.data(), text.data() + text.size(), value);
  require(error == std::errc() && end == text.data() + text.size(), what, "{}: {} is {}, not a number", file.path(), key,
          in_quotes(text));
  return value;
}

namespace {

/// Throws unless the file has exactly these names with these shapes.
template <RealScalar R>
void require_stored(const char* what, const SafetensorsFile& file, const ParameterList<R>& parameters,
                    const BufferList<R>& buffers) {
  std::set<std::string> wanted;
  const auto check = [&](const char* role, const std::string& name, bool is_complex, const Shape& shape) {
    require(file.contains(name), what, "{}: {} {} is missing", file.path(), role, name);
    const StoredTensor& stored = file.info(name);
    require(stored.is_complex == is_complex && stored.shape == shape, what, "{}: {} is {} {}, but the model expects {} {}",
            file.path(), name, kind_of(stored.is_complex), stored.shape, kind_of(is_complex), shape);
    wanted.insert(name);
  };
  for (const Parameter<R>& p : parameters) check("parameter", p.name, p.is_complex(), p.shape());
  for (const Buffer<R>& b : buffers)
    std::visit([&]<Scalar T>(const Tensor<T>* x) { check("buffer", b.name, ComplexScalar<T>, x->shape()); }, b.tensor);
  for (const std::string& name : file.names())
    require(wanted.contains(name) || is_memory(name), what, "{}: {} is not a parameter of this model", file.path(),
            in_quotes(name));
}

}  // namespace

template <RealScalar R>
void add_parameters(SafetensorsWriter& writer, const ParameterList<R>& parameters, const BufferList<R>& buffers) {
  for (const Parameter<R>& p : parameters) std::visit([&](const auto& v) { writer.add(p.name, v.value()); }, p.var);
  for (const Buffer<R>& b : buffers) std::visit([&](const auto* x) { writer.add(b.name, *x); }, b.tensor);
}

template <RealScalar R>
void add_optimizer(SafetensorsWriter& writer, const Optimizer<R>& optimizer) {
  const OptimizerState<R> memory = optimizer.state();
  for (const auto& entry : memory.tensors)
    std::visit([&](const auto& x) { writer.add(optimizer_prefix + entry.name, x); }, entry.value);
  writer.metadata("optimizer_steps", fmt::format("{}", memory.steps));
}

template <RealScalar R>
void load_parameters(const char* what, const SafetensorsFile& file, const ParameterList<R>& parameters,
                     const BufferList<R>& buffers) {
  require_stored(what, file, parameters, buffers);
  for (Parameter<R> p : parameters) std::visit([&](auto& v) { file.load(p.name, v.value()); }, p.var);
  for (const Buffer<R>& b : buffers) std::visit([&](auto* x) { file.load(b.name, *x); }, b.tensor);
}

template <RealScalar R>
void load_optimizer(const char* what, const SafetensorsFile& file, std::optional<std::int64_t> step, Optimizer<R>& optimizer) {
  require(file.metadata().contains("optimizer_steps"), what, "{} cannot be resumed: it has no optimizer state", file.path());
  OptimizerState<R> memory = optimizer.state();
  memory.steps = whole_number(what, file, "optimizer_steps");
  require(!step || memory.steps == *step, what, "{}: the optimizer has taken {} steps, but the run {}", file.path(), memory.steps,
          step.value_or(0));
  std::set<std::string> wanted;
  for (auto& entry : memory.tensors) {
    const std::string name = optimizer_prefix + entry.name;
    require(file.contains(name), what, "{}: {} is missing", file.path(), name);
    // Read with the file's scalar type; the optimiser checks whether that is the type it needs.
    if (file.info(name).is_complex)
      entry.value = file.tensor<std::complex<R>>(name);
    else
      entry.value = file.tensor<R>(name);
    wanted.insert(name);
  }
  for (const std::string& name : file.names())
    require(wanted.contains(name) || !name.starts_with(optimizer_prefix), what, "{}: {} does not belong to this optimizer",
            file.path(), in_quotes(name));
  optimizer.load_state(memory);
}

template <RealScalar R>
void save_module(const std::string& path, const Module<R>& module, const Optimizer<R>* optimizer, std::int64_t step) {
  SafetensorsWriter writer;
  add_parameters<R>(writer, parameters_of(module), buffers_of(module));
  if (optimizer != nullptr) add_optimizer(writer, *optimizer);
  writer.metadata("format", format_name);
  writer.metadata("step", fmt::format("{}", step));
  writer.save(path);
}

template <RealScalar R>
std::int64_t load_module(const std::string& path, const Module<R>& module, Optimizer<R>* optimizer) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  const auto format = file.metadata().find("format");
  require(format != file.metadata().end() && format->second == format_name, "load_module",
          "{} was not written by save_module (its metadata has no format {})", path, format_name);
  const std::int64_t step = whole_number("load_module", file, "step");
  // The optimiser first: it changes nothing unless all of its state fits, and only then are the parameters read.
  const ParameterList<R> parameters = parameters_of(module);
  const BufferList<R> buffers = buffers_of(module);
  require_stored<R>("load_module", file, parameters, buffers);
  if (optimizer != nullptr) load_optimizer<R>("load_module", file, std::nullopt, *optimizer);
  load_parameters<R>("load_module", file, parameters, buffers);
  return step;
}

#define ARGAND_MODULE_FILE(R)                                                                                        \
  template void add_parameters(SafetensorsWriter&, const ParameterList<R>&, const BufferList<R>&);                   \
  template void add_optimizer(SafetensorsWriter&, const Optimizer<R>&);                                              \
  template void load_parameters(const char*, const SafetensorsFile&, const ParameterList<R>&, const BufferList<R>&); \
  template void load_optimizer(const char*, const SafetensorsFile&, std::optional<std::int64_t>, Optimizer<R>&);     \
  template void save_module(const std::string&, const Module<R>&, const Optimizer<R>*, std::int64_t);                \
  template std::int64_t load_module(const std::string&, const Module<R>&, Optimizer<R>*);
ARGAND_FOR_REAL(ARGAND_MODULE_FILE)

}  // namespace argand
