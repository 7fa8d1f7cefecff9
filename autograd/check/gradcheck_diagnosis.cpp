#include "autograd/check/gradcheck_diagnosis.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/parallel.h"

namespace argand {
namespace {

constexpr std::string_view nothing = "the gradient matches no common mistake";
constexpr double likeness = 1e-6;  // how closely a gradient must match that of a known mistake

double largest(const ComplexValues& values) {
  double size = 0;
  for (const auto& v : values) size = std::max(size, std::abs(v));
  return size;
}

double distance(const ComplexValues& a, const ComplexValues& b) {
  double size = 0;
  for (std::size_t k = 0; k < a.size(); ++k) size = std::max(size, std::abs(a[k] - b[k]));
  return size;
}

bool alike(const ComplexValues& a, const ComplexValues& b) { return distance(a, b) <= likeness * std::max(largest(a), largest(b)); }

/// The factor c for which a = c b, if there is one.
std::optional<std::complex<double>> common_factor(const ComplexValues& a, const ComplexValues& b) {
  std::complex<double> ab = 0;
  double bb = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    ab += conj_mul(b[k], a[k]);
    bb += abs2_of(b[k]);
  }
  if (bb == 0) return std::nullopt;
  const std::complex<double> c = ab / bb;
  ComplexValues scaled = b;
  for (auto& v : scaled) v = mul(v, c);
  if (!alike(a, scaled)) return std::nullopt;
  return c;
}

std::string factor_name(std::complex<double> c) {
  const auto is = [c](std::complex<double> value) { return std::abs(c - value) <= likeness * std::abs(value); };
  if (is(2)) return "twice the correct one";
  if (is(0.5)) return "half the correct one";
  if (is(-1)) return "negated";
  if (is({0, 1})) return "multiplied by i";
  if (is({0, -1})) return "multiplied by -i";
  if (std::abs(c.imag()) <= likeness * std::abs(c)) return fmt::format("multiplied by {:.6g}", c.real());
  return fmt::format("multiplied by {}", number_name(c, true));
}

/// The names of the suspicions that match `analytic`; empty if none does.
std::vector<std::string> matching_names(const ComplexValues& analytic, const ComplexValues& numerical,
                                        const std::vector<Suspicion>& suspicions) {
  if (largest(analytic) <= likeness * largest(numerical)) return {"zero"};
  std::vector<std::string> names;
  if (const auto c = common_factor(analytic, numerical); c && std::abs(*c - 1.0) > likeness) names.push_back(factor_name(*c));
  for (const Suspicion& s : suspicions)
    if (!alike(s.values, numerical) && alike(analytic, s.values)) names.push_back(s.name);
  if (!names.empty()) return names;
  for (const Suspicion& s : suspicions)
    if (const auto c = common_factor(analytic, s.values); c && !common_factor(s.values, numerical))
      return {fmt::format("{} and {}", s.name, factor_name(*c))};
  return {};
}

ComplexValues chosen(const ComplexValues& values, const std::vector<std::size_t>& places) {
  ComplexValues result;
  for (const std::size_t k : places) result.push_back(values[k]);
  return result;
}

/// Transposes the last two axes of each concatenated tensor and reshapes the result to the old shape.
ComplexValues transposed(const ComplexValues& values, const Shape& shape) {
  const std::size_t rows = static_cast<std::size_t>(shape[-2]), columns = static_cast<std::size_t>(shape[-1]);
  ComplexValues result(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::size_t place = k % (rows * columns);
    result[k] = values[k - place + place % rows * columns + place / rows];
  }
  return result;
}

/// The functional restricted to outputs in one slice (the first or the last index) of the axes along which `from` is expanded to
/// `to`; nullopt if no axis is expanded.
std::optional<Functional> one_slice(const Functional& all, const Shape& from, const Shape& to, bool last) {
  if (from.rank() > to.rank() || from.size() == to.size()) return std::nullopt;
  std::vector<bool> stretched(static_cast<std::size_t>(to.rank()), true);
  for (int axis = 1; axis <= from.rank(); ++axis) {
    if (from[-axis] != to[-axis] && from[-axis] != 1) return std::nullopt;
    stretched[static_cast<std::size_t>(to.rank() - axis)] = from[-axis] != to[-axis];
  }
  const auto strides = strides_of(to);
  Functional slice;
  for (const auto& term : all.terms) {
    bool inside = true;
    for (int axis = 0; axis < to.rank(); ++axis) {
      const std::int64_t index = static_cast<std::int64_t>(term.output) / strides[static_cast<std::size_t>(axis)] % to[axis];
      if (stretched[static_cast<std::size_t>(axis)] && index != (last ? to[axis] - 1 : 0)) inside = false;
    }
    if (inside) slice.terms.push_back(term);
  }
  return slice;
}

/// One input under random projections: its gradients from the tape and from differences, and those that known mistakes would give.
class Investigation {
 public:
  Investigation(const ScalarProjection& projected, std::size_t input, const GradcheckOptions& options)
      : projected_(projected), input_(input), options_(options) {
    for (std::uint64_t p = 0; p < 2; ++p) look(projected.random_weights(options.seed, p));
  }

  std::string verdict() const {
    for (std::size_t k = 0; k < analytic_.size(); ++k)
      if (!std::isfinite(std::abs(analytic_[k])))
        return fmt::format("the gradient is not finite at element {}", k % static_cast<std::size_t>(projected_.input_size(input_)));
    std::vector<Suspicion> suspicions{{"conjugated", mapped([](auto g) { return std::conj(g); })}};
    if (projected_.input_shape(input_).rank() >= 2)
      suspicions.push_back({"transposed", transposed(numerical_, projected_.input_shape(input_))});
    std::vector<Suspicion> unlikely;
    if (projected_.input_is_complex(input_)) {
      unlikely = {{"as if ∂w/∂z and ∂w/∂z̄ were swapped", swapped_},
                  {"as if ∂w/∂z were not conjugated", unconjugated_},
                  {"as if g_w were not conjugated in the ∂w/∂z̄ term", unconjugated_dw_},
                  {"as if only the ∂w/∂z term were there", only_dz_},
                  {"as if only the ∂w/∂z̄ term were there", only_dzbar_},
                  {"as if the imaginary part were lost", mapped([](auto g) { return std::complex(g.real(), 0.0); })},
                  {"as if the real part were lost", mapped([](auto g) { return std::complex(0.0, g.imag()); })}};
    }
    if (!first_slice_.empty())
      unlikely.push_back({"as if the sum over broadcast axes were missing (first slice only)", first_slice_});
    if (!last_slice_.empty()) unlikely.push_back({"as if the sum over broadcast axes were missing (last slice only)", last_slice_});
    for (std::size_t other = 0; other < projected_.inputs().size(); ++other)
      if (other != input_ && projected_.input_shape(other) == projected_.input_shape(input_))
        unlikely.push_back({fmt::format("like that of input {}", other), numerical_of(other)});

    const std::string likely = resemblance(analytic_, numerical_, suspicions);
    if (likely != nothing) return likely;
    return resemblance(analytic_, numerical_, unlikely);
  }

 private:
  void look(const ComplexValues& W) {
    const ComplexValues analytic = projected_.analytic(W)[input_];
    analytic_.insert(analytic_.end(), analytic.begin(), analytic.end());

    // With p = Σ conj(W) ∂w and q = Σ W ∂w, along x and along y, every combination of the two Wirtinger terms can be formed.
    ComplexValues iW(W.size()), W_bar(W.size()), iW_bar(W.size());
    for (std::size_t k = 0; k < W.size(); ++k) {
      iW[k] = mul(std::complex(0.0, 1.0), W[k]);
      W_bar[k] = std::conj(W[k]);
      iW_bar[k] = mul(std::complex(0.0, 1.0), W_bar[k]);
    }
    std::vector<Functional> functionals{Functional::of(W), Functional::of(iW), Functional::of(W_bar), Functional::of(iW_bar)};
    for (const bool last : {false, true})
      if (auto slice = one_slice(functionals[0], projected_.input_shape(input_), projected_.output_shape(), last))
        functionals.push_back(std::move(*slice));

    // Each element has its own slot, so several threads can write at once.
    const auto size = static_cast<std::size_t>(projected_.input_size(input_)), begin = numerical_.size();
    const bool broadcast = functionals.size() == 6;
    for (ComplexValues* values : {&numerical_, &only_dz_, &only_dzbar_, &unconjugated_, &unconjugated_dw_, &swapped_})
      values->resize(begin + size);
    if (broadcast)
      for (ComplexValues* values : {&first_slice_, &last_slice_}) values->resize(begin + size);
    const std::complex<double> i(0, 1);
    const auto visit = [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t e = first; e < end; ++e) {
        const auto x = projected_.numerical(input_, e, false, functionals, options_.ridders);
        const auto y = projected_.input_is_complex(input_) ? projected_.numerical(input_, e, true, functionals, options_.ridders)
                                                           : std::vector<Derivative>(functionals.size());
        const auto at = [](const std::vector<Derivative>& d, std::size_t k) { return d[k].central.value; };
        const std::complex<double> px(at(x, 0), at(x, 1)), py(at(y, 0), at(y, 1)), qx(at(x, 2), at(x, 3)), qy(at(y, 2), at(y, 3));
        const auto dw_dz = (px - i * py) * 0.5, dw_dzbar = (px + i * py) * 0.5;      // Σ conj(W) ∂w/∂z, Σ conj(W) ∂w/∂z̄
        const auto dw_dz_W = (qx - i * qy) * 0.5, dw_dzbar_W = (qx + i * qy) * 0.5;  // the same with W
        const std::size_t place = begin + static_cast<std::size_t>(e);
        numerical_[place] = std::conj(dw_dz) + dw_dzbar;
        only_dz_[place] = std::conj(dw_dz);
        only_dzbar_[place] = dw_dzbar;
        unconjugated_[place] = dw_dz_W + dw_dzbar;
        unconjugated_dw_[place] = std::conj(dw_dz) + dw_dzbar_W;
        swapped_[place] = dw_dzbar_W + std::conj(dw_dz_W);
        if (broadcast) {
          first_slice_[place] = {at(x, 4), at(y, 4)};
          last_slice_[place] = {at(x, 5), at(y, 5)};
        }
      }
    };
    if (options_.parallel)
      parallel_for(projected_.input_size(input_), 1, visit);
    else
      visit(0, projected_.input_size(input_));
  }

  template <class F>
  ComplexValues mapped(const F& f) const {
    ComplexValues values = numerical_;
    for (auto& v : values) v = f(v);
    return values;
  }

  ComplexValues numerical_of(std::size_t other) const {
    ComplexValues values;
    for (std::uint64_t p = 0; p < 2; ++p) {
      const std::vector<Functional> functional{Functional::of(projected_.random_weights(options_.seed, p))};
      for (std::int64_t e = 0; e < projected_.input_size(other); ++e) {
        const double x = projected_.numerical(other, e, false, functional, options_.ridders)[0].central.value;
        const bool both = projected_.input_is_complex(other);
        values.emplace_back(x, both ? projected_.numerical(other, e, true, functional, options_.ridders)[0].central.value : 0);
      }
    }
    return values;
  }

  const ScalarProjection& projected_;
  std::size_t input_;
  const GradcheckOptions& options_;
  ComplexValues analytic_, numerical_, only_dz_, only_dzbar_, unconjugated_, unconjugated_dw_, swapped_, first_slice_, last_slice_;
};

}  // namespace

std::string resemblance(const ComplexValues& analytic, const ComplexValues& numerical, const std::vector<Suspicion>& suspicions) {
  if (const auto names = matching_names(analytic, numerical, suspicions); !names.empty())
    return fmt::format("the gradient looks {}", joined(names, " or "));
  // Perhaps only some elements are wrong, all of them in the same way.
  std::vector<std::size_t> wrong;
  const double size = std::max(largest(analytic), largest(numerical));
  for (std::size_t k = 0; k < analytic.size(); ++k)
    if (!(std::abs(analytic[k] - numerical[k]) <= likeness * size)) wrong.push_back(k);
  if (wrong.size() >= 2 && wrong.size() < analytic.size()) {
    std::vector<Suspicion> there;
    for (const Suspicion& s : suspicions) there.push_back({s.name, chosen(s.values, wrong)});
    if (const auto names = matching_names(chosen(analytic, wrong), chosen(numerical, wrong), there); !names.empty())
      return fmt::format("where it differs, the gradient looks {}", joined(names, " or "));
  }
  return std::string(nothing);
}

std::string diagnose(const ScalarProjection& projected, std::size_t input, const GradcheckOptions& options) {
  return Investigation(projected, input, options).verdict();
}

}  // namespace argand
