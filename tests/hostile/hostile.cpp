#include "tests/hostile/hostile.h"

#include <thread>

#include "tests/hostile/tasks.h"

namespace hostile {

template <Scalar T, Scalar Out>
void Tasks::add(const Op& op, Function<T, Out> f, std::string_view scalar) {
  tasks_.emplace_back([this, op, f = std::move(f), scalar = std::string(scalar)] {
    accuracy::Cell inside, ends;
    measure<T, Out>(inside, ends, op, f, counts_);
    const std::scoped_lock lock(mutex_);
    cells_.push_back({op, scalar, inside, ends});
  });
}
#define HOSTILE_ADD(T, Out) template void Tasks::add(const Op&, Function<T, Out>, std::string_view);
#define HOSTILE_ADD_OF(R)         \
  HOSTILE_ADD(R, R)               \
  HOSTILE_ADD(R, std::complex<R>) \
  HOSTILE_ADD(std::complex<R>, R) \
  HOSTILE_ADD(std::complex<R>, std::complex<R>)
ARGAND_FOR_REAL(HOSTILE_ADD_OF)

Seen Tasks::run() {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < tasks_.size(); i = next++) tasks_[i]();
  };
  std::thread other(work);
  work();
  other.join();
  for (const std::string& name : order_)
    for (const Measured& m : cells_) {
      if (m.op.name + "," + m.op.what != name) continue;
      table_.cell(accuracy::Range::Hostile, m.op.name, m.op.what, m.scalar) = m.inside;
      if (!m.ends.value.at.empty()) table_.cell(accuracy::Range::Ends, m.op.name, m.op.what, m.scalar) = m.ends;
    }
  return {counts_.cases, counts_.refused};
}

Seen measure_hostile(accuracy::Table& table) {
  Tasks tasks(table);
  add_systems(tasks);
  add_factors(tasks);
  add_functions(tasks);
  add_reductions(tasks);
  return tasks.run();
}

}  // namespace hostile
