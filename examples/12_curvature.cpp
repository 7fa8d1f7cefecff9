/// 12. Curvature: the eigenvalues of a trained model's Hessian, at both ends of its spectrum.
///
/// The Hessian of n parameters has n² entries and is never formed. Lanczos's method (autograd/hessian.h) needs only products with
/// it, which cost a few gradients each: from a random vector q it builds a basis of q, H q, H² q, ..., in which H is small and
/// tridiagonal, and the ends of the spectrum converge first. The residual |H y - λ y| says how accurate they are: an eigenvalue of
/// H lies within that distance of λ. For a tiny model the whole Hessian can be computed for comparison.
///
/// Run:       build/examples/12_curvature
/// Try next:  120 products; ModelConfig::defaults("qic"), whose parameters are complex; before training instead of after it.

#include "autograd/hessian.h"
#include "autograd/tape.h"
#include "data/batches.h"
#include "data/corpora/grammar.h"
#include "nn/model.h"
#include "optim/optimizer.h"

using namespace argand;

/// Trains a ComplexFormer on one batch of the embedded corpus, with word ids taken modulo `words`, and analyses the loss at that
/// point.
void study(std::int64_t width, std::int32_t words, std::int64_t products) {
  LmBatch text = LmBatches(Grammar().corpus(5'000, 0, 0, /*seed*/ 1).train, /*B*/ 4, /*T*/ 16, /*seed*/ 0).next();
  for (Ids* ids : {&text.tokens, &text.targets})
    for (std::int64_t k = 0; k < ids->size(); ++k) (*ids)[k] %= words;

  ModelConfig config = ModelConfig::defaults("complexformer");
  config.vocab_size = words, config.d_model = width, config.d_ff = 2 * width, config.n_layers = 1, config.n_heads = 2;
  const auto model = make_model<double>(config, /*seed*/ 0);
  const ParameterList<double> all = model->parameters();
  const auto optimizer = make_optimizer<double>({}, all);
  const std::function<Real()> loss = [&] { return model->loss(text.tokens, text.targets).total; };
  for (int step = 0; step < 200; ++step) {
    zero_grad(all);
    backward(loss());
    optimizer->step(/*learning rate*/ 1e-2);
  }

  const std::vector<RitzValue> seen = lanczos(loss, all, products);  // ascending
  const std::size_t last = seen.size() - 1;
  fmt::print("{} parameters, loss {:.3f}, {} products with the Hessian\n", count_parameters(all), loss().value().item(), products);
  for (const std::size_t i : {last, last - 1, last - 2, std::size_t{1}, std::size_t{0}})
    fmt::print("  eigenvalue {:9.5f}  residual {:.0e}\n", seen[i].value, seen[i].residual);
  if (count_parameters(all) > 1000) return;
  const std::vector<double> whole = symmetric_eigenvalues(hessian(loss, all));
  fmt::print("  of the whole Hessian: {:.5f} to {:.5f}, {:.0e} and {:.0e} away\n", whole.front(), whole.back(),
             std::abs(whole.front() - seen.front().value), std::abs(whole.back() - seen.back().value));
}

int main() {
  study(/*width*/ 4, /*words*/ 7, /*products*/ 60);
  study(/*width*/ 32, /*words*/ 200, /*products*/ 60);
}
