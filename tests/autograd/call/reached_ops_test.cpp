/// Every function that C++ can call can also be called by name. A registered op must appear on the tape when its function is
/// called, and the call must return, bit for bit, what a check case of the op returns. Every function of autograd/ops.h has a name.

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

/// Tries arguments for a function's parameters: all the tensors in order, and for every other parameter its default and a few
/// values of each kind that it takes.
template <RealScalar R>
class Attempts {
 public:
  Attempts(const OpFunction& f, const Op& op) : f_(f), op_(op) {}

  /// Tries arguments until the op is on the tape and, if a value is expected, the call returns it.
  bool succeed(std::vector<DynamicVar> inputs, std::optional<AnyVarOf<R>> expected) {
    inputs_ = std::move(inputs);
    expected_ = std::move(expected);
    calls_left_ = 100;
    return fill(0);
  }

 private:
  using List = std::vector<std::int64_t>;

  bool call() {
    --calls_left_;
    Tape& tape = Tape::current();
    tape.clear();
    try {
      const CallResult result = f_.call(arguments_);
      const auto is_op = [&](const TapeEntry& entry) { return entry.op == &op_; };
      return std::any_of(tape.entries().begin(), tape.entries().end(), is_op) &&
             (!expected_ ||
              std::any_of(result.values.begin(), result.values.end(), [&](const Argument& w) { return is_expected(w); }));
    } catch (const Error&) {
      return false;
    }
  }

  bool is_expected(const Argument& result) const {
    const auto* any = std::get_if<DynamicVar>(&result);
    return any != nullptr && std::visit(
                                 []<Scalar A, Scalar B>(const Var<A>& w, const Var<B>& expected) {
                                   if constexpr (std::same_as<A, B>)
                                     return w.shape() == expected.shape() &&
                                            std::equal(w.value().begin(), w.value().end(), expected.value().begin());
                                   else
                                     return false;
                                 },
                                 *any, *expected_);
  }

  bool fill(std::size_t used) {
    const std::size_t i = arguments_.size();
    if (i == f_.parameters().size()) return used == inputs_.size() && calls_left_ > 0 && call();
    const CallParameter& parameter = f_.parameters()[i];
    if (used < inputs_.size() && parameter.type.takes(ArgumentKind::Tensor) && tries(inputs_[used], used + 1)) return true;
    if (used < inputs_.size() && parameter.type.takes(ArgumentKind::Tensors) &&
        tries(std::vector(inputs_.begin() + static_cast<std::ptrdiff_t>(used), inputs_.end()), inputs_.size()))
      return true;
    if (parameter.default_value && tries(*parameter.default_value, used)) return true;
    if (parameter.default_value && !expected_) return false;
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
    if (type.takes(ArgumentKind::Bool)) values.insert(values.end(), {true, false});
    if (type.takes(ArgumentKind::Int)) values.insert(values.end(), {0L, 1L, 2L, -1L});
    if (type.takes(ArgumentKind::Float)) values.emplace_back(0.5);
    if (type.takes(ArgumentKind::Mask))
      values.emplace_back(Mask(shape, std::vector<std::uint8_t>(static_cast<std::size_t>(shape.size()), 1)));
    if (type.takes(ArgumentKind::Ints)) {
      List backwards(sizes.size());
      std::iota(backwards.rbegin(), backwards.rend(), 0);
      List longer = sizes;
      longer.insert(longer.begin(), 2);
      values.insert(values.end(), {sizes, backwards, longer, List{sizes.empty() ? 0 : sizes.back()}});
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

  const OpFunction& f_;
  const Op& op_;
  std::vector<DynamicVar> inputs_;
  std::optional<AnyVarOf<R>> expected_;
  std::vector<Argument> arguments_;
  int calls_left_ = 0;
};

/// Variables with the values of the tensors. With `first_alone`, only the first is a variable and the others are constants.
template <RealScalar R>
std::vector<DynamicVar> variables_of(const std::vector<AnyTensor>& tensors, bool first_alone) {
  std::vector<DynamicVar> variables;
  for (const AnyTensor& tensor : tensors)
    std::visit(
        [&](const auto& x) {
          const auto y = in_precision<R>(x);
          variables.emplace_back(first_alone && !variables.empty() ? constant(y) : variable(y));
        },
        tensor);
  return variables;
}

template <RealScalar R>
std::vector<AnyVarOf<R>> of_one_precision(const std::vector<DynamicVar>& inputs) {
  std::vector<AnyVarOf<R>> same;
  for (const DynamicVar& x : inputs)
    std::visit(
        [&]<Scalar T>(const Var<T>& v) {
          if constexpr (std::same_as<RealOf<T>, R>) same.emplace_back(v);
        },
        x);
  return same;
}

/// Ops whose check cases contain something that no attempt can guess, with a description of it. They must reach the tape, but their
/// values are not compared.
const std::map<std::string, const char*> values_not_compared = {
    {"angular_attention", "heads, scale"},
    {"attention", "heads, scale"},
    {"cross_entropy", "targets"},
    {"dropout", "a seed"},
    {"embedding", "ids"},
    {"embedding_mean", "ids"},
    {"index_select", "an index"},
    {"info_nce", "tokens"},
    {"linear_cross_entropy", "targets"},
    {"magnitude_attention", "heads, scale"},
    {"magnitude_modrelu", "another measure"},
    {"projection", "weights"},
    {"reshape", "a shape"},
    {"rotary", "frequencies"},
    {"scale", "a factor"},
    {"scatter_add", "ids, and rows as the only tensor"},
    {"selected_attention", "a selection"},
    {"sinusoid", "a length"},
    {"unfold", "a window"},
    {"view_as_complex", "pairs in the last axis; PyTorch uses an axis of size 2"},
    {"view_as_real", "pairs in the last axis; PyTorch uses an axis of size 2"},
    {"where", "a mask"},
};

enum class Reached { No, OnTape, WithTheValue };

/// How far calls to f get with the inputs of the op's check cases and, if these do not fit the function, with a few others.
template <RealScalar R>
Reached how_reached(const Op& op, const OpFunction& f) {
  OpCheck check;
  op.check(check);
  Attempts<R> attempts(f, op);
  for (const bool with_value : {true, false}) {
    if (with_value && values_not_compared.contains(op.name())) continue;
    for (const OpCheck::Case& one : check.cases())
      for (const bool first_alone : {false, true}) {
        const auto inputs = variables_of<R>(one.inputs, first_alone);
        if (!with_value && attempts.succeed(inputs, {})) return Reached::OnTape;
        if (!with_value) continue;
        AnyVarOf<R> value;
        if constexpr (std::same_as<R, float>)
          value = one.f32(of_one_precision<R>(inputs));
        else
          value = one.f(of_one_precision<R>(inputs));
        if (attempts.succeed(inputs, value)) return Reached::WithTheValue;
      }
  }
  const std::vector<std::vector<AnyTensor>> others = {
      {check.real({3, 2})}, {check.real({2, 3}), check.real({2, 3})}, {check.complex({2, 1, 3}), check.real({3})}};
  for (const auto& tensors : others)
    for (const bool first_alone : {false, true})
      if (attempts.succeed(variables_of<R>(tensors, first_alone), {})) return Reached::OnTape;
  return Reached::No;
}

/// The worst result among the functions that claim to be this op.
template <RealScalar R>
Reached how_reached(const Op& op) {
  std::vector<Reached> by_function;
  for (const OpFunction* f : OpFunction::all())
    if (f->op() == &op) by_function.push_back(how_reached<R>(op, *f));
  return by_function.empty() ? Reached::No : *std::min_element(by_function.begin(), by_function.end());
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_op_is_called_by_its_function_in_both_precisions) {
  for (const Op* op : Op::all()) {
    const Reached expected = values_not_compared.contains(op->name()) ? Reached::OnTape : Reached::WithTheValue;
    const auto words = [&](Reached reached, const char* precision) {
      return fmt::format("{} in {}: {}", op->name(), precision,
                         reached == Reached::No ? "no function calls it; add one in autograd/call/functions"
                                                : "no call returns the value of a check case");
    };
    const Reached in_double = how_reached<double>(*op), in_float = how_reached<float>(*op);
    BOOST_TEST((in_double == expected), words(in_double, "float64"));
    BOOST_TEST((in_float == expected), words(in_float, "float32"));
  }
  for (const auto& [name, reason] : values_not_compared) BOOST_TEST(Op::find(name) != nullptr, name);
  Tape::current().clear();
}

namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(std::filesystem::path(ARGAND_SOURCE_DIR) / path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The names of the functions declared in a header that return variables, indices or several of either. Those that return Tensors
/// are left out: they are not recorded on a tape.
std::set<std::string> functions_of(const std::string& header) {
  static const std::regex declaration(
      R"re(\n(?:inline )?(?:auto|Ids|(?!Tensor)[A-Z]\w*<[^;(){}\n]*>|std::vector<Var<T>>) (\w+)\()re");
  std::set<std::string> names;
  for (std::sregex_iterator it(header.begin(), header.end(), declaration), end; it != end; ++it) names.insert((*it)[1]);
  return names;
}

/// Functions of autograd/ops.h that cannot be called by name, and why.
const std::map<std::string, const char*> not_by_name = {
    {"binary_cross_entropy", "binary_cross_entropy_with_logits: PyTorch's function of this name takes probabilities"},
    {"custom_op", "takes functions"},
    {"number", "a number can be passed directly"},
    {"whitening_maps", "takes moments, such as a layer's running averages"},
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
    BOOST_TEST((declared.contains(name) && OpFunction::find(name) == nullptr),
               name << " is listed in not_by_name, but can be called or does not exist");
}

BOOST_AUTO_TEST_CASE(declarations_are_found) {
  const std::set<std::string> expected = {"a", "b", "c", "d", "e"};
  BOOST_TEST((functions_of("\ntemplate <Scalar T>\nVar<T> a(const Var<T>& x);\nVar<Promote<A, B>> b(const Var<A>& x) {\n"
                           "\nauto c(int n);\nIds d(int);\nstd::vector<Var<T>> e(int);\nTensor<T> f(int);\n  Var<T> g(int);\n") ==
              expected));
}

/// The tests above would detect an op that no function calls.
BOOST_AUTO_TEST_CASE(an_op_without_a_function_is_not_reached) {
  const Op& lonely = Op::custom("lonely");
  BOOST_TEST((how_reached<double>(lonely) == Reached::No));
  BOOST_TEST((how_reached<double>(lonely, *OpFunction::find("exp")) == Reached::No));
}

BOOST_AUTO_TEST_SUITE_END()
