#pragma once
/// Kinds of layers that a configuration chooses between, and their words.

namespace argand {

enum class NormKind { LayerNorm, RmsNorm };
constexpr const char* words_of(NormKind) { return "layernorm|rmsnorm"; }

enum class FeedForwardKind { Gelu, SwiGlu };
constexpr const char* words_of(FeedForwardKind) { return "gelu|swiglu"; }

}  // namespace argand
