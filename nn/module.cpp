#include "nn/module.h"

namespace argand {

template <RealScalar R>
void copy_parameters(const Module<R>& from, const Module<R>& to) {
  const ParameterList<R> source = parameters_of(from);
  ParameterList<R> target = parameters_of(to);
  require(source.size() == target.size(), "copy_parameters", "parameter counts do not match: {} and {}", source.size(),
          target.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    require(source[i].name == target[i].name, "copy_parameters", "parameter {} is {} in one module and {} in the other", i,
            source[i].name, target[i].name);
    require(source[i].is_complex() == target[i].is_complex() && source[i].shape() == target[i].shape(), "copy_parameters",
            "{} is {} {} in one module and {} {} in the other", source[i].name, source[i].is_complex() ? "complex" : "real",
            source[i].shape(), target[i].is_complex() ? "complex" : "real", target[i].shape());
  }
  const BufferList<R> kept = buffers_of(from), buffers = buffers_of(to);
  require(kept.size() == buffers.size(), "copy_parameters", "buffer counts do not match: {} and {}", kept.size(), buffers.size());
  for (std::size_t i = 0; i < kept.size(); ++i)
    std::visit(
        [&]<class T>(const T* tensor) {
          const auto* other = std::get_if<T*>(&buffers[i].tensor);
          require(kept[i].name == buffers[i].name && other != nullptr && (*other)->shape() == tensor->shape(), "copy_parameters",
                  "buffer {} is {} {} in one module and {} in the other", i, kept[i].name, tensor->shape(), buffers[i].name);
        },
        kept[i].tensor);
  for (std::size_t i = 0; i < kept.size(); ++i)
    std::visit([&]<class T>(T* tensor) { *tensor = std::get<T*>(kept[i].tensor)->clone(); }, buffers[i].tensor);
  for (std::size_t i = 0; i < source.size(); ++i)
    std::visit([&]<class V>(V& v) { v.value() = std::get<V>(source[i].var).value(); }, target[i].var);
}

template void copy_parameters(const Module<float>&, const Module<float>&);
template void copy_parameters(const Module<double>&, const Module<double>&);

}  // namespace argand
