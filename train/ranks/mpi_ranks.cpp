/// Ranks over MPI. Only this file uses MPI. It is built as a separate module that only processes started by mpirun load.

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <climits>
#include <string>

#include "core/error.h"
#include "train/ranks/ranks.h"

namespace argand {
namespace {

class MpiTransfer final : public Ranks::Transfer {
 public:
  MPI_Request request = MPI_REQUEST_NULL;
  bool done() override {
    int flag = 0;
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    return flag != 0;
  }
};

/// Errors within MPI terminate all ranks with MPI's message, which is its default behaviour.
class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);  // only the training thread calls MPI
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm here;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &here_);
    MPI_Comm_free(&here);
  }
  int size() const override { return size_; }
  int rank() const override { return rank_; }
  int on_this_machine() const override { return here_; }

  std::unique_ptr<Transfer> send(int to, int label, std::span<const std::byte> bytes) override {
    auto transfer = std::make_unique<MpiTransfer>();
    MPI_Isend(bytes.data(), length(bytes.size()), MPI_BYTE, to, label, MPI_COMM_WORLD, &transfer->request);
    return transfer;
  }
  std::unique_ptr<Transfer> receive(int from, int label, std::span<std::byte> bytes) override {
    auto transfer = std::make_unique<MpiTransfer>();
    MPI_Irecv(bytes.data(), length(bytes.size()), MPI_BYTE, from, label, MPI_COMM_WORLD, &transfer->request);
    return transfer;
  }

  void leave() override { MPI_Finalize(); }
  void abort(int code) override { MPI_Abort(MPI_COMM_WORLD, code); }

 private:
  static int length(std::size_t bytes) {
    if (bytes > INT_MAX) throw Error("ranks: a message of " + std::to_string(bytes) + " bytes is longer than MPI's longest");
    return static_cast<int>(bytes);
  }

  int size_ = 1, rank_ = 0, here_ = 1;
};

}  // namespace
}  // namespace argand

extern "C" argand::Ranks* argand_mpi_ranks() { return new argand::MpiRanks; }
