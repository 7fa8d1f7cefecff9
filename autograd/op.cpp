#include "autograd/op.h"

#include <map>
#include <memory>
#include <mutex>

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
  try {
    require(!text_.jvp.empty(), "op", "{} does not describe its Jacobian-vector product; fill in .jvp", text_.name);
    require(check_ != nullptr, "op", "{} has no check", text_.name);
    OpCheck cases;
    check_(cases);
    require(!cases.cases().empty(), "op", "the check for {} has no cases; add one with check.function(label, f, inputs)",
            text_.name);
    require(registry().emplace(text_.name, this).second, "op", "{} is already registered; choose another name", text_.name);
  } catch (const Error& error) {
    fault_ = error.what();
  }
}

Op::Op(std::string custom_name) : check_([](OpCheck&) {}) {
  text_.name = std::move(custom_name);
  text_.kind = Kind::General;
  text_.singular = "none";
}

Op::~Op() {
  if (find(text_.name) == this) registry().erase(text_.name);
}

const Op& Op::custom(const std::string& name) {
  require(find(name) == nullptr, "custom_op", "{} is a built-in op; choose another name", name);
  static std::mutex one_at_a_time;
  static auto& ops = *new std::map<std::string, std::unique_ptr<const Op>>;  // never destroyed: a tape may outlive any static
  const std::lock_guard lock(one_at_a_time);
  std::unique_ptr<const Op>& op = ops[name];
  if (!op) op.reset(new Op(name));
  return *op;
}

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
