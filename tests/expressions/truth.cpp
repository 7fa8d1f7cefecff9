#include "tests/expressions/truth.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

namespace reference {
namespace {

namespace mp = boost::multiprecision;
using accuracy::modulus;

bool finite(const Z& z) { return mp::isfinite(z.x) && mp::isfinite(z.y); }

/// The central difference quotient along a direction, and the mean of the values on both sides.
struct Quotient {
  Z slope, mean;
};

class Differences {
 public:
  Differences(const Evaluator& f, std::complex<double> z) : f_(f), z_(z) {}

  bool ambiguous = false, undefined = false;

  Z at(const Z& offset, double jitter = 0) {
    const Value v = f_(z_ + offset, jitter);
    ambiguous = ambiguous || v.ambiguous;
    undefined = undefined || !finite(v.value);
    return v.value;
  }
  Quotient along(const Z& direction, const N& h) {
    const Z step = Z(h) * direction, above = at(step), below = at(-step);
    return {(above - below) / Z(2 * h), (above + below) / Z(2.0)};
  }
  /// The uncertainty of a slope at distance h.
  N noise(const N& h) { return modulus(at(Z(h)) - at(Z(h), 1)) / h; }

 private:
  const Evaluator& f_;
  Z z_;
};

N larger(const N& a, const N& b) { return a > b ? a : b; }

std::complex<double> in_double(const Z& z) { return {z.x.convert_to<double>(), z.y.convert_to<double>()}; }

const Z& slanted() {
  static const Z direction(N(3) / 5, N(4) / 5);
  return direction;
}

/// The truth from differences at the distances h, h/1024 and h/1024², or nothing if the precision is insufficient.
std::optional<Truth> at_distance(const Evaluator& f, std::complex<double> z, const N& h) {
  Differences d(f, z);
  const N near = h / 1024, nearest = near / 1024;
  const Quotient x = d.along(Z(1.0), h), y = d.along(accuracy::i_unit, h), x1 = d.along(Z(1.0), near),
                 y1 = d.along(accuracy::i_unit, near);
  Truth truth{.kind = Truth::Kind::Singular, .dz = 0, .dzbar = 0};
  if (d.ambiguous) return Truth{};
  if (d.undefined) return truth;
  const N size = larger(modulus(x.slope), modulus(y.slope)), size1 = larger(modulus(x1.slope), modulus(y1.slope));
  static const N digits("1e-20"), margin("1e-32");
  const N noise = d.noise(near);
  // The overall change of f at this distance: a function with slope 0 may still be curved.
  const N change_here = modulus(d.at(Z(near) * slanted()) - d.at(Z(nearest) * slanted())) / near;
  if (noise > margin * larger(size1, change_here)) return std::nullopt;
  // A slope has settled if it stays the same, is 0 compared with the overall change of f, or tends to 0.
  const auto change = [](const Quotient& a, const Quotient& b) { return modulus(a.slope - b.slope); };
  const N moved = larger(change(x, x1), change(y, y1));
  const bool flat = size1 <= digits * change_here;
  bool vanishes = flat;
  if (!flat && moved > digits * size1) {
    const Quotient x2 = d.along(Z(1.0), nearest), y2 = d.along(accuracy::i_unit, nearest);
    const N size2 = larger(modulus(x2.slope), modulus(y2.slope));
    vanishes = size1 * 30 < size && size2 * 30 < size1;
    if (!vanishes) return size2 > 2 * size1 || larger(change(x1, x2), change(y1, y2)) * 2 > moved ? std::optional(truth) : Truth{};
  }
  // Compares both sides without the value at the point: the slopes of |z| average to 0, but its mean grows with the distance.
  const std::array<Z, 3> directions = {Z(1.0), accuracy::i_unit, slanted()};
  const std::array<Quotient, 3> far = {x, y, d.along(slanted(), h)}, close = {x1, y1, d.along(slanted(), near)};
  for (std::size_t k = 0; k < 3; ++k) {
    const N bend = modulus(far[k].mean - close[k].mean) / h;
    if (bend <= digits * size1 || bend == 0) continue;
    const Quotient closest = d.along(directions[k], nearest);
    if (modulus(close[k].mean - closest.mean) / near * 30 > bend) return truth;
  }
  const Z linear = Z(directions[2].x) * x1.slope + Z(directions[2].y) * y1.slope;
  if (!vanishes && modulus(close[2].slope - linear) > digits * size1) return truth;
  if (vanishes && modulus(close[2].slope) > digits * change_here &&
      modulus(d.along(slanted(), nearest).slope) * 30 > modulus(far[2].slope))
    return truth;
  // The limits along all directions must be equal.
  if (modulus(close[2].mean - x1.mean) > N(1e-10) * modulus(x1.mean) + 100 * near * larger(size1, change_here)) return truth;
  if (modulus(x1.mean - y1.mean) > N(1e-10) * modulus(x1.mean) + 100 * near * larger(size1, change_here)) return truth;
  if (d.ambiguous) return Truth{};
  truth.kind = Truth::Kind::Smooth;
  truth.error = N(1e6 * noise + digits * change_here).convert_to<double>();
  if (!vanishes) {
    const Z iy(-y1.slope.y, y1.slope.x);
    truth.dz = in_double((x1.slope - iy) / Z(2.0));
    truth.dzbar = in_double((x1.slope + iy) / Z(2.0));
  }
  return truth;
}

}  // namespace

Truth truth_at(const Evaluator& f, std::complex<double> z) {
  static const N unit("1e-40");
  // Tries the scale of |z|, of the smaller part of z, and of 1, because a scale may be too coarse for f or too fine for 150 digits.
  std::vector<double> scales = {std::abs(z), 1};
  for (const double part : {std::abs(z.real()), std::abs(z.imag())})
    if (part < 0.1 * std::abs(z)) scales.push_back(part);
  std::sort(scales.begin(), scales.end());
  Truth found;
  for (const double scale : scales) {
    if (scale == 0) continue;
    if (scale < 1e-80 * std::abs(z)) return {};  // z + h would be rounded to z
    const auto truth = at_distance(f, z, unit * N(scale));
    if (truth && truth->kind == Truth::Kind::Smooth) return *truth;
    if (!truth && std::abs(z) > 1) return {};  // a large z hides what happens at the scale of 1
    if (truth) found = *truth;
  }
  return found;
}

SecondTruth second_truth_at(const Evaluator& f, std::complex<double> z) {
  if (std::abs(z) > 1e3) return {};
  static const N unit("1e-30");
  const N h = unit * N(std::max(1.0, std::abs(z)));
  Differences d(f, z);
  const auto second = [&](const N& step, const Z& a, const Z& b) {
    const Z s(step), u = s * a, v = s * b;
    return ((d.at(u + v) - d.at(u - v) - d.at(v - u) + d.at(-u - v)) / Z(4 * step * step)).x;
  };
  const std::array<Z, 2> axes = {Z(1.0), accuracy::i_unit};
  std::array<N, 3> here, near;
  for (const bool closer : {false, true}) {
    const N step = closer ? N(h / 1024) : h;
    (closer ? near : here) =
        std::array<N, 3>{second(step, axes[0], axes[0]), second(step, axes[0], axes[1]), second(step, axes[1], axes[1])};
  }
  const N noise = modulus(d.at(Z(h)) - d.at(Z(h), 1)) / (h * h) * 1024 * 1024;
  N size = 0, moved = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    size = larger(size, mp::abs(near[k]));
    moved = larger(moved, mp::abs(near[k] - here[k]));
  }
  static const N digits("1e-12"), nothing("1e-25");
  if (d.undefined || d.ambiguous || noise > digits * size + nothing) return {};
  if (moved > digits * size && !(size < nothing && moved < nothing)) return {};
  if (truth_at(f, z).kind != Truth::Kind::Smooth) return {};
  return {true, near[0].convert_to<double>(), near[1].convert_to<double>(), near[2].convert_to<double>()};
}

}  // namespace reference
