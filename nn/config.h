#pragma once
/// What a model is: every key of every family, named once. The command line, the configuration file, checkpoints and parity cases
/// all go through visit().

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace argand {

struct ModelConfig {
  std::string family = "complexformer";
  std::string task = "lm";
  std::int64_t n_classes = 4;
  std::int64_t vocab_size = 0;
  std::int64_t max_seq_len = 128;
  std::int64_t n_layers = 2;
  std::int64_t d_model = 128;
  std::int64_t n_heads = 4;
  std::int64_t d_ff = 512;
  double dropout = 0;

  std::string position = "learned";
  double rope_base = 10000;
  std::string norm = "layernorm";
  std::string ffn = "gelu";
  bool attn_bias = true;
  bool ffn_bias = true;
  bool qk_norm = false;
  bool tie_embeddings = true;

  std::string mode = "none";

  std::string adaptation = "per_head";
  std::string frequencies = "paper";
  double pcl_weight = 0;
  double pcl_temperature = 0.1;

  std::string states = "complex";
  std::string attention = "angular";
  std::string angular_reduce = "sum";
  bool phase_offsets = true;
  bool rotation = true;
  std::vector<std::int64_t> irw_layers;
  std::int64_t irw_dim = 32;
  std::int64_t irw_top_k = 5;
  double irw_temperature = 1;

  std::string algebra = "qic";
  std::string theta = "learned";
  double theta_init = 0.52359877559829887;  ///< π/6
  std::string magnitude = "euclidean";
  std::string activation = "qic_gelu";
  bool conjugate_keys = false;

  /// Whether this is one of the families that share nn/models/decoder.h and its keys.
  bool is_decoder() const { return family == "transformer" || family == "complexformer" || family == "crope"; }

  /// Calls f(key, value&, choices, help) for every key that this family has; `choices` is empty or the allowed words, joined by
  /// '|'.
  template <class F>
  void visit(F&& f) {
    f("family", family, "transformer|complexformer|crope|crat|qic", "architecture");
    f("task", task, "lm|classify", "lm predicts the next token, classify the label of a text");
    if (task == "classify") f("n_classes", n_classes, "", "number of labels");
    f("vocab_size", vocab_size, "", "number of token ids (0: from the data)");
    f("max_seq_len", max_seq_len, "", "longest sequence, in tokens");
    f("n_layers", n_layers, "", "number of blocks");
    f("d_model", d_model, "", "width, in real degrees of freedom");
    f("n_heads", n_heads, "", "attention heads; divides d_model into even parts");
    f("d_ff", d_ff, "", "width of the feed-forward layer");
    f("dropout", dropout, "", "probability of dropping an activation in training");
    if (is_decoder()) {
      f("position", position, "none|learned|sinusoidal|rope", "how the transformer knows positions");
      f("rope_base", rope_base, "", "base of the rotary frequencies");
      f("norm", norm, "layernorm|rmsnorm", "normalisation before each sub-layer");
      f("ffn", ffn, "gelu|swiglu", "feed-forward layer");
      f("attn_bias", attn_bias, "", "biases in q, k, v, o");
      f("ffn_bias", ffn_bias, "", "biases in the feed-forward layer");
      f("qk_norm", qk_norm, "", "RMS norm of each head's queries and keys");
      f("tie_embeddings", tie_embeddings, "", "the output layer is the embedding");
    }
    if (family == "qic") visit_qic(f);
    if (family == "crope")
      f("mode", mode, "none|qk|qkv|all|half_qk|half_all", "which attention projections are complex-linear, or of half the width");
    if (family == "complexformer") {
      f("adaptation", adaptation, "per_head|shared|fixed", "who owns delta and the phase bias");
      f("frequencies", frequencies, "paper|rope", "frequency law: base^(-4j/d_k) or base^(-2j/d_k)");
      f("pcl_weight", pcl_weight, "", "weight of the phase contrastive loss (0: none; the paper uses 0.01)");
      f("pcl_temperature", pcl_temperature, "", "temperature of the phase contrastive loss");
    }
    if (family == "crat") {
      f("states", states, "complex|real", "complex states, or the ablation without imaginary parts (then attention is dot)");
      f("attention", attention, "angular|dot", "scores from phases alone, or the dot product");
      f("angular_reduce", angular_reduce, "sum|mean", "angular scores summed over a head's components, or averaged");
      f("phase_offsets", phase_offsets, "", "learnable phases of the positions' sinusoids");
      f("rotation", rotation, "", "states turned by learned angles (complex states only)");
      f("irw_layers", irw_layers, "", "layers with an Imaginary Reflection Window, from 0; none by default");
      f("irw_dim", irw_dim, "", "width of its queries and of the passages' encodings");
      f("irw_top_k", irw_top_k, "", "passages that each token reads");
      f("irw_temperature", irw_temperature, "", "temperature of the softmax over them");
    }
  }

  /// Which of QIC's keys there are depends on the algebra.
  template <class F>
  void visit_qic(F&& f) {
    f("algebra", algebra, "qic|complex|phase_gates|quaternion|real|standard",
      "numbers of the layers; real has as many parameters as qic");
    if (algebra == "real" || algebra == "standard") return;
    if (algebra == "qic") {
      f("theta", theta, "learned|global|fixed", "who owns an angle: every head, every attention layer, nobody");
      f("theta_init", theta_init, "", "first angle [radians]; at pi/4 its gradient is 0");
      f("magnitude", magnitude, "euclidean|algebraic|author", "length of a + bJ: b counts by 1, -kappa or 1 - kappa");
    }
    f("norm", norm, "qic_layernorm|qic_rmsnorm", "normalisation by magnitude before each sub-layer");
    f("activation", activation, "qic_gelu|mod_relu|qic_relu", "of the magnitude; qic_relu is the identity");
    f("conjugate_keys", conjugate_keys, "", "conjugate the keys in the scores");
  }

  /// The family's defaults. Throws for an unknown family, with a suggestion.
  static ModelConfig defaults(const std::string& family);
  /// From a JSON object; missing keys take the family's defaults, unknown or ill-typed ones throw. Validates.
  static ModelConfig from_json(const std::string& text);
  std::string to_json() const;
  /// Throws Error for a word outside its choices or sizes that do not fit together, naming the key and the remedy.
  void validate() const;
};

/// "a|b|c" -> a, b, c.
std::vector<std::string> split_choices(std::string_view choices);

/// The word of `known` closest to `word` by edit distance, or empty when none is close: for "did you mean".
std::string closest_word(const std::string& word, const std::vector<std::string>& known);

}  // namespace argand
