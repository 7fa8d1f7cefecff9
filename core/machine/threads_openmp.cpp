#include <omp.h>

#include <future>
#include <vector>

#include "core/machine/threads.h"

namespace argand::threads {

int limit() { return omp_get_max_threads(); }
void set_limit(int n) { omp_set_num_threads(n); }
bool in_team() { return omp_in_parallel() != 0; }
bool are_openmp() { return true; }

void team(int n, Work work) {
#pragma omp parallel num_threads(n)
  work(omp_get_thread_num(), omp_get_num_threads());
}

void run_independently(int n, Work work) {
  std::vector<std::future<void>> others;  // their destructors wait, even if something throws
  for (int i = 1; i < n; ++i) others.push_back(std::async(std::launch::async, [=] { work(i, n); }));
  work(0, n);
  for (auto& other : others) other.get();
}

}  // namespace argand::threads
