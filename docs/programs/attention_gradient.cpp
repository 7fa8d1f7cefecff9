/// Compares attention's gradient, derived with the matrix rules, with the tape's; then shows that with rotary positions
/// probabilities depend only on distances. One head of 3 complex numbers, 5 tokens, complex values.
///
///     S = Re(Q Kᴴ)/√d,   P = softmax of each row,   O = P V

#include "autograd/context.h"
#include "autograd/ops.h"
#include "autograd/tape.h"
#include "core/random.h"

using namespace argand;
using C = std::complex<double>;
constexpr std::int64_t T = 5, n = 3;
const double scale_of_scores = 1 / std::sqrt(2.0 * n);

Real probabilities(const Complex& Q, const Complex& K) {
  return softmax(scale(real(matmul(Q, K, Transpose::No, Transpose::Conjugate)), scale_of_scores));
}
Complex as_complex(const Real& x) { return make_complex(x, constant(Tensor<double>::zeros(x.shape()))); }

/// The largest elementwise |a - b|.
template <Scalar S>
double apart(const Tensor<S>& a, const Tensor<S>& b) {
  double most = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) most = std::max(most, static_cast<double>(std::abs(a.data()[i] - b.data()[i])));
  return most;
}

/// Multiplies element j of row t by e^{i (first + t) ω_j}: [T, n] -> [T, n].
Complex at_positions(const Complex& z, std::int64_t first) {
  return reshape(rotary(reshape(z, {1, T, 1, n}), Rotary<double>{rotary_frequencies<double>(n, 10000, 1.0 / n), first}), {T, n});
}

int main() {
  const Complex Q = variable(randn<C>({T, n}, Random(1))), K = variable(randn<C>({T, n}, Random(2)));
  const Complex V = variable(randn<C>({T, n}, Random(3))), dO = constant(randn<C>({T, n}, Random(4)));

  // By the tape: the loss Re tr(dOᴴ O) has the gradient dO with respect to O.
  const Real P = probabilities(Q, K);
  backward(sum(real(conj(dO) * matmul(as_complex(P), V))));

  // By hand.
  const NoGrad nothing_recorded;
  const Real dP = real(matmul(dO, V, Transpose::No, Transpose::Conjugate));
  const Real dS = P * (dP - sum(P * dP, -1, /*keepdim=*/true));
  const Complex dV = matmul(as_complex(P), dO, Transpose::Yes);
  const Complex dQ = scale(matmul(as_complex(dS), K), scale_of_scores);
  const Complex dK = scale(matmul(as_complex(dS), Q, Transpose::Yes), scale_of_scores);
  for (const auto& [name, by_hand, by_tape] : {std::tuple("dV", dV, V), std::tuple("dQ", dQ, Q), std::tuple("dK", dK, K)})
    fmt::print("{} by hand and by the tape agree to 1e-14: {}\n", name,
               apart(by_hand.value(), by_tape.grad()) < 1e-14 ? "yes" : "no");

  const Tensor<double> here = probabilities(at_positions(Q, 0), at_positions(K, 0)).value();
  const Tensor<double> later = probabilities(at_positions(Q, 100), at_positions(K, 100)).value();
  const Tensor<double> apart_by_one = probabilities(at_positions(Q, 1), at_positions(K, 0)).value();
  fmt::print("all 100 positions later: the same probabilities to 1e-12: {}\n", apart(here, later) < 1e-12 ? "yes" : "no");
  fmt::print("queries one position later, keys not: the probabilities move by up to {:.3f}\n", apart(here, apart_by_one));
}
