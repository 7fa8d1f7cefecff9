#include "train/checkpoints/diagnostics.h"

#include <boost/test/unit_test.hpp>
#include <numbers>

#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(diagnostics)

namespace {

const DiagnosticParameters thetas{.values = {"theta"}};

ParameterList<float> some_parameters() {
  return {{"theta", variable(Tensor<float>({1}, {0.5f}))},
          {"blocks.0.attn.theta", variable(Tensor<float>({2}, {0.25f, static_cast<float>(std::numbers::pi / 4)}))},
          {"state.theta.weight", variable(Tensor<float>({1}, {9.0f}))},
          {"complex.theta", variable(Tensor<std::complex<float>>({1}, {{9.0f, 9.0f}}))},
          {"beta_theta", variable(Tensor<float>({1}, {9.0f}))}};
}

std::vector<std::string> lines_of(const std::string& family, const std::vector<NamedNumbers>& parameters) {
  return family_named(family).diagnostics.table(parameters);
}

}  // namespace

BOOST_AUTO_TEST_CASE(names_end_with_whole_parts) {
  BOOST_TEST((name_ends_with("theta", "theta") && name_ends_with("blocks.0.attn.theta", "theta") &&
              name_ends_with("a.attn.theta", "attn.theta")));
  BOOST_TEST(
      (!name_ends_with("beta_theta", "theta") && !name_ends_with("theta.weight", "theta") && !name_ends_with("eta", "theta")));
}

BOOST_AUTO_TEST_CASE(diagnostics_are_the_real_parameters_of_that_name) {
  const std::vector<NamedNumbers> found = diagnostic_parameters(thetas, some_parameters());
  BOOST_TEST_REQUIRE(found.size() == 2U);
  BOOST_TEST(found[0].name == "theta");
  BOOST_TEST(found[0].numbers.item() == 0.5);
  BOOST_TEST(found[1].name == "blocks.0.attn.theta");
  BOOST_TEST(found[1].numbers.size() == 2);
  BOOST_TEST(diagnostic_parameters(thetas, ParameterList<double>()).empty());
  BOOST_TEST(diagnostic_parameters({}, some_parameters()).empty());
}

BOOST_AUTO_TEST_CASE(are_the_same_in_a_file) {
  const TemporaryDirectory scratch;
  SafetensorsWriter writer;
  for (const Parameter<float>& p : some_parameters()) std::visit([&](const auto& v) { writer.add(p.name, v.value()); }, p.var);
  writer.add("optimizer.m.theta", Tensor<float>({1}, {7.0f}));
  writer.save(scratch / "file");
  const auto in_file = diagnostic_parameters(thetas, SafetensorsFile::open(scratch / "file"));
  BOOST_TEST((lines_of("qic", in_file) == lines_of("qic", diagnostic_parameters(thetas, some_parameters()))));
}

BOOST_AUTO_TEST_CASE(the_table_of_angles_says_which_algebra_it_is) {
  const auto lines = lines_of("qic", {{"theta", Tensor<double>({1}, {0.0})},
                                      {"blocks.0.attn.theta", Tensor<double>({2}, {std::numbers::pi / 4, std::numbers::pi / 6})}});
  BOOST_TEST_REQUIRE(lines.size() == 2U);
  BOOST_TEST(lines[0] == "theta                     0.0000 (-1.000)");
  BOOST_TEST(lines[1].starts_with("blocks.0.attn.theta       0.7854 ("));
  BOOST_TEST(lines[1].ends_with("0.000)  0.5236 (-0.134)"));
  BOOST_TEST(lines_of("qic", {}).empty());
}

BOOST_AUTO_TEST_CASE(the_table_of_heads_has_a_line_a_head) {
  const auto lines = lines_of("complexformer", {{"blocks.0.attn.delta", Tensor<double>({2, 2}, {1.0, 3.0, 2.0, 2.0})},
                                                {"blocks.0.attn.phase_bias", Tensor<double>({2, 2}, {0.0, 0.0, 0.5, -0.5})},
                                                {"blocks.1.attn.delta", Tensor<double>({2}, {1.0, 1.0})}});
  BOOST_TEST_REQUIRE(lines.size() == 3U);
  BOOST_TEST(lines[1] == "layer 0 head 0    +2.0000 ± 1.0000      +0.0000 ± 0.0000");
  BOOST_TEST(lines[2] == "layer 0 head 1    +2.0000 ± 0.0000      +0.0000 ± 0.5000");
}

BOOST_AUTO_TEST_CASE(numbers_of_named_parameters) {
  const std::vector<NamedNumbers> list = {{"blocks.0.attn.delta", Tensor<double>({2}, {1.0, 3.0})},
                                          {"blocks.1.attn.delta", Tensor<double>({2}, {5.0, 7.0})},
                                          {"other", Tensor<double>({1}, {100.0})}};
  const NumbersOfParameter spread = numbers_of(list, "delta");
  BOOST_TEST(spread.count == 4);
  BOOST_TEST(spread.mean == 4.0);
  BOOST_TEST(spread.std == std::sqrt(5.0), boost::test_tools::tolerance(1e-14));
  BOOST_TEST(numbers_of(list, "phase_bias").count == 0);
}

BOOST_AUTO_TEST_SUITE_END()
