#pragma once
/// How far a run's parameters moved from their initial values, how far they could have moved, and what the movement contributes.
///
/// In one step, Adam moves an element by lr · m̂ / (√v̂ + ε), which is about lr if the gradient keeps its sign and size. So a
/// parameter that starts at 0 moves by at most about the sum of the learning rates. This is not a strict bound; longest_adam_step()
/// is the largest possible single step.

#include "nn/invariance.h"
#include "train/checkpoints/trained_run.h"
#include "train/evaluation/evaluation.h"

namespace argand {

/// All parameters whose names differ only in the block: "attn.delta".
struct TravelledPart {
  std::string name;
  std::int64_t numbers = 0;          ///< number of elements; a complex one counts once
  double rms = 0, longest = 0;       ///< root mean square and largest value of |p - p₀|
  bool adam = true, decays = false;  ///< updated by AdamW, not Muon; subject to weight decay
  double set_back = 0;               ///< loss if these are reset to their initial values and all others are as trained
};

struct Travel {
  double reach = 0;  ///< sum of the learning rates of all steps
  double loss = 0;   ///< loss of the trained model: nats per token or per article
  std::vector<TravelledPart> parts;
};

/// The largest step of Adam for an element, in units of the learning rate, for any gradients. Since the two moments weight step i
/// by a_i = (1 - β1) β1^i and b_i = (1 - β2) β2^i,
///     |m̂|² = (Σ a_i g_i)² ≤ Σ (a_i²/b_i) · Σ b_i g_i²   so   |m̂|/√v̂ ≤ √(Σ a_i²/b_i) = (1 - β1) / √((1 - β2) (1 - β1²/β2)),
/// with equality for gradients that grow by a factor of β2/β1 per step. The bound is 1.70 for β = (0.9, 0.98), and infinite
/// unless β1² < β2.
double longest_adam_step(double beta1, double beta2);

/// The sum of the learning rates of all steps up to the checkpoint, from the run's log. Throws Error if the log has none.
double sum_of_rates(const Checkpoint& checkpoint);

/// Evaluates the trained model once, and once with each part reset. If the run started from other weights (`init`), that file must
/// still exist. Throws Error. `set` and `context_of` are as in evaluate(); `watch` receives the fraction done and may be null.
template <RealScalar R>
Travel travel_of(const TrainedRun& trained, Model<R>& model, const EvaluationSet& set, const ContextOf& context_of,
                 const std::function<void(double)>& watch);

/// The change in a batch's loss, in float64, when a trained model is moved along each of its family's invariances.
struct InvarianceEffect {
  Invariance invariance;
  double change = 0;
};
std::vector<InvarianceEffect> effects_of_invariances(const Checkpoint& checkpoint, const Batch& batch,
                                                     const ForwardContext& context);

}  // namespace argand
