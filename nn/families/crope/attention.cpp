#include "nn/families/crope/attention.h"

#include "nn/decoder.h"
#include "nn/families/crope/config.h"

namespace argand {

DotAttentionOptions crope_attention(const ModelConfig& config) {
  constexpr auto dense = ProjectionKind::Dense, complex = ProjectionKind::Complex, half = ProjectionKind::Half;
  DotAttentionOptions options = dot_attention_options(config);
  const auto make = [&](ProjectionKind qk, ProjectionKind v, ProjectionKind o) {
    options.q = options.k = qk, options.v = v, options.o = o;
    return options;
  };
  switch (config.own<CropeConfig>().mode) {
    case CropeMode::Qk: return make(complex, dense, dense);
    case CropeMode::Qkv: return make(complex, complex, dense);
    case CropeMode::All: return make(complex, complex, complex);
    case CropeMode::HalfQk: return make(half, dense, dense);
    case CropeMode::HalfAll: return make(half, half, half);
    case CropeMode::None: break;
  }
  return make(dense, dense, dense);
}

}  // namespace argand
