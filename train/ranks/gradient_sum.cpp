#include "train/ranks/gradient_sum.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

#include "autograd/tape.h"
#include "core/kernels/pack.h"
#include "optim/real_view.h"

namespace argand {
namespace {

/// Minimum size of a bucket. Smaller buckets start earlier; larger ones need fewer messages.
constexpr std::int64_t bucket_bytes = std::int64_t{1} << 20;

/// Sets the tape's watch function; restores the previous one on destruction.
class Watching {
 public:
  explicit Watching(Tape::BackwardWatch watch) : before_(Tape::current().on_backward(std::move(watch))) {}
  ~Watching() { Tape::current().on_backward(std::move(before_)); }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

 private:
  Tape::BackwardWatch before_;
};

/// The first tape entry that reads each leaf: the leaf's gradient is complete once the backward pass has reached this entry.
std::map<const SlotBase*, std::int64_t> first_readers() {
  std::map<const SlotBase*, std::int64_t> first;
  const std::vector<TapeEntry>& entries = Tape::current().entries();
  for (std::size_t i = 0; i < entries.size(); ++i)
    for (const auto& input : entries[i].inputs)
      if (input != nullptr && input->leaf) first.emplace(input.get(), static_cast<std::int64_t>(i));
  return first;
}

template <RealScalar R>
void add_to(R* sum, const R* x, std::int64_t n) {
  parallel_for(n, elementwise_grain, [&](std::int64_t begin, std::int64_t end) {
    for_packs<R>(begin, end, [&](auto at) { at.store(sum, at.load(sum) + at.load(x)); });
  });
}

/// Allocates a new gradient tensor for a parameter and returns its memory, to be filled.
template <RealScalar R>
R* new_gradient(Parameter<R>& parameter) {
  return std::visit(
      []<Scalar T>(Var<T>& v) {
        v.slot()->grad = Tensor<T>(v.shape());
        v.slot()->present = true;
        return real_data<R>(v.slot()->grad);
      },
      parameter.var);
}

}  // namespace

/// The concatenated gradients of the parameters [first, last).
template <RealScalar R>
struct GradientSum<R>::Bucket {
  enum State { Idle, Exchanging, Gathering, Complete };
  std::size_t first = 0, last = 0;
  int label = 0;  ///< label of its reduce-scatter messages; label + 1 for the all-gather
  std::int64_t size = 0;
  std::int64_t round = 0;  ///< how many of this rank's batches have been sent
  State state = Idle;
  std::vector<R> all;  ///< this rank's gradients, finally the sums [size]
  std::vector<R> in;   ///< copies of the piece that this rank sums, from the other ranks [ranks, piece]
  std::vector<R> sum;  ///< the sum of that piece
  std::vector<std::unique_ptr<Ranks::Transfer>> transfers;

  std::int64_t begin_of(int piece, int ranks) const { return size * piece / ranks; }
  std::span<R> piece(int p, int ranks) {
    return std::span(all).subspan(static_cast<std::size_t>(begin_of(p, ranks)),
                                  static_cast<std::size_t>(begin_of(p + 1, ranks) - begin_of(p, ranks)));
  }
  /// Whether all pending transfers are complete.
  bool arrived() {
    std::erase_if(transfers, [](const auto& t) { return t->done(); });
    return transfers.empty();
  }
};

template <RealScalar R>
GradientSum<R>::GradientSum(ParameterList<R> parameters, Ranks& ranks) : parameters_(std::move(parameters)), ranks_(ranks) {
  if (ranks.size() == 1) return;
  // Fill the buckets from the last parameter to the first, which is the order of a backward pass.
  for (std::size_t last = parameters_.size(); last > 0;) {
    Bucket bucket;
    bucket.last = bucket.first = last;
    while (bucket.first > 0 && bucket.size * static_cast<std::int64_t>(sizeof(R)) < bucket_bytes)
      bucket.size += parameters_[--bucket.first].degrees_of_freedom();
    bucket.label = 1 + 2 * static_cast<int>(buckets_.size());
    const auto n = static_cast<std::size_t>(ranks.size());
    bucket.all.resize(static_cast<std::size_t>(bucket.size));
    bucket.sum.resize(bucket.piece(ranks.rank(), ranks.size()).size());
    bucket.in.resize(n * bucket.sum.size());
    last = bucket.first;
    buckets_.push_back(std::move(bucket));
  }
}

template <RealScalar R>
GradientSum<R>::~GradientSum() = default;

template <RealScalar R>
void GradientSum<R>::begin(std::int64_t batches) {
  zero_grad(parameters_);
  sums_.clear();
  batches_ = batches;
  taken_ = 0;
  for (Bucket& bucket : buckets_) bucket.state = Bucket::Idle, bucket.round = 0;
}

template <RealScalar R>
void GradientSum<R>::backward(const Var<R>& loss) {
  ++taken_;
  if (ranks_.size() == 1) {
    argand::backward(loss);
    if (batches_ > 1) add_here();
    return;
  }
  const auto first = first_readers();
  std::vector<std::int64_t> complete_at;  // for each bucket, the entry after which its gradients are complete
  for (const Bucket& bucket : buckets_) {
    std::int64_t at = std::numeric_limits<std::int64_t>::max();
    for (std::size_t p = bucket.first; p < bucket.last; ++p)
      if (const auto found = first.find(parameters_[p].slot()); found != first.end()) at = std::min(at, found->second);
    complete_at.push_back(at);
  }
  const auto start_those_after = [&](std::int64_t entry) {
    for (std::size_t b = 0; b < buckets_.size(); ++b)
      if (buckets_[b].round < taken_ && complete_at[b] >= entry) start(buckets_[b]);
    poll();
  };
  {
    const Watching watching([&](const TapeEntry& entry) { start_those_after(entry.output->entry); });
    argand::backward(loss);
  }
  start_those_after(-1);
}

template <RealScalar R>
void GradientSum<R>::finish() {
  if (ranks_.size() == 1) {
    for (std::size_t p = 0; p < sums_.size(); ++p)
      std::visit(
          [&]<Scalar T>(Var<T>& v) {
            v.slot()->grad = std::move(std::get<Tensor<T>>(sums_[p]));
            v.slot()->present = true;
          },
          parameters_[p].var);
    sums_.clear();
    return;
  }
  for (Bucket& bucket : buckets_) {
    for (Backoff backoff; bucket.state != Bucket::Complete;) {
      poll();
      if (bucket.state != Bucket::Complete) backoff.wait();
    }
    const R* from = bucket.all.data();
    for (std::size_t p = bucket.first; p < bucket.last; ++p) {
      const auto n = static_cast<std::size_t>(parameters_[p].degrees_of_freedom());
      std::memcpy(new_gradient(parameters_[p]), from, n * sizeof(R));
      from += n;
    }
  }
}

/// Adds the gradients of the parameters to the sums and clears them. A missing gradient counts as zero.
template <RealScalar R>
void GradientSum<R>::add_here() {
  const bool fresh = sums_.empty();
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    std::visit(
        [&]<Scalar T>(Var<T>& v) {
          Tensor<T> gradient = v.has_grad() ? std::move(v.slot()->grad) : Tensor<T>::zeros(v.shape());
          v.zero_grad();
          if (fresh)
            sums_.emplace_back(std::move(gradient));
          else
            std::get<Tensor<T>>(sums_[p]).add(gradient);
        },
        parameters_[p].var);
}

template <RealScalar R>
void GradientSum<R>::pack(Bucket& bucket) {
  R* to = bucket.all.data();
  for (std::size_t p = bucket.first; p < bucket.last; ++p) {
    const auto n = static_cast<std::size_t>(parameters_[p].degrees_of_freedom());
    if (const R* gradient = gradient_data(parameters_[p]))
      std::memcpy(to, gradient, n * sizeof(R));
    else
      std::fill_n(to, n, R(0));
    std::visit([](auto& v) { v.zero_grad(); }, parameters_[p].var);
    to += n;
  }
}

/// Sends each piece s to rank s once the pieces of the previous batch have been added.
template <RealScalar R>
void GradientSum<R>::start(Bucket& bucket) {
  for (Backoff backoff; bucket.state != Bucket::Idle && !advance(bucket);) backoff.wait();
  pack(bucket);
  const std::size_t n = bucket.sum.size();
  for (int r = 0; r < ranks_.size(); ++r)
    if (r != ranks_.rank())
      bucket.transfers.push_back(ranks_.receive(
          r, bucket.label, std::as_writable_bytes(std::span(bucket.in).subspan(static_cast<std::size_t>(r) * n, n))));
  for (int r = 0; r < ranks_.size(); ++r)
    if (r != ranks_.rank()) bucket.transfers.push_back(ranks_.send(r, bucket.label, std::as_bytes(bucket.piece(r, ranks_.size()))));
  bucket.state = Bucket::Exchanging;
  ++bucket.round;
}

/// Checks for arrived messages and proceeds. Returns whether the bucket is idle or complete.
template <RealScalar R>
bool GradientSum<R>::advance(Bucket& bucket) {
  if (bucket.state == Bucket::Idle || bucket.state == Bucket::Complete) return true;
  if (!bucket.arrived()) return false;
  const int n = ranks_.size(), own = ranks_.rank();
  const std::span<R> mine = bucket.piece(own, n);
  if (bucket.state == Bucket::Gathering) {
    bucket.state = Bucket::Complete;
    return true;
  }
  for (int r = 0; r < n; ++r) {
    const R* x = r == own ? mine.data() : bucket.in.data() + static_cast<std::size_t>(r) * mine.size();
    if (bucket.round == 1 && r == 0)
      std::copy_n(x, mine.size(), bucket.sum.begin());
    else
      add_to(bucket.sum.data(), x, static_cast<std::int64_t>(mine.size()));
  }
  bucket.state = Bucket::Idle;
  if (bucket.round < batches_) return true;
  std::copy(bucket.sum.begin(), bucket.sum.end(), mine.begin());
  for (int r = 0; r < n; ++r)
    if (r != own) bucket.transfers.push_back(ranks_.receive(r, bucket.label + 1, std::as_writable_bytes(bucket.piece(r, n))));
  for (int r = 0; r < n; ++r)
    if (r != own) bucket.transfers.push_back(ranks_.send(r, bucket.label + 1, std::as_bytes(mine)));
  bucket.state = Bucket::Gathering;
  return false;
}

template <RealScalar R>
void GradientSum<R>::poll() {
  for (Bucket& bucket : buckets_) advance(bucket);
}

template class GradientSum<float>;
template class GradientSum<double>;

}  // namespace argand
