#pragma once
/// The gradients of a step's batches, added in the order of the batches, ((g0 + g1) + g2) + ..., whoever computes them: the same
/// bits for any number of ranks.
///
/// Of n ranks, rank r takes the batches r, n + r, 2n + r, ... A gradient is cut into n pieces, and rank s adds up everybody's piece
/// s. When all batches are in, the sums go to everybody. A bucket of parameters sets out as soon as the backward pass has left its
/// last gradient behind, and travels while the rest of this pass, and that of the next batch, are computed.

#include <memory>

#include "autograd/parameter.h"
#include "train/ranks/ranks.h"

namespace argand {

template <RealScalar R>
class GradientSum {
 public:
  GradientSum(ParameterList<R> parameters, Ranks& ranks);
  ~GradientSum();

  /// Clears the gathered gradients. Each rank takes `batches` next.
  void begin(std::int64_t batches);
  /// Walks the tape back from the loss of this rank's next batch.
  void backward(const Var<R>& loss);
  /// The parameters' gradients become the sum. Returns when all of it is here.
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
  std::vector<AnyTensorOf<R>> sums_;  ///< of this process alone; empty: nothing was added yet
  std::vector<Bucket> buckets_;       ///< of several ranks
};

}  // namespace argand
