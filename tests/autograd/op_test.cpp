/// What an Op must have to be registered, and for how long it is.

#include "autograd/op.h"

#include <boost/test/unit_test.hpp>
#include <memory>

#include "autograd/op_check.h"
#include "autograd/ops/elementwise/power.h"
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

}  // namespace

BOOST_AUTO_TEST_CASE(an_op_without_a_case_is_refused) {
  const std::size_t before = Op::all().size();
  const std::string refusal = "op: the check of mine is empty; give it a case, check.function(label, f, inputs)";
  BOOST_TEST(error_of([] { const Op mine(text("mine"), [](OpCheck&) {}); }) == refusal);
  BOOST_TEST(error_of([] { const Op mine(text("mine"), [](OpCheck& check) { check.places_matter(); }); }) == refusal);
  BOOST_TEST(error_of([] { const Op mine(text("mine"), nullptr); }) == "op: mine has no check");
  BOOST_TEST(error_of([] {
               OpText silent = text("mine");
               silent.jvp.clear();
               const Op mine(silent, check_it);
             }) == "op: mine does not say its Jacobian-vector product; fill in .jvp");
  BOOST_TEST(Op::all().size() == before);
}

BOOST_AUTO_TEST_CASE(an_op_is_found_as_long_as_it_lives) {
  const std::size_t before = Op::all().size();
  {
    const Op mine(text("mine"), check_it);
    BOOST_TEST(Op::find("mine") == &mine);
    BOOST_TEST(Op::all().size() == before + 1);
    BOOST_TEST(error_of([] { const Op again(text("mine"), check_it); }) == "op: two ops are called mine");
    BOOST_TEST(Op::find("mine") == &mine);
  }
  BOOST_TEST(Op::find("mine") == nullptr);
  BOOST_TEST(Op::all().size() == before);
  const Op another(text("mine"), check_it);  // the name is free again
  BOOST_TEST(Op::find("mine") == &another);
}

BOOST_AUTO_TEST_SUITE_END()
