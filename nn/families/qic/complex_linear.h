#pragma once
/// The complex linear layers in QIC's comparison: with plain complex numbers, and with phase gates.

#include "nn/families/qic/number_linear.h"

namespace argand {

/// y = W x + b over ℂ: the ordinary complex layer, computed by BLAS.
template <RealScalar R>
class ComplexLinear final : public NumberLinear<R> {
 public:
  ComplexLinear(Init& init, std::int64_t in, std::int64_t out) : map_(init, in, out) {}
  Var<R> operator()(const Var<R>& x, const Var<R>& theta) const override;
  void visit(const Visit<R>& f) const override { map_.visit(f); }

 private:
  Linear<std::complex<R>> map_;
};

/// y = e^{iφ} (W x + b) with a learnable φ per output, initially 0. A gate rotates all parts of an output together. It adds
/// parameters but no new functions, since e^{iφ} W is just another matrix. Parameters: weight, bias, and phase [out].
template <RealScalar R>
class PhaseGatedLinear final : public NumberLinear<R> {
 public:
  PhaseGatedLinear(Init& init, std::int64_t in, std::int64_t out);
  Var<R> operator()(const Var<R>& x, const Var<R>& theta) const override;
  void visit(const Visit<R>& f) const override;

 private:
  Linear<std::complex<R>> map_;
  Var<R> phase_;
};

}  // namespace argand
