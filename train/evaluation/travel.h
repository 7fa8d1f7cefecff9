#pragma once
/// How far a run's parameters moved from their initial values, how far they could have moved, and what the movement is worth.
///
/// In one step, Adam moves a number by lr · m̂ / (√v̂ + ε), about lr where its gradient keeps sign and size. So a parameter that
/// starts at 0 moves at most about as far as the sum of the rates. This is not a strict bound; longest_adam_step() is the most that
/// one step can do.

#include "nn/invariance.h"
#include "train/checkpoints/trained_run.h"
#include "train/evaluation/evaluation.h"

namespace argand {

/// The parameters with one name in all blocks: "attn.delta".
struct TravelledPart {
  std::string name;
  std::int64_t numbers = 0;          ///< a complex one counts once
  double rms = 0, longest = 0;       ///< root mean square and largest value of |p - p₀|
  bool adam = true, decays = false;  ///< updated by AdamW, not Muon; subject to weight decay
  double set_back = 0;               ///< loss with these reset to their initial values, all others as learnt
};

struct Travel {
  double reach = 0;  ///< sum of the learning rates of all steps
  double loss = 0;   ///< of the trained model: nats per token or per article
  std::vector<TravelledPart> parts;
};

/// The most that one step of Adam moves a number, in units of its rate, whatever the gradients: as the mean and the mean square
/// weigh step i with a_i = (1 - β1) β1^i and b_i = (1 - β2) β2^i,
///     |m̂|² = (Σ a_i g_i)² ≤ Σ (a_i²/b_i) · Σ b_i g_i²   so   |m̂|/√v̂ ≤ √(Σ a_i²/b_i) = (1 - β1) / √((1 - β2) (1 - β1²/β2)),
/// with equality for gradients that grow by β2/β1 a step. 1.70 for β = (0.9, 0.98); infinite unless β1² < β2.
double longest_adam_step(double beta1, double beta2);

/// The sum of the learning rates of all steps up to the checkpoint, from the run's log. Throws Error when the log has none.
double sum_of_rates(const Checkpoint& checkpoint);

/// Evaluates the trained model once, and once with each part reset. If the run began with other weights (`init`), that file must
/// still exist. Throws Error. The set and the contexts are those of evaluate(); `watch` may be null and receives the fraction done.
template <RealScalar R>
Travel travel_of(const TrainedRun& trained, Model<R>& model, const EvaluationSet& set, const ContextOf& context_of,
                 const std::function<void(double)>& watch);

/// The change of a batch's loss, in float64, when a trained model is moved along each of its family's invariances.
struct InvarianceEffect {
  Invariance invariance;
  double change = 0;
};
std::vector<InvarianceEffect> effects_of_invariances(const Checkpoint& checkpoint, const Batch& batch,
                                                     const ForwardContext& context);

}  // namespace argand
