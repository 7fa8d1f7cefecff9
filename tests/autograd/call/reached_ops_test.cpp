/// What C++ can call can be called by name: every registered op, found on the tape of some function's call, and every function of
/// autograd/ops.h.

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <regex>
#include <set>

#include "autograd/call/op_function.h"
#include "autograd/op.h"
#include "autograd/op_check.h"
#include "autograd/tape.h"
#include "tests/autograd/call/calls.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(reached_ops)

namespace {

/// Tries arguments for a function's parameters until the op is on the tape: the tensors in their order, all of them; for the rest a
/// few values of each kind that the parameter takes.
class Attempt {
 public:
  Attempt(const OpFunction& f, const Op& op, std::vector<DynamicVar> inputs) : f_(f), op_(op), inputs_(std::move(inputs)) {}
  bool succeeds() { return fill(0); }

 private:
  bool is_on_tape() {
    Tape& tape = Tape::current();
    tape.clear();
    try {
      f_.call(arguments_);
    } catch (const Error&) {
      return false;
    }
    return std::any_of(tape.entries().begin(), tape.entries().end(), [&](const TapeEntry& e) { return e.op == &op_; });
  }

  bool fill(std::size_t used) {
    const std::size_t i = arguments_.size();
    if (i == f_.parameters().size()) return used == inputs_.size() && is_on_tape();
    const CallParameter& parameter = f_.parameters()[i];
    if (used < inputs_.size() && parameter.type.takes(ArgumentKind::Tensor) && tries(inputs_[used], used + 1)) return true;
    if (used < inputs_.size() && parameter.type.takes(ArgumentKind::Tensors) &&
        tries(std::vector(inputs_.begin() + static_cast<std::ptrdiff_t>(used), inputs_.end()), inputs_.size()))
      return true;
    if (parameter.default_value) return tries(*parameter.default_value, used);
    const std::vector<Argument> values = values_for(parameter.type);
    return std::any_of(values.begin(), values.end(), [&](const Argument& value) { return tries(value, used); });
  }

  bool tries(Argument value, std::size_t used) {
    arguments_.push_back(std::move(value));
    const bool found = fill(used);
    arguments_.pop_back();
    return found;
  }

  std::vector<Argument> values_for(const ArgumentType& type) const {
    const Shape shape = std::visit([](const auto& x) { return x.shape(); }, inputs_.front());
    const List sizes(shape.begin(), shape.end());
    std::vector<Argument> values;
    if (type.takes(ArgumentKind::Int)) values.insert(values.end(), {0L, 1L, 2L});
    if (type.takes(ArgumentKind::Float)) values.emplace_back(0.5);
    if (type.takes(ArgumentKind::String)) values.emplace_back(std::string("ij,jk->ik"));
    if (type.takes(ArgumentKind::Mask))
      values.emplace_back(Mask(shape, std::vector<std::uint8_t>(static_cast<std::size_t>(shape.size()), 1)));
    if (type.takes(ArgumentKind::Ints)) {
      List backwards(sizes.size());
      std::iota(backwards.rbegin(), backwards.rend(), 0);
      values.insert(values.end(), {sizes, backwards, List{sizes.empty() ? 0 : sizes.back()}});
    }
    if (type.takes(ArgumentKind::Indices)) {
      List leading = sizes;
      if (!leading.empty()) leading.pop_back();
      List with_one = leading;
      with_one.push_back(1);
      for (const List& of : {leading, with_one, sizes, List{2}}) values.emplace_back(Ids(Shape{std::span<const std::int64_t>(of)}));
    }
    return values;
  }

  using List = std::vector<std::int64_t>;
  const OpFunction& f_;
  const Op& op_;
  std::vector<DynamicVar> inputs_;
  std::vector<Argument> arguments_;
};

/// Inputs in precision R, variables; or, for functions of a constant, only the first of them.
template <RealScalar R>
std::vector<std::vector<DynamicVar>> inputs_in(const std::vector<AnyTensor>& tensors) {
  std::vector<DynamicVar> variables, constants;
  for (const AnyTensor& tensor : tensors)
    std::visit(
        [&](const auto& x) {
          const auto y = in_precision<R>(x);
          variables.emplace_back(variable(y));
          constants.emplace_back(constants.empty() ? variable(y) : constant(y));
        },
        tensor);
  return {variables, constants};
}

template <RealScalar R>
bool is_reached(const Op& op, const OpFunction& f) {
  OpCheck check;
  op.check(check);
  std::vector<std::vector<AnyTensor>> all;
  for (const OpCheck::Case& one : check.cases()) all.push_back(one.inputs);
  all.push_back({check.real({3, 2})});
  all.push_back({check.real({2, 3}), check.real({2, 3})});
  all.push_back({check.complex({2, 1, 3}), check.real({3})});
  for (const auto& tensors : all)
    for (const auto& inputs : inputs_in<R>(tensors))
      if (!inputs.empty() && Attempt(f, op, inputs).succeeds()) return true;
  return false;
}

template <RealScalar R>
bool is_reached(const Op& op) {
  if (const OpFunction* f = OpFunction::find(op.name()); f && is_reached<R>(op, *f)) return true;
  const auto all = OpFunction::all();
  return std::any_of(all.begin(), all.end(), [&](const OpFunction* f) { return is_reached<R>(op, *f); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_op_is_reached_in_both_precisions) {
  for (const Op* op : Op::all()) {
    BOOST_TEST(is_reached<double>(*op), op->name() << ": no function calls it in float64; add one in autograd/call/functions");
    BOOST_TEST(is_reached<float>(*op), op->name() << ": no function calls it in float32; add one in autograd/call/functions");
  }
  Tape::current().clear();
}

namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(std::filesystem::path(ARGAND_SOURCE_DIR) / path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The names of the functions that a header declares and that return variables, indices or several of them; not Tensors, which are
/// no part of a tape.
std::set<std::string> functions_of(const std::string& header) {
  static const std::regex declaration(
      R"re(\n(?:inline )?(?:auto|Ids|(?!Tensor)[A-Z]\w*<[^;(){}\n]*>|std::vector<Var<T>>) (\w+)\()re");
  std::set<std::string> names;
  for (std::sregex_iterator it(header.begin(), header.end(), declaration), end; it != end; ++it) names.insert((*it)[1]);
  return names;
}

/// Functions of autograd/ops.h that have no name of their own in a call.
const std::map<std::string, const char*> not_by_name = {
    {"binary_cross_entropy", "binary_cross_entropy_with_logits: PyTorch's function of this name takes probabilities"},
    {"custom_op", "takes functions"},
    {"number", "a number is an argument itself"},
    {"whitening_maps", "of moments, for the running averages of a layer"},
};

}  // namespace

BOOST_AUTO_TEST_CASE(every_function_of_the_header_is_callable) {
  const std::string list = text_of("autograd/ops.h");
  static const std::regex include(R"re(#include "([^"]+)")re");
  std::set<std::string> declared;
  for (std::sregex_iterator it(list.begin(), list.end(), include), end; it != end; ++it)
    declared.merge(functions_of(text_of((*it)[1])));
  BOOST_TEST(declared.size() > 150u);
  for (const std::string& name : declared)
    BOOST_TEST((OpFunction::find(name) != nullptr || not_by_name.contains(name)),
               name << " is not callable by name; add it in autograd/call/functions");
  for (const auto& [name, reason] : not_by_name)
    BOOST_TEST((declared.contains(name) && OpFunction::find(name) == nullptr), name << " is no exception");
}

BOOST_AUTO_TEST_CASE(declarations_are_found) {
  const std::set<std::string> expected = {"a", "b", "c", "d", "e"};
  BOOST_TEST((functions_of("\ntemplate <Scalar T>\nVar<T> a(const Var<T>& x);\nVar<Promote<A, B>> b(const Var<A>& x) {\n"
                           "\nauto c(int n);\nIds d(int);\nstd::vector<Var<T>> e(int);\nTensor<T> f(int);\n  Var<T> g(int);\n") ==
              expected));
}

/// The tests above would see an op that nobody calls.
BOOST_AUTO_TEST_CASE(an_op_without_a_function_is_not_reached) {
  const Op& lonely = Op::custom("lonely");
  BOOST_TEST(!is_reached<double>(lonely, *OpFunction::find("exp")));
}

BOOST_AUTO_TEST_SUITE_END()
