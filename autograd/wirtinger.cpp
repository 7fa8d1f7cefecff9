#include "autograd/wirtinger.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops/products/projection.h"
#include "autograd/tape.h"

namespace argand {
namespace {

constexpr double zero_tolerance = 1e-8;  // relative to the largest derivative

/// The derivatives ∂Re w/∂t and ∂Im w/∂t of every output along one axis of the input's plane.
struct Slope {
  std::complex<double> value;
  double error = 0, variation = 0;
  bool singular = false, flat = true;
};
std::vector<Slope> slopes(const std::vector<Derivative>& d) {
  std::vector<Slope> result;
  for (std::size_t k = 0; k + 1 < d.size(); k += 2)
    result.push_back({{d[k].central.value, d[k + 1].central.value},
                      std::hypot(d[k].central.error, d[k + 1].central.error),
                      std::max(d[k].variation, d[k + 1].variation),
                      d[k].kink || d[k].jump || d[k + 1].kink || d[k + 1].jump,
                      d[k].flat && d[k + 1].flat});
  return result;
}

/// Whether a derivative is 0 is judged relative to the size of derivatives nearby, `variation`, because a derivative may vanish at
/// a single point.
CauchyRiemann judge(const ComplexValues& dz, const ComplexValues& dzbar, const std::vector<double>& error, double variation) {
  double size_dz = 0, size_dzbar = 0, size_imaginary = 0, bar = 0;
  for (std::size_t k = 0; k < dz.size(); ++k) {
    bar = std::max(bar, error[k]);
    size_dz = std::max(size_dz, std::abs(dz[k]));
    size_dzbar = std::max(size_dzbar, std::abs(dzbar[k]));
    size_imaginary = std::max(size_imaginary, std::abs(dzbar[k] - std::conj(dz[k])));
  }
  const double tolerance = zero_tolerance * std::max({size_dz, size_dzbar, variation});
  if (!(bar <= tolerance)) return CauchyRiemann::Inconclusive;
  if (size_dzbar <= tolerance) return CauchyRiemann::Holomorphic;
  if (size_imaginary <= tolerance) return CauchyRiemann::RealValued;
  if (size_dz <= tolerance) return CauchyRiemann::Antiholomorphic;
  return CauchyRiemann::General;
}

}  // namespace

std::string_view cauchy_riemann_name(CauchyRiemann verdict) {
  switch (verdict) {
    case CauchyRiemann::Holomorphic: return "holomorphic";
    case CauchyRiemann::Antiholomorphic: return "antiholomorphic";
    case CauchyRiemann::RealValued: return "real-valued";
    case CauchyRiemann::General: return "general";
    case CauchyRiemann::Inconclusive: return "inconclusive";
  }
  return "?";
}

WirtingerResult wirtinger(const CheckedFunction& f, const std::vector<AnyTensor>& inputs, std::size_t input,
                          const RiddersOptions& options) {
  const ScalarProjection projected(f, inputs);
  require(input < inputs.size() && projected.input_is_complex(input), "wirtinger", "input {} is not a complex tensor", input);
  std::vector<Functional> functionals;  // Re w_k and Im w_k
  for (std::size_t k = 0; k < projected.output().size(); ++k)
    for (const std::complex<double> part : {std::complex(1.0, 0.0), std::complex(0.0, 1.0)}) functionals.push_back({{{k, part}}});

  WirtingerResult result{.inputs = projected.input_size(input), .outputs = static_cast<std::int64_t>(projected.output().size())};
  const auto size = static_cast<std::size_t>(result.inputs * result.outputs);
  result.dz.resize(size);
  result.dzbar.resize(size);
  result.error.resize(size);
  result.output_is_complex = projected.output_is_complex();
  bool singular = false, constant = true;
  double variation = 0;
  const std::complex<double> i(0, 1);
  for (std::int64_t e = 0; e < result.inputs; ++e) {
    const auto x = slopes(projected.numerical(input, e, false, functionals, options));
    const auto y = slopes(projected.numerical(input, e, true, functionals, options));
    for (std::size_t k = 0; k < x.size(); ++k) {
      const std::size_t place = k * static_cast<std::size_t>(result.inputs) + static_cast<std::size_t>(e);
      result.dz[place] = (x[k].value - i * y[k].value) * 0.5;
      result.dzbar[place] = (x[k].value + i * y[k].value) * 0.5;
      result.error[place] = std::hypot(x[k].error, y[k].error) / 2;
      singular = singular || x[k].singular || y[k].singular;
      constant = constant && x[k].flat && y[k].flat;
      variation = std::max({variation, x[k].variation, y[k].variation});
    }
  }
  if (constant)
    result.verdict = CauchyRiemann::Holomorphic;
  else if (!singular)
    result.verdict = judge(result.dz, result.dzbar, result.error, variation);
  return result;
}

WirtingerDerivatives wirtinger(const std::function<std::complex<double>(std::complex<double>)>& f, std::complex<double> z,
                               const RiddersOptions& options) {
  using C = std::complex<double>;
  const CheckedFunction elementwise = [&f](const std::vector<AnyVar>& x) -> AnyVar {
    Tensor<C> w = std::get<Var<C>>(x[0]).value().clone();
    for (C& v : w) v = f(v);
    return Var<C>(std::move(w));
  };
  const WirtingerResult all = wirtinger(elementwise, {Tensor<C>::scalar(z)}, 0, options);
  return {all.dz[0], all.dzbar[0], all.error[0], all.verdict};
}

TapeWirtinger tape_wirtinger(const CheckedFunction& f, const std::vector<AnyTensor>& inputs, std::size_t input) {
  using C = std::complex<double>;
  require(input < inputs.size() && inputs[input].index() == 1, "wirtinger", "input {} is not a complex tensor", input);
  TapeWirtinger result;
  std::vector<ComplexValues> g;  // g(1), g(i)
  for (const C dw : {C(1, 0), C(0, 1)}) {
    Tape tape;
    std::vector<AnyVar> vars;
    for (const AnyTensor& x : inputs) std::visit([&](const auto& t) { vars.emplace_back(constant(t)); }, x);
    const Var<C> z = variable(std::get<Tensor<C>>(inputs[input]));
    vars[input] = z;
    std::visit(
        [&]<class T>(const Var<T>& w) {
          require(w.shape() == z.shape(), "wirtinger", "the function is not elementwise: {} -> {}", z.shape(), w.shape());
          result.value.assign(w.value().begin(), w.value().end());
          result.output_is_complex = ComplexScalar<T>;
          const auto L = [&] {
            if constexpr (ComplexScalar<T>)
              return projection(w, Tensor<T>::full(w.shape(), dw));
            else
              return projection(w, Tensor<T>::full(w.shape(), dw.real()));
          }();
          if (L.requires_grad()) tape.backward(L);
        },
        f(vars));
    const Tensor<C> dz = z.grad();
    g.emplace_back(dz.begin(), dz.end());
    if (!result.output_is_complex) break;
  }
  const C i(0, 1);
  for (std::size_t k = 0; k < g[0].size(); ++k) {
    result.dz.push_back(result.output_is_complex ? std::conj(g[0][k] - i * g[1][k]) * 0.5 : std::conj(g[0][k]) * 0.5);
    result.dzbar.push_back(result.output_is_complex ? (g[0][k] + i * g[1][k]) * 0.5 : g[0][k] * 0.5);
  }
  return result;
}

}  // namespace argand
