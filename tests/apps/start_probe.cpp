/// A program that start_test.cpp starts: it does what every main() of argand does first, then reports how it runs.
///
///   start_probe fast ... calls ensure_fast_kernels, then measures the speed of a product
///   start_probe slow         changes to slow kernels, and tries to change back with and without another thread
///   start_probe CORETYPE ... calls restart_with_coretype(CORETYPE)
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <future>
#include <string_view>
#include <thread>

#include "apps/terminal/start.h"
#include "core/machine/blas.h"
#include "core/machine/openblas_kernels.h"
#include "core/parallel.h"
#include "core/tensor.h"

using namespace argand;

namespace {

/// The speed of OpenBLAS's float product of 1024 x 1024 matrices on one thread: the best of several, since other programs may be
/// running.
double gigaflops() {
  set_num_threads(1);
  const std::int64_t n = 1024;
  const auto A = Tensor<float>::ones({n, n}), B = A.clone();
  Tensor<float> C({n, n});
  double seconds = 1e9;
  for (int i = 0; i < 8; ++i) {
    const auto start = std::chrono::steady_clock::now();
    blas_gemm<float>({Transpose::No, Transpose::No, n, n, n, 1, A.data(), n, B.data(), n, 0, C.data(), n});
    seconds = std::min(seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return 2e-9 * static_cast<double>(n * n * n) / seconds;
}

void change_back() {
  fmt::print("able {}\n", change_blas_kernels("Prescott"));
  std::promise<void> end;
  std::thread other([&] { end.get_future().wait(); });
  fmt::print("beside another thread {}\n", use_fast_kernels());
  fmt::print(stderr, "{}", blas_advice());
  end.set_value();
  other.join();
  fmt::print("alone {}\n", use_fast_kernels());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "fast";
  // exec keeps the process, so the number of these lines on standard error is the number of starts.
  fmt::print(stderr, "start {}\n", getpid());
  if (what == "fast")
    ensure_fast_kernels(argv);
  else if (what == "slow")
    change_back();
  else
    restart_with_coretype(std::string(what), argv);
  const BlasKernels kernels = blas_kernels();
  const char* coretype = std::getenv("OPENBLAS_CORETYPE");
  const char* spin = std::getenv("GOMP_SPINCOUNT");
  fmt::print("running {}\nwanted {}\ncoretype {}\nspin {}\n", kernels.running, kernels.wanted,
             coretype != nullptr ? coretype : "unset", spin != nullptr ? spin : "unset");
  for (int i = 0; i < argc; ++i) fmt::print("argument {}\n", argv[i]);
  if (const char* kept = std::getenv("START_PROBE_KEPT")) fmt::print("kept {}\n", kept);
  if (what == "fast") fmt::print("speed {}\n", gigaflops());
}
