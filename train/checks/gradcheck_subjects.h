#pragma once
/// What `argand gradcheck` can check: ops, layers and models.

#include <functional>
#include <string>
#include <vector>

#include "autograd/check/parameter_check.h"
#include "autograd/op.h"
#include "data/corpora/corpus.h"
#include "train/config/run_config.h"

namespace argand {

/// An op, a layer or a model to check.
struct GradcheckSubject {
  std::string group;  ///< "op", "layer" or "model"
  std::string name;
  std::string kind;  ///< "holomorphic", ...; for layers and models, which inputs vary: "input, parameters"
  std::function<Report(const GradcheckOptions& options)> check;
};

/// For the table of `argand gradcheck`: the number of cases of an op, or of tensors that vary.
std::int64_t cases_of(const GradcheckSubject& subject, const Report& report);

/// Every registered op, sorted by name.
std::vector<GradcheckSubject> op_subjects();
/// Every layer of nn/ in all variants, as a function of its input and parameters; the output is projected onto random weights.
std::vector<GradcheckSubject> layer_subjects();
/// Every model family at small sizes, for both tasks, with each choice that its configuration accepts, one at a time.
std::vector<GradcheckSubject> model_subjects();

/// Checks the model of a run before it trains, in double precision and with its initial parameters, on twelve consecutive tokens of
/// the text: the largest element of each parameter's gradient and a random one. Runs on one thread.
Report check_model_of(const RunConfig& config, const Corpus& corpus);

/// Checks the gradients of a loss with respect to its parameters, and that they are the adjoint of the loss's tangents.
Report check_parameters(const std::function<Var<double>()>& loss, const ParameterList<double>& parameters, int samples,
                        const GradcheckOptions& options);
/// Moves parameters away from their initial values, whose zeros and ones would hide mistakes.
void perturb(ParameterList<double> parameters, std::uint64_t seed);

}  // namespace argand
