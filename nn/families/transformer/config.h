#pragma once
/// The configuration of the family transformer: only the keys of a decoder.

#include "nn/decoder_config.h"

namespace argand {

struct TransformerConfig final : ConfigOf<TransformerConfig, DecoderConfig> {};

}  // namespace argand
