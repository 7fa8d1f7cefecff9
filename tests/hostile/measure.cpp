#include "tests/hostile/measure.h"

#include "autograd/ops/linear_algebra/matrices.h"
#include "core/random.h"
#include "tests/accuracy/measure.h"

namespace hostile {
namespace {

/// A seeded random perturbation of modulus at most 1.
template <Scalar T>
Z probe(const argand::Random& random, std::uint64_t at) {
  const double r = 0.5 + 0.5 * random.uniform(2 * at), turn = 6.283 * random.uniform(2 * at + 1);
  if constexpr (ComplexScalar<T>) return Z(r * std::cos(turn), r * std::sin(turn));
  return Z(turn < 3.14 ? r : -r);
}

/// The exact result; if the input is real, so is the gradient.
template <Scalar In>
Result exact_result(const Op& op, const std::vector<Z>& A, int m, int n, const std::vector<Z>& G, const std::vector<Z>& got) {
  Result result = op.reference(A, m, n, G, got);
  if constexpr (!ComplexScalar<In>)
    for (Z& g : result.gradient) g.y = 0;
  return result;
}

struct Units {
  std::vector<N> value, gradient;
};

/// The units in which errors are measured: the change of values and gradients when the input changes by one rounding, plus one
/// rounding of the result.
template <Scalar In>
Units units_of(const Op& op, const std::vector<Z>& A, int m, int n, const std::vector<Z>& G, const std::vector<Z>& got,
               const Result& exact) {
  using R = RealOf<In>;
  const N eps(std::numeric_limits<R>::epsilon()), least(std::numeric_limits<R>::denorm_min()), delta = eps;
  N largest = 0;
  for (const Z& a : A) largest = std::max(largest, accuracy::modulus(a));
  Units sizes;
  for (const Z& w : exact.value) sizes.value.push_back(accuracy::modulus(w));
  for (const Z& w : exact.gradient) sizes.gradient.push_back(accuracy::modulus(w));
  constexpr int probes = 2;
  for (std::uint64_t p = 0; p < probes; ++p) {
    const argand::Random random(p, 17);
    std::vector<Z> B = A, H = G;
    std::uint64_t at = 0;
    for (Z& b : B) {
      const Z e = probe<In>(random, at++);
      b = b + (op.condition == Condition::Entries ? b * Z(accuracy::modulus(e) * (e.x < 0 ? -1 : 1)) : e * Z(largest)) * Z(delta);
    }
    for (Z& h : H) h = h + h * Z(probe<double>(random, at++) * Z(delta));
    const Result moved = exact_result<In>(op, B, m, n, H, got);
    for (std::size_t k = 0; k < sizes.value.size(); ++k)
      sizes.value[k] += accuracy::modulus(moved.value[k] - exact.value[k]) / delta;
    for (std::size_t k = 0; k < sizes.gradient.size(); ++k)
      sizes.gradient[k] += accuracy::modulus(moved.gradient[k] - exact.gradient[k]) / delta;
  }
  for (std::vector<N>* all : {&sizes.value, &sizes.gradient}) {
    if (op.condition == Condition::Norm && !all->empty()) {
      const N most = *std::max_element(all->begin(), all->end());
      std::fill(all->begin(), all->end(), most);
    }
    for (N& size : *all) size = size * eps + least;
  }
  return sizes;
}

/// Updates the worst error of one cell. Results beyond the range of the type are not compared.
template <Scalar T>
void compare(accuracy::Worst& worst, std::span<const T> got, const std::vector<Z>& exact, const std::vector<N>& units,
             const std::string& where) {
  using R = RealOf<T>;
  const N most(std::numeric_limits<R>::max());
  for (std::size_t k = 0; k < exact.size(); ++k) {
    if (abs(exact[k].x) > most || abs(exact[k].y) > most) continue;
    const Z w(got[k]);
    const bool finite = isfinite(w.x) && isfinite(w.y);
    // The exact result for rounded input could overflow as well.
    if (!finite && accuracy::modulus(exact[k]) + 64 * units[k] > most) continue;
    const double error =
        finite ? static_cast<double>(N(accuracy::modulus(w - exact[k]) / units[k])) : std::numeric_limits<double>::infinity();
    worst.update(std::min(error, 1e300),
                 fmt::format("{}, number {}: {} for {:.6g}", where, k, accuracy::text(got[k]), static_cast<double>(exact[k].x)));
  }
}

/// A Aᴴ, rounded, to be used in place of A.
template <Scalar T>
std::vector<T> positive_matrix(int n, const std::vector<T>& A) {
  std::vector<T> P(A.size(), T(0));
  const auto at = [n](int i, int j) { return static_cast<std::size_t>(i * n + j); };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      T sum(0);
      for (int k = 0; k < n; ++k) sum += argand::mul(A[at(i, k)], argand::conj_of(A[at(j, k)]));
      P[at(i, j)] = i == j ? T(argand::real_of(sum)) : sum, P[at(j, i)] = argand::conj_of(P[at(i, j)]);
    }
  return P;
}

/// Whether rounding the input leaves no correct digit even in the largest entry.
bool is_lost(const std::vector<Z>& exact, const std::vector<N>& units) {
  N size = 0, unit = 0;
  for (const Z& w : exact) size = std::max(size, accuracy::modulus(w));
  for (const N& u : units) unit = std::max(unit, u);
  return unit * 64 >= size;
}

}  // namespace

template <Scalar T, Scalar Out>
void measure(accuracy::Cell& inside, accuracy::Cell& ends, const Op& op, const Function<T, Out>& f, Counts& counts) {
  struct Case {
    Kind kind;
    std::uint64_t seed;
    std::vector<T> numbers;
  };
  for (int n = op.least; n <= op.most; ++n) {
    const int m = n + op.rows_more;
    std::vector<Case> cases;
    for (int k = 0; k < kinds; ++k)
      for (int seed = 0; seed < op.seeds; ++seed)
        if (const Kind kind = static_cast<Kind>(k); op.takes(kind)) {
          const auto s = static_cast<std::uint64_t>(seed + n);
          cases.push_back({kind, s, matrix<T>(kind, m, n, s)});
          if (op.positive) cases.back().numbers = positive_matrix(n, cases.back().numbers);
          if (!argand::matrices::all_finite(cases.back().numbers.data(), m * n)) cases.pop_back();
        }
    // Runs all matrices in one batch, or one by one if one of them is refused.
    const auto run = [&](std::span<const Case> some) {
      const auto count = static_cast<std::int64_t>(some.size());
      Tensor<T> A(Shape{count, m, n});
      for (std::size_t i = 0; i < some.size(); ++i) std::copy(some[i].numbers.begin(), some[i].numbers.end(), A.data() + i * m * n);
      const Var<T> x = argand::variable(A);
      const Var<Out> w = f(x);
      const std::int64_t k = w.size() / std::max<std::int64_t>(1, count);
      Tensor<Out> G(w.shape());
      const argand::Random random(3, 5);
      for (std::int64_t i = 0; i < G.size(); ++i) {
        const Z g = probe<Out>(random, static_cast<std::uint64_t>(i % std::max<std::int64_t>(1, k)));
        if constexpr (ComplexScalar<Out>)
          G.data()[i] = Out(static_cast<RealOf<Out>>(g.x), static_cast<RealOf<Out>>(g.y));
        else
          G.data()[i] = static_cast<Out>(g.x);
      }
      argand::backward(argand::projection(w, G));
      const Tensor<T> dx = x.grad();
      for (std::size_t i = 0; i < some.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const auto value = w.value().span().subspan(i * static_cast<std::size_t>(k), static_cast<std::size_t>(k));
        const std::vector<Z> a(some[i].numbers.begin(), some[i].numbers.end()), g(G.data() + at * k, G.data() + (at + 1) * k),
            got(value.begin(), value.end());
        try {
          const Result exact = exact_result<T>(op, a, m, n, g, got);
          const Units units = units_of<T>(op, a, m, n, g, got, exact);
          if (op.leaves_out_lost && is_lost(exact.value, units.value)) continue;
          ++counts.cases;
          const std::string where = fmt::format("{}, n = {}, seed {}", name(some[i].kind), n, some[i].seed);
          accuracy::Cell& cell = at_the_ends(some[i].kind) ? ends : inside;
          compare<Out>(cell.value, value, exact.value, units.value, where);
          if (!exact.gradient.empty())
            compare<T>(cell.gradient,
                       std::as_const(dx).span().subspan(i * static_cast<std::size_t>(m * n), static_cast<std::size_t>(m * n)),
                       exact.gradient, units.gradient, where);
        } catch (const NoValue&) {
        }
      }
    };
    try {
      run(cases);
    } catch (const argand::Error&) {
      for (const Case& one : cases) {
        try {
          run({&one, 1});
        } catch (const argand::Error& e) {
          ++counts.refused;
          if (op.loosely_refused) continue;
          const std::vector<Z> a(one.numbers.begin(), one.numbers.end()), g(300, Z(1.0));
          try {
            const Result exact = exact_result<T>(op, a, m, n, g, {});
            const Units units = units_of<T>(op, a, m, n, g, {}, exact);
            if (is_lost(exact.value, units.value) || is_lost(exact.gradient, units.gradient)) continue;
            accuracy::Cell& cell = at_the_ends(one.kind) ? ends : inside;
            cell.value.update(std::numeric_limits<double>::infinity(),
                              fmt::format("{}, n = {}, seed {}: {}", name(one.kind), n, one.seed, e.what()));
          } catch (const NoValue&) {
          }
        }
      }
    }
  }
}

#define HOSTILE_MEASURE(T, Out) \
  template void measure(accuracy::Cell&, accuracy::Cell&, const Op&, const Function<T, Out>&, Counts&);
#define HOSTILE_MEASURE_OF(R)         \
  HOSTILE_MEASURE(R, R)               \
  HOSTILE_MEASURE(R, std::complex<R>) \
  HOSTILE_MEASURE(std::complex<R>, R) \
  HOSTILE_MEASURE(std::complex<R>, std::complex<R>)
ARGAND_FOR_REAL(HOSTILE_MEASURE_OF)

}  // namespace hostile
