/// Custom modules saved in files: parameters, buffers and the optimiser are restored bit for bit.

#include "train/checkpoints/module_file.h"

#include <boost/test/unit_test.hpp>

#include "autograd/ops.h"
#include "autograd/tape.h"
#include "data/files/text_file.h"
#include "nn/layers.h"
#include "nn/layers/sequential.h"
#include "nn/layers/whitening_norms.h"
#include "optim/adamw.h"
#include "tests/data/temporary_directory.h"
#include "tests/error_text.h"
#include "train/checkpoints/stored_state.h"

BOOST_AUTO_TEST_SUITE(module_file)

using namespace argand;
using C = std::complex<float>;

namespace {

/// A net whose normalisation has running moments, which receive no gradient.
struct Net : Module<float> {
  explicit Net(std::uint64_t seed) : Net(Init(seed)) {}
  explicit Net(Init init) : up(init, 3, 4), norm(init, 4), down(init, 4, 2) {}
  Var<C> operator()(const Var<C>& x) const { return down(norm(up(x))); }
  ARGAND_FIELDS(float, up, norm, down)
  Linear<C> up;
  WhiteningBatchNorm<float> norm;
  Linear<C> down;
};

void train(const Net& net, Optimizer<float>& optimizer, std::int64_t from, std::int64_t to) {
  for (std::int64_t step = from; step < to; ++step) {
    const TrainingStep training(static_cast<std::uint64_t>(step));
    zero_grad(parameters_of(net));
    backward(mean(abs2(net(constant(randn<C>({8, 3}, Random(5, static_cast<std::uint64_t>(step))))) - 1.0f)));
    optimizer.step(1e-2);
  }
}

/// Saves the net and returns all bytes of the file.
std::string saved(const std::string& path, const Net& net, const Optimizer<float>* optimizer, std::int64_t step) {
  save_module(path, net, optimizer, step);
  return read_bytes("test", path);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_goes_on_bit_for_bit) {
  const TemporaryDirectory folder;
  const std::string path = folder / "net.safetensors";
  const Net whole(1), half(1), other(2);
  AdamW<float> of_whole(parameters_of(whole), {}), of_half(parameters_of(half), {}), of_other(parameters_of(other), {});
  train(whole, of_whole, 0, 6);
  train(half, of_half, 0, 3);
  save_module(path, half, &of_half, 3);
  BOOST_TEST(load_module(path, other, &of_other) == 3);
  train(other, of_other, 3, 6);
  BOOST_CHECK(saved(path, whole, &of_whole, 6) == saved(path, other, &of_other, 6));
  // Outside training, the output of the net depends on the running moments.
  const Var<C> x = constant(randn<C>({4, 3}, Random(9, 9)));
  const Tensor<C> y = whole(x).value(), again = other(x).value();
  for (std::int64_t k = 0; k < y.size(); ++k) BOOST_CHECK(y.data()[k] == again.data()[k]);
  const Net copy(7);
  copy_parameters(whole, copy);
  const Tensor<C> copied = copy(x).value();
  for (std::int64_t k = 0; k < y.size(); ++k) BOOST_CHECK(y.data()[k] == copied.data()[k]);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_changes_nothing) {
  const TemporaryDirectory folder;
  const std::string path = folder / "net.safetensors", own = folder / "own.safetensors";
  const Net net(1);
  AdamW<float> optimizer(parameters_of(net), {});
  const std::string before = saved(own, net, &optimizer, 0);
  const auto refuses = [&](const SafetensorsWriter& writer, const std::string& expected) {
    writer.save(path);
    BOOST_TEST(error_of([&] { load_module(path, net, &optimizer); }).find(expected) != std::string::npos,
               error_of([&] { load_module(path, net, &optimizer); }));
    BOOST_CHECK(saved(own, net, &optimizer, 0) == before);
  };
  SafetensorsWriter foreign;
  refuses(foreign, "was not written by save_module");
  const auto started = [] {
    SafetensorsWriter writer;
    writer.metadata("format", "argand-module/1");
    writer.metadata("step", "0");
    return writer;
  };
  SafetensorsWriter without_buffers = started();
  add_parameters(without_buffers, parameters_of(Net(3)));
  refuses(without_buffers, "buffer norm.running_mean is missing");
  SafetensorsWriter with_more = started();
  add_parameters(with_more, parameters_of(Net(3)), buffers_of(net));
  with_more.add("more", Tensor<float>({1}, {1}));
  refuses(with_more, "\"more\" is not a parameter of this model");
  SafetensorsWriter without_optimizer = started();
  add_parameters(without_optimizer, parameters_of(Net(3)), buffers_of(net));
  refuses(without_optimizer, "it has no optimizer state");
  Init init(1);
  const Sequential small{Linear<C>(init, 3, 4)};
  BOOST_TEST(error_of([&] { copy_parameters<float>(net, small); }) != "");
}

BOOST_AUTO_TEST_SUITE_END()
