#include "nn/layers/dropout.h"

namespace argand {

namespace {
thread_local TrainingStep* innermost = nullptr;
}

TrainingStep::TrainingStep(std::uint64_t step, std::uint64_t seed) : step_(step), seed_(seed), outer_(innermost) {
  innermost = this;
}
TrainingStep::~TrainingStep() { innermost = outer_; }
TrainingStep* TrainingStep::current() { return innermost; }

}  // namespace argand
