/// Convolutions compared with their sums written out, for every pair of real and complex inputs; and pooling.

#include "autograd/ops/convolution/convolution.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "autograd/gradcheck.h"
#include "autograd/op_check.h"
#include "autograd/ops.h"
#include "autograd/ops/convolution/pooling.h"
#include "autograd/ops/convolution/unfold.h"
#include "autograd/tape.h"
#include "tests/error_text.h"

BOOST_AUTO_TEST_SUITE(convolution_ops)

using namespace argand;
using C = std::complex<double>;

namespace {

/// y_o(p) = Σ w_oc(d) x_c(p s + d δ - q), computed term by term.
template <Scalar A, Scalar B>
Tensor<C> by_the_sum(const Tensor<A>& x, const Tensor<B>& w, const ConvolutionOptions& o, const Shape& shape) {
  Tensor<C> y = Tensor<C>::zeros(shape);
  const std::int64_t outs = w.dim(0) / o.groups;
  for (std::int64_t n = 0; n < shape[0]; ++n)
    for (std::int64_t out = 0; out < shape[1]; ++out)
      for (std::int64_t c = 0; c < w.dim(1); ++c)
        for (std::int64_t p = 0; p < shape[2]; ++p)
          for (std::int64_t q = 0; q < shape[3]; ++q)
            for (std::int64_t i = 0; i < w.dim(2); ++i)
              for (std::int64_t j = 0; j < w.dim(3); ++j) {
                const std::int64_t row = p * o.stride[0] + i * o.dilation[0] - o.padding[0];
                const std::int64_t column = q * o.stride[1] + j * o.dilation[1] - o.padding[1];
                if (row < 0 || row >= x.dim(2) || column < 0 || column >= x.dim(3)) continue;
                y(n, out, p, q) += C(w(out, c, i, j)) * C(x(n, out / outs * w.dim(1) + c, row, column));
              }
  return y;
}

template <Scalar T>
void is_close(const Tensor<T>& y, const Tensor<C>& expected) {
  BOOST_TEST(y.shape().str() == expected.shape().str());
  for (std::int64_t k = 0; k < y.size(); ++k) BOOST_TEST(std::abs(C(y.data()[k]) - expected.data()[k]) < 1e-13);
}

std::vector<ConvolutionOptions> some_options() {
  std::vector<ConvolutionOptions> all(5);
  all[1].stride = {2, 3}, all[1].padding = {1, 4};
  all[2].dilation = {2, 1}, all[2].padding = {3, 1};
  all[3].groups = 2;
  all[4].groups = 4, all[4].stride = {1, 2}, all[4].padding = {2, 2}, all[4].dilation = {1, 3};
  return all;
}

template <class F, class... In>
void gradient_is_right(const char* name, const F& f, const In&... inputs) {
  const Report result = gradcheck(GradcheckOptions{.name = name}, f, inputs...);
  BOOST_TEST(result.ok(), report_text(result));
  BOOST_TEST(result.worst_error() < 1e-8);
}

}  // namespace

BOOST_AUTO_TEST_CASE(is_the_sum_for_every_pair_of_types) {
  OpCheck random;
  for (const ConvolutionOptions& o : some_options()) {
    const Shape xs{2, 4, 7, 9}, ws{4, 4 / o.groups, 3, 2};
    const Tensor<double> x = random.real(xs), w = random.real(ws);
    const Tensor<C> z = random.complex(xs), v = random.complex(ws);
    const Var<double> y = conv2d(constant(x), constant(w), o);
    is_close(y.value(), by_the_sum(x, w, o, y.shape()));
    is_close(conv2d(constant(z), constant(v), o).value(), by_the_sum(z, v, o, y.shape()));
    is_close(conv2d(constant(x), constant(v), o).value(), by_the_sum(x, v, o, y.shape()));
    is_close(conv2d(constant(z), constant(w), o).value(), by_the_sum(z, w, o, y.shape()));
  }
}

/// Σ u conv(x, w) = Σ conv_transpose(u, w) x: conv_transpose is the transpose of conv for every pair of types.
BOOST_AUTO_TEST_CASE(the_transposed_map_is_the_transpose) {
  OpCheck random;
  for (ConvolutionOptions o : some_options()) {
    const auto transposed = [&](const auto& x, const auto& w, const auto& u) {
      ConvolutionOptions back = o;
      for (std::size_t k = 0; k < 2; ++k) {
        const std::int64_t reach = o.dilation[k] * (w.dim(static_cast<int>(k) + 2) - 1) + 1;
        back.output_padding[k] = (x.dim(static_cast<int>(k) + 2) + 2 * o.padding[k] - reach) % o.stride[k];
      }
      const auto there = sum(u * conv2d(x, w, o)), again = sum(conv_transpose2d(u, w, back) * x);
      BOOST_TEST(std::abs(C(there.value().item()) - C(again.value().item())) < 1e-11);
    };
    const Shape xs{2, 4, 7, 9}, ws{4, 4 / o.groups, 3, 2};
    const Var<double> x = random.real(xs), w = random.real(ws);
    const Var<C> z = random.complex(xs), v = random.complex(ws);
    const Shape ys = conv2d(x, w, o).shape();
    transposed(x, w, Var<double>(random.real(ys)));
    transposed(z, v, Var<C>(random.complex(ys)));
    transposed(x, v, Var<C>(random.complex(ys)));
    transposed(z, w, Var<double>(random.real(ys)));
    transposed(x, v, Var<double>(random.real(ys)));
  }
}

/// Transposed convolutions, y_o(p s + d δ - q) += w_co(d) x_c(p), with every combination of the smallest sizes and options, where
/// special cases hide.
BOOST_AUTO_TEST_CASE(transposed_with_every_small_option) {
  OpCheck random;
  int tried = 0;
  for (const std::int64_t kernel : {1, 2})
    for (const std::int64_t stride : {1, 2, 3})
      for (const std::int64_t padding : {0, 1})
        for (const std::int64_t dilation : {1, 2, 3})
          for (std::int64_t extra = 0; extra < std::max(stride, dilation); ++extra) {
            const ConvolutionOptions o{.stride = {1, stride},
                                       .padding = {0, padding},
                                       .dilation = {1, dilation},
                                       .groups = 1,
                                       .output_padding = {0, extra}};
            const Tensor<C> x = random.complex({2, 2, 1, 3}), w = random.complex({2, 2, 1, kernel});
            const std::int64_t L = 2 * stride - 2 * padding + dilation * (kernel - 1) + extra + 1;
            if (L < 1) continue;
            Tensor<C> y = Tensor<C>::zeros({2, 2, 1, L});
            for (std::int64_t n = 0; n < 2; ++n)
              for (std::int64_t c = 0; c < 2; ++c)
                for (std::int64_t out = 0; out < 2; ++out)
                  for (std::int64_t p = 0; p < 3; ++p)
                    for (std::int64_t d = 0; d < kernel; ++d)
                      if (const std::int64_t at = p * stride + d * dilation - padding; at >= 0 && at < L)
                        y(n, out, 0, at) += w(c, out, 0, d) * x(n, c, 0, p);
            is_close(conv_transpose2d(constant(x), constant(w), o).value(), y);
            gradient_is_right(
                "conv_transpose2d", [&](auto a, auto b) { return conv_transpose2d(a, b, o); }, x, w);
            ++tried;
          }
  BOOST_TEST(tried > 60);
}

BOOST_AUTO_TEST_CASE(one_axis) {
  const Var<double> x = constant(Tensor<double>({1, 1, 5}, {1, 2, 3, 4, 5})), w = constant(Tensor<double>({1, 1, 2}, {1, 10}));
  const Tensor<double> y = conv1d(x, w).value();
  BOOST_TEST(std::vector<double>(y.begin(), y.end()) == std::vector<double>({21, 32, 43, 54}), boost::test_tools::per_element());
  ConvolutionOptions o;
  o.stride = {7, 2}, o.padding = {9, 1};  // conv1d ignores the options for rows
  const Tensor<double> strided = conv1d(x, w, o).value();
  BOOST_TEST(std::vector<double>(strided.begin(), strided.end()) == std::vector<double>({10, 32, 54}),
             boost::test_tools::per_element());
  const Tensor<double> back = conv_transpose1d(constant(Tensor<double>({1, 1, 2}, {1, 2})), w, {.stride = {1, 2}}).value();
  BOOST_TEST(std::vector<double>(back.begin(), back.end()) == std::vector<double>({1, 10, 2, 20}),
             boost::test_tools::per_element());
  OpCheck random;
  gradient_is_right(
      "conv1d, mixed", [](auto a, auto b) { return conv1d(a, b); }, random.real({1, 2, 4}), random.complex({2, 2, 2}));
  gradient_is_right(
      "conv_transpose1d, mixed", [](auto a, auto b) { return conv_transpose1d(a, b); }, random.complex({1, 2, 3}),
      random.real({2, 1, 2}));
  gradient_is_right(
      "groups, mixed", [](auto a, auto b) { return conv2d(a, b, {.groups = 2}); }, random.real({1, 2, 2, 2}),
      random.complex({4, 1, 2, 1}));
}

/// Layer z of conv3d is Σ_i conv2d(layer z s + i δ - q of x, layer i of w), for every pair of types; along a single axis it is
/// conv1d.
BOOST_AUTO_TEST_CASE(three_axes) {
  OpCheck random;
  std::vector<Convolution3dOptions> all(3);
  // The window may cover only layers of padding.
  all[1].stride = {2, 1, 3}, all[1].padding = {3, 1, 0}, all[1].dilation = {1, 2, 1};
  all[2].groups = 2, all[2].dilation = {2, 1, 1}, all[2].padding = {1, 0, 2};
  const auto is_the_sum = [&]<Scalar A, Scalar B>(const Tensor<A>& x, const Tensor<B>& w, const Convolution3dOptions& o) {
    const Tensor<Promote<A, B>> y = conv3d(constant(x), constant(w), o).value();
    const ConvolutionOptions flat{.stride = {o.stride[1], o.stride[2]},
                                  .padding = {o.padding[1], o.padding[2]},
                                  .dilation = {o.dilation[1], o.dilation[2]},
                                  .groups = o.groups};
    const auto layer = []<Scalar T>(const Tensor<T>& t, std::int64_t z) {
      return reshape(slice(constant(t), 2, z, z + 1), Shape{t.dim(0), t.dim(1), t.dim(3), t.dim(4)}).value();
    };
    BOOST_TEST(y.dim(2) == (x.dim(2) + 2 * o.padding[0] - o.dilation[0] * (w.dim(2) - 1) - 1) / o.stride[0] + 1);
    for (std::int64_t z = 0; z < y.dim(2); ++z) {
      const Tensor<Promote<A, B>> here = layer(y, z);
      Tensor<C> expected = Tensor<C>::zeros(here.shape());
      for (std::int64_t i = 0; i < w.dim(2); ++i) {
        const std::int64_t at = z * o.stride[0] + i * o.dilation[0] - o.padding[0];
        if (at >= 0 && at < x.dim(2)) expected.add(by_the_sum(layer(x, at), layer(w, i), flat, here.shape()));
      }
      is_close(here, expected);
    }
  };
  for (const Convolution3dOptions& o : all) {
    const Shape xs{2, 4, 3, 5, 4}, ws{4, 4 / o.groups, 2, 3, 2};
    const Tensor<double> x = random.real(xs), w = random.real(ws);
    const Tensor<C> z = random.complex(xs), v = random.complex(ws);
    is_the_sum(x, w, o), is_the_sum(z, v, o), is_the_sum(x, v, o), is_the_sum(z, w, o);
  }
  gradient_is_right(
      "conv3d, mixed", [](auto a, auto b) { return conv3d(a, b, {.groups = 2}); }, random.real({1, 2, 2, 1, 2}),
      random.complex({4, 1, 2, 1, 1}));
  const Var<double> none = variable(Tensor<double>(Shape{0, 2, 3, 3, 3})), w = variable(random.real({4, 2, 1, 2, 3}));
  backward(sum(conv3d(none, w)));
  BOOST_TEST(conv3d(none, w).shape().str() == "[0, 4, 3, 2, 1]");
  BOOST_TEST(none.grad().shape().str() == "[0, 2, 3, 3, 3]");
  const Tensor<double> dw = w.grad();
  for (const double g : dw) BOOST_TEST(g == 0);
}

BOOST_AUTO_TEST_CASE(columns_times_a_weight_are_the_convolution) {
  OpCheck random;
  for (const ConvolutionOptions& o : some_options()) {
    if (o.groups > 1) continue;
    const Var<C> x = random.complex({2, 3, 7, 9}), w = random.complex({4, 3, 3, 2});
    const Var<C> y = conv2d(x, w, o), columns = unfold(x, {3, 2}, o);
    is_close(reshape(matmul(reshape(w, Shape{4, 18}), columns), y.shape()).value(), y.value());
    const Var<C> alone = unfold(reshape(slice(x, 0, 1, 2), Shape{3, 7, 9}), {3, 2}, o);
    is_close(reshape(slice(columns, 0, 1, 2), alone.shape()).value(), alone.value());
  }
  const Var<double> none = variable(Tensor<double>(Shape{0, 2, 3, 3}));
  backward(sum(unfold(none, {2, 2})));
  BOOST_TEST(none.grad().shape().str() == "[0, 2, 3, 3]");
  BOOST_TEST(unfold(Var<double>(Tensor<double>(Shape{2, 0, 3, 3})), {2, 3}).shape().str() == "[2, 0, 2]");
}

BOOST_AUTO_TEST_CASE(pooling_by_modulus) {
  const Var<C> z = variable(Tensor<C>({2, 4}, {{0, 3}, 1, -2, 2, 1, -2, {0, 1}, 0}));
  const Var<C> y = max_pool2d(z, {2, 2});
  BOOST_TEST(y.shape().str() == "[1, 2]");
  BOOST_TEST(y.value()(0, 0) == C(0, 3));
  BOOST_TEST(y.value()(0, 1) == C(-2));  // of two elements with equal modulus, the first is taken
  backward(sum(abs2(y)));
  BOOST_TEST(z.grad()(0, 2) == C(-4));
  BOOST_TEST(z.grad()(0, 3) == C(0));
  const Var<double> x = constant(Tensor<double>({2, 2}, {-1, -2, -3, -4}));
  // Padding is ignored; it does not count as 0.
  BOOST_TEST(max_pool2d(x, {2, 2}, {.padding = {1, 1}}).value()(0, 0) == -1);
  BOOST_TEST(avg_pool2d(x, {2, 2}, {.padding = {1, 1}}).value()(0, 0) == -0.25);
  BOOST_TEST(avg_pool2d(z, {2, 2}).value()(0, 0) == C(0, 0.75));
  BOOST_TEST(max_pool1d(z, 2).value()(0, 0) == C(0, 3));
  BOOST_TEST(avg_pool1d(z, 3, 1, 1).value()(1, 3) == C(0, 1.0 / 3));
  BOOST_TEST(max_pool1d(z, 3, 1).shape().str() == "[2, 2]");
  OpCheck random;
  gradient_is_right(
      "max_pool2d",
      [](auto a) {
        return max_pool2d(a, {2, 2}, {.stride = {1, 1}});
      },
      random.complex({2, 3, 3}));
  gradient_is_right(
      "avg_pool2d",
      [](auto a) {
        return avg_pool2d(a, {2, 2}, {.stride = {1, 1}});
      },
      random.complex({2, 3, 3}));
}

BOOST_AUTO_TEST_CASE(shapes_that_do_not_fit_are_reported_in_one_line) {
  OpCheck random;
  const Var<double> x = random.real({1, 2, 3, 3}), w = random.real({4, 2, 2, 2});
  const Var<C> v = random.complex({4, 2, 2, 2});
  BOOST_TEST(error_of([&] {
               conv2d(x, Var<double>(random.real({4, 3, 2, 2})));
             }) == "conv2d: weight [4, 3, 2, 2] does not match the channels of [1, 2, 3, 3] with 1 group");
  BOOST_TEST(error_of([&] { conv2d(x, v, {.groups = 2}); }) ==
             "conv2d: weight [4, 2, 2, 2] does not match the channels of [1, 2, 3, 3] with 2 groups");
  BOOST_TEST(error_of([&] { conv2d(x, w, {.groups = 3}); }) ==
             "conv2d: the channels of x [1, 2, 3, 3] and weight [4, 2, 2, 2] cannot be split into 3 groups");
  BOOST_TEST(error_of([&] {
               conv2d(x, w, {.dilation = {3, 1}});
             }) == "conv2d: a window of 4 elements does not fit in an axis of size 3 with padding 0");
  BOOST_TEST(error_of([&] { conv2d(x, w, {.stride = {0, 1}}); }) == "conv2d: stride and dilation must be at least 1, got 0 and 1");
  BOOST_TEST(error_of([&] { conv2d(x, w, {.padding = {-1, 0}}); }) == "conv2d: padding must be at least 0, got -1");
  BOOST_TEST(error_of([&] {
               conv2d(x, w, {.output_padding = {1, 0}});
             }) == "conv2d: output_padding is only valid for transposed convolutions");
  BOOST_TEST(error_of([&] {
               conv_transpose2d(w, Var<double>(random.real({2, 1, 2, 2})), {.output_padding = {1, 0}});
             }) == "conv_transpose2d: output_padding 1 must be in [0, max(stride, dilation))");
  BOOST_TEST(error_of([&] { conv1d(x, w); }) ==
             "conv1d: expects x [N, C, L] and a weight with 3 axes, got [1, 2, 3, 3] and [4, 2, 2, 2]");
  BOOST_TEST(error_of([&] { conv3d(x, w); }) ==
             "conv3d: expects x [N, C, D, H, W] and a weight with 5 axes, got [1, 2, 3, 3] and [4, 2, 2, 2]");
  const Var<double> line = random.real({1, 2, 3});
  BOOST_TEST(error_of([&] {
               conv1d(line, Var<C>(random.complex({4, 3, 2})));
             }) == "conv1d: weight [4, 3, 2] does not match the channels of [1, 2, 3] with 1 group");
  BOOST_TEST(error_of([&] {
               conv_transpose1d(line, Var<double>(random.real({3, 4, 2})));
             }) == "conv_transpose1d: weight [3, 4, 2] does not match the channels of [1, 2, 3] with 1 group");
  BOOST_TEST(error_of([&] {
               unfold(x, {4, 1});
             }) == "unfold: a window of 4 elements does not fit in an axis of size 3 with padding 0");
  BOOST_TEST(error_of([&] {
               unfold(x, {0, 1});
             }) == "unfold: a window of 0 elements does not fit in an axis of size 3 with padding 0");
  BOOST_TEST(error_of([&] {
               unfold(x, {2, 2}, {.output_padding = {0, 1}});
             }) == "unfold: output_padding is only valid for transposed convolutions");
  BOOST_TEST(error_of([&] {
               unfold(Var<double>(random.real({3, 3})), {1, 1});
             }) == "unfold: expects [N, C, H, W] or [C, H, W], got [3, 3]");
  BOOST_TEST(error_of([&] {
               unfold(x, {1, 1}, {.groups = 2});
             }) == "unfold: groups must be 1, since every channel has its own rows; got 2");
  BOOST_TEST(error_of([&] {
               max_pool2d(x, {4, 1});
             }) == "max_pool2d: a window of 4 elements does not fit in an axis of size 3 with padding 0");
  BOOST_TEST(error_of([&] {
               max_pool2d(x, {2, 2}, {.padding = {2, 0}});
             }) == "max_pool2d: padding 2 must be between 0 and half the window size 2");
}

BOOST_AUTO_TEST_SUITE_END()
