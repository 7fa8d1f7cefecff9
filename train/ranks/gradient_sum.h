#pragma once
/// Sums the gradients of a step's batches in the order of the batches, ((g0 + g1) + g2) + ..., regardless of which rank computes
/// them, so the result is bit-identical for any number of ranks.
///
/// With n ranks, rank r takes the batches r, n + r, 2n + r, ... Each gradient is cut into n pieces, and rank s sums piece s of all
/// ranks (a reduce-scatter). After the last batch, every rank receives all sums (an all-gather). A bucket of parameters is sent
/// once the backward pass has completed its last gradient, while the rest of this pass and the next batch's pass are computed.

#include <memory>

#include "autograd/parameter.h"
#include "train/ranks/ranks.h"

namespace argand {

template <RealScalar R>
class GradientSum {
 public:
  GradientSum(ParameterList<R> parameters, Ranks& ranks);
  ~GradientSum();

  /// Clears the gradients and sums. Each rank will then take `batches` batches.
  void begin(std::int64_t batches);
  /// Runs the backward pass from the loss of this rank's next batch.
  void backward(const Var<R>& loss);
  /// Sets the gradients of the parameters to the sum. Waits until all messages have arrived.
  void finish();

 private:
  struct Bucket;
  void add_here();
  void pack(Bucket& bucket);
  void start(Bucket& bucket);
  bool advance(Bucket& bucket);
  void poll();

  ParameterList<R> parameters_;
  Ranks& ranks_;
  std::int64_t batches_ = 0, taken_ = 0;
  std::vector<AnyTensorOf<R>> sums_;  ///< with a single rank; empty: nothing has been added
  std::vector<Bucket> buckets_;       ///< with several ranks
};

}  // namespace argand
