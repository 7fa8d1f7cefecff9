#include "autograd/op.h"

#include <map>

#include "autograd/op_check.h"

namespace argand {
namespace {
std::map<std::string, const Op*, std::less<>>& registry() {
  static std::map<std::string, const Op*, std::less<>> ops;
  return ops;
}
}  // namespace

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::Holomorphic: return "holomorphic";
    case Kind::RealValued: return "real-valued";
    case Kind::General: return "general";
    case Kind::Real: return "real";
  }
  return "?";
}

Op::Op(OpText text, Check check) : text_(std::move(text)), check_(check) {
  require(!text_.jvp.empty(), "op", "{} does not say its Jacobian-vector product; fill in .jvp", text_.name);
  require(check_ != nullptr, "op", "{} has no check", text_.name);
  OpCheck cases;
  check_(cases);
  require(!cases.cases().empty(), "op", "the check of {} is empty; give it a case, check.function(label, f, inputs)", text_.name);
  require(registry().emplace(text_.name, this).second, "op", "two ops are called {}", text_.name);
}

Op::~Op() { registry().erase(text_.name); }

std::vector<const Op*> Op::all() {
  std::vector<const Op*> ops;
  for (const auto& [name, op] : registry()) ops.push_back(op);
  return ops;
}

const Op* Op::find(std::string_view name) {
  const auto it = registry().find(name);
  return it == registry().end() ? nullptr : it->second;
}

}  // namespace argand
