/// 9. Attention by phases, with weights set by hand: in one CRoPE head, "look" reads the next word and "leap" the one after it. A
/// complex weight rotates a query by a word-specific phase, which rotary positions interpret as a distance; a real weight per pair
/// cannot. After appendix A.1 of the CRoPE paper.
///
/// Run:       build/examples/09_attention_by_hand
/// Try next:  make "leap" look back (j -> -j in the phase), or make the scores softer (200 -> 20) and see what else each word
/// reads.

#include "autograd/ops/elementwise/rotation.h"
#include "nn/attention/dot_attention.h"

using namespace argand;
using C = std::complex<double>;

int main() {
  // A word is 8 complex numbers: (1, is it "look", is it "leap", which of the five words it is).
  const std::vector<std::string> words = {"look", "leap", "fox", "owl", "elk"};
  const std::vector<int> text = {0, 2, 3, 1, 4, 2, 1, 0, 3};
  constexpr std::int64_t n = 8;
  const auto T = static_cast<std::int64_t>(text.size());
  Tensor<double> x = Tensor<double>::zeros({1, T, 2 * n});  // [B, T, d_model], interleaved pairs
  for (std::int64_t t = 0; t < T; ++t) {
    const int word = text[static_cast<std::size_t>(t)];
    double* pairs = x.data() + t * 2 * n;
    pairs[0] = 1;
    if (word < 2) pairs[2 * (1 + word)] = 1;
    pairs[2 * (3 + word)] = 1;
  }

  constexpr double base = 5000;
  Init init(0);
  const DotAttention<double> head(
      init, {.d_model = 2 * n, .rope_base = base, .q = ProjectionKind::Complex});  // and so are k, v, o: [n, n] weights
  const Tensor<double> w = rotary_frequencies<double>(n, base, 1.0 / n);
  for (auto& [name, var] : parameters_of<double>(head)) {
    C* W = std::get<Complex>(var).value().data();
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        C& weight = W[i * n + j];
        if (name == "q.weight")  // the query's phase s ω_i makes the score Σ_i cos((m + s - n) ω_i): largest at n = m + s
          weight = j == 1 || j == 2 ? std::polar(200.0, static_cast<double>(j) * w.data()[i]) : 0;
        else if (name == "k.weight")
          weight = j == 0 ? 1 : 0;
        else  // v and o pass the word on unchanged
          weight = i == j ? 1 : 0;
      }
  }

  ForwardPass evaluation({}, 0);
  const Real y = head(Var(x), AttentionPass<double>{.forward = evaluation, .causal = false});
  for (std::int64_t t = 0; t < T; ++t) {
    if (text[static_cast<std::size_t>(t)] > 1) continue;  // the other words query nothing
    fmt::print("{} \"{}\" reads", t, words[static_cast<std::size_t>(text[static_cast<std::size_t>(t)])]);
    for (std::size_t word = 0; word < words.size(); ++word) {
      const double share = y.value().span()[static_cast<std::size_t>(t * 2 * n + 2 * (3 + static_cast<std::int64_t>(word)))];
      if (share > 0.005) fmt::print(" {:.0f}% {}", 100 * share, words[word]);
    }
    fmt::print("\n");
  }
}
