#include "nn/model.h"

#include "nn/models/complexformer.h"
#include "nn/models/crat.h"
#include "nn/models/crope.h"
#include "nn/models/qic.h"
#include "nn/models/real_encoder.h"
#include "nn/models/transformer.h"

namespace argand {

template <RealScalar R>
std::unique_ptr<Model<R>> make_model(const ModelConfig& config, std::uint64_t seed) {
  config.validate();
  require(config.vocab_size > 0, "model", "vocab_size must be set (it comes from the data)");
  if (config.family == "transformer") return std::make_unique<Transformer<R>>(config, seed);
  if (config.family == "complexformer") return std::make_unique<ComplexFormer<R>>(config, seed);
  if (config.family == "crope") return std::make_unique<Crope<R>>(config, seed);
  if (config.family == "crat" && config.states == "real") return std::make_unique<Crat<R>>(config, seed);
  if (config.family == "crat") return std::make_unique<Crat<std::complex<R>>>(config, seed);
  if (config.family == "qic") {
    if (config.algebra == "standard" || config.algebra == "real") return std::make_unique<RealEncoder<R>>(config, seed);
    return std::make_unique<Qic<R>>(config, seed);
  }
  fail("model", "no family is called \"{}\"", config.family);
}

template std::unique_ptr<Model<float>> make_model(const ModelConfig&, std::uint64_t);
template std::unique_ptr<Model<double>> make_model(const ModelConfig&, std::uint64_t);

}  // namespace argand
