#include "autograd/gradients.h"

namespace argand {

template <RealScalar R>
std::vector<AnyTensorOf<R>> gradients(const Var<R>& loss, const ParameterList<R>& parameters) {
  require_variables(parameters, "gradients");
  Tape& tape = Tape::current();
  KeptGradients kept(tape);
  for (const Parameter<R>& p : parameters) std::visit([&](const auto& x) { kept.keep(x.slot()); }, p.var);
  zero_grad(parameters);
  tape.backward(loss);
  std::vector<AnyTensorOf<R>> found;
  for (const Parameter<R>& p : parameters)
    found.push_back(std::visit([](const auto& x) -> AnyTensorOf<R> { return x.grad(); }, p.var));
  return found;
}

#define ARGAND_GRADIENTS(R) template std::vector<AnyTensorOf<R>> gradients(const Var<R>&, const ParameterList<R>&);
ARGAND_FOR_REAL(ARGAND_GRADIENTS)

}  // namespace argand
