#pragma once
/// Context: the state that ops use as they run: the tape to record on, the current module, and the observer, if any.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/watch.h"

namespace argand {

class Tape;
struct TapeEntry;

/// Each thread gets its own context when it runs its first op. A new thread inherits nothing: it records on its own tape, outside
/// every module, without an observer; a NoGrad of the thread that started it has no effect on it. A context, its tapes and the
/// outputs recorded on them belong to one thread. Leaves may be shared between threads: their gradients add up in the order in
/// which the threads arrive, provided that no value changes and no gradient is cleared meanwhile.
class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// The context that this thread's ops use.
  static Context& current();

  /// The newest live tape made in this context; if there is none, a base tape that always exists.
  Tape& tape();
  bool recording() const { return no_grad_ == 0; }
  /// Whether ops compute tangents (autograd/forward.h).
  bool forward() const { return forward_; }
  const std::string& scope() const { return scope_; }

  /// Called with every op once it has run, recorded or not. An exception that it throws propagates out of the op.
  /// Returns the previous watch (or an empty one), to be restored.
  ForwardWatch watch_forward(ForwardWatch watch) { return std::exchange(watch_, std::move(watch)); }
  const ForwardWatch& forward_watch() const { return watch_; }

  /// How a backward pass computes an entry's gradients. If empty, it calls entry.backward(). Tests of the checks install a faulty
  /// one.
  using Runner = std::function<void(TapeEntry&)>;
  Runner run_entries_by(Runner runner) { return std::exchange(runner_, std::move(runner)); }
  const Runner& runner() const { return runner_; }

 private:
  friend class Tape;
  friend class NoGrad;
  friend class ForwardMode;
  friend class NoForward;
  friend class NameScope;

  std::shared_ptr<std::vector<Tape*>> tapes_;  // the live tapes, oldest first; shared with them
  std::unique_ptr<Tape> base_;
  int no_grad_ = 0;
  bool forward_ = false;
  std::string scope_;
  ForwardWatch watch_;
  Runner runner_;
};

/// Makes a context this thread's current one during its lifetime: nothing computed then is recorded on the previous one.
class UseContext {
 public:
  [[nodiscard]] explicit UseContext(Context& context);
  ~UseContext();
  UseContext(const UseContext&) = delete;
  UseContext& operator=(const UseContext&) = delete;

 private:
  Context* before_;
};

/// Stops recording in this context during its lifetime. Write `const NoGrad none;`, with a name: an unnamed object is destroyed at
/// once.
class NoGrad {
 public:
  [[nodiscard]] NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  Context& context_;
};
inline bool recording() { return Context::current().recording(); }

/// Entries recorded while this is alive carry the module's name; nested scopes are joined with dots.
class NameScope {
 public:
  [[nodiscard]] explicit NameScope(std::string_view name);
  ~NameScope();
  NameScope(const NameScope&) = delete;
  NameScope& operator=(const NameScope&) = delete;

 private:
  Context& context_;
  std::size_t length_;
};

}  // namespace argand
