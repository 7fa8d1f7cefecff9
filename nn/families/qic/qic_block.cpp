#include "nn/families/qic/qic_block.h"

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/tape.h"

namespace argand {

template <RealScalar R>
Var<R> drop_numbers(const Var<R>& x, int parts, ForwardPass& pass) {
  if (pass.dropout() == 0) return x;
  return parts == 2 ? view_as_real(pass.drop(view_as_complex(x))) : pass.drop(x);
}

template <RealScalar R>
QicFeedForward<R>::QicFeedForward(Init& init, const ModelConfig& config)
    : QicFeedForward(init, config.own<QicConfig>(), config.d_model / parts_of(config.own<QicConfig>().algebra),
                     config.d_ff / parts_of(config.own<QicConfig>().algebra)) {}

template <RealScalar R>
QicFeedForward<R>::QicFeedForward(Init& init, const QicConfig& own, std::int64_t n, std::int64_t n_ff)
    : up_(make_number_linear<R>(init, own.algebra, n, n_ff)),
      act_(init, own.activation, n_ff),
      down_(make_number_linear<R>(init, own.algebra, n_ff, n)) {}

template <RealScalar R>
Var<R> QicFeedForward<R>::operator()(const Var<R>& x, const Measure<R>& measure) const {
  return (*down_)(act_((*up_)(x, measure.theta), measure), measure.theta);
}

template <RealScalar R>
QicBlock<R>::QicBlock(Init& init, const ModelConfig& config)
    : own_(config.own<QicConfig>()),
      theta_(make_angles<R>(init, own_, 1)),
      norm1_(init, own_.norm, config.d_model / parts_of(own_.algebra)),
      attn_(init, config),
      norm2_(init, own_.norm, config.d_model / parts_of(own_.algebra)),
      ffn_(init, config) {}

template <RealScalar R>
Var<R> QicBlock<R>::operator()(const Var<R>& x, const AttentionPass<R>& pass) const {
  const Measure<R> measure = measure_at(own_, theta_);
  Var<R> y = x;
  {
    const NameScope scope("attn");
    y = y + drop_numbers(attn_(norm1_(y, measure), theta_, pass), measure.parts, pass.forward);
  }
  const NameScope scope("ffn");
  return y + drop_numbers(ffn_(norm2_(y, measure), measure), measure.parts, pass.forward);
}

template <RealScalar R>
void QicBlock<R>::visit(const Visit<R>& f) const {
  if (theta_.requires_grad()) f("theta", theta_);
  f("norm1", norm1_);
  f("attn", attn_);
  f("norm2", norm2_);
  f("ffn", ffn_);
}

#define ARGAND_QIC_BLOCK(R)                                       \
  template Var<R> drop_numbers(const Var<R>&, int, ForwardPass&); \
  template class QicFeedForward<R>;                               \
  template class QicBlock<R>;
ARGAND_FOR_REAL(ARGAND_QIC_BLOCK)

}  // namespace argand
