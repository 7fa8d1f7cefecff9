#include "apps/training/angles.h"

#include <boost/test/unit_test.hpp>
#include <numbers>

#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(angles)

namespace {

ParameterList<float> some_parameters() {
  return {{"theta", variable(Tensor<float>({1}, {0.5f}))},
          {"blocks.0.attn.theta", variable(Tensor<float>({2}, {0.25f, static_cast<float>(std::numbers::pi / 4)}))},
          {"state.theta.weight", variable(Tensor<float>({1}, {9.0f}))},
          {"complex.theta", variable(Tensor<std::complex<float>>({1}, {{9.0f, 9.0f}}))},
          {"beta_theta", variable(Tensor<float>({1}, {9.0f}))}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(are_the_real_parameters_called_theta) {
  const std::vector<Angles> found = angles_of(some_parameters());
  BOOST_TEST_REQUIRE(found.size() == 2U);
  BOOST_TEST(found[0].name == "theta");
  BOOST_TEST(found[0].values == std::vector<double>{0.5}, boost::test_tools::per_element());
  BOOST_TEST(found[1].name == "blocks.0.attn.theta");
  BOOST_TEST(found[1].values.size() == 2U);
  BOOST_TEST(angles_of(ParameterList<double>()).empty());
}

BOOST_AUTO_TEST_CASE(are_the_same_in_a_file) {
  const TemporaryDirectory scratch;
  SafetensorsWriter writer;
  for (const Parameter<float>& p : some_parameters()) std::visit([&](const auto& v) { writer.add(p.name, v.value()); }, p.var);
  writer.add("optimizer.m.theta", Tensor<float>({1}, {7.0f}));
  writer.save(scratch / "file");
  const SafetensorsFile file = SafetensorsFile::open(scratch / "file");
  BOOST_TEST((angle_table(angles_of(file)) == angle_table(angles_of(some_parameters()))));
}

BOOST_AUTO_TEST_CASE(the_table_says_which_algebra_it_is) {
  const std::vector<std::string> lines =
      angle_table({{"theta", {0.0}}, {"blocks.0.attn.theta", {std::numbers::pi / 4, std::numbers::pi / 6}}});
  BOOST_TEST_REQUIRE(lines.size() == 2U);
  BOOST_TEST(lines[0] == "theta                     0.0000 (-1.000)");
  BOOST_TEST(lines[1].starts_with("blocks.0.attn.theta       0.7854 ("));
  BOOST_TEST(lines[1].ends_with("0.000)  0.5236 (-0.134)"));
  BOOST_TEST(angle_table({}).empty());
}

BOOST_AUTO_TEST_SUITE_END()
