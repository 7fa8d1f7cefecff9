#include "lab/lab_page.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

using namespace argand;

BOOST_AUTO_TEST_SUITE(lab_page_requests)

namespace {

nlohmann::json asked(const std::string& f, double x, double y, const nlohmann::json& more = nlohmann::json::object()) {
  nlohmann::json request = {{"expression", f}, {"at", {x, y}}, {"check", true}};
  request.update(more);
  return nlohmann::json::parse(lab_page(request.dump()));
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_answer_that_cannot_be_read_is_an_error_of_its_own) {
  const auto reply = asked("|z|^2", 1, 2, {{"answers", {{"dz", "x - i*y"}, {"dzbar", "z +"}, {"gradient", "2z"}}}});
  BOOST_TEST(!reply.contains("error"));
  BOOST_REQUIRE(reply["answers"].size() == 3U);
  BOOST_TEST(reply["answers"][0]["verdict"] == "right");
  BOOST_TEST(reply["answers"][1]["error"].get<std::string>().starts_with("expression: expected a number"));
  BOOST_TEST(!reply["answers"][1].contains("verdict"));
  BOOST_TEST(reply["answers"][2]["verdict"] == "right");
}

BOOST_AUTO_TEST_CASE(one_point_does_not_make_a_function_holomorphic) {
  // |z|² and z + z̄² have ∂f/∂z̄ = 0 at 0 but nowhere else near it.
  for (const char* f : {"abs2(z)", "z + z̄^2"}) {
    const auto reply = asked(f, 0, 0);
    BOOST_TEST(reply["cauchy_riemann"] == "holomorphic", f);
    BOOST_TEST(reply["holomorphic_ops"] == false, f);
    BOOST_TEST(reply["nearby"]["dzbar"]["zeros"] == 0, f);
    BOOST_TEST(reply["nearby"]["dzbar"]["at"] == nlohmann::json::array({0.1, 0.0}), f);
  }
  BOOST_TEST(asked("|z|^2", 0, 0)["cauchy_riemann"] == "inconclusive");  // computed through |z|, which has a kink at 0
  const auto square = asked("z^2", 0, 0);
  BOOST_TEST(square["holomorphic_ops"] == true);
  BOOST_TEST(square["nearby"]["dzbar"]["zeros"] == 24);
  BOOST_TEST(square["nearby"]["dz"]["zeros"] == 0);
  const auto twice = asked("conj(conj(z)^2)", 1, 1);  // holomorphic, although its ops are not
  BOOST_TEST(twice["holomorphic_ops"] == false);
  BOOST_TEST(twice["nearby"]["dzbar"]["zeros"] == 24);
  BOOST_TEST(asked("1/(z-0.1)", 0, 0)["nearby"]["dzbar"]["points"] == 23);  // one of the 24 points is the pole
}

BOOST_AUTO_TEST_CASE(points_without_a_derivative_on_the_tape_are_reported_at_once) {
  for (const char* f : {"1/z", "|z|", "angle(z)"}) {
    for (const bool check : {false, true}) {
      const auto reply = asked(f, 0, 0, {{"check", check}});
      BOOST_TEST(reply["singular"] == true, f);
      BOOST_TEST(reply["gaps"].size() == 1U, f);
      BOOST_TEST(reply["conventions"].size() == 1U, f);
    }
  }
  BOOST_TEST(asked("|z|", 1e-3, 0)["singular"] == false);
}

BOOST_AUTO_TEST_CASE(descents_that_end_say_why) {
  const auto bowl = asked("|z|^2", 1, 2, {{"rate", 0.25}});
  BOOST_TEST(bowl["descent"]["gradient"]["end"] == "");
  BOOST_TEST(bowl["descent"]["gradient"]["path"].size() == 41U);
  BOOST_TEST(bowl["descent"]["conjugate"]["end"] == "far");
  BOOST_TEST(bowl["descent"]["conjugate"]["path"].size() < 41U);
  BOOST_TEST(asked("1/z", 0, 0)["descent"]["gradient"]["end"] == "not finite");
}

BOOST_AUTO_TEST_CASE(a_landscape_is_the_real_part_on_a_square) {
  const auto heights = asked("z^2", 0, 0, {{"landscape", {{"half", 2}, {"points", 3}}}})["landscape"];
  const std::vector<double> expected = {0, -4, 0, 4, 0, 4, 0, -4, 0};
  BOOST_TEST(heights.get<std::vector<double>>() == expected, boost::test_tools::per_element());
  BOOST_TEST(asked("1/z", 0, 0, {{"landscape", {{"half", 1}, {"points", 3}}}})["landscape"][4].is_null());
  BOOST_TEST(asked("z", 0, 0, {{"landscape", {{"half", 1}, {"points", 1000}}}})["error"] ==
             "lab: a landscape must have 2 to 200 points per side, got 1000 x 1000");
}

BOOST_AUTO_TEST_CASE(many_points_are_answered_at_once) {
  const auto reply = asked("z^2 + 3*z̄", 0, 0, {{"points", {{1, 2}, {0.5, 0}, {0, 0}}}});
  BOOST_TEST(reply["real"] == false);
  BOOST_TEST(reply["value"] == nlohmann::json({{0.0, -2.0}, {1.75, 0.0}, {0.0, 0.0}}));
  BOOST_TEST(reply["dz"] == nlohmann::json({{2.0, 4.0}, {1.0, 0.0}, {0.0, 0.0}}));
  BOOST_TEST(reply["dzbar"] == nlohmann::json({{3.0, 0.0}, {3.0, 0.0}, {3.0, 0.0}}));
  const auto pole = asked("1/z", 0, 0, {{"points", {{0, 0}, {2, 0}}}});
  BOOST_TEST(pole["value"][0][0].is_null());
  BOOST_TEST(pole["dz"][1] == nlohmann::json({-0.25, 0.0}));
  BOOST_TEST(asked("z", 0, 0, {{"points", nlohmann::json::array()}})["error"] ==
             "lab: the number of points must be in [1, 1000], got 0");
  BOOST_TEST(asked("z", 0, 0, {{"points", {{1}}}}).contains("error"));
}

BOOST_AUTO_TEST_CASE(a_slope_has_an_error_bar_and_a_kink_is_seen) {
  const auto reply = asked("sin(10*z)", 0.3, 0, {{"slope", true}});
  const double exact = 10 * std::cos(3.0), found = reply["central"][0], bar = reply["central"][1];
  BOOST_TEST(std::abs(reply["tape"].get<double>() - exact) < 1e-13);
  BOOST_TEST(std::abs(found - exact) <= bar);
  BOOST_TEST(bar < 1e-9);
  BOOST_TEST(reply["kink"] == false);
  BOOST_TEST(asked("|z|", 0, 0, {{"slope", true}})["kink"] == true);
}

BOOST_AUTO_TEST_SUITE_END()
