#include "train/loop/worker.h"

#include <algorithm>

#include "core/machine/level.h"
#include "core/machine/openblas_kernels.h"
#include "data/files/checksum.h"

namespace argand {

template <RealScalar R>
void compare_ranks(const TrainingRun<R>& run, Ranks& ranks) {
  if (ranks.size() == 1) return;
  require_same(ranks, "the program or the processor is", fmt::format("{} {}", level_name(library_level()), blas_kernels().running));
  require_same(ranks, "the configuration or the data are", run.config().to_json() + run.state().made_from.data);
  Checksum parameters;
  for (const auto& p : run.parameters())
    std::visit(
        [&](const auto& v) {
          parameters.add({reinterpret_cast<const char*>(v.value().data()), v.value().span().size_bytes()});
        },
        p.var);
  require_same(ranks, "the parameters are", fmt::format("{} {}", run.state().step, parameters.hex()));
}

int agreed_signal(Ranks& ranks, int own) {
  std::vector<double> signals(static_cast<std::size_t>(ranks.size()));
  signals[static_cast<std::size_t>(ranks.rank())] = own;
  all_reduce(ranks, signals);
  return static_cast<int>(*std::max_element(signals.begin(), signals.end()));
}

template <RealScalar R>
void run_worker(TrainingRun<R>& run, Ranks& ranks, const std::function<int()>& signal) {
  compare_ranks(run, ranks);
  while (!run.finished() && agreed_signal(ranks, signal()) == 0) {
    run.step();
    bool is_best = false;
    if (run.due(run.config().training.eval_every) || run.finished()) run.validate(is_best);
  }
}

template void compare_ranks(const TrainingRun<float>&, Ranks&);
template void compare_ranks(const TrainingRun<double>&, Ranks&);
template void run_worker(TrainingRun<float>&, Ranks&, const std::function<int()>&);
template void run_worker(TrainingRun<double>&, Ranks&, const std::function<int()>&);

}  // namespace argand
