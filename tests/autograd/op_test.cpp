/// What an Op must provide to be registered, and how long it stays registered.

#include "autograd/op.h"

#include <boost/test/unit_test.hpp>

#include "autograd/op_check.h"
#include "autograd/ops/elementwise/power.h"
#include "autograd/tape.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(op)

namespace {

OpText text(std::string name) {
  return {.name = std::move(name),
          .kind = Kind::Real,
          .equation = "y = x",
          .dz = "1",
          .dzbar = "",
          .vjp = "dx = dy",
          .jvp = "ẏ = ẋ",
          .derivation = "definition",
          .singular = "none",
          .source = "definition"};
}
void check_it(OpCheck& check) {
  check.function(
      "real", [](auto x) { return square(x); }, check.real({2}));
}
/// The error raised when an op built from these parts is used.
std::string fault_of(OpText text, Op::Check check) {
  const Op op(std::move(text), check);
  return error_of([&] {
    record(
        op, Tensor<double>::scalar(1), [](const Tensor<double>&) {}, [](const Real& y) { return y; },
        Real(Tensor<double>::scalar(1)));
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_op_without_a_case_is_refused) {
  const std::size_t before = Op::all().size();
  const std::string refusal = "op: the check for mine has no cases; add one with check.function(label, f, inputs)";
  BOOST_TEST(fault_of(text("mine"), [](OpCheck&) {}) == refusal);
  BOOST_TEST(fault_of(text("mine"), [](OpCheck& check) { check.position_dependent(); }) == refusal);
  BOOST_TEST(fault_of(text("mine"), nullptr) == "op: mine has no check");
  OpText silent = text("mine");
  silent.jvp.clear();
  BOOST_TEST(fault_of(silent, check_it) == "op: mine does not describe its Jacobian-vector product; fill in .jvp");
  BOOST_TEST(Op::all().size() == before);
}

BOOST_AUTO_TEST_CASE(an_op_is_found_as_long_as_it_lives) {
  const std::size_t before = Op::all().size();
  {
    const Op mine(text("mine"), check_it);
    BOOST_TEST(Op::find("mine") == &mine);
    BOOST_TEST(Op::all().size() == before + 1);
    BOOST_TEST(fault_of(text("mine"), check_it) == "op: mine is already registered; choose another name");
    BOOST_TEST(Op::find("mine") == &mine);
  }
  BOOST_TEST(Op::find("mine") == nullptr);
  BOOST_TEST(Op::all().size() == before);
  const Op another(text("mine"), check_it);  // the name is free again
  BOOST_TEST(Op::find("mine") == &another);
}

BOOST_AUTO_TEST_SUITE_END()
