/// Layers for custom models: shapes, gradients of every parameter, equivariance, dropout, names, copies.

#include "nn/layers.h"

#include <boost/test/unit_test.hpp>

#include "autograd/check/parameter_check.h"
#include "autograd/ops.h"
#include "autograd/tape.h"
#include "nn/layers/activation.h"
#include "nn/layers/convolution.h"
#include "nn/layers/dropout.h"
#include "nn/layers/multihead_attention.h"
#include "nn/layers/recurrent.h"
#include "nn/layers/sequential.h"
#include "tests/error_text.h"

using namespace argand;
using C = std::complex<double>;

BOOST_AUTO_TEST_SUITE(layers)

namespace {

template <Scalar T>
Var<T> signal(const Shape& shape, std::uint64_t stream = 0) {
  return constant(randn<T>(shape, Random(7, stream)));
}

/// Compares the gradient of every element of every parameter with finite differences, for L = Re Σ conj(W) y with random weights W.
template <class M, class F>
void check_gradients(const std::string& name, const M& module, const F& output) {
  const auto loss = [&] {
    const auto y = output();
    return projection(y, rand<typename decltype(y)::value_type>(y.shape(), Random(3, 1), -1.0, 1.0));
  };
  const Report report = gradcheck_parameters(loss, parameters_of<double>(module), 1000);
  BOOST_TEST(report.ok(), name << ": " << report.headline());
}

template <class T>
void check_cells() {
  Init init(1);
  const RnnCell<T> rnn(init, 2, 3);
  const GruCell<T> gru(init, 2, 3);
  const auto unroll = [](const auto& cell) {
    Var<T> h = cell.initial(2);
    for (std::uint64_t t = 0; t < 3; ++t) h = cell(signal<T>({2, 2}, t), h);
    return h;
  };
  BOOST_TEST(unroll(gru).shape() == Shape({2, 3}));
  check_gradients("RnnCell", rnn, [&] { return unroll(rnn); });
  check_gradients("GruCell", gru, [&] { return unroll(gru); });
}

template <class T>
void check_convolutions() {
  Init init(1);
  const Conv1d<T> along(init, 4, 6, 3, {.stride = 2, .padding = 1, .dilation = 2, .groups = 2});
  const Conv2d<T> over(init, 2, 3, {2, 3}, {.padding = {0, 1}});
  BOOST_TEST(along(signal<T>({2, 4, 9})).shape() == Shape({2, 6, 4}));
  BOOST_TEST(over(signal<T>({2, 2, 4, 5})).shape() == Shape({2, 3, 3, 5}));
  check_gradients("Conv1d", along, [&] { return along(signal<T>({2, 4, 9})); });
  check_gradients("Conv2d", over, [&] { return over(signal<T>({2, 2, 4, 5})); });
  BOOST_TEST(error_of([&] { Conv1d<T>(init, 3, 4, 2, {.groups = 2}); }) ==
             "Conv1d: 2 groups do not evenly divide 3 and 4 channels");
  BOOST_TEST(error_of([&] {
               Conv2d<T>(init, 3, 4, {2, 2}, {.groups = 0});
             }) == "Conv2d: 0 groups do not evenly divide 3 and 4 channels");
}

template <class T>
void check_attention() {
  Init init(1);
  const MultiHeadAttention<T> attention(init, 4, 2);
  const Var<T> x = signal<T>({2, 3, 4}), y = signal<T>({2, 5, 4}, 1);
  BOOST_TEST(attention(x, y).shape() == x.shape());
  check_gradients("MultiHeadAttention", attention, [&] { return attention(x, y); });
  // A later input must not change any earlier output.
  Tensor<T> changed = x.value();
  changed(0, 2, 1) += T(1);
  const Tensor<T> a = attention(x, true).value(), b = attention(constant(changed), true).value();
  for (std::int64_t i = 0; i < 8; ++i) BOOST_TEST(a.data()[i] == b.data()[i]);
  BOOST_TEST(a(0, 2, 0) != b(0, 2, 0));
  BOOST_TEST(error_of([&] { MultiHeadAttention<T>(init, 4, 3); }) ==
             "MultiHeadAttention: 3 heads do not evenly divide a width of 4");
}

}  // namespace

BOOST_AUTO_TEST_CASE(gradients_of_every_parameter_real_and_complex) {
  check_cells<double>();
  check_cells<C>();
  check_convolutions<double>();
  check_convolutions<C>();
  check_attention<double>();
  check_attention<C>();
}

BOOST_AUTO_TEST_CASE(modrelu_takes_channels_where_a_convolution_leaves_them) {
  Init init(1);
  ModRelu<double> last(init, 3), before(init, 3, 1, -0.2);
  const Var<C> z = signal<C>({2, 3, 4});
  last.c.value() = before.c.value() = Tensor<double>({3}, {-0.5, 0.1, 0.3});
  const Tensor<C> turned = permute(last(permute(z, {0, 2, 1})), {0, 2, 1}).value(), direct = before(z).value();
  for (std::int64_t i = 0; i < direct.size(); ++i) BOOST_TEST(direct.data()[i] == turned.data()[i]);
  check_gradients("ModRelu", before, [&] { return before(z); });
  BOOST_TEST(error_of([&] { before(signal<C>({2, 4, 3})); }) == "ModRelu: expects 3 channels followed by 1 axes, got [2, 4, 3]");
  BOOST_TEST(error_of([&] { before(signal<C>({3})); }) == "ModRelu: expects 3 channels followed by 1 axes, got [3]");
}

BOOST_AUTO_TEST_CASE(sequential_calls_modules_and_functions_in_order) {
  Init init(1), again(1);
  const Sequential net{Linear<C>(init, 1, 4), ModRelu<double>(init, 4), Linear<C>(init, 4, 1),
                       [](const Var<C>& z) { return abs2(z); }};
  const Linear<C> first(again, 1, 4), second(again, 4, 1);
  const Var<C> x = signal<C>({5, 1});
  const Tensor<double> y = net(x).value(), expected = abs2(second(modrelu(first(x), constant(Tensor<double>::zeros({4}))))).value();
  for (std::int64_t i = 0; i < 5; ++i) BOOST_TEST(y.data()[i] == expected.data()[i]);
  std::vector<std::string> names;
  for (const auto& p : parameters_of<double>(net)) names.push_back(p.name);
  BOOST_TEST(names == std::vector<std::string>({"0.weight", "0.bias", "1.c", "2.weight", "2.bias"}),
             boost::test_tools::per_element());
  check_gradients("Sequential", net, [&] { return net(x); });
}

BOOST_AUTO_TEST_CASE(dropout_drops_in_a_training_step_alone) {
  const Dropout<double> drop(0.5);
  const Var<double> x = constant(Tensor<double>::ones({1000}));
  const auto dropped = [&](std::uint64_t step, std::uint64_t seed = 0) {
    const TrainingStep training(step, seed);
    return drop(x).value();
  };
  const auto same = [](const Tensor<double>& a, const Tensor<double>& b) { return std::equal(a.begin(), a.end(), b.begin()); };
  BOOST_TEST(same(drop(x).value(), x.value()));
  BOOST_TEST(!same(dropped(1), x.value()));
  BOOST_TEST(same(dropped(1), dropped(1)));
  BOOST_TEST(!same(dropped(1), dropped(2)));
  BOOST_TEST(!same(dropped(1), dropped(1, 1)));
  {
    const TrainingStep training(1);
    const Tensor<double> first = drop(x).value(), second = drop(x).value();
    BOOST_TEST(!same(first, second));  // each call draws a new mask
    { const TrainingStep inner(5); }
    BOOST_TEST((TrainingStep::current() == &training));
  }
  BOOST_TEST((TrainingStep::current() == nullptr));
  BOOST_TEST(error_of([] { Dropout<double>(1); }) == "Dropout: p must be in [0, 1), got 1");
}

namespace {
template <RealScalar R>
struct GatedUnit final : Module<R> {
  GatedUnit(Init& init, std::int64_t width) : gate(init, width, width), value(init, width, width) {}
  Var<R> operator()(const Var<R>& x) const { return sigmoid(gate(x)) * value(x); }
  ARGAND_FIELDS(R, gate, value)
  Linear<R> gate, value;
};
struct Net final : Module<double> {
  explicit Net(Init& init) : in(init, 2, 3), out_(init, 3, 1, false) {
    for (int i = 0; i < 2; ++i) blocks.push_back(Linear<double>(init, 3, 3));
    owned = std::make_unique<Linear<double>>(init, 3, 3, false);
  }
  ARGAND_FIELDS(double, in, out_, blocks, maybe, owned)
  Linear<double> in, out_;
  std::vector<Linear<double>> blocks;
  std::optional<Var<double>> maybe;
  std::unique_ptr<Linear<double>> owned;
};
}  // namespace

BOOST_AUTO_TEST_CASE(fields_are_named_and_listing_a_part_renames_nothing) {
  Init init(1);
  const GatedUnit<double> unit(init, 3);
  BOOST_TEST(parameters_of<double>(unit)[3].name == "value.bias");
  check_gradients("GatedUnit", unit, [&] { return unit(signal<double>({2, 3})); });
  const Net net(init);
  std::vector<std::string> names;
  for (const auto& p : parameters_of<double>(net)) names.push_back(p.name);
  BOOST_TEST(names == std::vector<std::string>({"in.weight", "in.bias", "out.weight", "blocks.0.weight", "blocks.0.bias",
                                                "blocks.1.weight", "blocks.1.bias", "owned.weight"}),
             boost::test_tools::per_element());
  BOOST_TEST(parameters_of<double>(net.in)[0].name == "weight");
  BOOST_TEST(net.in.weight.slot()->name() == "in.weight");
}

BOOST_AUTO_TEST_CASE(a_copy_is_deep_and_complete_or_refused) {
  Init init(1), other(2);
  const Net net(init), copy(other);
  copy_parameters<double>(net, copy);
  const auto equal = [&] { return net.in.weight.value()(0, 0) == copy.in.weight.value()(0, 0); };
  BOOST_TEST(equal());
  auto weight = copy.in.weight;
  weight.value()(0, 0) += 1;
  BOOST_TEST(!equal());
  const Linear<double> narrow(init, 2, 3), wide(init, 2, 4), bare(init, 2, 3, false);
  const Linear<C> complex(init, 2, 3);
  const double before = wide.weight.value()(0, 0);
  BOOST_TEST(error_of([&] { copy_parameters<double>(narrow, wide); }) ==
             "copy_parameters: weight is real [3, 2] in one module and real [4, 2] in the other");
  BOOST_TEST(wide.weight.value()(0, 0) == before);
  BOOST_TEST(error_of([&] { copy_parameters<double>(narrow, complex); }) ==
             "copy_parameters: weight is real [3, 2] in one module and complex [3, 2] in the other");
  BOOST_TEST(error_of([&] { copy_parameters<double>(narrow, bare); }) == "copy_parameters: parameter counts do not match: 2 and 1");
}

BOOST_AUTO_TEST_SUITE_END()
