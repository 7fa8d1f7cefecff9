#pragma once
/// How far a run's parameters travelled from where they started, how far they could, and what the way is worth.
///
/// Adam moves a number by lr · m̂ / (√v̂ + ε) in a step, about lr where its gradient keeps sign and size, so a parameter that starts
/// at nothing goes at most about as far as the rates add up to. Not strictly: longest_adam_step() is what one step can reach.

#include "nn/invariance.h"
#include "train/checkpoints/trained_run.h"
#include "train/evaluation/evaluation.h"

namespace argand {

/// The parameters of one name in all blocks: "attn.delta".
struct TravelledPart {
  std::string name;
  std::int64_t numbers = 0;          ///< a complex one counts once
  double rms = 0, longest = 0;       ///< of |p - p₀|, in the mean square and at the most
  bool adam = true, decays = false;  ///< moved by AdamW, not Muon; shrunk by weight decay, too
  double set_back = 0;               ///< loss with these at their start, all others as learnt
};

struct Travel {
  double reach = 0;  ///< Σ of the rates of all steps
  double loss = 0;   ///< as learnt: nats a token or an article
  std::vector<TravelledPart> parts;
};

/// The most that one step of Adam moves a number, in units of its rate, whatever the gradients: as the mean and the mean square
/// weigh step i with a_i = (1 - β1) β1^i and b_i = (1 - β2) β2^i,
///     |m̂|² = (Σ a_i g_i)² ≤ Σ (a_i²/b_i) · Σ b_i g_i²   so   |m̂|/√v̂ ≤ √(Σ a_i²/b_i) = (1 - β1) / √((1 - β2) (1 - β1²/β2)),
/// with equality for gradients that grow by β2/β1 a step. 1.70 for β = (0.9, 0.98); infinite unless β1² < β2.
double longest_adam_step(double beta1, double beta2);

/// Sum of the rates of all steps up to the checkpoint, from the run's log. Throws Error when there is none.
double sum_of_rates(const Checkpoint& checkpoint);

/// Evaluates once as learnt and once a part. A run that began with other weights (`init`) needs them to be there still; throws
/// Error. Set and contexts are those of evaluate(); `watch`: may be null, receives the share that is done.
template <RealScalar R>
Travel travel_of(const TrainedRun& trained, Model<R>& model, const EvaluationSet& set, const ContextOf& context_of,
                 const std::function<void(double)>& watch);

/// By how much the loss of a batch changes, in float64, when a trained model is changed along each of its family's invariances.
struct InvarianceEffect {
  Invariance invariance;
  double change = 0;
};
std::vector<InvarianceEffect> effects_of_invariances(const Checkpoint& checkpoint, const Batch& batch,
                                                     const ForwardContext& context);

}  // namespace argand
