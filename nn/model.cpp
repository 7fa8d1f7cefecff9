#include "nn/model.h"

#include "nn/family.h"

namespace argand {

template <RealScalar R>
std::unique_ptr<Model<R>> make_model(const ModelConfig& config, std::uint64_t seed) {
  config.validate();
  require(config.vocab_size > 0, "model", "vocab_size must be set (it comes from the data)");
  if constexpr (std::same_as<R, float>)
    return config.family().make_float(config, seed);
  else
    return config.family().make_double(config, seed);
}

template std::unique_ptr<Model<float>> make_model(const ModelConfig&, std::uint64_t);
template std::unique_ptr<Model<double>> make_model(const ModelConfig&, std::uint64_t);

}  // namespace argand
