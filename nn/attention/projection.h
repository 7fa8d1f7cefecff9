#pragma once
/// A projection of a real vector: dense, or complex-linear on interleaved pairs (CRoPE).

#include <variant>

#include "nn/layers.h"

namespace argand {

/// Dense: y = W x + b, W [out, in]. Complex: each pair (x0, x1) is x0 + i x1, W complex [out/2, in/2], no bias; as a real matrix
/// its 2×2 blocks are [[Re, -Im], [Im, Re]], so it has half the parameters of the dense one. It is computed by one complex GEMM.
/// For 2048 rows of 128, 256, 512, 1024 numbers, forward and both gradients took 1.02, 1.04, 0.99, 0.97 times as long as for the
/// dense layer (float32, two threads); Gauss's three real products, which save a quarter of the multiplications, took 1.21, 0.99,
/// 0.86, 0.79 times as long.
template <RealScalar R>
class Projection final : public Module<R> {
 public:
  static Projection dense(Init& init, std::int64_t in, std::int64_t out, bool bias);
  /// Throws if a width is odd.
  static Projection complex(Init& init, std::int64_t in, std::int64_t out);

  /// x [..., in] -> [..., out].
  Var<R> operator()(const Var<R>& x) const;
  void visit(const Visit<R>& f) const override;

 private:
  using Map = std::variant<Linear<R>, Linear<std::complex<R>>>;
  explicit Projection(Map map) : map_(std::move(map)) {}
  Map map_;
};

}  // namespace argand
