#pragma once
/// The configuration of the family transformer: a decoder's keys only.

#include "nn/decoder_config.h"

namespace argand {

struct TransformerConfig final : ConfigOf<TransformerConfig, DecoderConfig> {};

}  // namespace argand
