/// Ops written in Python (argand.op): functions of NumPy arrays for the value, the vector-Jacobian product and, optionally, the
/// tangent.

#include "autograd/forward.h"
#include "autograd/ops/custom_op.h"
#include "python/binding/arrays.h"
#include "python/binding/bindings.h"
#include "python/binding/held.h"
#include "python/binding/tensor_object.h"

namespace argand::python {
namespace {

py::list views_of(const std::vector<AnyVar>& inputs) {
  py::list arrays;
  for (const AnyVar& x : inputs) arrays.append(view_of(x));
  return arrays;
}

template <Scalar T>
Tensor<T> tensor_from(const Op& op, const py::handle& o, const std::string& what, const Shape& shape) {
  const AnyVar x = constant_of(o.ptr(), op.name().c_str());
  require(shape_of(x) == shape, op.name(), "{} has shape {}, expected {}", what, shape_of(x), shape);
  require(ComplexScalar<T> || !is_complex(x), op.name(), "{} is complex, but must be real: take its real part", what);
  return std::get<Var<T>>(converted(x, scalar_name<T>())).value();
}

/// The data of one call that backward passes need.
struct OwnCall {
  const Op* op;
  Held vjp;                    ///< vjp(dw, [x], w) -> [dx]
  std::vector<AnyVar> inputs;  ///< the input values, as constants
  AnyVar output;
  std::vector<std::shared_ptr<SlotBase>> slots;

  template <Scalar T>
  void backward(const Tensor<T>& dw) const {
    const py::gil_scoped_acquire lock;
    const py::sequence gradients = vjp.get()(view_of(dw), views_of(inputs), view_of(output));
    require(gradients.size() == inputs.size(), op->name(), "got {} gradients for {} inputs", gradients.size(), inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (slots[i] == nullptr) continue;
      std::visit(
          [&]<class X>(const Var<X>& x) {
            const py::object dx = gradients[i];
            if (dx.is_none()) return;
            GradientAccumulator<X>(Var<X>(x.value(), std::static_pointer_cast<Slot<X>>(slots[i])))
                .add(tensor_from<X>(*op, dx, fmt::format("the gradient of input {}", i), x.shape()));
          },
          inputs[i]);
    }
  }
};

AnyVar detached(const AnyVar& x) {
  return std::visit([](const auto& v) -> AnyVar { return v.detach(); }, x);
}

bool moves(const AnyVar& x) {
  return std::visit([](const auto& v) { return v.has_tangent(); }, x);
}

AnyVar tangent_or_zeros(const AnyVar& x) {
  return std::visit([](const auto& v) -> AnyVar { return tangent(v).detach(); }, x);
}

/// Calls w = value(*x) with arrays. `vjp` and `jvp` may be None; jvp([v], [x], w) returns the derivative of w along v.
py::object call_own_op(const std::string& name, const py::function& value, const py::object& vjp, const py::object& jvp,
                       const py::list& arguments) {
  const Op& op = Op::custom(name);
  std::vector<py::object> kept;
  std::vector<TensorObject*> operands;
  std::vector<AnyVar> inputs;
  bool wants = false, moving = false;
  for (const py::handle argument : arguments) {
    kept.push_back(is_tensor(argument.ptr()) ? py::reinterpret_borrow<py::object>(argument)
                                             : py::reinterpret_steal<py::object>(wrap(constant_of(argument.ptr(), name.c_str()))));
    operands.push_back(as_tensor(kept.back().ptr()));
    inputs.push_back(detached(operands.back()->var));
    wants = wants || slot_of(operands.back()->var) != nullptr;
    moving = moving || moves(operands.back()->var);
  }
  wants = wants && recording();
  moving = moving && Context::current().forward();
  const py::object w = value(*py::tuple(views_of(inputs)));
  AnyVar output = detached(constant_of(w.ptr(), name.c_str()));
  if (moving) {
    require(!jvp.is_none(), name, "has no forward mode; define one with @{}.jvp", name);
    require(!wants, name, "has no second derivative: its vjp and jvp are not recorded");
    std::vector<AnyVar> directions;
    for (const TensorObject* x : operands) directions.push_back(tangent_or_zeros(x->var));
    const py::object dot = jvp(views_of(directions), views_of(inputs), view_of(output));
    return std::visit(
        [&]<class T>(const Var<T>& v) {
          return py::reinterpret_steal<py::object>(wrap(v.with_tangent(Var<T>(tensor_from<T>(op, dot, "the tangent", v.shape())))));
        },
        output);
  }
  if (!wants) return py::reinterpret_steal<py::object>(wrap(std::move(output)));
  require(!vjp.is_none(), name, "has no gradient yet; define one with @{}.vjp", name);
  auto call = std::make_shared<OwnCall>(OwnCall{&op, Held(vjp), inputs, output, {}});
  for (const TensorObject* x : operands) call->slots.push_back(slot_of(x->var));
  return std::visit(
      [&]<class T>(const Var<T>& v) {
        auto slot = std::make_shared<Slot<T>>(v.shape(), true);
        slot->value = v.value();
        const NodePtr node = recorded_node(op.name(), Var<T>(slot),
                                           {{slot, BackwardClosure([call, raw = slot.get()] { call->backward(raw->grad); })}});
        for (TensorObject* x : operands) node->inputs.push_back(node_of(x));
        return py::reinterpret_steal<py::object>(wrap(Var<T>(std::move(slot)), node));
      },
      output);
}

}  // namespace

void bind_own_op(py::module_& m) {
  m.def("call_own_op", &call_own_op, py::arg("name"), py::arg("value"), py::arg("vjp"), py::arg("jvp"), py::arg("arguments"));
  m.def(
      "require_free_name", [](const std::string& name) { Op::custom(name); }, py::arg("name"));
}

}  // namespace argand::python
