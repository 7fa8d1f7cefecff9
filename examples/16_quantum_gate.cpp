/// 16. A quantum gate by gradient descent: pulses that act on two spins as a CNOT.
///
/// Two spins with a coupling H_0 = σz⊗σz obey iU' = H U. During 12 short intervals τ, pulses add u_1 σx⊗1 + u_2 σy⊗1 + u_3 1⊗σx +
/// u_4 1⊗σy to H; together they transform the spins by the unitary matrix
///
///     U = e^{-iτ H(12)} ... e^{-iτ H(1)},      L = 1 - |tr(Gᴴ U)|²/16,
///
/// and L, the infidelity, is 0 if U is the gate G up to a phase (Khaneja et al., "Optimal control of coupled spin dynamics:
/// design of NMR pulse sequences by gradient ascent algorithms", 2005). The 48 amplitudes are optimised by gradient descent through
/// matrix_exp.
///
/// The real baseline has as many pulses but only real amplitudes: U is a product of rotations e^{τ A}, A antisymmetric,
/// from σy⊗1, 1⊗σy, σx⊗σy and σz⊗σy under the coupling σy⊗σz, all times -i. They reach every rotation of R⁴. But CNOT is a
/// reflection, det G = -1, and the factor e^{iπ/4} that would make the determinant 1, a phase without physical meaning, is not
/// real: so |tr(Gᵀ U)| <= 2 and L >= 3/4.
///
/// Run:       build/examples/16_quantum_gate
/// Try next:  3 intervals instead of 12; the gate that swaps the spins; the baseline with a gate of determinant 1.

#include <fmt/format.h>

#include "autograd/ops.h"
#include "autograd/tape.h"
#include "optim/lbfgs.h"

using namespace argand;
using C = std::complex<double>;
constexpr std::int64_t times = 12, pulses = 4;
constexpr double tau = 0.3;
using Spin = std::array<C, 4>;
constexpr C i{0, 1};
const Spin one{1, 0, 0, 1}, x{0, 1, 1, 0}, y{0, -i, i, 0}, z{1, 0, 0, -1};

/// -iτ a⊗b, as a row [1, 16].
Tensor<C> turn(const Spin& a, const Spin& b) {
  Tensor<C> row(Shape{1, 16});
  for (std::int64_t r = 0; r < 4; ++r)
    for (std::int64_t c = 0; c < 4; ++c)
      row(0, 4 * r + c) =
          -i * tau * a[static_cast<std::size_t>(r / 2 * 2 + c / 2)] * b[static_cast<std::size_t>(r % 2 * 2 + c % 2)];
  return row;
}

const Tensor<C> gate({4, 4}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0});

/// The loss L of pulses u [times, 4] on generators [4, 16], added to a drift [1, 16]. T is complex, or real in the baseline.
template <Scalar T>
Real infidelity(const Real& u, const Var<T>& generators, const Var<T>& drift, const Var<T>& G) {
  Var<T> exponents;
  if constexpr (ComplexScalar<T>)
    exponents = matmul(to_complex(u), generators) + drift;
  else
    exponents = matmul(u, generators) + drift;
  const Var<T> steps = matrix_exp(reshape(exponents, {times, 4, 4}));
  Var<T> U = reshape(slice(steps, 0, 0, 1), {4, 4});
  for (std::int64_t t = 1; t < times; ++t) U = matmul(reshape(slice(steps, 0, t, t + 1), {4, 4}), U);
  return 1.0 - abs2(sum(G * U)) * (1.0 / 16);  // G is real: tr(Gᴴ U) = Σ G U
}

template <Scalar T>
void compare(const std::string& name, const Var<T>& generators, const Var<T>& drift, const Var<T>& G) {
  std::string line;
  double mean_error = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Real u = variable(randn<double>({times, pulses}, Random(seed)));
    const LbfgsReport end = Lbfgs<double>({{"u", u}}, {}).minimise([&] { return infidelity(u, generators, drift, G); }, 200);
    line += fmt::format("{:9.1e}", std::max(end.loss, 1e-12));  // smaller values are rounding errors
    mean_error += std::max(end.loss, 1e-12) / 5;
  }
  fmt::print("{:<14}{:>4} reals{}   mean {:.1e} infidelity\n", name, times * pulses, line, mean_error);
}

int main() {
  const Complex controls = concatenate<C>({turn(x, one), turn(y, one), turn(one, x), turn(one, y)}, 0);
  compare<C>("complex", controls.detach(), turn(z, z), gate);
  // -i times an imaginary matrix is real.
  const Complex turns = concatenate<C>({turn(y, one), turn(one, y), turn(x, y), turn(z, y)}, 0);
  compare<double>("real baseline", real(turns).detach(), real(Complex(turn(y, z))).detach(), real(Complex(gate)).detach());
}
