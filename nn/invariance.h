#pragma once
/// Invariances: changes of a model's parameters that leave what it computes as it is (gauge freedoms). The loss is flat along them,
/// so where training ends on them says nothing, and neither does a number that they change, such as the sign of a δ.

#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "autograd/parameter.h"
#include "core/random.h"
#include "nn/config.h"

namespace argand {

/// Random amounts for a change, in order.
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

/// A model's layers by name, changed by rows and columns. Pair j is the numbers 2j and 2j + 1 on a real layer's side, number j of a
/// complex one; a real c scales it, a complex c also turns it.
class Weights {
 public:
  using C = std::complex<double>;
  explicit Weights(const ParameterList<double>& parameters) : parameters_(parameters) {}

  bool has(const std::string& name) const { return find(name) != nullptr; }
  bool is_complex(const std::string& name) const { return find(name)->is_complex(); }
  /// The numbers of a real parameter; throws Error unless there is one.
  Tensor<double>& real(const std::string& name) const;
  Tensor<C>& complex(const std::string& name) const;

  /// (x, y) as x + iy, times c.
  static void turn(double& x, double& y, C c) {
    const C z = C(x, y) * c;
    x = z.real(), y = z.imag();
  }
  /// Pairs that LAYER.weight [out, in] makes, or reads.
  std::int64_t pairs_out(const std::string& layer) const { return pairs(layer, 0); }
  std::int64_t pairs_in(const std::string& layer) const { return pairs(layer, 1); }
  /// Pair j of what the layer makes, times c.
  void turn_output(const std::string& layer, std::int64_t j, C c) const;
  /// The same pair, conjugated: (x, y) becomes (x, -y). Of a real layer only.
  void conjugate_output(const std::string& layer, std::int64_t j) const;
  /// The layer, as if pair j of what it reads had been multiplied by c.
  void turn_input(const std::string& layer, std::int64_t j, C c) const;
  /// Gain and bias of pair j, of so many, of a norm, times s; a norm of complex numbers has one gain a number.
  void scale_norm(const std::string& norm, std::int64_t j, std::int64_t pairs, double s) const;
  /// Adds the same random row to every row of a table [n, width], times `factor`.
  void add_row(const std::string& table, double factor, Amounts amounts) const;

 private:
  const Parameter<double>* find(const std::string& name) const;
  std::int64_t pairs(const std::string& layer, int axis) const;
  const ParameterList<double>& parameters_;
};

struct Invariance {
  std::string name;  ///< "v against o"
  std::string what;  ///< the change in symbols
  /// Makes the change by random amounts, wherever the model allows it.
  std::function<void(const Weights&, Amounts)> apply;
};

/// "blocks.0.", "blocks.1.", ...: calls f(prefix) for every block.
template <class F>
void for_each_block(const ModelConfig& config, const F& f) {
  for (std::int64_t i = 0; i < config.n_layers; ++i) f("blocks." + std::to_string(i) + ".");
}

/// v_j → c v_j, o reads its pair j times 1/c. (The whole freedom is an invertible matrix a head; complex ones where maps are.)
/// `real`: c > 0 only, where v and o count in different algebras.
Invariance values_against_outputs(const ModelConfig& config, bool real = false);
/// Scores that are Re Σ_j e^{i(m - n)ω_j} q_mj conj(k_nj), with or without positions: q_j → c q_j, k_j → k_j / conj(c).
Invariance queries_against_keys(const ModelConfig& config);
/// Scores without rotary positions: a constant in all keys adds q·c to a row's scores, which the softmax takes out.
Invariance bias_of_keys(const ModelConfig& config);
/// Gain and bias of a norm times s, the layers that read it times 1/s: `norm` and `readers` are names within a block.
Invariance norm_against_readers(const ModelConfig& config, const std::string& norm, const std::vector<std::string>& readers);
/// The same for the norm before the output layer.
Invariance last_norm_against_head(const std::string& norm);
/// All logits of a position by the same amount: a row added to every row of the output layer, a number to its bias.
Invariance common_logit();
/// A row added to all words and taken from all positions, which follow words times `scale`.
Invariance words_against_positions(double scale);

/// Those of a Decoder but for its queries and keys, which depend on the attention; and all of one with DotAttention.
std::vector<Invariance> decoder_invariances(const ModelConfig& config);
std::vector<Invariance> dot_decoder_invariances(const ModelConfig& config);
/// The first list with the second at its end.
std::vector<Invariance> joined(std::vector<Invariance> one, std::vector<Invariance> other);

}  // namespace argand
