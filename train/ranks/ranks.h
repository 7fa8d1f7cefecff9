#pragma once
/// The processes that train one model together, `mpirun -n 4 argand train lm ...`, and the messages between them. MPI carries them:
/// a module of its own (mpi_ranks.cpp) that is loaded in a process that mpirun has started, and in no other.

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace argand {

class Ranks {
 public:
  /// A message on its way: its bytes are to stay where they are, unchanged, until done() has said true.
  class Transfer {
   public:
    virtual ~Transfer() = default;
    /// Looks whether it has arrived, and drives all others on.
    virtual bool done() = 0;
  };

  virtual ~Ranks() = default;
  virtual int size() const = 0;
  virtual int rank() const = 0;             ///< this one's number, counted from 0
  virtual int on_this_machine() const = 0;  ///< how many there are here
  /// Whether this is the one that writes files and prints.
  bool leads() const { return rank() == 0; }

  /// Starts a message. Those between two ranks are distinguished by their labels; of one label they arrive in order.
  virtual std::unique_ptr<Transfer> send(int to, int label, std::span<const std::byte> bytes) = 0;
  virtual std::unique_ptr<Transfer> receive(int from, int label, std::span<std::byte> bytes) = 0;

  /// MPI's last call, by all.
  virtual void leave() = 0;
  /// Ends all of them at once, with this exit code. Returns only if this is the only rank.
  virtual void abort(int code) = 0;
};

/// This process by itself.
Ranks& single_process();

/// Those that mpirun has started with this process; single_process() when no other was. Throws ConfigError when there are others
/// that argand, built without MPI, cannot talk to.
Ranks& all_ranks();

/// Whether the module that talks to MPI was built and can be loaded.
bool have_mpi();

/// To be called by all when all is well, as the last thing that they do together.
void finalize_ranks();
/// To be called before the program ends: ranks that have not left end now, all of them.
void abort_ranks(int code);

/// The text of an error as this rank reports it, or nothing when it need not: an error of all of them is reported by
/// the first; the others wait, and are ended by it meanwhile.
std::string error_of_rank(const std::string& text);

/// mpirun gives every process of two one core, unless it is asked for something else. Without a request, the process
/// may have them all again. To be called before threads start.
void undo_default_binding();

/// Threads for each rank where the number is not given (OMP_NUM_THREADS): its share of the processors.
int threads_of(const Ranks& ranks);

/// Waits without taking the processor from others: awake for a moment, then looking again and again.
class Backoff {
 public:
  void wait();

 private:
  int looks_ = 0;
};

/// x[i] becomes the sum of everybody's x[i], added in the order of ranks.
void all_reduce(Ranks& ranks, std::span<double> x);
/// Returns when all have come here.
void barrier(Ranks& ranks);
/// The largest of everybody's numbers.
int all_reduce_max(Ranks& ranks, int own);
/// Throws Error on the ranks whose text is not that of the first one. `what`: whose text it is, "the data are".
void require_same(Ranks& ranks, const std::string& what, const std::string& text);
/// For a rank with nothing to report, while the first one finds the error and ends all.
[[noreturn]] void wait_for_abort();

}  // namespace argand
