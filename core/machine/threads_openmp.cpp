#include <omp.h>

#include "core/machine/threads.h"

namespace argand::threads {

int limit() { return omp_get_max_threads(); }
void set_limit(int n) { omp_set_num_threads(n); }
bool inside() { return omp_in_parallel() != 0; }
bool are_openmp() { return true; }

void team(int n, Work work) {
#pragma omp parallel num_threads(n)
  work(omp_get_thread_num(), omp_get_num_threads());
}

}  // namespace argand::threads
