#include "train/evaluation/travel.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "optim/muon.h"
#include "train/checkpoints/initial_weights.h"
#include "train/checkpoints/jsonl.h"
#include "train/checkpoints/run_folder.h"

namespace argand {
namespace {

/// The part of a name after the block: "attn.delta" for "blocks.0.attn.delta".
std::string without_block(const std::string& name) {
  if (!name.starts_with("blocks.")) return name;
  return name.substr(name.find('.', std::string_view("blocks.").size()) + 1);
}

/// The model as it was before training.
template <RealScalar R>
std::unique_ptr<Model<R>> model_at_start(const TrainedRun& trained) {
  const RunConfig& config = trained.checkpoint.config();
  auto model = make_model<R>(config.model, static_cast<std::uint64_t>(config.training.seed));
  if (!config.training.init.empty()) InitialWeights(config.training.init).load<R>(*model, *trained.tokens, trained.classes);
  return model;
}

/// Swaps the values of two parameters of the same shape.
template <RealScalar R>
void exchange(const Parameter<R>& one, const Parameter<R>& other) {
  AnyVarOf<R> a = one.var, b = other.var;
  std::visit(
      [&]<Scalar T>(Var<T>& x) {
        Var<T>& y = std::get<Var<T>>(b);
        std::swap_ranges(x.value().begin(), x.value().end(), y.value().begin());
      },
      a);
}

}  // namespace

double longest_adam_step(double beta1, double beta2) {
  const double ratio = beta1 * beta1 / beta2;
  if (ratio >= 1) return std::numeric_limits<double>::infinity();
  return (1 - beta1) / std::sqrt((1 - beta2) * (1 - ratio));
}

double sum_of_rates(const Checkpoint& checkpoint) {
  const std::string log = RunFolder(std::filesystem::path(checkpoint.file().path()).parent_path().string()).log();
  double sum = 0;
  std::int64_t last = 0;
  for_each_line(log, [&](const nlohmann::ordered_json& line, std::int64_t) {
    if (!line.is_object() || !line.contains("lr") || line["step"] > checkpoint.state().step) return;
    const std::int64_t step = line["step"];
    sum += static_cast<double>(step - last) * line["lr"].get<double>();  // a line covers all steps since the previous one
    last = step;
  });
  require(last > 0 || checkpoint.state().step == 0, "travel",
          "{} contains no learning rates, so there is no bound on how far parameters could move", log);
  return sum;
}

template <RealScalar R>
Travel travel_of(const TrainedRun& trained, Model<R>& model, const EvaluationSet& set, const ContextOf& context_of,
                 const std::function<void(double)>& watch) {
  const OptimizerConfig& optimizer = trained.checkpoint.config().optimizer;
  const auto start = model_at_start<R>(trained);
  const ParameterList<R> now = model.parameters(), then = start->parameters();
  Travel travel;
  travel.reach = sum_of_rates(trained.checkpoint);
  std::vector<double> squares;
  std::vector<std::size_t> part_of(now.size());
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::string name = without_block(now[i].name);
    const auto found =
        std::find_if(travel.parts.begin(), travel.parts.end(), [&](const TravelledPart& p) { return p.name == name; });
    part_of[i] = static_cast<std::size_t>(found - travel.parts.begin());
    const Role role = now[i].role();
    if (found == travel.parts.end()) {
      travel.parts.push_back({.name = name,
                              .adam = optimizer.name != "muon" || !is_muon_parameter(role, now[i].shape()),
                              .decays = optimizer.weight_decay > 0 && (is_decayed(role) || optimizer.decay == "all")});
      squares.push_back(0);
    }
    TravelledPart& part = travel.parts[part_of[i]];
    std::visit(
        [&]<Scalar T>(const Var<T>& p) {
          const Tensor<T>&a = p.value(), &b = std::get<Var<T>>(then[i].var).value();
          for (std::int64_t j = 0; j < a.size(); ++j) {
            const double way = std::abs(std::complex<double>(a.data()[j]) - std::complex<double>(b.data()[j]));
            squares[part_of[i]] += way * way;
            part.longest = std::max(part.longest, way);
          }
          part.numbers += a.size();
        },
        now[i].var);
  }
  const auto loss = [&] { return evaluate<R>(model, set, context_of).loss; };
  const auto report = [&](std::size_t done) {
    if (watch) watch(static_cast<double>(done) / static_cast<double>(travel.parts.size() + 1));
  };
  travel.loss = loss();
  for (std::size_t p = 0; p < travel.parts.size(); ++p) {
    report(p + 1);
    const auto swap_part = [&] {
      for (std::size_t i = 0; i < now.size(); ++i)
        if (part_of[i] == p) exchange(now[i], then[i]);
    };
    travel.parts[p].rms = std::sqrt(squares[p] / static_cast<double>(std::max<std::int64_t>(1, travel.parts[p].numbers)));
    swap_part();
    travel.parts[p].set_back = loss();
    swap_part();
  }
  report(travel.parts.size() + 1);
  return travel;
}

std::vector<InvarianceEffect> effects_of_invariances(const Checkpoint& checkpoint, const Batch& batch,
                                                     const ForwardContext& context) {
  const ModelConfig& config = checkpoint.config().model;
  std::vector<InvarianceEffect> effects;
  if (!config.family().invariances) return effects;
  const NoGrad none;
  const auto loss = [&](Model<double>& model) { return model.loss(batch.tokens, batch.targets, context).cross_entropy; };
  const double before = loss(*load_model<double>(checkpoint));
  for (Invariance& invariance : config.family().invariances(config)) {
    const auto model = load_model<double>(checkpoint);
    const ParameterList<double> parameters = model->parameters();
    invariance.apply(Weights(parameters), Amounts(Random(0)));
    effects.push_back({std::move(invariance), loss(*model) - before});
  }
  return effects;
}

#define ARGAND_TRAVEL(R)                                                                          \
  template Travel travel_of(const TrainedRun&, Model<R>&, const EvaluationSet&, const ContextOf&, \
                            const std::function<void(double)>&);
ARGAND_FOR_REAL(ARGAND_TRAVEL)

}  // namespace argand
