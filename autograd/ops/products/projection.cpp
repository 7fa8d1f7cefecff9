#include "autograd/ops/products/projection.h"

#include "autograd/op_check.h"
#include "autograd/tape.h"
#include "core/kernels/elementwise.h"

namespace argand {

static const Op projection_op(
    {.name = "projection",
     .kind = Kind::RealValued,
     .equation = "L = Re Σ_k conj(W_k) z_k",
     .dz = "conj(W) / 2",
     .dzbar = "W / 2",
     .vjp = "dz = W dL",
     .jvp = "L̇ = Re Σ_k conj(W_k) ż_k",
     .derivation = "Re(conj(W) z) = (conj(W) z + W conj(z)) / 2, and dz = 2 (∂L/∂z̄) dL = W dL. W is a constant and L is "
                   "real-linear in z, so L̇ is the projection of ż.",
     .singular = "none",
     .source = "random-weight projections of a Jacobian: Griewank and Walther, Evaluating Derivatives, 3.1"},
    [](OpCheck& check) {
      const Tensor<double> W = check.real({3, 4});
      const Tensor<std::complex<double>> complex_W = check.complex({3, 4});
      check.function(
          "real", [W]<class R>(const Var<R>& x) { return projection(x, in_precision<R>(W)); }, check.real({3, 4}));
      check.function(
          "complex", [complex_W]<class C>(const Var<C>& z) { return projection(z, in_precision<RealOf<C>>(complex_W)); },
          check.complex({3, 4}));
      check.sizes("", [](OpCheck& at, std::int64_t n) {
        const Tensor<double> w = at.real({n});
        const Tensor<std::complex<double>> complex_w = at.complex({n});
        at.function(
            "real", [w]<class R>(const Var<R>& x) { return projection(x, in_precision<R>(w)); }, at.real({n}));
        at.function(
            "complex", [complex_w]<class C>(const Var<C>& z) { return projection(z, in_precision<RealOf<C>>(complex_w)); },
            at.complex({n}));
      });
    });

template <Scalar T>
Var<RealOf<T>> projection(const Var<T>& z, const Tensor<T>& W) {
  using R = RealOf<T>;
  require(z.shape() == W.shape(), "projection", "weights of shape {} do not match a tensor of shape {}", W.shape(), z.shape());
  double sum = 0;
  for (std::int64_t k = 0; k < z.size(); ++k) sum += real_of(conj_mul(W.data()[k], z.value().data()[k]));
  return record(
      projection_op, Tensor<R>::scalar(static_cast<R>(sum)),
      [W, dz = accumulator(z)](const Tensor<R>& dL) {
        const R scale = dL.item();
        dz.add(map([scale](T w) { return mul(w, scale); }, W));
      },
      [&](const auto&) { return projection(tangent(z), W); }, z);
}

#define ARGAND_PROJECTION(T) template Var<RealOf<T>> projection(const Var<T>&, const Tensor<T>&);
ARGAND_FOR_SCALAR(ARGAND_PROJECTION)

}  // namespace argand
