#pragma once
/// The layers shared by all families: linear, embedding, norms, feed-forward.

#include <optional>
#include <string>

#include "nn/init.h"
#include "nn/module.h"

namespace argand {

enum class NormKind { LayerNorm, RmsNorm };
constexpr const char* words_of(NormKind) { return "layernorm|rmsnorm"; }

enum class FeedForwardKind { Gelu, SwiGlu };
constexpr const char* words_of(FeedForwardKind) { return "gelu|swiglu"; }

/// y = x Wᵀ + b, real or complex; W [out, in] ~ N(0, 1/in), b = 0.
template <Scalar T>
class Linear final : public Module<RealOf<T>> {
 public:
  Linear(Init& init, std::int64_t in, std::int64_t out, bool bias = true, Role role = Role::Matrix);
  /// x [..., in] -> [..., out].
  Var<T> operator()(const Var<T>& x) const;
  ARGAND_FIELDS(RealOf<T>, weight, bias)

  Var<T> weight;
  std::optional<Var<T>> bias;
};

/// A lookup table [count, width] ~ N(0, std²), real or complex.
template <Scalar T>
class Embedding final : public Module<RealOf<T>> {
 public:
  Embedding(Init& init, std::int64_t count, std::int64_t width, double std);
  /// ids [...] -> [..., width]. Throws for ids outside the table.
  Var<T> operator()(const Ids& ids) const;
  ARGAND_FIELDS(RealOf<T>, weight)

  Var<T> weight;
};

/// LayerNorm (gain 1, bias 0, eps 1e-5) over the last axis.
template <Scalar T>
class LayerNorm final : public Module<RealOf<T>> {
 public:
  LayerNorm(Init& init, std::int64_t width);
  Var<T> operator()(const Var<T>& x) const;
  ARGAND_FIELDS(RealOf<T>, weight, bias)

  Var<RealOf<T>> weight;
  Var<T> bias;
};

/// RMSNorm (gain 1, eps 1e-6) over the last axis.
template <Scalar T>
class RmsNorm final : public Module<RealOf<T>> {
 public:
  RmsNorm(Init& init, std::int64_t width);
  Var<T> operator()(const Var<T>& x) const;
  ARGAND_FIELDS(RealOf<T>, weight)

  Var<RealOf<T>> weight;
};

/// LayerNorm or RMSNorm, chosen by the configuration.
template <RealScalar R>
class AnyNorm final : public Module<R> {
 public:
  AnyNorm(Init& init, NormKind kind, std::int64_t width);
  Var<R> operator()(const Var<R>& x) const { return layer_ ? (*layer_)(x) : (*rms_)(x); }
  void visit(const Visit<R>& f) const override { layer_ ? layer_->visit(f) : rms_->visit(f); }

 private:
  std::optional<LayerNorm<R>> layer_;
  std::optional<RmsNorm<R>> rms_;
};

/// Gelu: down(gelu(up x)); SwiGlu: down(silu(gate x) · up x). d_model -> d_ff -> d_model.
template <RealScalar R>
class FeedForward final : public Module<R> {
 public:
  FeedForward(Init& init, FeedForwardKind kind, std::int64_t d_model, std::int64_t d_ff, bool bias);
  Var<R> operator()(const Var<R>& x) const;
  ARGAND_FIELDS(R, up_, gate_, down_)

 private:
  Linear<R> up_;
  std::optional<Linear<R>> gate_;
  Linear<R> down_;
};

/// PE(t, 2i) = sin(t/10000^(2i/d)), PE(t, 2i+1) = cos(t/10000^(2i/d)), for t = first ... first + T - 1: [T, d].
/// Source: Vaswani et al., Attention Is All You Need (2017), section 3.5.
template <RealScalar R>
Tensor<R> sinusoids(std::int64_t first, std::int64_t T, std::int64_t d);

}  // namespace argand
