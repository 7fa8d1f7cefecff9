#include "optim/state.h"

#include <algorithm>
#include <map>

namespace argand {
namespace {

template <RealScalar R>
std::string describe(const AnyTensorOf<R>& tensor) {
  return std::visit([]<Scalar T>(const Tensor<T>& x) { return fmt::format("{} {}", scalar_name<T>(), x.shape()); }, tensor);
}

}  // namespace

template <RealScalar R>
std::vector<AnyTensorOf<R>> zeros_like_each(const ParameterList<R>& parameters) {
  std::vector<AnyTensorOf<R>> zeros;
  for (const Parameter<R>& p : parameters)
    zeros.push_back(std::visit([]<Scalar T>(const Var<T>& v) -> AnyTensorOf<R> { return Tensor<T>::zeros(v.shape()); }, p.var));
  return zeros;
}

template <RealScalar R>
const AnyTensorOf<R>& OptimizerState<R>::tensor(std::string_view name) const& {
  for (const Entry& entry : tensors)
    if (entry.name == name) return entry.value;
  fail("optimizer state", "{} is missing", name);
}

template <RealScalar R>
void check_state(const OptimizerState<R>& saved, const OptimizerState<R>& own) {
  require(saved.steps >= 0, "optimizer state", "the number of steps must not be negative, got {}", saved.steps);
  std::map<std::string, const AnyTensorOf<R>*> found;
  for (const auto& entry : saved.tensors) {
    const bool first = found.emplace(entry.name, &entry.value).second;
    require(first, "optimizer state", "{} appears twice", entry.name);
  }
  for (const auto& entry : own.tensors) {
    const auto it = found.find(entry.name);
    require(it != found.end(), "optimizer state", "{} is missing", entry.name);
    const std::string given = describe<R>(*it->second), needed = describe<R>(entry.value);
    const bool moments = entry.name.starts_with("v.") && it->second->index() != entry.value.index();
    require(
        given == needed, "optimizer state", "{} is {}, but this model needs {}{}", entry.name, given, needed,
        moments ? "; for a complex parameter, the second moment is complex with complex_moments two and real with modulus" : "");
  }
  for (const auto& entry : saved.tensors)
    require(std::any_of(own.tensors.begin(), own.tensors.end(), [&](const auto& e) { return e.name == entry.name; }),
            "optimizer state", "{} does not belong to this optimizer", entry.name);
}

template struct OptimizerState<float>;
template struct OptimizerState<double>;
#define ARGAND_OPTIMIZER_STATE(R)                                                \
  template std::vector<AnyTensorOf<R>> zeros_like_each(const ParameterList<R>&); \
  template void check_state(const OptimizerState<R>&, const OptimizerState<R>&);
ARGAND_FOR_REAL(ARGAND_OPTIMIZER_STATE)

}  // namespace argand
