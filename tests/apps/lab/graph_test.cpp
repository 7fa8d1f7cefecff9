#include <cstdlib>
#include <iostream>

#include "tests/apps/program.h"

using namespace argand;

namespace {

bool installed(const std::string& program) {
  if (std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0) return true;
  std::cerr << program << " is not installed; its tests are skipped\n";
  return false;
}

void expect_error(const TemporaryDirectory& scratch, const std::string& arguments, int code, const std::string& text,
                  const std::function<void()>& before = {}) {
  const Finished done = run_argand(scratch, arguments, before);
  BOOST_TEST(done.code == code, arguments);
  BOOST_TEST(done.err == "argand: " + text + "\n");
  BOOST_TEST(done.out == "");
}

void nothing_in_path() { setenv("PATH", "/nowhere", 1); }

/// Reads width and height from the header of a PNG (bytes 16 to 23, big-endian).
std::pair<unsigned, unsigned> png_size(const std::string& bytes) {
  BOOST_TEST_REQUIRE(bytes.starts_with("\x89PNG\r\n\x1a\n"));
  const auto number = [&](std::size_t at) {
    unsigned n = 0;
    for (std::size_t i = 0; i < 4; ++i) n = n << 8 | static_cast<unsigned char>(bytes[at + i]);
    return n;
  };
  return {number(16), number(20)};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(graph)

BOOST_AUTO_TEST_CASE(an_expression) {
  const TemporaryDirectory scratch;
  const Finished plain = run_argand(scratch, "graph f(z)=abs(z)^2*i --at 3+4i");
  BOOST_TEST(plain.code == 0);
  BOOST_TEST(plain.err == "");
  BOOST_TEST(plain.out.starts_with("digraph tape {\n  graph [label=\"f(z)=abs(z)^2*i\""));
  for (const char* part : {"<B>v1 = abs</B>", "<B>v2 = square</B>", "<B>v3 = mul</B>", ">3+4i<", ">0+25i<", "label=<z<"})
    BOOST_TEST(plain.out.find(part) != std::string::npos, part);
  BOOST_TEST(plain.out.find("grad") == std::string::npos);
  BOOST_TEST(run_argand(scratch, "graph f(z)=abs(z)^2*i --at 3+4i").out == plain.out);
  // L = Re(i |z|²) = 0 has no gradient; that of L = |z|² is 2 z.
  const Finished gradients = run_argand(scratch, "graph abs2(z) --at 3+4i --gradients");
  BOOST_TEST(gradients.out.find(">grad 6+8i<") != std::string::npos);
  BOOST_TEST(gradients.out.find("of L = f; each edge shows its op's contribution") != std::string::npos);
  BOOST_TEST(gradients.out.find("n0 -> n1 [label=\" +6+8i\"];") != std::string::npos);
  const Finished complex_valued = run_argand(scratch, "graph z*z --at 3+4i --gradients");
  BOOST_TEST(complex_valued.out.find("of L = Re f; each edge") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(every_family_in_valid_dot) {
  const TemporaryDirectory scratch;
  const bool dot = installed("dot");
  for (const std::string model :
       {"transformer", "complexformer", "crope", "crat", "crat --set irw_layers=1", "crat --set baseline=retro --set irw_layers=1",
        "crat --set baseline=fid --set irw_layers=1", "qic", "crat --set task=classify",
        "complexformer --set pcl_weight=0.01,task=lm", "qic --set algebra=quaternion,task=classify"})
    for (const std::string more : {"", " --gradients", " --depth 0", " --depth 9"}) {
      const std::string command = "graph --model " + model + more;
      const Finished text = run_argand(scratch, command);
      BOOST_TEST_REQUIRE(text.code == 0, command << ": " << text.err);
      BOOST_TEST(text.out.find(more == " --depth 0" ? "blocks.0</B>" : "subgraph \"cluster_blocks.0\"") != std::string::npos,
                 command);
      BOOST_TEST(text.out.find("label=<tokens<") != std::string::npos);
      BOOST_TEST((text.out.find("grad‖") != std::string::npos) == (more == " --gradients"));
      if (!dot || more != " --depth 9") continue;
      const std::string file = scratch / "model.svg";
      const Finished drawn = run_argand(scratch, command + " --out " + file);
      BOOST_TEST_REQUIRE(drawn.code == 0, command << ": " << drawn.err);
      const std::string svg = contents_of(file);
      BOOST_TEST(svg.ends_with("</svg>\n"));
      BOOST_TEST(svg.find("style=\"display:inline\"") != std::string::npos);
      BOOST_TEST(svg.find("style=\"display:inline\"") ==
                 svg.rfind("style=\"display:inline\""));  // the deepest level, which the command requests
      BOOST_TEST(svg.find("style=\"display:none\"") != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(a_run) {
  const TemporaryDirectory scratch;
  const std::string run = scratch / "run";
  BOOST_TEST_REQUIRE(run_argand(scratch, "train lm --out " + run + tiny + "--steps 6").code == 0);
  BOOST_TEST_REQUIRE(run_argand(scratch, "graph --gradients --run " + run + " --out " + scratch / "x.dot").code == 0);
  const std::string text = contents_of(scratch / "x.dot");
  BOOST_TEST(text.find("complexformer, step 6") != std::string::npos);
  BOOST_TEST(text.find("‖grad‖") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(mistakes) {
  const TemporaryDirectory scratch;
  expect_error(scratch, "graph", 2, "graph: requires exactly one of: an expression, --model FAMILY, --run RUN; got 0");
  expect_error(scratch, "graph exp(z) --model qic", 2,
               "graph: requires exactly one of: an expression, --model FAMILY, --run RUN; got 2");
  expect_error(scratch, "graph exp(z) --out x.gif", 2, "--out: x.gif must end in .dot, .svg, .png or .pdf");
  expect_error(scratch, "graph exp(z) --at 1,2", 2, "--at: \"1,2\" has 2 numbers, but f has 1 variable; write, for example, 1+2i");
  expect_error(scratch, "graph exp(z) --set d_model=8", 2, "--set: requires --model");
  expect_error(scratch, "graph --model qic --set d_model", 2,
               "--set: \"d_model\" must have the form KEY=VALUE, such as --set d_model=64");
  expect_error(scratch, "graph --model qic --set d_model=x", 2, "--set d_model=x: \"x\" is not a whole number");
  expect_error(scratch, "graph 1+2 --gradients", 2, "graph: --gradients requires an expression that depends on a variable");
  expect_error(scratch, "graph exp(z) --out " + scratch / "x.svg", 1,
               "graph: requires the program dot, which is not installed; on Debian and Ubuntu: apt-get install graphviz",
               nothing_in_path);
  BOOST_TEST(!std::ifstream(scratch / "x.svg").good());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(portrait)

BOOST_AUTO_TEST_CASE(a_picture_of_the_size_asked_for) {
  if (!installed("gnuplot")) return;
  const TemporaryDirectory scratch;
  const std::string png = scratch / "f.png", svg = scratch / "f.svg";
  const Finished done = run_argand(scratch, "portrait tanh --range -3:3 --size 640x300 --out " + png);
  BOOST_TEST_REQUIRE(done.code == 0, done.err);
  BOOST_TEST(done.out + done.err == "");
  BOOST_TEST((png_size(contents_of(png)) == std::pair(640u, 300u)));
  BOOST_TEST_REQUIRE(run_argand(scratch, "portrait abs(z)^2*exp(i*angle(z)) --size 600x250 --out " + svg).code == 0);
  const std::string text = contents_of(svg);
  BOOST_TEST(text.find("abs(z)^2*exp(i*angle(z))") != std::string::npos);
  BOOST_TEST(text.find("L = Re f") != std::string::npos);
  BOOST_TEST(text.find("</svg>") != std::string::npos);
  BOOST_TEST(text.find("data:image/png;base64") != std::string::npos);  // the image is embedded in the file
  // A real function is itself the loss.
  BOOST_TEST_REQUIRE(run_argand(scratch, "portrait abs --size 600x250 --out " + svg).code == 0);
  BOOST_TEST(contents_of(svg).find("L = f<") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(mistakes) {
  const TemporaryDirectory scratch;
  const std::string out = " --out " + scratch / "x.png";
  expect_error(scratch, "portrait exp --out x.jpg", 2, "--out: x.jpg must end in .png or .svg");
  expect_error(scratch, "portrait exp --range 2:-2" + out, 2, "--range: must be LOW:HIGH with LOW < HIGH, got 2:-2");
  expect_error(scratch, "portrait exp --range 2" + out, 2, "--range: \"2\" must have the form LOW:HIGH, such as -2:2");
  expect_error(scratch, "portrait exp --size 1200" + out, 2, "--size: \"1200\" must have the form WIDTHxHEIGHT, such as 1200x500");
  expect_error(scratch, "portrait exp --size 12x50" + out, 2, "--size: must be between 600x250 and 8000x8000 pixels, got 12x50");
  expect_error(
      scratch, "portrait relu" + out, 2,
      "portrait: relu is a function of a real number: crelu or cgelu apply one to each part, modrelu(z, c) to the modulus");
  expect_error(scratch, "portrait modrelu" + out, 2,
               "portrait: modrelu takes z, c; write an expression in z only, such as modrelu(z, -0.5)");
  expect_error(scratch, "portrait f(z,w)=z*w" + out, 2, "portrait: f has 2 variables; a portrait needs exactly one");
  const Finished softmax = run_argand(scratch, "portrait softmax" + out);
  BOOST_TEST(softmax.code == 2);
  BOOST_TEST(softmax.err.starts_with("argand: portrait: softmax is not a function of one complex number; choose from: abs, "));
  expect_error(scratch, "portrait exp" + out, 1,
               "portrait: requires the program gnuplot, which is not installed; on Debian and Ubuntu: apt-get install gnuplot-nox",
               nothing_in_path);
  BOOST_TEST(!std::ifstream(scratch / "x.png").good());
}

BOOST_AUTO_TEST_SUITE_END()
