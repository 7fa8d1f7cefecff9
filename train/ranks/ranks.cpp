#include "train/ranks/ranks.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "core/machine/process.h"
#include "core/parallel.h"
#include "data/files/checksum.h"
#include "train/config/config_error.h"

namespace argand {
namespace {

class SingleProcess final : public Ranks {
 public:
  int size() const override { return 1; }
  int rank() const override { return 0; }
  int on_this_machine() const override { return 1; }
  std::unique_ptr<Transfer> send(int to, int, std::span<const std::byte>) override { fail("ranks", "there is no rank {}", to); }
  std::unique_ptr<Transfer> receive(int from, int, std::span<std::byte>) override { fail("ranks", "there is no rank {}", from); }
  void leave() override {}
  void abort(int) override {}
};

/// A number that the launcher has set in the environment; `otherwise` if there is none. Open MPI's mpirun sets the first name,
/// MPICH's and Intel's the second, and other launchers that use PMIx may set the third.
int launched(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names)
    if (const char* text = std::getenv(name); text != nullptr && *text != '\0') return std::atoi(text);
  return otherwise;
}
int launched_size() {
  if (std::getenv("PMIX_RANK") != nullptr) return launched({"OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS"}, 1);
  return launched({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 1);
}
int launched_rank() { return launched({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}, 0); }

/// The other ranks, set once all_ranks() has found them.
std::unique_ptr<Ranks>& others() {
  static std::unique_ptr<Ranks> ranks;
  return ranks;
}

#if defined(__APPLE__)
constexpr const char* mpi_module = "@rpath/libargand_mpi.dylib";
#else
constexpr const char* mpi_module = "libargand_mpi.so";
#endif

/// Loads MPI. RTLD_GLOBAL, because MPI's plugins look up its symbols globally.
std::unique_ptr<Ranks> join() {
  const int size = launched_size();
  void* module = ::dlopen(mpi_module, RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr)
    config_fail_at(
        "mpirun",
        "{} processes were started, but this argand cannot use MPI ({}). Install libopenmpi-dev and build again, or start it "
        "without mpirun",
        size, ::dlerror());
  auto* const make = reinterpret_cast<Ranks* (*)()>(::dlsym(module, "argand_mpi_ranks"));
  require(make != nullptr, "mpirun", "{} belongs to a different version of argand: {}", mpi_module, ::dlerror());
  std::unique_ptr<Ranks> ranks(make());
  if (ranks->size() != size)
    config_fail_at("mpirun",
                   "{} processes were started, but MPI reports {}: start argand with the mpirun of the MPI it was built with", size,
                   ranks->size());
  return ranks;
}

bool left = false;

/// Whether the launcher has bound this process to a processor by default, not at the user's request. Open MPI 4 records both in the
/// environment; with Open MPI 5, only the command line of prterun shows it.
bool is_bound_by_default() {
  if (std::getenv("OMPI_MCA_orte_bound_at_launch") != nullptr) return std::getenv("OMPI_MCA_hwloc_base_binding_policy") == nullptr;
  if (std::getenv("PRTE_LAUNCHED") == nullptr || std::getenv("PRTE_MCA_hwloc_default_binding_policy") != nullptr) return false;
  std::ifstream file(fmt::format("/proc/{}/cmdline", ::getppid()));
  const std::string words(std::istreambuf_iterator<char>(file), {});
  const auto says = [&](std::string_view word) { return words.find(word) != std::string::npos; };
  return says("prterun") && !says("bind-to") && !says("map-by") && !says("rank-by");
}

}  // namespace

Ranks& single_process() {
  static SingleProcess one;
  return one;
}

Ranks& all_ranks() {
  if (others() == nullptr && launched_size() > 1) others() = join();
  return others() != nullptr ? *others() : single_process();
}

void finalize_ranks() {
  if (others() == nullptr) return;
  barrier(*others());  // with backoff, because MPI itself busy-waits
  others()->leave();
  left = true;
}

void abort_ranks(int code) {
  if (others() == nullptr || left) return;
  std::fflush(nullptr);
  others()->abort(code == 0 ? 1 : code);
}

std::string error_of_rank(const std::string& text) {
  const int rank = launched_rank();
  if (launched_size() <= 1 || rank == 0) return text;
  for (unsigned rest = 5; rest > 0;) rest = ::sleep(rest);  // longer than the processes need to start
  return fmt::format("rank {}: {}", rank, text);
}

void undo_default_binding() {
  if (is_bound_by_default()) use_processors_of(::getppid());  // the launcher may use all processors allotted by the user
}

bool have_mpi() {
  void* module = ::dlopen(mpi_module, RTLD_LAZY);
  if (module != nullptr) ::dlclose(module);
  return module != nullptr;
}

int threads_of(const Ranks& ranks) {
  if (ranks.size() == 1 || std::getenv("OMP_NUM_THREADS") != nullptr) return num_threads();
  const int own = processors_of(0), all = processors_of(::getppid());
  if (own == 0 || all == 0) return std::max(1, num_threads() / ranks.on_this_machine());
  return std::clamp(all / ranks.on_this_machine(), 1, own);
}

/// A transfer between two processes on one machine takes a few microseconds, but even the shortest sleep takes about sixty. A
/// thousand checks that yield the processor take a fraction of a millisecond if no other process needs it.
void Backoff::wait() {
  if (++looks_ < 1000)
    ::sched_yield();
  else
    ::usleep(looks_ < 20'000 ? 50 : 1000);
}

void all_reduce(Ranks& ranks, std::span<double> x) {
  constexpr int label = 0;
  const int n = ranks.size();
  if (n == 1) return;
  std::vector<std::unique_ptr<Ranks::Transfer>> transfers;
  const auto all_done = [&] {
    for (Backoff backoff; !transfers.empty();) {
      std::erase_if(transfers, [](const auto& t) { return t->done(); });
      if (!transfers.empty()) backoff.wait();
    }
  };
  if (!ranks.is_root()) {
    transfers.push_back(ranks.send(0, label, std::as_bytes(x)));
    all_done();
    transfers.push_back(ranks.receive(0, label, std::as_writable_bytes(x)));
    all_done();
    return;
  }
  std::vector<std::vector<double>> theirs(static_cast<std::size_t>(n), std::vector<double>(x.size()));
  for (int r = 1; r < n; ++r)
    transfers.push_back(ranks.receive(r, label, std::as_writable_bytes(std::span(theirs[static_cast<std::size_t>(r)]))));
  all_done();
  for (std::size_t r = 1; r < theirs.size(); ++r)
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += theirs[r][i];
  for (int r = 1; r < n; ++r) transfers.push_back(ranks.send(r, label, std::as_bytes(x)));
  all_done();
}

int all_reduce_max(Ranks& ranks, int own) {
  std::vector<double> all(static_cast<std::size_t>(ranks.size()));
  all[static_cast<std::size_t>(ranks.rank())] = own;
  all_reduce(ranks, all);
  return static_cast<int>(*std::ranges::max_element(all));
}

void barrier(Ranks& ranks) {
  double nothing = 0;
  all_reduce(ranks, {&nothing, 1});
}

void require_same(Ranks& ranks, const std::string& what, const std::string& text) {
  const std::string sum = checksum_of(text);
  std::vector<double> first(sum.size());  // the text's characters; zeros on the other ranks
  if (ranks.is_root()) std::copy(sum.begin(), sum.end(), first.begin());
  all_reduce(ranks, first);
  require(std::equal(sum.begin(), sum.end(), first.begin(), [](char a, double b) { return a == b; }), "ranks",
          "{} not the same as on rank 0. All ranks need the same files, the same program, and processors of the same x86-64 level",
          what);
}

void wait_for_abort() {
  for (;;) ::sleep(1);
}

}  // namespace argand
