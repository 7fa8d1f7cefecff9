#include "optim/lbfgs.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "autograd/tape.h"
#include "optim/real_view.h"
#include "optim/state.h"

namespace argand {
namespace {

template <RealScalar R>
double inner(const std::vector<R>& a, const std::vector<R>& b) {
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) total += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return total;
}

/// a += c b.
template <RealScalar R>
void add_multiple(std::vector<R>& a, double c, const std::vector<R>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += static_cast<R>(c) * b[i];
}

/// Calls f(index of the parameter, its number of reals, its offset in the concatenated vector).
template <RealScalar R, class F>
void for_each_part(const ParameterList<R>& parameters, const F& f) {
  std::ptrdiff_t begin = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    f(i, parameters[i].degrees_of_freedom(), begin);
    begin += parameters[i].degrees_of_freedom();
  }
}

template <RealScalar R>
std::vector<R> empty_vector(const ParameterList<R>& parameters) {
  std::int64_t n = 0;
  for (const auto& p : parameters) n += p.degrees_of_freedom();
  return std::vector<R>(static_cast<std::size_t>(n));
}

/// The relative rounding error of a loss, estimated as for a sum.
template <RealScalar R>
constexpr double rounding = 4.0 * std::numeric_limits<R>::epsilon();

/// minimise() stops after idle_steps steps without progress, or after kink_steps consecutive searches that close in on a point
/// without meeting the Wolfe conditions, which indicates a kink.
constexpr int idle_steps = 10, kink_steps = 6;

/// The minimum of the cubic that matches two values and slopes (Nocedal and Wright, Numerical Optimization, 2nd ed., eq. 3.59); NaN
/// if it has none.
template <class Point>
double cubic_minimum(const Point& a, const Point& b) {
  const double d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.t - b.t);
  const double d2 = std::copysign(std::sqrt(d1 * d1 - a.slope * b.slope), b.t - a.t);
  return b.t - (b.t - a.t) * (b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2);
}

}  // namespace

template <RealScalar R>
Lbfgs<R>::Lbfgs(ParameterList<R> parameters, const LbfgsOptions& options)
    : parameters_(std::move(parameters)), options_(options), shapes_(zeros_like_each(parameters_)) {
  require_variables(parameters_, "lbfgs");
  require(options.history >= 1, "lbfgs", "history must be at least 1, got {}", options.history);
  require(options.evaluations >= 1, "lbfgs", "a line search needs at least one evaluation, got {}", options.evaluations);
  require(options.flat >= 0, "lbfgs", "flat must not be negative, got {}", options.flat);
  require(0 < options.decrease && options.decrease < options.curvature && options.curvature < 1, "lbfgs",
          "requires 0 < decrease < curvature < 1, got {} and {}", options.decrease, options.curvature);
}

/// -H⁻¹g, where H⁻¹ is the BFGS inverse Hessian of the pairs, starting from γ = ⟨s, y⟩/⟨y, y⟩ of the newest pair (Nocedal and
/// Wright, algorithm 7.4).
template <RealScalar R>
typename Lbfgs<R>::Vector Lbfgs<R>::direction(const Vector& gradient) const {
  Vector q = gradient;
  std::vector<double> alpha;
  for (const Pair& pair : pairs_) {
    alpha.push_back(inner(pair.s, q) / pair.sy);
    add_multiple(q, -alpha.back(), pair.y);
  }
  const double gamma = pairs_.empty() ? 1 : pairs_.front().sy / inner(pairs_.front().y, pairs_.front().y);
  for (R& x : q) x *= static_cast<R>(-gamma);
  for (std::size_t k = pairs_.size(); k-- > 0;) add_multiple(q, -alpha[k] - inner(pairs_[k].y, q) / pairs_[k].sy, pairs_[k].s);
  return q;
}

/// A point that meets the strong Wolfe conditions, or the lowest point found when evaluations run out (Nocedal and Wright,
/// algorithms 3.5 and 3.6 in one loop: `low` is the lowest point so far, and the interval between `low` and `high` contains a
/// solution; without `high`, the step grows). If values are within `noise` of each other, the slopes decide which point is lower,
/// because they stay accurate closer to the minimum than values do (the approximate Wolfe conditions of Hager and Zhang, SIAM
/// Journal on Optimization 16, 2005, eq. 4.1). No point above `ceiling` is accepted.
template <RealScalar R>
typename Lbfgs<R>::Point Lbfgs<R>::search(const std::function<std::optional<Point>(double)>& along, const Point& start, double t,
                                          double ceiling, double noise) const {
  Point low = start;
  std::optional<Point> high;
  for (int n = 0; n < options_.evaluations; ++n) {
    std::optional<Point> next = along(t);
    if (!next && high) break;
    if (!next) {  // the step is too short to change any parameter
      t *= 3;
      continue;
    }
    Point now = *std::move(next);
    const bool decreases = now.value <= start.value + options_.decrease * t * start.slope && (low.t == 0 || now.value < low.value);
    const bool alike = std::abs(now.value - low.value) <= noise, flattens = std::abs(now.slope) < std::abs(low.slope);
    const bool lower = alike && now.slope * (now.t - low.t) >= 0 ? flattens : decreases || (alike && flattens);
    // A NaN or infinity in the value or anywhere in the gradient disqualifies a point.
    if (!lower || !(now.value <= ceiling) || !std::isfinite(now.value) || !std::isfinite(now.slope)) {
      high = std::move(now);
    } else {
      now.wolfe = std::abs(now.slope) <= options_.curvature * std::abs(start.slope);
      if (now.wolfe) return now;
      if (now.slope * (high ? high->t - low.t : 1) >= 0) high = low;
      low = std::move(now);
    }
    if (!high) {
      t *= 3;
    } else {
      const double from = std::min(low.t, high->t), width = std::abs(high->t - low.t), guess = cubic_minimum(low, *high);
      t = guess > from + 0.1 * width && guess < from + 0.9 * width ? guess : from + 0.5 * width;
    }
  }
  low.wolfe = !high;  // reaching the limit while the step grows is not a failure
  return low;
}

template <RealScalar R>
LbfgsReport Lbfgs<R>::minimise(const std::function<Var<R>()>& loss, int iterations) {
  require(iterations >= 0, "lbfgs", "the number of iterations must not be negative, got {}", iterations);
  for (std::size_t i = 0; i < parameters_.size(); ++i) require_unchanged(parameters_[i], shapes_[i]);
  LbfgsReport report{};
  Vector z = empty_vector(parameters_), p = z;
  for_each_part(parameters_, [&](std::size_t i, std::int64_t n, std::ptrdiff_t begin) {
    std::copy_n(real_data(parameters_[i]), n, z.begin() + begin);
  });

  const auto go_to = [&](double t) {  // returns whether any element differs from z
    bool moved = false;
    for_each_part(parameters_, [&](std::size_t i, std::int64_t n, std::ptrdiff_t begin) {
      R* to = real_data(parameters_[i]);
      for (std::int64_t k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(begin + k);
        to[k] = t == 0 ? z[at] : z[at] + static_cast<R>(t) * p[at];  // p may not be finite
        moved = moved || to[k] != z[at];
      }
    });
    return moved;
  };
  const auto along = [&](double t) -> std::optional<Point> {
    if (!go_to(t) && t != 0) return std::nullopt;
    zero_grad(parameters_);
    const Var<R> value = loss();
    require(value.size() == 1, "lbfgs", "the loss must be a scalar, got shape {}", value.shape());
    backward(value);
    ++report.evaluations;
    Point point{t, static_cast<double>(value.value().data()[0]), 0, empty_vector(parameters_), false};
    for_each_part(parameters_, [&](std::size_t i, std::int64_t n, std::ptrdiff_t begin) {
      if (const R* g = gradient_data(parameters_[i])) std::copy_n(g, n, point.gradient.begin() + begin);
    });
    point.slope = inner(point.gradient, p);
    return point;
  };

  Point now = *along(0);
  require(std::isfinite(now.value) && std::isfinite(inner(now.gradient, now.gradient)), "lbfgs",
          "the loss and its gradient must be finite at the start; the loss is {}", now.value);
  const auto norm = [](const Vector& v) { return std::sqrt(inner(v, v)); };
  // Progress means a value below the lowest so far by more than rounding, or a gradient under 0.9 times the smallest so far.
  // Without progress, steps only follow rounding errors.
  double lowest = now.value, smallest = norm(now.gradient);
  int idle = 0, without_wolfe = 0;
  while (true) {
    const double size = norm(now.gradient), noise = rounding<R> * std::abs(now.value);
    report.end = size <= options_.flat ? LbfgsEnd::Flat : LbfgsEnd::Iterations;
    if (report.end == LbfgsEnd::Flat || report.iterations == iterations) break;
    if (now.value < lowest - noise || size < 0.9 * smallest)
      lowest = std::min(lowest, now.value), smallest = std::min(smallest, size), idle = 0;
    else
      ++idle;
    if (idle > idle_steps || without_wolfe == kink_steps) {
      report.end = LbfgsEnd::NoLower;
      break;
    }
    p = direction(now.gradient);
    const bool downhill = inner(p, now.gradient) < 0;
    Point next = now;
    if (downhill) {
      now.t = 0, now.slope = inner(now.gradient, p);
      next = search(along, now, pairs_.empty() ? std::min(1.0, 1 / size) : 1, lowest + noise, noise);
    }
    if (!downhill || next.t == 0) {
      go_to(0);
      report.end = LbfgsEnd::NoLower;
      if (pairs_.empty()) break;
      pairs_.clear();  // the old curvature may be wrong here: try again along the gradient
      continue;
    }
    without_wolfe = next.wolfe ? 0 : without_wolfe + 1;
    Pair pair{p, next.gradient, 0};
    for (R& x : pair.s) x *= static_cast<R>(next.t);
    add_multiple(pair.y, -1, now.gradient);
    pair.sy = inner(pair.s, pair.y);
    if (pair.sy > 1e-10 * norm(pair.s) * norm(pair.y)) {
      pairs_.push_front(std::move(pair));
      if (pairs_.size() > static_cast<std::size_t>(options_.history)) pairs_.pop_back();
    }
    go_to(next.t);
    add_multiple(z, next.t, p);
    now = std::move(next);
    ++report.iterations, ++steps_;
  }
  report.loss = now.value, report.gradient = norm(now.gradient);
  for_each_part(parameters_, [&](std::size_t i, std::int64_t n, std::ptrdiff_t begin) {
    std::visit(
        [&]<Scalar T>(Var<T>& v) {
          Tensor<T> g(v.shape());
          std::copy_n(now.gradient.begin() + begin, n, real_data<R>(g));
          v.set_grad(std::move(g));
        },
        parameters_[i].var);
  });
  return report;
}

template <RealScalar R>
OptimizerState<R> Lbfgs<R>::state() const {
  OptimizerState<R> state{.steps = steps_, .tensors = {}};
  for (std::size_t k = 0; k < static_cast<std::size_t>(options_.history); ++k)
    for_each_part(parameters_, [&](std::size_t i, std::int64_t n, std::ptrdiff_t begin) {
      AnyTensorOf<R> s = zeros_like_each<R>({parameters_[i]})[0], y = s;
      if (k < pairs_.size()) {
        std::copy_n(pairs_[k].s.begin() + begin, n, real_data(s));
        std::copy_n(pairs_[k].y.begin() + begin, n, real_data(y));
      }
      state.tensors.push_back({fmt::format("s.{}.{}", k, parameters_[i].name), s});
      state.tensors.push_back({fmt::format("y.{}.{}", k, parameters_[i].name), y});
    });
  return state;
}

template <RealScalar R>
void Lbfgs<R>::load_state(const OptimizerState<R>& saved) {
  check_state(saved, state());
  pairs_.clear();
  for (int k = 0; k < options_.history; ++k) {
    Pair pair{empty_vector(parameters_), empty_vector(parameters_), 0};
    for_each_part(parameters_, [&](std::size_t i, std::int64_t n, std::ptrdiff_t begin) {
      AnyTensorOf<R> s = saved.tensor(fmt::format("s.{}.{}", k, parameters_[i].name)),
                     y = saved.tensor(fmt::format("y.{}.{}", k, parameters_[i].name));
      std::copy_n(real_data(s), n, pair.s.begin() + begin);
      std::copy_n(real_data(y), n, pair.y.begin() + begin);
    });
    pair.sy = inner(pair.s, pair.y);
    if (pair.sy > 0) pairs_.push_back(std::move(pair));
  }
  steps_ = saved.steps;
}

template class Lbfgs<float>;
template class Lbfgs<double>;

}  // namespace argand
