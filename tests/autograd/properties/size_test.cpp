/// Every op at sizes 0 and 1, for each axis of each input in turn and for all axes of equal length together. The op must either
/// have a value and gradients of the correct shapes, or refuse the size with its own error message.

#include <fmt/ranges.h>
#include <boost/test/unit_test.hpp>

#include <set>

#include "autograd/check/usage/usage_pass.h"
#include "autograd/op.h"
#include "autograd/op_check.h"
#include "autograd/ops/products/projection.h"
#include "autograd/ops/rows/cross_entropy.h"
#include "autograd/ops/rows/info_nce.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"
#include "tests/autograd/properties/degrees.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(sizes)

namespace {

/// The elements of x in the new shape, repeated from the first if the shape needs more.
AnyTensor resized(const AnyTensor& x, const Shape& shape) {
  return std::visit(
      [&]<class T>(const Tensor<T>& t) -> AnyTensor {
        Tensor<T> y(shape);
        for (std::int64_t i = 0; i < y.size(); ++i) y.data()[i] = t.data()[i % t.size()];
        return y;
      },
      x);
}

enum class Outcome { Differentiated, Refused, Wrong };

/// Runs f forwards and backwards at these inputs; writes any fault to `fault`.
template <RealScalar R>
Outcome differentiate(const FunctionOf<R>& f, const std::vector<AnyTensor>& inputs, const std::set<std::string, std::less<>>& own,
                      std::string& fault) {
  std::vector<AnyVarOf<R>> x;
  for (const AnyTensor& input : inputs) std::visit([&](const auto& t) { x.emplace_back(variable(in_precision<R>(t))); }, input);
  try {
    Tape tape;
    const AnyVarOf<R> y = f(x);
    std::visit(
        [&]<class T>(const Var<T>& w) {
          if (!w.requires_grad()) fault = "the output does not require a gradient";
          if (fault.empty()) tape.backward(projection(w, Tensor<T>::ones(w.shape())));
        },
        y);
  } catch (const Error& e) {
    const std::string message = e.what(), who = message.substr(0, message.find(':'));
    if (own.contains(who)) return Outcome::Refused;
    fault = "refused under another name: " + message;
  } catch (const std::exception& e) {
    fault = std::string("throws ") + e.what();
  }
  for (std::size_t i = 0; fault.empty() && i < x.size(); ++i)
    std::visit(
        [&](const auto& v) {
          if (v.grad().shape() != v.shape()) fault = fmt::format("input {}: the gradient has shape {}", i, v.grad().shape());
        },
        x[i]);
  return fault.empty() ? Outcome::Differentiated : Outcome::Wrong;
}

/// Names under which a size may be refused: the op itself, and ops called by its check or by composed functions.
std::set<std::string, std::less<>> names() {
  std::set<std::string, std::less<>> all = {"max", "min"};
  for (const Op* op : Op::all()) all.insert(op->name());
  return all;
}

struct Counts {
  int differentiated[2] = {0, 0}, refused[2] = {0, 0};  // at size 0 and at size 1
};

/// Tries all sizes of one case.
void try_sizes(const std::string& op, const OpCheck::Case& c, const std::set<std::string, std::less<>>& own, Counts& counts) {
  std::set<std::vector<std::string>> seen;
  const auto at = [&](const std::vector<Shape>& shapes, int n) {
    std::vector<std::string> key;
    std::vector<AnyTensor> inputs;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      key.push_back(shapes[i].str());
      inputs.push_back(resized(c.inputs[i], shapes[i]));
    }
    if (!seen.insert(key).second) return;
    std::string fault, fault32;
    const Outcome outcome = differentiate<double>(c.f, inputs, own, fault);
    const Outcome narrow = differentiate<float>(c.f32, inputs, own, fault32);
    BOOST_TEST(fault == "", op << " (" << c.label << ") at " << fmt::format("{}", fmt::join(key, ", ")) << ": " << fault);
    BOOST_TEST(fault32 == "",
               op << " (" << c.label << ", float32) at " << fmt::format("{}", fmt::join(key, ", ")) << ": " << fault32);
    BOOST_TEST((outcome == narrow || outcome == Outcome::Wrong || narrow == Outcome::Wrong),
               op << " (" << c.label << ") at " << fmt::format("{}", fmt::join(key, ", ")) << " works in one precision only");
    ++(outcome == Outcome::Differentiated ? counts.differentiated : counts.refused)[n];
  };
  std::vector<Shape> shapes;
  std::set<std::int64_t> lengths;
  for (const AnyTensor& x : c.inputs) {
    shapes.push_back(shape_of(x));
    for (int axis = 0; axis < shapes.back().rank(); ++axis) lengths.insert(shapes.back()[axis]);
  }
  for (const int n : {0, 1}) {
    for (std::size_t i = 0; i < shapes.size(); ++i)
      for (int axis = 0; axis < shapes[i].rank(); ++axis) {
        std::vector<Shape> changed = shapes;
        changed[i][axis] = n;
        at(changed, n);
      }
    for (const std::int64_t length : lengths) {
      std::vector<Shape> changed = shapes;
      for (Shape& shape : changed)
        for (int axis = 0; axis < shape.rank(); ++axis)
          if (shape[axis] == length) shape[axis] = n;
      at(changed, n);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_op_has_a_gradient_or_refuses_in_its_own_words) {
  const auto own = names();
  std::set<std::string> never_empty, never_one;
  const auto try_all = [&](const std::string& name, const OpCheck& check) {
    Counts counts;
    for (const OpCheck::Case& c : check.cases()) try_sizes(name, c, own, counts);
    if (counts.differentiated[0] == 0) never_empty.insert(name);
    if (counts.differentiated[1] == 0) never_one.insert(name);
  };
  for (const Op* op : Op::all()) {
    OpCheck check;
    op->check(check);
    try_all(op->name(), check);
  }
  for (const auto& [name, function] : homogeneous_functions()) try_all(name, function.check);
  // Ops whose checks are written for specific shapes.
  std::set<std::string> own_shapes = {"cross_entropy", "info_nce", "projection", "reshape"};
  BOOST_TEST(never_one == own_shapes, fmt::format("{}", fmt::join(never_one, " ")));
  own_shapes.insert({"binary_cross_entropy", "huber", "mse"});  // these refuse to take the mean of nothing
  BOOST_TEST(never_empty == own_shapes, fmt::format("{}", fmt::join(never_empty, " ")));
}

BOOST_AUTO_TEST_CASE(empty_and_single_by_hand) {
  const auto has_a_gradient = [](const Shape& shape, const auto& f) {
    const Var<double> x = variable(Tensor<double>::zeros(shape));
    const Var<double> y = f(x);
    BOOST_TEST(y.requires_grad());
    backward(projection(y, Tensor<double>::ones(y.shape())));
    BOOST_TEST(x.grad().shape() == shape);
  };
  BOOST_TEST(error_of([] {
               cross_entropy(variable(Tensor<double>::zeros({0, 5})), Ids(Shape{0}));
             }) == "cross_entropy: there are no targets to average over");
  has_a_gradient({1, 1}, [](const auto& x) { return cross_entropy(x, Ids(Shape{1})); });
  has_a_gradient({0, 3, 3}, [](const auto& x) { return info_nce(x, Ids(Shape{0, 3})); });
  has_a_gradient({2, 0, 0}, [](const auto& x) { return info_nce(x, Ids(Shape{2, 0})); });
  has_a_gradient({1, 1, 1}, [](const auto& x) { return info_nce(x, Ids(Shape{1, 1})); });
  has_a_gradient({0, 3}, [](const auto& x) { return reshape(x, Shape{3, 0}); });
  has_a_gradient({1, 1}, [](const auto& x) { return reshape(x, Shape{}); });
  has_a_gradient({0}, [](const auto& x) { return projection(x, Tensor<double>::ones({0})); });
}

BOOST_AUTO_TEST_SUITE_END()
