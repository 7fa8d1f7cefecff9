#include "autograd/context.h"

#include "autograd/tape.h"

namespace argand {
namespace {

thread_local Context* in_use = nullptr;  // null: the thread's own
thread_local bool gone = false;          // the thread's own has been destroyed; only destructors of statics still compute

struct Own {
  Context context;
  ~Own() { gone = true; }
};

}  // namespace

Context::Context() : tapes_(std::make_shared<std::vector<Tape*>>()) {}
Context::~Context() = default;

Context& Context::current() {
  if (in_use != nullptr) return *in_use;
  if (gone) {
    static Context* const last = new Context;  // for anything that computes even later; never destroyed
    return *last;
  }
  thread_local Own own;
  return own.context;
}

Tape& Context::tape() {
  if (tapes_->empty()) base_ = std::make_unique<Tape>(*this);  // becomes the oldest; used when there is no other
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
  const ForwardWatch watch = now.forward_watch();  // a copy: the watch may replace itself
  watch({op, now.scope(), std::move(inputs), std::move(output)});
}

}  // namespace detail
}  // namespace argand
