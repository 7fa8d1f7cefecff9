#include "autograd/ops/attention/attention_tiles.h"

#include "core/gemm.h"

namespace argand {
namespace {

/// Scaled dot products of one head's queries and keys.
template <RealScalar R>
struct DotScores {
  using Loops = AttentionLoops<R>;
  const Loops& loops;
  const R *q, *k;  ///< this head's part
  R *dq, *dk;      ///< zeroed by the caller; null in the forward pass

  std::int64_t step() const { return loops.H * loops.dk; }  ///< distance between positions

  void tile(std::int64_t q0, std::int64_t rows, std::int64_t k0, std::int64_t columns, R* scores) const {
    gemm<R>(Transpose::No, Transpose::Yes, rows, columns, loops.dk, static_cast<R>(loops.options.scale), q + q0 * step(), step(),
            k + k0 * step(), step(), 0, scores, Loops::key_tile);
  }
  void gradient(std::int64_t q0, std::int64_t rows, std::int64_t k0, std::int64_t columns, const R* g) const {
    gemm<R>(Transpose::No, Transpose::No, rows, loops.dk, columns, 1, g, Loops::key_tile, k + k0 * step(), step(), 1,
            dq + q0 * step(), step());
    gemm<R>(Transpose::Yes, Transpose::No, columns, loops.dk, rows, 1, g, Loops::key_tile, q + q0 * step(), step(), 1,
            dk + k0 * step(), step());
  }
};

}  // namespace

template <RealScalar R>
auto AttentionTiles<R>::forward(const Tensor<R>& q, const Tensor<R>& all_k, const Tensor<R>& all_v) const -> Output {
  const AttentionLoops<R>& a = loops_;
  const Tensor<R> k = a.visible(all_k), v = a.visible(all_v);
  Output output{Tensor<R>(Shape{a.B, a.Tq, a.H * a.dv}), a.make_sums()};
  a.for_each_head([&](std::int64_t b, std::int64_t h) {
    DotScores<R> scores{a, q.data() + a.at_q(b, h), k.data() + a.at_k(b, h), nullptr, nullptr};
    a.forward(scores, v.data() + a.at_v(b, h), b, h, output.o.data() + a.at_out(b, h), output.sums.data() + a.at_row(b, h));
  });
  return output;
}

template <RealScalar R>
auto AttentionTiles<R>::backward(const Tensor<R>& q, const Tensor<R>& all_k, const Tensor<R>& all_v, const Output& output,
                                 const Tensor<R>& d_o) const -> Gradients {
  const AttentionLoops<R>& a = loops_;
  const Tensor<R> k = a.visible(all_k), v = a.visible(all_v);
  Gradients g{Tensor<R>(q.shape()), Tensor<R>(k.shape()), Tensor<R>(v.shape())};
  a.for_each_head([&](std::int64_t b, std::int64_t h) {
    a.zero_head(b, h, g.dq, g.dk, g.dv);
    DotScores<R> scores{a, q.data() + a.at_q(b, h), k.data() + a.at_k(b, h), g.dq.data() + a.at_q(b, h),
                        g.dk.data() + a.at_k(b, h)};
    a.backward(scores, v.data() + a.at_v(b, h), output.o.data() + a.at_out(b, h), output.sums.data() + a.at_row(b, h),
               d_o.data() + a.at_out(b, h), b, h, g.dv.data() + a.at_v(b, h));
  });
  a.zero_hidden_rows(g.dk);
  a.zero_hidden_rows(g.dv);
  return g;
}

template class AttentionTiles<float>;
template class AttentionTiles<double>;

}  // namespace argand
