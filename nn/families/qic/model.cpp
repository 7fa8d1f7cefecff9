#include "nn/families/qic/model.h"

#include <cmath>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/products/qic_linear.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"

namespace argand {

template <RealScalar R>
Qic<R>::Table::Table(Init& init, Role role, Algebra algebra, std::int64_t count, std::int64_t d_model, double std) {
  if (parts_of(algebra) == 2)
    weight_ = init.normal<std::complex<R>>(role, {count, d_model / 2}, std);
  else
    weight_ = init.normal<R>(role, {count, d_model}, std / 2);  // E|z|² = std², a quarter in each component
}
template <RealScalar R>
Var<R> Qic<R>::Table::real() const {
  if (const auto* pairs = std::get_if<Var<std::complex<R>>>(&weight_)) return view_as_real(*pairs);
  return std::get<Var<R>>(weight_);
}
template <RealScalar R>
Var<R> Qic<R>::Table::operator()(const Ids& ids) const {
  return embedding(real(), ids);
}
template <RealScalar R>
void Qic<R>::Table::visit(const Visit<R>& f) const {
  std::visit([&](const auto& weight) { f("weight", weight); }, weight_);
}

template <RealScalar R>
Qic<R>::Qic(const ModelConfig& config, std::uint64_t seed)
    : TextModel<R>(config),
      own_(config.own<QicConfig>()),
      init_(seed),
      theta_(make_angles<R>(init_, own_, 1)),
      embedding_(init_, Role::Embedding, own_.algebra, config.vocab_size, config.d_model, 0.5),
      position_(init_, Role::Embedding, own_.algebra, config.max_seq_len, config.d_model, 0.1),
      norm_(init_, own_.norm, config.d_model / parts_of(own_.algebra)),
      head_(init_, Role::Output, own_.algebra, config.task == TextTask::Lm ? config.vocab_size : config.n_classes, config.d_model,
            1 / std::sqrt(static_cast<double>(config.d_model / parts_of(own_.algebra)))),
      head_bias_(init_.full<R>(Role::Bias, {config.task == TextTask::Lm ? config.vocab_size : config.n_classes}, 0)) {
  for (std::int64_t i = 0; i < config.n_layers; ++i) blocks_.push_back(std::make_unique<QicBlock<R>>(init_, config));
}

template <RealScalar R>
Var<R> Qic<R>::hidden(const Ids& tokens, AttentionPass<R> pass, typename TextModel<R>::LayerCaches* caches) const {
  const ModelConfig& config = this->config_;
  const std::int64_t T = tokens.shape()[1], first = pass.first_position;
  const Measure<R> measure = measure_at(own_, theta_);
  Var<R> x = drop_numbers(embedding_(tokens) + slice(position_.real(), 0, first, first + T), measure.parts, pass.forward);
  this->for_each_layer(pass, caches, [&](std::size_t i, const AttentionPass<R>& layer_pass) { x = (*blocks_[i])(x, layer_pass); });
  x = norm_(x, measure);
  // The real vector whose product with W is the real part of W x: (a, κ b), or (a, -b, -c, -d).
  if (measure.parts == 2) return view_as_real(qic_dual(view_as_complex(x), theta_));
  Tensor<R> signs = Tensor<R>::full({config.d_model}, R(-1));
  for (std::int64_t j = 0; j < config.d_model; j += measure.parts) signs.data()[j] = 1;
  return x * Var<R>(signs);
}

template <RealScalar R>
OutputLayer<R> Qic<R>::output() const {
  return {.weight = head_.real(), .bias = &head_bias_};
}

template <RealScalar R>
void Qic<R>::visit(const Visit<R>& f) const {
  f("embedding", embedding_);
  f("position", position_);
  if (theta_.requires_grad()) f("theta", theta_);
  for (std::size_t i = 0; i < blocks_.size(); ++i) f("blocks." + std::to_string(i), *blocks_[i]);
  f("norm", norm_);
  f("head", head_);
  f("head.bias", head_bias_);
}

template class Qic<float>;
template class Qic<double>;

}  // namespace argand
