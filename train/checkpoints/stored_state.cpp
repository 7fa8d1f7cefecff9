#include "train/checkpoints/stored_state.h"

#include <set>

#include "core/machine/number.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

const char* kind_of(bool is_complex) { return is_complex ? "complex" : "real"; }

}  // namespace

bool is_resume_state(const std::string& name) { return name.starts_with(optimizer_prefix) || name.starts_with(encodings_prefix); }

template <class T>
T metadata_number(const char* what, const SafetensorsFile& file, const std::string& key) {
  const std::string& text = file.metadata(key);
  T value{};
  const auto [end, error] = number_from(text.data(), text.data() + text.size(), value);
  require(error == std::errc() && end == text.data() + text.size(), what, "{}: {} is {}, not a number", file.path(), key,
          in_quotes(text));
  return value;
}

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
    require(wanted.contains(name) || is_resume_state(name), what, "{}: {} is not a parameter of this model", file.path(),
            in_quotes(name));
}

template <RealScalar R>
void load_stored(const SafetensorsFile& file, const ParameterList<R>& parameters, const BufferList<R>& buffers) {
  for (Parameter<R> p : parameters) std::visit([&](auto& v) { file.load(p.name, v.value()); }, p.var);
  for (const Buffer<R>& b : buffers) std::visit([&](auto* x) { file.load(b.name, *x); }, b.tensor);
}

template <RealScalar R>
void load_optimizer(const char* what, const SafetensorsFile& file, std::optional<std::int64_t> step, Optimizer<R>& optimizer) {
  require(file.metadata().contains("optimizer_steps"), what, "{} cannot be resumed: it has no optimizer state", file.path());
  OptimizerState<R> memory = optimizer.state();
  memory.steps = metadata_number<std::int64_t>(what, file, "optimizer_steps");
  require(!step || memory.steps == *step, what, "{}: the optimizer has taken {} steps, but the run {}", file.path(), memory.steps,
          step.value_or(0));
  std::set<std::string> wanted;
  for (auto& entry : memory.tensors) {
    const std::string name = optimizer_prefix + entry.name;
    require(file.contains(name), what, "{}: {} is missing", file.path(), name);
    // Read with the scalar type in the file; the optimiser checks whether that is the type it needs.
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

template std::int64_t metadata_number(const char*, const SafetensorsFile&, const std::string&);
template double metadata_number(const char*, const SafetensorsFile&, const std::string&);

#define ARGAND_STORED_STATE(R)                                                                                      \
  template void add_parameters(SafetensorsWriter&, const ParameterList<R>&, const BufferList<R>&);                  \
  template void add_optimizer(SafetensorsWriter&, const Optimizer<R>&);                                             \
  template void require_stored(const char*, const SafetensorsFile&, const ParameterList<R>&, const BufferList<R>&); \
  template void load_stored(const SafetensorsFile&, const ParameterList<R>&, const BufferList<R>&);                 \
  template void load_optimizer(const char*, const SafetensorsFile&, std::optional<std::int64_t>, Optimizer<R>&);
ARGAND_FOR_REAL(ARGAND_STORED_STATE)

}  // namespace argand
