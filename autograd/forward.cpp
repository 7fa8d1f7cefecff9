#include "autograd/forward.h"

#include "autograd/gradients.h"

namespace argand {

template <Scalar T>
Var<T> tangent(const Var<T>& z) {
  if (auto dot = z.tangent()) return *std::move(dot);
  return Var<T>(Tensor<T>::zeros(z.shape()));
}

ForwardMode::ForwardMode() : context_(Context::current()), before_(std::exchange(context_.forward_, true)) {}
ForwardMode::~ForwardMode() {
  context_.forward_ = before_;
  for (const auto& forget : forget_) forget();
}

template <RealScalar R>
std::vector<AnyTensorOf<R>> hvp(const std::function<Var<R>()>& loss, const ParameterList<R>& parameters,
                                const std::vector<AnyTensorOf<R>>& v) {
  require_variables(parameters, "hvp");
  require(v.size() == parameters.size(), "hvp", "got {} vectors for {} parameters", v.size(), parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i)
    require(v[i].index() == parameters[i].var.index(), "hvp", "the vector for {} is {}, but the parameter is {}",
            parameters[i].name, v[i].index() == 1 ? "complex" : "real", parameters[i].is_complex() ? "complex" : "real");
  Tape tape;
  ForwardMode forward;
  forward.set_directions(parameters, v);
  const Var<R> slope = tangent(loss());
  if (slope.requires_grad()) return gradients(slope, parameters);
  std::vector<AnyTensorOf<R>> zeros;
  for (const Parameter<R>& p : parameters)
    zeros.push_back(std::visit([]<Scalar T>(const Var<T>& x) -> AnyTensorOf<R> { return Tensor<T>::zeros(x.shape()); }, p.var));
  return zeros;
}

#define ARGAND_TANGENT(T) template Var<T> tangent(const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_TANGENT)
template std::vector<AnyTensorOf<float>> hvp(const std::function<Var<float>()>&, const ParameterList<float>&,
                                             const std::vector<AnyTensorOf<float>>&);
template std::vector<AnyTensorOf<double>> hvp(const std::function<Var<double>()>&, const ParameterList<double>&,
                                              const std::vector<AnyTensorOf<double>>&);

}  // namespace argand
