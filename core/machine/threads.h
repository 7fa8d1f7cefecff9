#pragma once
/// The thread pool behind parallel_for and parallel_jobs (core/parallel.h). The build chooses the implementation: OpenMP
/// (threads_openmp.cpp), or with -Dthreads=serial only the calling thread (threads_serial.cpp), for platforms without threads,
/// such as a page in a browser.

#include <climits>  // __GLIBC__

/// For thread-local variables that every op reads. In a shared library, an ordinary one is found by a function call; these are at a
/// fixed distance from the thread's pointer. (An op of scalars takes 0.89 of the time on the tape, one of networks 0.93.) The
/// loader has little space for them in a library loaded late, and it counts all thread-local data of the library: 512 bytes now.
#if defined(__ELF__) && defined(__GLIBC__)  // other C libraries do not load a library that has any
#define ARGAND_NEAR_THREAD [[gnu::tls_model("initial-exec")]]
#else
#define ARGAND_NEAR_THREAD
#endif

namespace argand::threads {

/// A reference to a callable f(i, p), called by thread i of p: allocates nothing and is valid for the duration of the call.
class Work {
 public:
  template <class F>
  Work(const F& f) : object_(&f), call_([](const void* o, int i, int p) { (*static_cast<const F*>(o))(i, p); }) {}
  void operator()(int i, int p) const { call_(object_, i, p); }

 private:
  const void* object_;
  void (*call_)(const void*, int, int);
};

/// The number of threads that the calling thread's work may use.
int limit();
/// n >= 1. Applies to the calling thread and to threads started later.
void set_limit(int n);

/// Whether the calling thread is part of a running team().
bool in_team();

/// Calls work(i, p) for i = 0, ..., p - 1 concurrently, one of them in the calling thread; 1 <= p <= n is the number of threads
/// available. Returns when all are done. `work` must not throw.
void team(int n, Work work);

/// Calls work(i, p) for i = 0, ..., p - 1 in independent threads, one of them the calling thread: each may call
/// team() and set_limit() as if it were alone. Returns when all are done. `work` must not throw.
void run_independently(int n, Work work);

/// Whether libraries that use OpenMP threads share those of team().
bool are_openmp();

/// Limits the calling thread to n threads during its lifetime.
class Limit {
 public:
  explicit Limit(int n) : before_(limit()) { set_limit(n); }
  ~Limit() { set_limit(before_); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  int before_;
};

}  // namespace argand::threads
