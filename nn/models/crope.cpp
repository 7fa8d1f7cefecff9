#include "nn/models/crope.h"

#include "nn/attention/dot_attention.h"

namespace argand {

template <RealScalar R>
Crope<R>::Crope(const ModelConfig& config, std::uint64_t seed)
    : Decoder<R>(config, seed, [](Init& init, const ModelConfig& c) { return std::make_unique<DotAttention<R>>(init, c); }) {}

template class Crope<float>;
template class Crope<double>;

}  // namespace argand
