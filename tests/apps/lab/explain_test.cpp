#include "autograd/tape.h"
#include "core/text/text_layout.h"
#include "lab/op_text.h"
#include "tests/apps/program.h"
#include "tests/sanitized.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(explain)

BOOST_AUTO_TEST_CASE(every_op_is_fully_explained) {
  const Style plain;
  std::size_t told = 0;
  for (const Kind kind : kinds_in_order()) told += ops_of(kind).size();
  BOOST_TEST(told == Op::all().size());
  std::size_t n = 0;
  for (const Op* op : Op::all()) {
    if (sanitized && n++ % 5 != 0) continue;  // testing many numbers at ±inf is slow under sanitizers
    BOOST_TEST_CONTEXT(op->name()) {
      const OpText& t = op->text();
      for (const std::string* text : {&t.equation, &t.dz, &t.dzbar, &t.vjp, &t.derivation, &t.singular, &t.source}) {
        BOOST_TEST(!text->empty());
        BOOST_TEST(text->find('`') == std::string::npos);  // a backtick would end Markdown's code span
      }
      BOOST_TEST((t.kind == Kind::Holomorphic) == (t.dzbar == "0"));
      std::istringstream lines(op_text(*op, plain));
      for (std::string line; std::getline(lines, line);) BOOST_TEST(display_width(line) <= 100U, line);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_command) {
  const TemporaryDirectory scratch;
  const Finished list = run_argand(scratch, "explain");
  BOOST_TEST(list.code == 0);
  for (const Op* op : Op::all()) BOOST_TEST(list.out.find("\n  " + op->name() + " ") != std::string::npos, op->name());
  BOOST_TEST(list.out.find(std::to_string(Op::all().size()) + " ops;") != std::string::npos);
  const Finished exp = run_argand(scratch, "explain exp conj");
  BOOST_TEST(exp.code == 0);
  BOOST_TEST(
      exp.out.starts_with("exp, holomorphic\n\n  equation    w = e^z = e^x (cos y + i sin y)\n  call        exp(input: Tensor) -> "
                          "Tensor\n  ∂w/∂z       e^z\n"));
  BOOST_TEST(exp.out.find("\nexp: pass\n") != std::string::npos, exp.out);
  BOOST_TEST(exp.out.find("\n  complex: input 0   complex128[3, 4]  12 elements ") != std::string::npos, exp.out);
  BOOST_TEST(exp.out.find("\n  complex: input 0: holomorphic: |∂w/∂z| up to ") != std::string::npos, exp.out);
  BOOST_TEST(exp.out.find("\n  complex: input 0: antiholomorphic: |∂w/∂z| up to 0, ") != std::string::npos, exp.out);
  for (const char* name : {"arg", "Arg", "phase", "ANGLE"})
    BOOST_TEST(run_argand(scratch, fmt::format("explain {}", name)).out.starts_with("angle, real-valued\n"), name);
  const Finished wrong = run_argand(scratch, "explain abss");
  BOOST_TEST(wrong.code == 2);
  BOOST_TEST(wrong.err == "argand: explain: unknown op abss; did you mean abs?\n");
}

BOOST_AUTO_TEST_SUITE_END()
