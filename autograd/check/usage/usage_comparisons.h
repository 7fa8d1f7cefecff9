#pragma once
/// Uses of a gradient (autograd/check/usage/usage.h) that are checked by comparing it with itself; for growing shapes see
/// autograd/check/usage/usage_size.h.

#include "autograd/check/usage/usage.h"
#include "autograd/check/usage/usage_pass.h"
#include "core/parallel.h"

namespace argand {

/// Sets the number of threads during its lifetime.
class ThreadCount {
 public:
  explicit ThreadCount(int n) : before_(num_threads()) { set_num_threads(n); }
  ~ThreadCount() { set_num_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

/// A case with inputs that float32 represents exactly.
struct Subject {
  std::string label;
  CheckedFunction f;
  FunctionOf<float> f32;
  std::vector<AnyTensor> inputs;
  Shape output = {};
  bool complex_output = false;
  Numbers incoming = {};     ///< gradient of the output
  Sample sample = {};        ///< value and gradients in float64: from the first pass, unless a better reference is known
  Condition condition = {};  ///< conditioning of the function; computed on first use
  Condition noise = {};      ///< scatter of the computation in float32 if it is larger, as when differences cancel

  std::int64_t gradient_size() const;  ///< elements of all inputs
  static Subject of(const OpCheck::Case& c, std::string label);
};

/// How many of the uses (enum Use) to check: Long skips those that do not depend on length; Short, for at most `short_length`
/// elements, also skips Split and Threads.
enum class CheckLevel { All, Short, Long };

class UsageComparisons {
 public:
  explicit UsageComparisons(UsageTally& tally) : tally_(tally) {}

  /// Checks every use but Size, in both precisions, until the first fault. Returns false if there is one.
  bool check(Subject& s, CheckLevel level);
  /// A first pass in float64 must equal s.sample up to rounding. `how` is the prefix of the fault's message.
  bool check_sample(Subject& s, Use use, std::string_view how);

 private:
  template <RealScalar R>
  bool check_in(const Subject& s, const Passes<R>& passes, const Sample& first, CheckLevel level);
  template <RealScalar R>
  bool again(const Subject& s, const Passes<R>& passes, const Sample& first);
  template <RealScalar R>
  bool added(const Subject& s, const Passes<R>& passes, const Sample& first, int most);
  template <RealScalar R>
  bool twice(const Subject& s, const Passes<R>& passes, const Sample& first);
  template <RealScalar R>
  bool same_variable(const Subject& s, const FunctionOf<R>& f);
  template <RealScalar R>
  bool scaled(const Subject& s, const Passes<R>& passes, const Sample& first, CheckLevel level);
  template <RealScalar R>
  bool split(const Subject& s, const Passes<R>& passes, const Sample& first);
  template <RealScalar R>
  bool alone(const Subject& s, const Passes<R>& passes, const Sample& first);
  template <RealScalar R>
  bool overwritten(const Subject& s, const Passes<R>& passes, const Sample& first);
  template <RealScalar R>
  bool threads(const Subject& s, const Passes<R>& passes);

  template <class Got, class Want, class Bar>
  bool compare(Use use, const Subject& s, std::string_view precision, std::string_view how, const std::string& tensor,
               const Shape& shape, bool is_complex, const Got& got, const Want& want, const Bar& bar);
  template <class Want, class Bar>
  bool compare_gradients(Use use, const Subject& s, std::string_view precision, std::string_view how,
                         const std::vector<Numbers>& got, const Want& want, const Bar& bar);
  bool close(Use use, const Subject& s, std::string_view precision, std::string_view how, const Sample& got, double epsilon);
  bool close_in_float32(Subject& s, const Sample& single);
  bool same_bits(Use use, const Subject& s, std::string_view precision, std::string_view how, const Sample& got,
                 const Sample& want);

  UsageTally& tally_;
};

}  // namespace argand
