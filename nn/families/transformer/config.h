#pragma once
/// The configuration of the family transformer: the keys of a decoder and no others.

#include "nn/decoder_config.h"

namespace argand {

struct TransformerConfig final : ConfigOf<TransformerConfig, DecoderConfig> {};

}  // namespace argand
