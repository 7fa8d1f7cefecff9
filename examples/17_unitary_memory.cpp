/// 17. Long memory: a recurrent network with a unitary transition matrix, and its real baseline with an orthogonal one.
///
/// The copying task (Hochreiter and Schmidhuber 1997): the input is four symbols from an alphabet of four, then 40 blanks, and the
/// network must then repeat the four in order. Through 40 equal steps h <- f(W h + v_x) a gradient is multiplied by Wᴴ 40 times: it
/// explodes or vanishes unless W preserves lengths (Arjovsky, Shah, Bengio, "Unitary evolution recurrent neural networks", 2016):
///
///     W = e^{A - Aᴴ} for any matrix A,       f = modReLU,        logits from (Re h, Im h).
///
/// A rotation is multiplication by e^{iφ}, so n complex numbers rotate by n angles with one multiplication each; real numbers need
/// pairs. The real baseline has W = e^{A - Aᵀ}, which is orthogonal, with 13 rows instead of 8, for about as many parameters. Each
/// uses the better of the learning rates 0.005 and 0.01. How many symbols are recalled incorrectly (chance: 75 %)?
///
/// Run:       build/examples/17_unitary_memory
/// Try next:  80 blanks; W = A without the exponential; 20 complex numbers.

#include <fmt/format.h>

#include "autograd/ops.h"
#include "autograd/tape.h"
#include "nn/layers.h"
#include "optim/adamw.h"
#include "optim/clip.h"
#include "optim/rate.h"

using namespace argand;
using C = std::complex<float>;
constexpr std::int64_t symbols = 4, length = 4, blanks = 40, B = 16;  // blank and "now" are symbols 4 and 5

struct Batch {
  std::vector<Ids> inputs;  ///< ids [B] for each time step
  Ids answers;              ///< [length · B], ordered by time step
};

Batch draw(std::uint64_t seed, std::uint64_t number) {
  const Random random(seed, number);
  Batch batch{{}, Ids(Shape{length * B})};
  for (std::int64_t t = 0; t < length + blanks + length; ++t) {
    Ids x(Shape{B});
    for (std::int64_t b = 0; b < B; ++b) {
      x[b] = t < length + blanks ? symbols : symbols + 1;
      const auto place = static_cast<std::uint64_t>(t * B + b);
      if (t < length) batch.answers[t * B + b] = x[b] = static_cast<Ids::value_type>(random.below(place, symbols));
    }
    batch.inputs.push_back(x);
  }
  return batch;
}

// Logits from complex numbers, or from reals, which are complex numbers without an imaginary part.
Var<C> adjoint(const Var<C>& a) { return conj(transpose(a)); }
Var<C> bend(const Var<C>& h, const Var<float>& c) { return modrelu(h, c); }
Var<float> parts(const Var<C>& h) { return view_as_real(h); }
Var<float> adjoint(const Var<float>& a) { return transpose(a); }
Var<float> bend(const Var<float>& h, const Var<float>& c) { return real(modrelu(to_complex(h), c)); }
Var<float> parts(const Var<float>& h) { return h; }

/// T = C: the unitary network; T = float: its baseline.
template <Scalar T>
struct Memory : Module<float> {
  Memory(Init& init, std::int64_t n)
      : A(init.normal<T>(Role::Matrix, {n, n}, 0.5)),
        symbol(init, symbols + 2, n, 1 / std::sqrt(static_cast<double>(n))),
        c(init.full<float>(Role::Bias, {n}, 0)),
        out(init, ComplexScalar<T> ? 2 * n : n, symbols) {}
  /// Logits [length · B, symbols].
  Var<float> operator()(const Batch& batch) const {
    const Var<T> W = matrix_exp(A - adjoint(A));
    Var<T> h = symbol(batch.inputs[0]);
    std::vector<Var<T>> answers;
    for (std::size_t t = 1; t < batch.inputs.size(); ++t) {
      h = bend(matmul(h, W) + symbol(batch.inputs[t]), c);
      if (t >= length + blanks) answers.push_back(h);
    }
    return out(parts(concatenate(answers, 0)));
  }
  ARGAND_FIELDS(float, A, symbol, c, out)

  Var<T> A;
  Embedding<T> symbol;
  Var<float> c;
  Linear<float> out;
};

template <Scalar T>
void compare(const std::string& name, std::int64_t n, double peak) {
  std::string line;
  double mean_error = 0;
  std::int64_t reals = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Init init(seed);
    const Memory<T> memory(init, n);
    const ParameterList<float> parameters = parameters_of<float>(memory);
    reals = count_parameters(parameters);
    AdamW<float> optimizer(parameters, {.beta2 = 0.99, .weight_decay = 0, .complex_moments = ComplexMoments::Modulus});
    const Rate rate = cosine_rate(peak, 0, 200);
    for (std::int64_t step = 0; step < 200; ++step) {
      const Batch batch = draw(seed, static_cast<std::uint64_t>(step));
      zero_grad(parameters);
      backward(cross_entropy(memory(batch), batch.answers));
      optimizer.step(rate(step), clip_factor(grad_norm(parameters), 1));
    }
    const NoGrad no_grad;
    double wrong = 0;
    for (std::uint64_t test = 0; test < 10; ++test) {
      const Batch batch = draw(seed, 1000 + test);
      const Tensor<float> logits = memory(batch).value();
      for (std::int64_t k = 0; k < length * B; ++k)
        wrong += std::max_element(&logits(k, 0), &logits(k, 0) + symbols) - &logits(k, 0) != batch.answers[k];
    }
    line += fmt::format("{:7.2f}", 100 * wrong / (10 * length * B));
    mean_error += 100 * wrong / (10 * length * B) / 5;
  }
  fmt::print("{:<14}{:>4} reals{}   mean {:.2f} % of the symbols wrong\n", name, reals, line, mean_error);
}

int main() {
  compare<C>("complex", 8, 0.005);
  compare<float>("real baseline", 13, 0.01);
}
