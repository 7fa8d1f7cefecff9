/// The layers that `argand gradcheck` checks, each as a function of its input and parameters.

#include "nn/attention/projection.h"
#include "nn/family.h"
#include "nn/layer_check.h"
#include "nn/layers/whitening_norms.h"
#include "train/checks/gradcheck_subjects.h"

namespace argand {
namespace {

using C = std::complex<double>;

/// The layers that families share.
std::vector<LayerCheck> shared_layers() {
  std::vector<LayerCheck> layers;
  layers.push_back({"Linear, real", [](Init& init) {
                      return applied<double>(std::make_shared<Linear<double>>(init, 3, 4), {2, 3});
                    }});
  layers.push_back({"Linear, complex", [](Init& init) { return applied<C>(std::make_shared<Linear<C>>(init, 3, 4), {2, 3}); }});
  layers.push_back({"Linear, no bias", [](Init& init) {
                      return applied<C>(std::make_shared<Linear<C>>(init, 3, 4, false), {2, 3});
                    }});
  layers.push_back({"LayerNorm, real", [](Init& init) {
                      return applied<double>(std::make_shared<LayerNorm<double>>(init, 4), {2, 4});
                    }});
  layers.push_back({"LayerNorm, complex", [](Init& init) { return applied<C>(std::make_shared<LayerNorm<C>>(init, 4), {2, 4}); }});
  layers.push_back({"RmsNorm, real", [](Init& init) {
                      return applied<double>(std::make_shared<RmsNorm<double>>(init, 4), {2, 4});
                    }});
  layers.push_back({"RmsNorm, complex", [](Init& init) { return applied<C>(std::make_shared<RmsNorm<C>>(init, 4), {2, 4}); }});
  layers.push_back({"WhiteningLayerNorm", [](Init& init) {
                      return applied<C>(std::make_shared<WhiteningLayerNorm<double>>(init, 4), {3, 4});
                    }});
  layers.push_back({"WhiteningBatchNorm, training", [](Init& init) {
                      const auto norm = std::make_shared<WhiteningBatchNorm<double>>(init, 2);
                      const Var<C> x = layer_input<C>({3, 2, 2});
                      return LayerLoss{[norm, x] { return weighed((*norm)(x, true)); }, with_parameters_of(*norm, {{"input", x}})};
                    }});
  for (const FeedForwardKind kind : every<FeedForwardKind>())
    layers.push_back({"FeedForward, " + word_of(kind), [kind](Init& init) {
                        return applied<double>(std::make_shared<FeedForward<double>>(init, kind, 4, 6, true), {2, 4});
                      }});
  layers.push_back({"Projection, complex", [](Init& init) {
                      return applied<double>(std::make_shared<Projection<double>>(Projection<double>::complex(init, 4, 6)), {2, 4});
                    }});
  layers.push_back({"Embedding, complex", [](Init& init) {
                      const auto table = std::make_shared<Embedding<C>>(init, 4, 3, 0.5);
                      const auto loss = [table] { return weighed((*table)(Ids({2, 3}, {0, 2, 1, 2, 2, 0}))); };
                      return LayerLoss{loss, {{"weight", table->weight}}};
                    }});
  return layers;
}

GradcheckSubject subject_of(const LayerCheck& check) {
  return {"layer", check.name, "input, parameters", [check](GradcheckOptions options) {
            Init init(7);
            const LayerLoss layer = check.make(init);
            ParameterList<double> own(layer.parameters.begin() + layer.chosen, layer.parameters.end());
            perturb(own, 0x5A4E);
            options.name = check.name;
            return check_parameters(layer.loss, layer.parameters, 12, options);
          }};
}

}  // namespace

std::vector<GradcheckSubject> layer_subjects() {
  std::vector<GradcheckSubject> subjects;
  for (const LayerCheck& check : shared_layers()) subjects.push_back(subject_of(check));
  for (const Family& family : families())
    if (family.checks.layers)
      for (const LayerCheck& check : family.checks.layers()) subjects.push_back(subject_of(check));
  return subjects;
}

}  // namespace argand
