/// Every registered op is on the tape of some function's call by name: an op that nobody can call outside C++ fails here.

#include <boost/test/unit_test.hpp>
#include <numeric>

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

/// The test above would see an op that nobody calls.
BOOST_AUTO_TEST_CASE(an_op_without_a_function_is_not_reached) {
  const Op& lonely = Op::custom("lonely");
  BOOST_TEST(!is_reached<double>(lonely, *OpFunction::find("exp")));
}

BOOST_AUTO_TEST_SUITE_END()
