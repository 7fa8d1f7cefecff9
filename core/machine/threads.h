#pragma once
/// The seam behind which threads are started: what parallel_for (core/parallel.h) needs of them, and nothing else of the library
/// asks for. Chosen when the library is built: OpenMP (threads_openmp.cpp), or with -Dthreads=serial the calling thread alone
/// (threads_serial.cpp), for places without threads, such as a page in a browser.

namespace argand::threads {

/// A reference to a callable f(i, p), called by thread i of p: no allocation, lives as long as the call.
class Work {
 public:
  template <class F>
  Work(const F& f) : object_(&f), call_([](const void* o, int i, int p) { (*static_cast<const F*>(o))(i, p); }) {}
  void operator()(int i, int p) const { call_(object_, i, p); }

 private:
  const void* object_;
  void (*call_)(const void*, int, int);
};

/// How many threads the calling thread may have work done by.
int limit();
/// n >= 1. Holds for the calling thread, and for threads that are started later.
void set_limit(int n);

/// Whether the calling thread is one of a team() that is at work.
bool inside();

/// Calls work(i, p) for i = 0, ..., p - 1 at the same time, the calling thread taking part; 1 <= p <= n is what can be had.
/// Returns when all are done. `work` must not throw.
void team(int n, Work work);

/// Whether a library that works in OpenMP's threads shares those of team().
bool are_openmp();

/// The calling thread's limit is n while one lives.
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
