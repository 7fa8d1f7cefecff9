/// Exposes optim/ for lists of (name, Tensor), and the initial values of nn/init.h.

#include <pybind11/functional.h>

#include "nn/init.h"
#include "optim/adamw.h"
#include "optim/clip.h"
#include "optim/lbfgs.h"
#include "optim/muon.h"
#include "optim/rate.h"
#include "optim/sgd.h"
#include "python/binding/arrays.h"
#include "python/binding/bindings.h"
#include "python/binding/tensor_object.h"

namespace argand::python {
namespace {

using Named = std::vector<std::pair<std::string, py::object>>;

template <RealScalar R>
ParameterList<R> parameters_of(const Named& named) {
  ParameterList<R> list;
  for (const auto& [name, o] : named) {
    if (!is_tensor(o.ptr())) throw py::type_error(fmt::format("{}: expected a Tensor", name));
    std::visit(
        [&]<class T>(const Var<T>& v) {
          if constexpr (std::same_as<RealOf<T>, R>) {
            list.push_back({name, v});
          } else {
            fail("parameters", "{} is {}, but other parameters have a different precision", name, scalar_name<T>());
          }
        },
        as_tensor(o.ptr())->var);
  }
  return list;
}

template <RealScalar R>
py::dict dict_of(const OptimizerState<R>& state) {
  py::dict tensors;
  for (const auto& entry : state.tensors)
    tensors[py::str(entry.name)] = std::visit([](const auto& t) { return array_of(t); }, entry.value);
  py::dict d;
  d["steps"] = state.steps;
  d["tensors"] = tensors;
  return d;
}

template <RealScalar R>
OptimizerState<R> state_of(const py::dict& d) {
  OptimizerState<R> state;
  state.steps = d["steps"].cast<std::int64_t>();
  const py::dict tensors = d["tensors"];
  for (const std::pair<py::handle, py::handle> item : tensors) {
    const std::string name = py::str(item.first);
    const py::array a = py::reinterpret_borrow<py::array>(item.second);
    if (a.dtype().kind() == 'c')
      state.tensors.push_back({name, tensor_of<std::complex<R>>(a)});
    else
      state.tensors.push_back({name, tensor_of<R>(a)});
  }
  return state;
}

/// A loss computed in Python, as a scalar on a C++ tape: its backward pass runs on Python's graph.
template <RealScalar R>
Var<R> bridged(const py::function& loss, const ParameterList<R>& parameters) {
  const py::object L = loss();
  if (!is_tensor(L.ptr())) throw py::type_error("minimise: the loss is not a Tensor");
  TensorObject* const x = as_tensor(L.ptr());
  const auto* v = std::get_if<Var<R>>(&x->var);
  require(v != nullptr, "minimise", "the loss has type {}; it must be real, in the parameters' precision", scalar_name(x->var));
  require(v->size() == 1, "minimise", "requires a real scalar loss, got shape {}; sum or average first", v->shape());
  const auto found = gradients_of(x->var, x->node, [&] {
    std::vector<std::shared_ptr<SlotBase>> slots;
    for (const auto& p : parameters)
      slots.push_back(std::visit([](const auto& q) -> std::shared_ptr<SlotBase> { return q.slot(); }, p.var));
    return slots;
  }());
  static const Op& op = Op::custom("loss");
  const auto backward = [parameters, found](const Tensor<R>&) {
    for (std::size_t i = 0; i < parameters.size(); ++i)
      std::visit(
          [&]<class T>(const Var<T>& p) {
            if (found[i]) GradientAccumulator<T>(p).add(std::get<Tensor<T>>(*found[i]));
          },
          parameters[i].var);
  };
  const auto tangent = [](const Var<R>&) -> Var<R> { fail("loss", "does not support forward mode"); };
  const Tensor<R> value = Tensor<R>::scalar(v->value().item());
  return std::visit([&](const auto& input) { return record(op, value, backward, tangent, input); }, parameters.front().var);
}

template <RealScalar R>
void bind_precision(py::module_& m, const char* suffix) {
  const auto name = [&](const char* stem) { return std::string(stem) + suffix; };
  py::class_<Optimizer<R>>(m, name("Optimizer").c_str())
      .def("step", &Optimizer<R>::step, py::arg("lr"), py::arg("gradient_scale"))
      .def("state", [](const Optimizer<R>& o) { return dict_of(o.state()); })
      .def(
          "load_state", [](Optimizer<R>& o, const py::dict& d) { o.load_state(state_of<R>(d)); }, py::arg("state"));
  m.def(name("adamw").c_str(),
        [](const Named& p, double beta1, double beta2, double eps, double weight_decay, bool decay_all, bool modulus) {
          AdamWOptions options{beta1, beta2, eps, weight_decay, decay_all, modulus ? ComplexMoments::Modulus : ComplexMoments::Two};
          return std::unique_ptr<Optimizer<R>>(new AdamW<R>(parameters_of<R>(p), options));
        });
  m.def(name("muon").c_str(), [](const Named& p, double momentum, double weight_decay) {
    return std::unique_ptr<Optimizer<R>>(new Muon<R>(parameters_of<R>(p), MuonOptions{momentum, weight_decay}));
  });
  m.def(name("sgd").c_str(), [](const Named& p, double momentum, bool nesterov, double weight_decay) {
    return std::unique_ptr<Optimizer<R>>(new Sgd<R>(parameters_of<R>(p), SgdOptions{momentum, nesterov, weight_decay}));
  });
  m.def(name("grad_norm").c_str(), [](const Named& p) { return grad_norm(parameters_of<R>(p)); });
  m.def(name("scale_gradients").c_str(), [](const Named& p, double factor) { scale_gradients(parameters_of<R>(p), factor); });
  struct Minimiser {
    ParameterList<R> parameters;
    Lbfgs<R> lbfgs;
  };
  py::class_<Minimiser>(m, name("Lbfgs").c_str())
      .def(py::init([](const Named& p, int history, double flat) {
        const ParameterList<R> list = parameters_of<R>(p);
        return new Minimiser{list, Lbfgs<R>(list, {.history = history, .flat = flat})};
      }))
      .def("minimise", [](Minimiser& self, const py::function& loss, int iterations) {
        const Tape tape;
        const LbfgsReport r = self.lbfgs.minimise([&] { return bridged<R>(loss, self.parameters); }, iterations);
        const char* ends[] = {"iterations", "flat", "no lower"};
        py::dict d;
        d["loss"] = r.loss;
        d["gradient"] = r.gradient;
        d["iterations"] = r.iterations;
        d["evaluations"] = r.evaluations;
        d["end"] = ends[static_cast<int>(r.end)];
        return d;
      });
}

template <Scalar T>
py::object drawn(Init& init, const std::string& kind, const Shape& shape, double a, double b, Role role) {
  if (kind == "normal") return py::reinterpret_steal<py::object>(wrap(init.normal<T>(role, shape, a)));
  if (kind == "glorot") return py::reinterpret_steal<py::object>(wrap(init.glorot<T>(role, shape)));
  if (kind == "he") return py::reinterpret_steal<py::object>(wrap(init.he<T>(role, shape)));
  if (kind == "unitary") return py::reinterpret_steal<py::object>(wrap(init.unitary<T>(role, shape, a)));
  if (kind == "full") return py::reinterpret_steal<py::object>(wrap(init.full<T>(role, shape, a)));
  if constexpr (RealScalar<T>)
    if (kind == "uniform") return py::reinterpret_steal<py::object>(wrap(init.uniform<T>(role, shape, a, b)));
  fail("init", "{} is not supported for {}", kind, scalar_name<T>());
}

constexpr std::pair<const char*, Role> roles[] = {
    {"matrix", Role::Matrix}, {"embedding", Role::Embedding}, {"output", Role::Output}, {"bias", Role::Bias},
    {"gain", Role::Gain},     {"angle", Role::Angle},         {"other", Role::Other},
};

Role role_named(const std::string& name) {
  for (const auto& [known, role] : roles)
    if (name == known) return role;
  fail("role", "{} is not one of matrix, embedding, output, bias, gain, angle, other", name);
}

SlotBase& variable_slot(const py::object& x) {
  if (!is_tensor(x.ptr()) || !is_variable(as_tensor(x.ptr()))) throw py::type_error("role: expected a variable");
  return *slot_of(as_tensor(x.ptr())->var);
}

const char* role_of(const py::object& x) {
  const Role role = variable_slot(x).described().role;
  return std::find_if(std::begin(roles), std::end(roles), [&](const auto& r) { return r.second == role; })->first;
}

}  // namespace

void bind_optimizers(py::module_& m) {
  bind_precision<float>(m, "32");
  bind_precision<double>(m, "64");
  m.def("clip_factor", &clip_factor, py::arg("norm"), py::arg("max_norm"));
  m.def("constant_rate", &constant_rate, py::arg("rate"));
  m.def("linear_rate", &linear_rate, py::arg("start"), py::arg("end"), py::arg("steps"));
  m.def("cosine_rate", &cosine_rate, py::arg("start"), py::arg("end"), py::arg("steps"));
  m.def("exponential_rate", &exponential_rate, py::arg("start"), py::arg("factor"), py::arg("every") = 1);
  m.def("inverse_root_rate", &inverse_root_rate, py::arg("peak"), py::arg("warmup"));
  m.def("role_of", &role_of, py::arg("variable"));
  m.def(
      "set_role", [](const py::object& x, const std::string& name) { variable_slot(x).described().role = role_named(name); },
      py::arg("variable"), py::arg("name"));
  py::class_<Init>(m, "Init")
      .def(py::init<std::uint64_t>(), py::arg("seed"))
      .def(
          "draw",
          [](Init& init, const std::string& kind, const std::vector<std::int64_t>& sizes, const std::string& scalar,
             const std::string& role, double a, double b) {
            const Shape shape{std::span(sizes)};
            const Role r = role_named(role);
            if (scalar == "float32") return drawn<float>(init, kind, shape, a, b, r);
            if (scalar == "complex64") return drawn<std::complex<float>>(init, kind, shape, a, b, r);
            if (scalar == "complex128") return drawn<std::complex<double>>(init, kind, shape, a, b, r);
            return drawn<double>(init, kind, shape, a, b, r);
          },
          py::arg("kind"), py::arg("shape"), py::arg("scalar"), py::arg("role"), py::arg("a") = 0, py::arg("b") = 0);
}

}  // namespace argand::python
