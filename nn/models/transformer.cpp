#include "nn/models/transformer.h"

#include "nn/attention/dot_attention.h"

namespace argand {

template <RealScalar R>
Transformer<R>::Transformer(const ModelConfig& config, std::uint64_t seed)
    : Decoder<R>(config, seed, [](Init& init, const ModelConfig& c) { return std::make_unique<DotAttention<R>>(init, c); }) {}

template class Transformer<float>;
template class Transformer<double>;

}  // namespace argand
