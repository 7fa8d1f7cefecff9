#pragma once
/// The list of measurements, each of an op against its exact function for some types.

#include <mutex>

#include "autograd/ops/shape.h"
#include "tests/hostile/hostile.h"
#include "tests/hostile/measure.h"

namespace hostile {

/// Reshapes [count, ...] to [count, k].
template <Scalar T>
Var<T> flat(const Var<T>& w) {
  const std::int64_t count = w.dim(0);
  return argand::reshape(w, Shape{count, count == 0 ? 0 : w.size() / count});
}

/// Measurements of ops, each for one cell in both tables; any thread may run them.
class Tasks {
 public:
  explicit Tasks(accuracy::Table& table) : table_(table) {}

  /// Adds measurements for real types. f maps a Var<T> [count, m, n] to a Var whose first dimension is count.
  template <class F>
  void real(const Op& op, const F& f) {
    order_.push_back(op.name + "," + op.what);
    add_for<float>(op, f, "float32");
    add_for<double>(op, f, "float64");
  }
  /// Adds measurements for real and complex types.
  template <class F>
  void all(const Op& op, const F& f) {
    real(op, f);
    add_for<std::complex<float>>(op, f, "complex64");
    add_for<std::complex<double>>(op, f, "complex128");
  }

  Seen run();

 private:
  template <Scalar T, class F>
  void add_for(const Op& op, const F& f, std::string_view scalar) {
    using Out = typename std::decay_t<decltype(f(std::declval<const Var<T>&>()))>::value_type;
    add<T, Out>(
        op, [f](const Var<T>& A) { return flat(f(A)); }, scalar);
  }
  template <Scalar T, Scalar Out>
  void add(const Op& op, Function<T, Out> f, std::string_view scalar);

  struct Measured {
    Op op;
    std::string scalar;
    accuracy::Cell inside, ends;
  };
  accuracy::Table& table_;
  std::vector<std::function<void()>> tasks_;
  std::vector<std::string> order_;
  std::mutex mutex_;
  std::vector<Measured> cells_;
  Counts counts_;
};

void add_systems(Tasks& tasks);
void add_factors(Tasks& tasks);
void add_functions(Tasks& tasks);
void add_reductions(Tasks& tasks);

/// The entries of A in row-major order.
inline std::vector<Exact> numbers(const Matrix& A) { return A.numbers; }

}  // namespace hostile
