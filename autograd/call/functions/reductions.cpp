/// Registers autograd/ops/rows, autograd/ops/scans and autograd/ops/selection to be called by name: reductions and cumulative sums.

#include "autograd/call/functions/over_axes.h"
#include "autograd/call/op_function.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/rows/softmax.h"
#include "autograd/ops/rows/vector_norm.h"
#include "autograd/ops/scans/scan.h"
#include "autograd/ops/selection/sort.h"

namespace argand {
namespace {

/// n/(n - correction) for n elements of x per element of y: PyTorch uses the sample variance, the library the population variance.
double factor_of_sample(std::string_view op, const Shape& x, const Shape& y, double correction) {
  if (y.size() == 0) return 1;
  const double n = static_cast<double>(x.size()) / static_cast<double>(y.size());
  require(n > correction, op, "correction must be less than the number of elements, got {} for {}", correction, n);
  return n / (n - correction);
}

/// The same indices with additional axes of size 1.
Ids in_shape(const Shape& shape, const Ids& places) { return Ids(shape, {places.span().begin(), places.span().end()}); }

/// PyTorch's max, min and median along an axis: the values and their indices. The first of several equal elements or NaNs is
/// chosen.
template <RealScalar R, class F>
std::tuple<Var<R>, Ids> with_places(const Var<R>& x, int axis, bool keepdim, const F& f) {
  const Var<R> values = f(x, axis, true);
  const Mask same = eq(x.value(), values.value()) | isnan(x.value());
  Tensor<R> found(x.shape());
  for (std::int64_t i = 0; i < found.size(); ++i) found.data()[i] = same[i] ? R(1) : R(0);
  const Ids places = argmax(Var<R>(found), axis);
  if (keepdim) return {values, in_shape(values.shape(), places)};
  return {reshape(values, places.shape()), places};
}

/// argmax and argmin: along an axis, or over all elements in row-major order.
template <RealScalar R, class F>
Ids one_place(const Var<R>& x, std::optional<int> axis, bool keepdim, const F& f) {
  const Ids places = axis ? f(x, *axis) : f(reshape(x, Shape{x.size()}), 0);
  if (!keepdim) return places;
  Shape shape = x.shape();
  for (int k = 0; k < shape.rank(); ++k)
    if (!axis || shape.checked(*axis) == k) shape[k] = 1;
  return in_shape(shape, places);
}

}  // namespace

static const OpFunction reduction_functions[] = {
    {"sum",
     {"input", {"dim", none}, {"keepdim", false}},
     []<Scalar T>(const Var<T>& x, const Axes& dim, bool keepdim) {
       return over_axes("sum", x, dim, keepdim, [](const auto&... v) { return sum(v...); });
     }},
    {"mean",
     {"input", {"dim", none}, {"keepdim", false}},
     []<Scalar T>(const Var<T>& x, const Axes& dim, bool keepdim) {
       return over_axes("mean", x, dim, keepdim, [](const auto&... v) { return mean(v...); });
     }},
    {"variance",
     {"input", {"dim", none}, {"keepdim", false}},
     []<Scalar T>(const Var<T>& x, const Axes& dim, bool keepdim) {
       return over_axes("variance", x, dim, keepdim, [](const auto&... v) { return variance(v...); });
     }},
    {"stddev",
     {"input", {"dim", none}, {"keepdim", false}},
     []<Scalar T>(const Var<T>& x, const Axes& dim, bool keepdim) {
       return over_axes("stddev", x, dim, keepdim, [](const auto&... v) { return stddev(v...); });
     }},
    {"var",
     "s² = Σ |x - μ|²/(n - correction), real for complex x too",
     {"input", {"dim", none}, {"correction", 1}, {"keepdim", false}},
     []<Scalar T>(const Var<T>& x, const Axes& dim, double correction, bool keepdim) {
       const auto y = over_axes("var", x, dim, keepdim, [](const auto&... v) { return variance(v...); });
       return scale(y, static_cast<RealOf<T>>(factor_of_sample("var", x.shape(), y.shape(), correction)));
     }},
    {"std",
     "s = sqrt(Σ |x - μ|²/(n - correction)), real for complex x too",
     {"input", {"dim", none}, {"correction", 1}, {"keepdim", false}},
     []<Scalar T>(const Var<T>& x, const Axes& dim, double correction, bool keepdim) {
       const auto y = over_axes("std", x, dim, keepdim, [](const auto&... v) { return stddev(v...); });
       return scale(y, static_cast<RealOf<T>>(std::sqrt(factor_of_sample("std", x.shape(), y.shape(), correction))));
     }},
    {"prod",
     "y = Π x, over all numbers or along axes",
     {"input", {"dim", none}, {"keepdim", false}},
     []<Scalar T>(const Var<T>& x, const Axes& dim, bool keepdim) {
       return over_axes("prod", x, dim, keepdim, [](const auto&... v) { return prod(v...); });
     }},
    {"logsumexp",
     {"input", {"dim", -1}, {"keepdim", false}},
     []<RealScalar R>(const Var<R>& x, const std::vector<int>& dim, bool keepdim) {
       return over_axes("logsumexp", x, dim, keepdim, [](const auto& v, auto... where) {
         if constexpr (sizeof...(where) > 0)
           return logsumexp(v, where...);
         else
           return logsumexp(reshape(v, Shape{v.size()}));
       });
     }},
    {"vector_norm",
     {"x", {"ord", 2.0}, {"dim", none}, {"keepdim", false}},
     []<Scalar T>(const Var<T>& x, RealOf<T> p, const Axes& dim, bool keepdim) {
       return over_axes("vector_norm", x, dim, keepdim, [p](const auto& v, auto... where) { return vector_norm(v, p, where...); });
     }},

    // Maximum, minimum and median.
    {"max",
     {"input", {"dim", none}, {"keepdim", false}},
     Results{"values", "indices"},
     []<RealScalar R>(const Var<R>& x, std::monostate, bool keepdim) {
       return over_axes("max", x, {}, keepdim, [](const auto&... v) { return max(v...); });
     },
     []<RealScalar R>(const Var<R>& x, int dim, bool keepdim) {
       return with_places(x, dim, keepdim, [](const auto&... v) { return max(v...); });
     }},
    {"min",
     {"input", {"dim", none}, {"keepdim", false}},
     Results{"values", "indices"},
     []<RealScalar R>(const Var<R>& x, std::monostate, bool keepdim) {
       return over_axes("min", x, {}, keepdim, [](const auto&... v) { return min(v...); });
     },
     []<RealScalar R>(const Var<R>& x, int dim, bool keepdim) {
       return with_places(x, dim, keepdim, [](const auto&... v) { return min(v...); });
     }},
    {"median",
     {"input", {"dim", none}, {"keepdim", false}},
     Results{"values", "indices"},
     []<RealScalar R>(const Var<R>& x, std::monostate, bool keepdim) {
       return over_axes("median", x, {}, keepdim, [](const auto&... v) { return median(v...); });
     },
     []<RealScalar R>(const Var<R>& x, int dim, bool keepdim) {
       return with_places(x, dim, keepdim, [](const auto&... v) { return median(v...); });
     }},
    {"amax",
     "the largest number along axes, without its index",
     {"input", {"dim", none}, {"keepdim", false}},
     []<RealScalar R>(const Var<R>& x, const Axes& dim, bool keepdim) {
       return over_axes("amax", x, dim, keepdim, [](const auto&... v) { return max(v...); });
     }},
    {"amin",
     "the smallest number along axes, without its index",
     {"input", {"dim", none}, {"keepdim", false}},
     []<RealScalar R>(const Var<R>& x, const Axes& dim, bool keepdim) {
       return over_axes("amin", x, dim, keepdim, [](const auto&... v) { return min(v...); });
     }},
    {"argmax",
     "index of the largest number, along an axis or in row-major order; the first one if several are equal",
     {"input", {"dim", none}, {"keepdim", false}},
     []<RealScalar R>(const Var<R>& x, std::optional<int> dim, bool keepdim) {
       return one_place(x, dim, keepdim, [](const auto&... v) { return argmax(v...); });
     }},
    {"argmin",
     "index of the smallest number, along an axis or in row-major order; the first one if several are equal",
     {"input", {"dim", none}, {"keepdim", false}},
     []<RealScalar R>(const Var<R>& x, std::optional<int> dim, bool keepdim) {
       return one_place(x, dim, keepdim, [](const auto&... v) { return argmin(v...); });
     }},

    // Functions along an axis that keep its length.
    {"softmax",
     {"input", {"dim", -1}},
     []<RealScalar R>(const Var<R>& x, int dim) { return along("softmax", x, dim, [](const Var<R>& v) { return softmax(v); }); }},
    {"log_softmax",
     {"input", {"dim", -1}},
     []<RealScalar R>(const Var<R>& x,
                      int dim) { return along("log_softmax", x, dim, [](const Var<R>& v) { return log_softmax(v); }); }},
    {"cumsum", {"input", "dim"}, []<Scalar T>(const Var<T>& x, int dim) { return cumsum(x, dim); }},
    {"cumprod", {"input", "dim"}, []<Scalar T>(const Var<T>& x, int dim) { return cumprod(x, dim); }},
    {"logcumsumexp", {"input", "dim"}, []<RealScalar R>(const Var<R>& x, int dim) { return logcumsumexp(x, dim); }},
    {"linear_recurrence",
     {"a", "b", "dim"},
     []<Scalar T>(const Var<T>& a, const Var<T>& b, int dim) { return linear_recurrence(a, b, dim); }},
};

}  // namespace argand
