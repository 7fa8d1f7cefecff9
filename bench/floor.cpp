/// Measures how close a training step comes to its lower bound, the time of its matrix products alone.
///
///   floor [--pairs N] [--threads N] [options of `argand train lm`, as --KEY VALUE]
///   floor --hvp [the same options]
///   floor --round-trip
///
/// One step of the model runs with a GemmLog (core/gemm.h), which records the shape of every product, forward and backward. Then
/// full steps and bare lists of these products alternate in this process, so that other load on the machine affects both.
///
/// --hvp divides the time of a Hessian-vector product of the model's loss by that of its gradient.
/// --round-trip prints the nanoseconds in which a cache line goes from one core to another and back.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>

#include "autograd/forward.h"
#include "autograd/gradients.h"
#include "core/gemm.h"
#include "core/machine/openblas_kernels.h"
#include "core/machine/threads.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "train/config/run_config.h"
#include "train/data/corpora.h"
#include "train/loop/training_run.h"

namespace argand {
namespace {

double seconds(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return (x[(x.size() - 1) / 2] + x[x.size() / 2]) / 2;
}

/// Two threads take turns in writing to the same cache line.
double round_trip() {
  constexpr int rounds = 5000;
  alignas(64) std::atomic<int> turn = 0;
  return seconds([&] {
           threads::team(2, [&](int thread, int count) {
             for (int i = 0; count == 2 && i < rounds; ++i) {
               while (turn.load(std::memory_order_acquire) != 2 * i + thread) {
               }
               turn.store(2 * i + thread + 1, std::memory_order_release);
             }
           });
         }) /
         rounds;
}

/// Computes the products of a step on arbitrary values: small ones of the same shape in parallel, as attention heads do; a large
/// one with all threads together.
template <Scalar T>
class Products {
 public:
  explicit Products(const std::map<GemmShape, std::int64_t>& counts) {
    std::int64_t largest = 0;
    for (const auto& [shape, count] : counts)
      if (shape.complex == ComplexScalar<T>) {
        shapes_.push_back({shape, count});
        largest = std::max({largest, shape.M * shape.K, shape.K * shape.N, shape.M * shape.N});
      }
    if (shapes_.empty()) return;
    A_ = randn<T>({largest}, Random(1, 1));
    B_ = randn<T>({largest}, Random(1, 2));
    C_ = Tensor<T>::zeros({largest});
  }

  void compute() {
    for (const auto& [shape, count] : shapes_) {
      const bool small = gemm_cut(shape.M, shape.N, shape.K, shape.complex).tiles() == 1;
      if (small && count > 1) {
        parallel_for(count, 1, [&, shape = shape](std::int64_t begin, std::int64_t end) {
          Scratch<T> own(static_cast<std::size_t>(shape.M * shape.N));
          for (std::int64_t i = begin; i < end; ++i) product(shape, own.data());
        });
      } else {
        for (std::int64_t i = 0; i < count; ++i) product(shape, C_.data());
      }
    }
  }

 private:
  void product(const GemmShape& s, T* C) const {
    gemm<T>(Transpose::No, Transpose::No, s.M, s.N, s.K, T(1), A_.data(), s.K, B_.data(), s.N, T(0), C, s.N);
  }
  std::vector<std::pair<GemmShape, std::int64_t>> shapes_;
  Tensor<T> A_, B_, C_;
};

template <RealScalar R>
void measure(const RunConfig& config, std::int64_t pairs) {
  flush_subnormals_to_zero(true);
  TrainingRun<R> run(config, open_data(config));
  for (int i = 0; i < 2; ++i) run.step();  // memory is cold at first
  std::map<GemmShape, std::int64_t> counts;
  double flops = 0;
  {
    const GemmLog log;
    run.step();
    counts = log.counts();
    flops = static_cast<double>(log.flops());
  }
  // Products too large for the caches are computed in pieces of 256 rows or terms, as the output layer does.
  std::map<GemmShape, std::int64_t> pieces;
  for (const auto& [shape, count] : counts) {
    constexpr std::int64_t most = 1 << 23, size = 256;
    GemmShape piece = shape;
    std::int64_t parts = 1;
    if (shape.M * std::max(shape.N, shape.K) > most) {
      std::int64_t& cut = shape.M * shape.N > most || shape.M < shape.K ? piece.M : piece.K;
      parts = (cut + size - 1) / size;
      cut = std::min(cut, size);
    }
    pieces[piece] += count * parts;
  }
  Products<R> real(pieces);
  Products<std::complex<R>> complex(pieces);
  const auto floor = [&] {
    real.compute();
    complex.compute();
  };
  floor();
  std::vector<double> steps, floors, ratios;
  for (std::int64_t i = 0; i < pairs; ++i) {
    steps.push_back(seconds([&] { run.step(); }));
    floors.push_back(seconds(floor));
    ratios.push_back(steps.back() / floors.back());
  }
  fmt::print("{{\"step\": {:.6f}, \"floor\": {:.6f}, \"ratio\": {:.4f}, \"gflop\": {:.3f}, \"pairs\": {}}}\n", median(steps),
             median(floors), median(ratios), flops / 1e9, pairs);
}

template <RealScalar R>
void measure_hvp(const RunConfig& config, std::int64_t pairs) {
  flush_subnormals_to_zero(true);
  TrainingRun<R> run(config, open_data(config));
  run.step();
  const std::int64_t B = config.training.batch, T = config.training.length;
  Ids tokens(Shape{B, T}), targets(Shape{B, T});
  for (std::int64_t i = 0; i < B * T; ++i) tokens[i] = targets[i] = static_cast<std::int32_t>(i * 7919 % 60);
  const ParameterList<R>& parameters = run.parameters();
  std::vector<AnyTensorOf<R>> v;
  for (const Parameter<R>& p : parameters)
    v.push_back(
        std::visit([&]<Scalar T>(const Var<T>& x) -> AnyTensorOf<R> { return randn<T>(x.shape(), Random(1, v.size())); }, p.var));
  const std::function<Var<R>()> loss = [&] { return run.model().loss(tokens, targets, {.step = 1}).total; };
  std::vector<double> products, gradient, ratios;
  for (std::int64_t i = -1; i < pairs; ++i) {
    const double of_product = seconds([&] { hvp<R>(loss, parameters, v); });
    const double of_gradient = seconds([&] {
      Tape tape;
      gradients(loss(), parameters);
    });
    if (i < 0) continue;  // memory is cold at first
    products.push_back(of_product);
    gradient.push_back(of_gradient);
    ratios.push_back(of_product / of_gradient);
  }
  fmt::print("{{\"hvp\": {:.6f}, \"gradient\": {:.6f}, \"ratio\": {:.4f}, \"pairs\": {}}}\n", median(products), median(gradient),
             median(ratios), pairs);
}

/// Apart from --pairs and --threads, each option is a key of RunConfig followed by its value.
void floor_of(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--round-trip") {
    round_trip();  // starts the threads
    fmt::print("{:.0f}\n", round_trip() * 1e9);
    return;
  }
  const bool hvp = argc > 1 && std::string_view(argv[1]) == "--hvp";
  if (hvp) --argc, ++argv;
  if (argc % 2 == 0) input_fail("floor", "{} has no value; every option needs one", argv[argc - 1]);
  Settings settings;
  std::int64_t pairs = 7, threads = num_threads();
  for (int i = 1; i < argc; i += 2) {
    std::string key = argv[i];
    if (!key.starts_with("--")) input_fail("floor", "{} is not an option", key);
    key.erase(0, 2);
    std::replace(key.begin(), key.end(), '-', '_');
    const Setting setting{key, argv[i + 1], argv[i]};
    if (key == "pairs" || key == "threads")
      assign(setting, "", key == "pairs" ? pairs : threads);
    else
      settings.push_back(setting);
  }
  if (pairs < 1 || threads < 1) input_fail("floor", "--pairs and --threads must be at least 1");
  set_num_threads(static_cast<int>(threads));
  fmt::print(stderr, "{}", blas_advice());
  const RunConfig config = RunConfig::resolve({}, settings, "lm");
  with_precision(config, [&]<class R>(R) { hvp ? measure_hvp<R>(config, pairs) : measure<R>(config, pairs); });
}

}  // namespace
}  // namespace argand

int main(int argc, char** argv) {
  try {
    argand::floor_of(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
