#include "autograd/trace/tape_graph.h"

#include <boost/test/unit_test.hpp>

#include "autograd/ops.h"
#include "autograd/trace/tape_dot.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(tape_graph)

using C = std::complex<double>;
using NodeRole = TapeNode::Role;

namespace {

bool has_line(const std::string& text, const std::string& line) { return text.find("  " + line + "\n") != std::string::npos; }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_expression_with_its_gradients) {
  const Complex z = variable(Tensor<C>({1}, {C(1, 2)}));
  TapeGraph graph(ParameterList<double>{{"z", z}});
  const Complex square_of = z * z;
  const Real loss = sum(abs2(square_of * Complex(Tensor<C>({1}, {C(0, 3)}))));
  graph.backward(loss);
  exp(z);  // the graph has stopped recording, so this is not drawn
  Tape::current().clear();

  const auto& nodes = graph.nodes();
  BOOST_TEST_REQUIRE(nodes.size() == 6);
  BOOST_TEST((nodes[0].role == NodeRole::Parameter && nodes[0].name == "z" && nodes[0].is_complex && nodes[0].wants_grad));
  BOOST_TEST((nodes[1].name == "mul" && nodes[1].inputs == std::vector<std::size_t>{0, 0}));
  BOOST_TEST((nodes[2].role == NodeRole::Constant && nodes[2].value == C(0, 3) && !nodes[2].wants_grad));
  BOOST_TEST((nodes[3].name == "mul" && nodes[3].inputs == std::vector<std::size_t>{1, 2}));
  BOOST_TEST((nodes[4].name == "abs2" && !nodes[4].is_complex && nodes[4].value == C(225)));
  BOOST_TEST((nodes[5].name == "sum" && nodes[5].gradient == C(1)));
  // L = 9 |z|⁴, so grad z = 36 |z|² z = 180 (1 + 2i); the gradient of z² is 18 z².
  BOOST_TEST((nodes[0].gradient == C(180, 360)));
  BOOST_TEST((nodes[1].gradient == C(-54, 72)));
  BOOST_TEST(*nodes[1].gradient_norm == 90);
  BOOST_TEST(!nodes[2].gradient_norm.has_value());
  BOOST_TEST(z.grad()(0) == C(180, 360));

  const std::string dot = to_dot(graph, {.title = "a \"title\""});
  BOOST_TEST(dot.starts_with("digraph tape {\n  graph [label=\"a \\\"title\\\"\", "));
  BOOST_TEST(dot.ends_with(
      "  n0 -> n1 [label=\" +180+360i\"];\n  n0 -> n1;\n  n1 -> n3 [label=\" -54+72i\"];\n  n2 -> n3 [style=dashed];\n"
      "  n3 -> n4 [label=\" -24-18i\"];\n  n4 -> n5 [label=\" +1\"];\n}\n"));
  BOOST_TEST(dot.find("n0 [label=<z<BR/><FONT POINT-SIZE=\"10\" COLOR=\"#5D6D7E\">1+2i</FONT><BR/><FONT POINT-SIZE=\"10\" "
                      "COLOR=\"#B03A2E\">grad 180+360i</FONT>>, class=\"parameter\"") != std::string::npos);
  BOOST_TEST(dot.find("n2 [label=<0+3i>, class=\"constant\", shape=plaintext") != std::string::npos);
  BOOST_TEST(dot.find("n4 [label=<<B>abs2</B>") != std::string::npos);
  BOOST_TEST(to_dot(graph, {.title = "a \"title\""}) == dot);
}

BOOST_AUTO_TEST_CASE(contributions_add_up_ops_are_numbered_and_infinities_stand_out) {
  const Complex z = variable(Tensor<C>({1}, {C(1, 2)}));
  TapeGraph graph(ParameterList<double>{{"z", z}});
  const Real first = abs2(z), second = abs2(exp(z * Complex(Tensor<C>({1}, {C(0, 1)}))));
  graph.backward(sum(first + second));
  Tape::current().clear();
  C total = 0;
  int payers = 0;
  for (const auto& node : graph.nodes())
    if (const auto paid = node.contributions.find(0); paid != node.contributions.end()) total += paid->second, ++payers;
  BOOST_TEST(payers == 2);
  BOOST_TEST((total == *graph.nodes()[0].gradient));
  const std::string dot = to_dot(graph, {.numbered = true});
  BOOST_TEST(dot.find(", the sum of 2<") != std::string::npos);
  for (const char* part : {"<B>v1 = abs2</B>", "<B>v2 = mul</B>", "<B>v6 = sum</B>"})
    BOOST_TEST(dot.find(part) != std::string::npos, part);
  BOOST_TEST(count(dot, "#D00000") == 0u);

  const Complex zero = variable(Tensor<C>({1}, {C(0)}));
  TapeGraph pole(ParameterList<double>{{"z", zero}});
  pole.backward(sum(abs2(Complex(Tensor<C>({1}, {C(1)})) / zero)));
  Tape::current().clear();
  BOOST_TEST(count(to_dot(pole), "#D00000") >= 2u);  // the quotient, and the op that reads it
}

BOOST_AUTO_TEST_CASE(modules_are_frames_or_boxes) {
  const Real x = variable(Tensor<double>::ones({2, 3})), gain = variable(Tensor<double>::ones({3})),
             shared = variable(Tensor<double>::ones({3})), outside = variable(Tensor<double>::ones({3}));
  TapeGraph graph(ParameterList<double>{{"x", x}, {"blocks.0.attn.gain", gain}, {"shared", shared}, {"a<b", outside}});
  Real y = x;
  for (const char* block : {"blocks.0", "blocks.1"}) {
    const NameScope scope(block);
    {
      const NameScope attention("attn");
      y = (y * gain) * shared;
    }
    const NameScope ffn("ffn");
    y = exp(y);
  }
  const Real loss = sum(y * outside);
  graph.stop();
  Tape::current().clear();
  graph.add_ids("tokens", {2}, {"exp"});
  graph.add_ids("nobody's", {2}, {"log"});

  const std::string open = to_dot(graph, {.depth = 2});
  BOOST_TEST(count(open, "class=\"op\"") == 8u);
  BOOST_TEST(count(open, "class=\"parameter\"") == 4u);
  BOOST_TEST(count(open, "class=\"ids\"") == 1u);
  BOOST_TEST(count(open, "subgraph") == 6u);
  BOOST_TEST(open.find("subgraph \"cluster_blocks.1.attn\" {") != std::string::npos);
  BOOST_TEST(open.find("label=<a&lt;b<BR/>") != std::string::npos);
  BOOST_TEST(open.find("ℝ [2, 3]") != std::string::npos);
  // Both blocks read `shared` and `gain`, so they are drawn outside both.
  BOOST_TEST(open.find("label=<shared") < open.find("subgraph"));
  BOOST_TEST(open.find("label=<blocks.0.attn.gain") < open.find("subgraph"));

  const std::string half = to_dot(graph, {.depth = 1});
  BOOST_TEST(count(half, "class=\"module\"") == 4u);
  BOOST_TEST(count(half, "subgraph") == 2u);
  BOOST_TEST(half.find("label=<<B>blocks.1.attn</B><BR/><FONT POINT-SIZE=\"10\" COLOR=\"#5D6D7E\">ℝ [2, 3]</FONT><BR/><FONT "
                       "POINT-SIZE=\"10\" COLOR=\"#5D6D7E\">2 ops</FONT>>") != std::string::npos);

  const std::string closed = to_dot(graph, {.depth = 0});
  BOOST_TEST(count(closed, "class=\"module\"") == 2u);
  BOOST_TEST(count(closed, "class=\"op\"") == 2u);
  BOOST_TEST(has_line(closed, "b0 -> b1;"));
  // Three edges enter block 1: from block 0, gain and shared. Edges of tokens are dashed.
  BOOST_TEST(count(closed, " -> b1;") == 3u);
  BOOST_TEST(count(closed, "[style=dashed]") == 2u);
  // A graph with so few nodes is readable in full: no block is collapsed.
  BOOST_TEST(to_dot(graph) == open);
}

BOOST_AUTO_TEST_CASE(a_parameter_of_one_module_goes_into_its_box) {
  const Var<C> w = variable(Tensor<C>::ones({3}));
  const Real x = variable(Tensor<double>::ones({3}));
  TapeGraph graph(ParameterList<double>{{"ffn.up.weight", w}, {"x", x}});
  {
    const NameScope scope("ffn");
    const Real y = abs(x * w);
    sum(y);
  }
  graph.stop();
  Tape::current().clear();
  const std::string dot = to_dot(graph, {.depth = 0});
  BOOST_TEST(count(dot, "class=\"parameter\"") == 0u);
  BOOST_TEST(dot.find("3 ops, 1 complex</FONT><BR/><FONT POINT-SIZE=\"10\" COLOR=\"#4E9A57\">9 parameters</FONT>") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(constants_are_followed_without_a_gradient) {
  const NoGrad none;
  TapeGraph graph;
  const Real x(Tensor<double>::ones({2, 2}));
  sum(reshape(exp(x), {4}));
  const auto& nodes = graph.nodes();
  BOOST_TEST_REQUIRE(nodes.size() == 4);
  for (std::size_t i = 1; i < 4; ++i)
    BOOST_TEST(nodes[i].inputs == std::vector<std::size_t>{i - 1}, boost::test_tools::per_element());
  BOOST_TEST(count(to_dot(graph), "[style=dashed]") == 3u);
}

BOOST_AUTO_TEST_SUITE_END()
