#pragma once
/// Invariances: transformations of a model's parameters that leave its outputs unchanged (gauge freedoms). The loss is flat along
/// them, so the point where training ends is arbitrary, as is any quantity that they change, such as the sign of a δ.

#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "autograd/parameter.h"
#include "core/random.h"
#include "nn/config.h"

namespace argand {

/// A sequence of random amounts by which to change parameters.
class Amounts {
 public:
  explicit Amounts(const Random& random) : random_(random) {}
  double between(double low, double high) { return low + (high - low) * random_.uniform(next_++); }
  double factor() { return between(0.6, 1.7); }
  std::complex<double> complex_factor() { return std::polar(factor(), between(-3.1, 3.1)); }

 private:
  Random random_;
  std::uint64_t next_ = 0;
};

/// Changes rows and columns of a model's layers, which it finds by name. Pair j means components 2j and 2j + 1 of a real layer's
/// input or output, and component j of a complex layer's. A real factor c scales the pair, a complex factor also rotates it.
class Weights {
 public:
  using C = std::complex<double>;
  explicit Weights(const ParameterList<double>& parameters) : parameters_(parameters) {}

  bool has(const std::string& name) const { return find(name) != nullptr; }
  bool is_complex(const std::string& name) const { return find(name)->is_complex(); }
  /// The elements of a real parameter. Throws Error if there is no real parameter with that name.
  Tensor<double>& real(const std::string& name) const;
  Tensor<C>& complex(const std::string& name) const;

  /// Multiplies x + iy by c.
  static void turn(double& x, double& y, C c) {
    const C z = C(x, y) * c;
    x = z.real(), y = z.imag();
  }
  /// The number of pairs in the output or input of LAYER.weight [out, in].
  std::int64_t pairs_out(const std::string& layer) const { return pairs(layer, 0); }
  std::int64_t pairs_in(const std::string& layer) const { return pairs(layer, 1); }
  /// Multiplies pair j of the layer's output by c.
  void scale_output(const std::string& layer, std::int64_t j, C c) const;
  /// Conjugates pair j of the output: (x, y) becomes (x, -y). For real layers only.
  void conjugate_output(const std::string& layer, std::int64_t j) const;
  /// Changes the layer as if pair j of its input were multiplied by c.
  void scale_input(const std::string& layer, std::int64_t j, C c) const;
  /// Multiplies gain and bias of pair j of a norm over `pairs` pairs by s; a complex norm has one gain per component.
  void scale_norm(const std::string& norm, std::int64_t j, std::int64_t pairs, double s) const;
  /// Adds `factor` times the same random row to every row of a table [n, width].
  void add_row(const std::string& table, double factor, Amounts amounts) const;

 private:
  const Parameter<double>* find(const std::string& name) const;
  std::int64_t pairs(const std::string& layer, int axis) const;
  const ParameterList<double>& parameters_;
};

struct Invariance {
  std::string name;  ///< short name: "v against o"
  std::string what;  ///< the change in symbols
  /// Applies the change with random amounts wherever the model allows it.
  std::function<void(const Weights&, Amounts)> apply;
};

/// Calls f(prefix) for every block: "blocks.0.", "blocks.1.", ...
template <class F>
void for_each_block(const ModelConfig& config, const F& f) {
  for (std::int64_t i = 0; i < config.n_layers; ++i) f("blocks." + std::to_string(i) + ".");
}

/// v_j → c v_j, while o multiplies pair j of its input by 1/c. (The full group is larger: any invertible matrix per head, complex
/// if the maps are complex.) `real` restricts c to positive reals; set it when v and o are linear over different algebras.
Invariance values_against_outputs(const ModelConfig& config, bool real = false);
/// For scores Re Σ_j e^{i(m - n)ω_j} q_mj conj(k_nj), with or without positions: q_j → c q_j, k_j → k_j / conj(c).
Invariance queries_against_keys(const ModelConfig& config);
/// For scores without rotary positions: adding c to all keys adds q·c to all scores of a row, which the softmax cancels.
Invariance bias_of_keys(const ModelConfig& config);
/// Multiplies a norm's gain and bias by s, and the weights of its `readers` by 1/s. All names are relative to a block.
Invariance norm_against_readers(const ModelConfig& config, const std::string& norm, const std::vector<std::string>& readers);
/// Multiplies gain and bias of the norm before the output layer by s, and the output layer's weights by 1/s.
Invariance last_norm_against_head(const std::string& norm);
/// Adds a constant to all logits of a position: the same row to all rows of the output layer, the same value to all its biases.
Invariance common_logit();
/// Adds the same row to all token embeddings, which the model multiplies by `scale`, and compensates in all position embeddings.
Invariance words_against_positions(double scale);

/// The invariances of a Decoder except those of queries and keys, which depend on the attention; all of them for DotAttention.
std::vector<Invariance> decoder_invariances(const ModelConfig& config);
std::vector<Invariance> dot_decoder_invariances(const ModelConfig& config);
/// The concatenation of both lists.
std::vector<Invariance> joined(std::vector<Invariance> one, std::vector<Invariance> other);

}  // namespace argand
