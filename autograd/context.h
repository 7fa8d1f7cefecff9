#pragma once
/// Context: what ops consult as they compute. On which tape, if at all? Inside which module? Is an observer set?

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

/// Every thread has a context of its own, from its first op on. A new thread inherits nothing: it records, on a tape of its own,
/// outside of every module, without an observer; a NoGrad of the thread that started it does not reach it. A context, its tapes
/// and the outputs recorded on them belong to one thread. Leaves may be used from several: their gradients add up, in whatever
/// order the threads arrive, as long as no value changes and no gradient is cleared meanwhile.
class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// The one that this thread's ops consult.
  static Context& current();

  /// The youngest living tape that was made in this context; a base tape that is always there when there is none.
  Tape& tape();
  bool recording() const { return no_grad_ == 0; }
  /// Whether ops compute tangents (autograd/forward.h).
  bool forward() const { return forward_; }
  const std::string& scope() const { return scope_; }

  /// Called with every op as soon as it has computed, recorded or not. An exception that it throws leaves the op.
  /// Returns the previous watch (or an empty one), to be restored.
  ForwardWatch watch_forward(ForwardWatch watch) { return std::exchange(watch_, std::move(watch)); }
  const ForwardWatch& forward_watch() const { return watch_; }

  /// How a backward pass finds an entry's gradients. Empty: by entry.backward(). Checks put their own here, to see whether they
  /// notice.
  using Runner = std::function<void(TapeEntry&)>;
  Runner run_entries_by(Runner runner) { return std::exchange(runner_, std::move(runner)); }
  const Runner& runner() const { return runner_; }

 private:
  friend class Tape;
  friend class NoGrad;
  friend class ForwardMode;
  friend class NoForward;
  friend class NameScope;

  std::shared_ptr<std::vector<Tape*>> tapes_;  // alive, in the order in which they were made; shared with them
  std::unique_ptr<Tape> base_;
  int no_grad_ = 0;
  bool forward_ = false;
  std::string scope_;
  ForwardWatch watch_;
  Runner runner_;
};

/// Makes a context this thread's current one while it lives: to compute in the middle of something else and leave no trace there.
class UseContext {
 public:
  [[nodiscard]] explicit UseContext(Context& context);
  ~UseContext();
  UseContext(const UseContext&) = delete;
  UseContext& operator=(const UseContext&) = delete;

 private:
  Context* before_;
};

/// Nothing is recorded in this context while one of these lives: `const NoGrad none;`, with a name, for a nameless one is gone at
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

/// Entries recorded while it lives carry the name of the module; nested scopes join with dots.
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
