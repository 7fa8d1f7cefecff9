#include "autograd/context.h"

#include "autograd/tape.h"
#include "core/machine/threads.h"

namespace argand {
namespace {

// Every op reads this pointer eight times, so it is thread-local without dynamic initialisation. Null before the first op.
ARGAND_NEAR_THREAD thread_local constinit Context* in_use = nullptr;
thread_local constinit bool gone = false;  // the thread's own context has been destroyed; only destructors of statics still run

struct ThreadContext {
  Context context;
  ~ThreadContext() {
    in_use = nullptr;
    gone = true;
  }
};

Context& thread_context() {
  if (gone) {
    static Context* const last = new Context;  // for ops that run even later; never destroyed
    return *last;
  }
  thread_local ThreadContext own;
  in_use = &own.context;
  return own.context;
}

}  // namespace

Context::Context() : tapes_(std::make_shared<std::vector<Tape*>>()) {}
Context::~Context() = default;

Context& Context::current() { return in_use != nullptr ? *in_use : thread_context(); }

Tape& Context::tape() {
  if (tapes_->empty()) base_ = std::make_unique<Tape>(*this);  // becomes the oldest tape; used when there is no other
  return *tapes_->back();
}

UseContext::UseContext(Context& context) : before_(std::exchange(in_use, &context)) {}
UseContext::~UseContext() { in_use = before_; }

NoGrad::NoGrad() : context_(Context::current()) { ++context_.no_grad_; }
NoGrad::~NoGrad() { --context_.no_grad_; }

NameScope::NameScope(std::string_view name) : context_(Context::current()), length_(context_.scope_.size()) {
  if (length_ > 0) context_.scope_ += '.';
  context_.scope_ += name;
}
NameScope::~NameScope() { context_.scope_.resize(length_); }

ForwardWatch watch_forward(ForwardWatch watch) { return Context::current().watch_forward(std::move(watch)); }

namespace detail {

bool watched() { return static_cast<bool>(Context::current().forward_watch()); }

void observe(const Op& op, Watched output, std::vector<Watched> inputs) {
  Context& now = Context::current();
  const ForwardWatch watch = now.forward_watch();  // a copy: the observer may replace itself
  watch({op, now.scope(), std::move(inputs), std::move(output)});
}

}  // namespace detail
}  // namespace argand
