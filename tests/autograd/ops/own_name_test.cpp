/// An error names the function that was called, even one composed of others. Every function is tried with every pair of odd shapes.

#include <boost/test/unit_test.hpp>
#include <set>

#include "autograd/ops.h"
#include "autograd/tape.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(errors_name_what_was_called)

namespace {

using C = std::complex<double>;

const std::vector<Shape>& odd_shapes() {
  static const std::vector<Shape> all{{},     {0},       {1},       {3},          {0, 2},          {2, 0},          {2, 3},
                                      {4, 4}, {2, 2, 3}, {0, 1, 2}, {1, 2, 3, 5}, {2, 4, 1, 1, 3}, {3, 1, 2, 2, 2}, {1, 1, 0, 4}};
  return all;
}

/// Collects the errors of a function that is called with odd shapes.
class ErrorCollector {
 public:
  explicit ErrorCollector(std::string name) : name_(std::move(name)) {}
  template <class F, class... In>
  void call(const F& f, const In&... x) {
    if constexpr (requires { f(x...); }) {
      ++calls_;
      const std::string error = error_of([&] { f(x...); });
      if (!error.empty()) ++errors_;
      if (!error.empty() && !error.starts_with(name_ + ": ")) others_.insert(error);
    }
  }
  /// Checks that the function was called, that there were errors, and that each begins with its name.
  void check() const {
    BOOST_TEST(calls_ > 0, name_ << " was not called");
    BOOST_TEST(errors_ > 0, name_ << ": " << errors_ << " errors in " << calls_ << " calls");
    for (const std::string& other : others_) BOOST_TEST(false, name_ << " reports: " << other);
  }

 private:
  std::string name_;
  int calls_ = 0, errors_ = 0;
  std::set<std::string> others_;
};

/// Calls f with one real and with one complex operand of every odd shape.
template <class F>
void one(const std::string& name, const F& f) {
  const NoGrad none;
  ErrorCollector collector(name);
  for (const Shape& a : odd_shapes())
    collector.call(f, Real(Tensor<double>::ones(a))), collector.call(f, Complex(Tensor<C>::ones(a)));
  collector.check();
}
/// Calls f with two operands: every pair of odd shapes, each in every combination of real and complex.
template <class F>
void two(const std::string& name, const F& f) {
  const NoGrad none;
  ErrorCollector collector(name);
  for (const Shape& a : odd_shapes())
    for (const Shape& b : odd_shapes()) {
      const Real x(Tensor<double>::ones(a)), y(Tensor<double>::ones(b));
      const Complex z(Tensor<C>::ones(a)), w(Tensor<C>::ones(b));
      collector.call(f, x, y), collector.call(f, z, w), collector.call(f, x, w), collector.call(f, z, y);
    }
  collector.check();
}

}  // namespace

// clang-format off
#define ONE(name, ...) one(#name, [](const auto& x) -> decltype(name(__VA_ARGS__)) { return name(__VA_ARGS__); })
#define TWO(name, ...) two(#name, [](const auto& x, const auto& y) -> decltype(name(__VA_ARGS__)) { return name(__VA_ARGS__); })
// clang-format on

BOOST_AUTO_TEST_CASE(convolutions) {
  TWO(conv1d, x, y);
  TWO(conv2d, x, y);
  TWO(conv3d, x, y);
  TWO(conv_transpose1d, x, y);
  TWO(conv_transpose2d, x, y);
  TWO(conv2d, x, y, ConvolutionOptions{.groups = 2});
  ONE(unfold, x, {2, 2});
  ONE(max_pool2d, x, {2, 2});
  ONE(avg_pool2d, x, {2, 2});
  ONE(max_pool1d, x, 2);
  ONE(avg_pool1d, x, 2);
}

BOOST_AUTO_TEST_CASE(products) {
  TWO(matmul, x, y);
  TWO(linear, x, y);
  TWO(linear, x, y, x);
  TWO(outer, x, y);
  TWO(kron, x, y);
  two("einsum", [](const auto& x, const auto& y) { return einsum("...ij,jk->...ik", x, y); });
  two("einsum", [](const auto& x, const auto& y) { return einsum("...,...->...", x, y); });
  one("einsum", [](const auto& x) { return einsum("...ii->i...", x); });
  ONE(trace, x);
  one("hamilton_matrix", [](const Real& x) { return hamilton_matrix(x); });
  two("qic_linear", [](const Complex& x, const Complex& y) { return qic_linear(x, y, Real(Tensor<double>::zeros({1}))); });
  two("qic_dual", [](const Complex& x, const Real& y) { return qic_dual(x, y); });
}

BOOST_AUTO_TEST_CASE(rearrangements) {
  ONE(reshape, x, Shape{2, 3});
  ONE(diagonal, x);
  ONE(diagonal, x, 1, 1, 2);
  ONE(transpose, x);
  ONE(permute, x, {1, 0});
  ONE(flip, x, {1});
  ONE(roll, x, 1, 1);
  ONE(slice, x, 1, 0, 2);
  ONE(split, x, 2, 1);
  one("split", [](const auto& x) { return split(x, std::vector<std::int64_t>{2, 1}, 1); });
  one("concatenate", [](const auto& x) { return concatenate(std::vector{x, x, reshape(x, Shape{x.size()})}, 1); });
  one("stack", [](const auto& x) { return stack(std::vector{x, reshape(x, Shape{x.size()})}); });
  one("stack", [](const auto& x) { return stack(std::vector{x, x}, 2); });
  ONE(pad, x, {1, 1}, PadMode::Reflect);
  ONE(pad, x, {1, 2, 1, 0}, PadMode::Circular);
  ONE(pad, x, {-1, -2});
  ONE(expand, x, Shape{2, 3});
  ONE(index_select, x, 0, {1});
  ONE(gather, x, 1, Ids({1, 1}, {2}));
  one("scatter_add", [](const auto& x) { return scatter_add(x, 1, Ids({1, 1}, {2}), x); });
  one("scatter_add", [](const auto& x) { return scatter_add(x, Ids({2}, {1, 2}), 2); });
  one("embedding", [](const auto& x) { return embedding(x, Ids({2}, {1, 2})); });
  one("embedding_mean", [](const auto& x) { return embedding_mean(x, Ids({1, 2}, {1, 2})); });
  one("view_as_complex", [](const Real& x) { return view_as_complex(x); });
}

BOOST_AUTO_TEST_CASE(choices) {
  two("where", [](const auto& x, const auto& y) { return where(Mask({3}, {1, 0, 1}), x, y); });
  one("masked_fill", [](const Real& x) { return masked_fill(x, Mask({3}, {1, 0, 1}), 1.0); });
  two("maximum", [](const Real& x, const Real& y) { return maximum(x, y); });
  two("minimum", [](const Real& x, const Real& y) { return minimum(x, y); });
  one("sort", [](const Real& x) { return sort(x, 1).values; });
  one("topk", [](const Real& x) { return topk(x, 2, 1).values; });
  one("argmax", [](const Real& x) { return argmax(x, 1); });
  one("argmin", [](const Real& x) { return argmin(x, 1); });
  one("max", [](const Real& x) { return max(x, 1); });
  one("max", [](const Real& x) { return max(x); });
  one("min", [](const Real& x) { return min(x, 1); });
  one("median", [](const Real& x) { return median(x, 1); });
  one("median", [](const Real& x) { return median(x); });
}

BOOST_AUTO_TEST_CASE(rows_and_scans) {
  ONE(sum, x, 1);
  ONE(mean, x, 1);
  ONE(mean, x);
  ONE(prod, x, 1);
  ONE(cumsum, x, 1);
  ONE(cumprod, x, 1);
  TWO(linear_recurrence, x, y, 1);
  ONE(vector_norm, x, 2.0, 1);
  ONE(vector_norm, x, std::numeric_limits<double>::infinity(), 1);
  ONE(variance, x);
  ONE(variance, x, 1);
  ONE(stddev, x);
  ONE(stddev, x, 1);
  one("softmax", [](const Real& x) { return softmax(x); });
  one("log_softmax", [](const Real& x) { return log_softmax(x); });
  one("logsumexp", [](const Real& x) { return logsumexp(x); });
  one("logsumexp", [](const Real& x) { return logsumexp(x, 1); });
  one("logcumsumexp", [](const Real& x) { return logcumsumexp(x, 1); });
  two("layer_norm", [](const auto& x, const Real& y) { return layer_norm(x, y, x); });
  two("rms_norm", [](const auto& x, const Real& y) { return rms_norm(x, y); });
  two("magnitude_layer_norm", [](const Real& x, const Real& y) { return magnitude_layer_norm(x, y, {}); });
  two("magnitude_rms_norm", [](const Real& x, const Real& y) { return magnitude_rms_norm(x, y, {}); });
  two("magnitude_modrelu", [](const Real& x, const Real& y) { return magnitude_modrelu(x, y, {}); });
  one("magnitude_gelu", [](const Real& x) { return magnitude_gelu(x, {}); });
  one("magnitude_relu", [](const Real& x) { return magnitude_relu(x, {}); });
  one("whiten", [](const Complex& x) { return whiten(x); });
}

BOOST_AUTO_TEST_CASE(losses) {
  one("cross_entropy", [](const Real& x) { return cross_entropy(x, Ids({2}, {0, 1})); });
  two("linear_cross_entropy", [](const Real& x, const Real& y) {
    return linear_cross_entropy(x, y, static_cast<const Real*>(nullptr), Ids({2}, {0, 1}));
  });
  one("info_nce", [](const Real& x) { return info_nce(x, Ids({2}, {0, 1})); });
  TWO(mse, x, y);
  two("huber", [](const Real& x, const Real& y) { return huber(x, y); });
  two("binary_cross_entropy", [](const Real& x, const Real& y) { return binary_cross_entropy(x, y); });
  one("projection", [](const Real& x) { return projection(x, Tensor<double>::ones({3})); });
}

BOOST_AUTO_TEST_CASE(attentions) {
  const AttentionOptions two_heads{.n_heads = 2};
  two("attention", [&](const Real& x, const Real& y) { return attention(x, y, y, two_heads); });
  two("angular_attention", [&](const Complex& x, const Complex& y) { return angular_attention(x, y, y, two_heads); });
  two("magnitude_attention",
      [&](const Real& x, const Real& y) { return magnitude_attention(x, y, y, Measure<double>{}, false, two_heads); });
  two("selected_attention", [](const Real& x, const Real& y) { return selected_attention(x, y, Ids({2, 1}, {0, 1}), 1.0); });
}

BOOST_AUTO_TEST_CASE(elementwise) {
  TWO(add, x, y);
  TWO(sub, x, y);
  TWO(mul, x, y);
  TWO(div, x, y);
  TWO(pow, x, y);
  two("polar", [](const Real& x, const Real& y) { return polar(x, y); });
  two("make_complex", [](const Real& x, const Real& y) { return make_complex(x, y); });
  two("atan2", [](const Real& x, const Real& y) { return atan2(x, y); });
  two("logaddexp", [](const Real& x, const Real& y) { return logaddexp(x, y); });
  two("swiglu", [](const Real& x, const Real& y) { return swiglu(x, y); });
  two("modrelu", [](const Complex& x, const Real& y) { return modrelu(x, y); });
  two("rotate", [](const Complex& x, const Real& y) { return rotate(x, y); });
  two("phase_rotation", [](const Complex& x, const Real& y) { return phase_rotation(x, y, y); });
  one("rotary", [](const Complex& x) { return rotary(x, {Tensor<double>::ones({3}), 0}); });
}

BOOST_AUTO_TEST_CASE(transforms) {
  ONE(fft, x, 4, 1);
  ONE(ifft, x, 4, 1);
  one("rfft", [](const Real& x) { return rfft(x, 4, 1); });
  one("irfft", [](const Complex& x) { return irfft(x, 4, 1); });
  ONE(fft2, x);
  ONE(ifft2, x);
  one("rfft2", [](const Real& x) { return rfft2(x); });
  one("irfft2", [](const Complex& x) { return irfft2(x); });
  ONE(fftn, x, {3}, {2});
  ONE(ifftn, x, {3}, {2});
  one("rfftn", [](const Real& x) { return rfftn(x, {3}, {2}); });
  one("irfftn", [](const Complex& x) { return irfftn(x, {3}, {2}); });
  ONE(stft, x, 4);
  one("istft", [](const Complex& x) { return istft(x, 4); });
  one("complex_istft", [](const Complex& x) { return complex_istft(x, 4); });
}

#ifndef ARGAND_PLAIN_BLAS
BOOST_AUTO_TEST_CASE(linear_algebra) {
  TWO(solve, x, y);
  TWO(lstsq, x, y);
  ONE(inv, x);
  ONE(det, x);
  ONE(slogdet, x);
  ONE(cholesky, x);
  ONE(qr, x);
  ONE(svd, x);
  ONE(svdvals, x);
  ONE(pinv, x);
  ONE(eigh, x);
  ONE(eig, x);
  ONE(matrix_exp, x);
  ONE(matrix_power, x, -2);
  ONE(sqrtm, x);
  ONE(logm, x);
}
#endif

#undef ONE
#undef TWO

BOOST_AUTO_TEST_SUITE_END()
