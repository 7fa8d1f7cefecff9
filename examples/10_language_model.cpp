/// 10. A language model: ComplexFormer on the embedded corpus, in a few seconds.
///
/// The corpus comes from a grammar whose entropy h is known exactly, so "how good is it?" has an answer: a model that knows nothing
/// about its 200 words has a loss of ln 200 = 5.3 nats per token, and no model can go below h = 1.95.
///
/// Run:       build/examples/10_language_model
/// Try next:  `config.n_layers = 2` and 1000 steps; defaults("transformer"), "crope", "crat", "qic"; and then `argand train lm`,
///            which adds checkpoints, dropout, clipping, logs and a knowledge base to this loop.

#include "autograd/tape.h"
#include "data/batches.h"
#include "data/corpora/grammar.h"
#include "nn/model.h"
#include "optim/optimizer.h"
#include "optim/rate.h"

using namespace argand;

double validation_loss(Model<float>& model, const Ids& text, std::int64_t T) {
  const NoGrad nothing_is_recorded;
  const EvaluationWindows windows(text, /*B*/ 16, T, /*stride*/ T);  // every token but the first is a target once
  double sum = 0;
  for (std::int64_t i = 0; i < windows.size(); ++i) {
    const LmBatch batch = windows[i];  // the last batch is smaller, so each mean is weighted by its number of targets
    sum += static_cast<double>(batch.targets.size()) * model.loss(batch.tokens, batch.targets).cross_entropy;
  }
  return sum / static_cast<double>(text.size() - 1);
}

int main() {
  const Grammar grammar;
  const Corpus corpus = grammar.corpus(/*train*/ 200'000, /*valid*/ 5'000, /*test*/ 0, /*seed*/ 1);

  ModelConfig config = ModelConfig::defaults("complexformer");  // phases of queries and keys, shifted and scaled per head
  config.vocab_size = grammar.vocabulary().size();
  config.n_layers = 1, config.n_heads = 2, config.d_model = 64, config.d_ff = 128, config.max_seq_len = 64;
  const auto model = make_model<float>(config, /*seed*/ 0);
  const auto optimizer = make_optimizer<float>({}, model->parameters());  // AdamW
  const WarmupCosine rate{.peak = 5e-3, .final = 5e-4, .warmup = 20, .total = 300};
  LmBatches batches(corpus.train, /*B*/ 16, /*T*/ 32, /*seed*/ 0);
  fmt::print("{} parameters, {} words\n", count_parameters(model->parameters()), config.vocab_size);

  for (std::int64_t step = 0; step <= rate.total; ++step) {
    if (step % 75 == 0)
      fmt::print("step {:3}  validation loss {:.1f} nats per token\n", step, validation_loss(*model, corpus.valid, 32));
    const LmBatch batch = batches.next();
    zero_grad(model->parameters());
    backward(model->loss(batch.tokens, batch.targets).total);
    optimizer->step(rate(step));
  }
  fmt::print("the best possible: {:.2f}\n", grammar.entropy_per_token());

  // Sampling by the Gumbel-max trick: argmax of log p - log(-log u), u uniform, is a draw from p.
  std::vector<std::int32_t> text = {grammar.vocabulary().id("<eos>")};
  const auto cache = model->make_cache(/*batch*/ 1);  // keys and values of the tokens already read
  while (text.size() < 40) {
    const Tensor<float> logits = model->next_logits(Ids({1, 1}, {text.back()}), *cache);  // [1, vocab_size]
    const Random random(/*seed*/ 5, /*stream*/ text.size());
    std::int32_t next = 0;
    double best = -1e9;
    for (std::int32_t w = 0; w < config.vocab_size; ++w) {
      const double draw =
          logits(0, w) / 0.7 - std::log(-std::log(random.uniform(static_cast<std::uint64_t>(w))));  // temperature 0.7
      if (draw > best) best = draw, next = w;
    }
    text.push_back(next);
  }
  fmt::print("{}\n", grammar.vocabulary().decode(std::span(text).subspan(1)));
}
