#pragma once
/// The processes that train a model together (`mpirun -n 4 argand train lm ...`) and the messages between them. They use MPI, in a
/// separate module (mpi_ranks.cpp) that only processes started by mpirun load.

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace argand {

class Ranks {
 public:
  /// A pending message. Its bytes must not be moved or changed until done() returns true.
  class Transfer {
   public:
    virtual ~Transfer() = default;
    /// Whether the transfer is complete. Calling this also advances all other transfers.
    virtual bool done() = 0;
  };

  virtual ~Ranks() = default;
  virtual int size() const = 0;
  virtual int rank() const = 0;             ///< this rank's index, counted from 0
  virtual int on_this_machine() const = 0;  ///< the number of ranks on this machine
  /// Whether this is the rank that writes files and prints.
  bool is_root() const { return rank() == 0; }

  /// Starts a message. Labels distinguish the messages between two ranks; messages with the same label arrive in order.
  virtual std::unique_ptr<Transfer> send(int to, int label, std::span<const std::byte> bytes) = 0;
  virtual std::unique_ptr<Transfer> receive(int from, int label, std::span<std::byte> bytes) = 0;

  /// Finalizes MPI; all ranks must call it.
  virtual void leave() = 0;
  /// Terminates all ranks at once with this exit code. Returns only if this is the only rank.
  virtual void abort(int code) = 0;
};

/// The current process as the only rank.
Ranks& single_process();

/// The ranks started by mpirun, including this process; single_process() if there are no others. Throws ConfigError if there are
/// others but argand was built without MPI.
Ranks& all_ranks();

/// Whether the MPI module was built and can be loaded.
bool have_mpi();

/// Call this on every rank, last, after success.
void finalize_ranks();
/// Call this before exiting with an error: it terminates all ranks, unless this rank has already finalized.
void abort_ranks(int code);

/// The text of an error for this rank to report. Ranks other than the first wait before returning, so that an error common to all
/// is reported only once: the first rank reports it and terminates the others.
std::string error_of_rank(const std::string& text);

/// With two processes, mpirun binds each to one core by default. Unless a binding was requested, this lets the current process use
/// all cores again. Call it before threads start.
void undo_default_binding();

/// The number of threads for each rank: its share of the processors, unless OMP_NUM_THREADS is set.
int threads_of(const Ranks& ranks);

/// Waits without taking the processor from other processes: yields at first, then sleeps between checks.
class Backoff {
 public:
  void wait();

 private:
  int looks_ = 0;
};

/// Sets x[i] to the sum of all ranks' x[i], added in the order of ranks.
void all_reduce(Ranks& ranks, std::span<double> x);
/// Returns when all ranks have called it.
void barrier(Ranks& ranks);
/// The maximum of `own` over all ranks.
int all_reduce_max(Ranks& ranks, int own);
/// Throws Error on ranks whose text differs from the first one's. `what` begins the message: "the data are".
void require_same(Ranks& ranks, const std::string& what, const std::string& text);
/// On a rank with nothing to report, waits to be terminated by the first rank, which reports the error.
[[noreturn]] void wait_for_abort();

}  // namespace argand
