#include "lab/lab_page.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "core/machine/json.h"
#include "lab/gradient_letters.h"
#include "lab/lab_answer.h"
#include "lab/lab_text.h"

namespace argand {
namespace {

using C = std::complex<double>;

nlohmann::json number_json(C z) { return nlohmann::json::array({z.real(), z.imag()}); }

/// Only the value, the derivatives and the tape's gaps, without independent checks.
LabPoint point_by_tape(const Expression& f, C at) {
  const TapeWirtinger tape = tape_wirtinger(f, {Tensor<C>({1}, {at})});
  LabPoint point{.at = {at}, .value = tape.value[0], .real = !tape.output_is_complex};
  point.dz.tape = tape.dz[0], point.dzbar.tape = tape.dzbar[0];
  point.gradient.tape = std::conj(tape.dz[0]) + tape.dzbar[0];
  TapeRounding rounding = tape_rounding(f, {at}, 0);
  point.gaps = std::move(rounding.gaps), point.holomorphic_ops = rounding.holomorphic_ops;
  return point;
}

/// f(z + r e^{it}) at 96 angles.
nlohmann::json image_of_circle(const Expression& f, C z, double radius) {
  constexpr std::int64_t points = 96;
  Tensor<C> circle({points});
  for (std::int64_t k = 0; k < points; ++k)
    circle.data()[k] = z + std::polar(radius, 2 * std::numbers::pi * static_cast<double>(k) / points);
  const AnyVar w = f({constant(circle)});
  nlohmann::json image = nlohmann::json::array();
  for (std::int64_t k = 0; k < points; ++k)
    image.push_back(number_json(std::visit([k](const auto& v) { return C(v.value().data()[k]); }, w)));
  return image;
}

/// Re f on a square grid around 0, row by row from the bottom.
nlohmann::json landscape(const Expression& f, double half, std::int64_t points) {
  require(points >= 2 && points <= 200, "lab", "a landscape must have 2 to 200 points per side, got {0} x {0}", points);
  Tensor<C> square({points * points});
  const auto place = [&](std::int64_t k) { return half * (2 * static_cast<double>(k) / static_cast<double>(points - 1) - 1); };
  for (std::int64_t k = 0; k < points * points; ++k) square.data()[k] = {place(k % points), place(k / points)};
  const AnyVar w = f({constant(square)});
  nlohmann::json heights = nlohmann::json::array();
  for (std::int64_t k = 0; k < points * points; ++k)
    heights.push_back(static_cast<float>(std::visit([k](const auto& v) { return std::real(v.value().data()[k]); }, w)));
  return heights;
}

/// Walks both paths at once, as two points: the first follows −g and the second −conj(g).
nlohmann::json descent(const Expression& f, C from, double rate) {
  constexpr int steps = 40;
  std::array<C, 2> z = {from, from};
  std::array<nlohmann::json, 2> path = {nlohmann::json::array(), nlohmann::json::array()};
  std::array<nlohmann::json, 2> loss = path;
  std::array<const char*, 2> end = {"", ""};
  for (int step = 0; step <= steps; ++step) {
    const TapeWirtinger d = tape_wirtinger(f, {Tensor<C>({2}, {z[0], z[1]})});
    for (const std::size_t k : {0, 1}) {
      const C g = std::conj(d.dz[k]) + d.dzbar[k];
      if (*end[k] == '\0' && !(std::abs(z[k]) < 1e6)) end[k] = "far";
      if (*end[k] == '\0' && !std::isfinite(std::abs(g) + std::abs(d.value[k]))) end[k] = "not finite";
      if (*end[k] != '\0') continue;
      path[k].push_back(number_json(z[k]));
      loss[k].push_back(d.value[k].real());
      z[k] -= rate * (k == 0 ? g : std::conj(g));
    }
    if (*end[0] != '\0' && *end[1] != '\0') break;
  }
  return {{"gradient", {{"path", path[0]}, {"loss", loss[0]}, {"end", end[0]}}},
          {"conjugate", {{"path", path[1]}, {"loss", loss[1]}, {"end", end[1]}}}};
}

/// Value and both derivatives at each point, from a single pass over the tape.
nlohmann::json at_points(const Expression& f, const nlohmann::json& points) {
  require(points.is_array() && !points.empty() && points.size() <= 1000, "lab", "the number of points must be in [1, 1000], got {}",
          points.size());
  Tensor<C> places({static_cast<std::int64_t>(points.size())});
  for (std::size_t k = 0; k < points.size(); ++k) places.data()[k] = {points[k].at(0).get<double>(), points[k].at(1).get<double>()};
  const TapeWirtinger d = tape_wirtinger(f, {places});
  nlohmann::json reply = {{"real", !d.output_is_complex}};
  for (std::size_t k = 0; k < points.size(); ++k) {
    reply["value"].push_back(number_json(d.value[k]));
    reply["dz"].push_back(number_json(d.dz[k]));
    reply["dzbar"].push_back(number_json(d.dzbar[k]));
  }
  return reply;
}

/// ∂(Re f)/∂x from differences and from the tape.
nlohmann::json slope(const Expression& f, C at) {
  const auto along_x = [&](double x) { return tape_wirtinger(f, {Tensor<C>({1}, {C(x, at.imag())})}).value[0].real(); };
  const Derivative d = differentiate(along_x, at.real());
  const TapeWirtinger tape = tape_wirtinger(f, {Tensor<C>({1}, {at})});
  const auto estimate = [](const Estimate& e) { return nlohmann::json::array({e.value, e.error}); };
  return {{"tape", (tape.dz[0] + tape.dzbar[0]).real()},
          {"central", estimate(d.central)},
          {"left", estimate(d.left)},
          {"right", estimate(d.right)},
          {"kink", d.kink},
          {"jump", d.jump}};
}

/// At how many points around z each of ∂f/∂z̄ and ∂f/∂z vanishes, and the first point where it does not. Vanishing
/// at one point does not make f holomorphic.
nlohmann::json neighbourhood(const Expression& f, C z) {
  constexpr std::int64_t directions = 8;
  const std::array<double, 3> radii = {0.1, 0.01, 0.5};
  Tensor<C> around({3 * directions});
  for (std::int64_t k = 0; k < 3 * directions; ++k)
    around.data()[k] =
        z + std::polar(radii[static_cast<std::size_t>(k / directions)], std::numbers::pi / 4 * static_cast<double>(k % directions));
  const TapeWirtinger d = tape_wirtinger(f, {around});
  nlohmann::json found;
  for (const bool bar : {false, true}) {
    const std::vector<C>&one = bar ? d.dzbar : d.dz, &other = bar ? d.dz : d.dzbar;
    nlohmann::json& said = found[bar ? "dzbar" : "dz"];
    said = {{"points", 0}, {"zeros", 0}, {"at", nullptr}};
    for (std::size_t k = 0; k < one.size(); ++k) {
      const double size = std::abs(one[k]) + std::abs(other[k]);
      if (!std::isfinite(size) || !std::isfinite(std::abs(d.value[k]))) continue;
      said["points"] = said["points"].get<int>() + 1;
      if (std::abs(one[k]) <= 1e-9 * size)
        said["zeros"] = said["zeros"].get<int>() + 1;
      else if (said["at"].is_null())
        said["at"] = number_json(around.data()[k]), said["value"] = number_json(one[k]);
    }
  }
  return found;
}

/// A verdict for each answer, or the error in it.
nlohmann::json answers_json(const Expression& f, C at, const nlohmann::json& given) {
  const std::vector<std::pair<std::string, DerivativeKind>> all = {
      {"dz", DerivativeKind::Dz}, {"dzbar", DerivativeKind::Dzbar}, {"gradient", DerivativeKind::Gradient}};
  nlohmann::json answers = nlohmann::json::array();
  for (const auto& [name, asked] : all) {
    const std::string text = given.value(name, "");
    if (text.empty()) continue;
    try {
      answers.push_back(answer_json(judge_answer(f, {at}, 0, asked, text)));
    } catch (const std::exception& error) {
      answers.push_back({{"asked", name}, {"answer", text}, {"error", error.what()}});
    }
  }
  return answers;
}

nlohmann::json reply_to(const nlohmann::json& request) {
  const Expression f(request.at("expression").get<std::string>());
  require(f.variables().size() == 1, "lab", "the page expects one variable, but {} has {}", f.name(), f.variables().size());
  if (request.contains("landscape")) {
    const nlohmann::json& asked = request["landscape"];
    return {{"landscape", landscape(f, asked.at("half").get<double>(), asked.at("points").get<std::int64_t>())}};
  }
  if (request.contains("points")) return at_points(f, request["points"]);
  const C at(request.at("at").at(0).get<double>(), request.at("at").at(1).get<double>());
  if (request.value("slope", false)) return slope(f, at);
  if (request.value("walks", false)) return {{"descent", descent(f, at, request.value("rate", 0.05))}};
  const bool check = request.value("check", false);
  const LabPoint point = check ? lab_point(f, {at}, 0) : point_by_tape(f, at);
  nlohmann::json reply = point_json(f, point);
  reply["equation"] = f.equation();
  reply["variable"] = f.variables()[0];
  reply["checked"] = check;
  reply["failed"] = point.failed();
  reply["singular"] = point.is_singular();
  reply["holomorphic_ops"] = point.holomorphic_ops;
  if (check) reply["nearby"] = neighbourhood(f, at);
  reply["tape"] = tape_json(walk_tape(f, {at}));
  reply["circle"] = image_of_circle(f, at, request.value("radius", 0.25));
  reply["descent"] = descent(f, at, request.value("rate", 0.05));
  if (request.contains("answers")) reply["answers"] = answers_json(f, at, request["answers"]);
  return reply;
}

}  // namespace

nlohmann::json tape_json(const std::vector<TapeStep>& steps) {
  nlohmann::json tape = nlohmann::json::array();
  for (const TapeStep& step : steps) {
    nlohmann::json shares = nlohmann::json::array();
    for (const TapeStep::Share& s : step.shares)
      shares.push_back({{"to", s.name},
                        {"added", number_json(s.added)},
                        {"total", number_json(s.total)},
                        {"first", s.first},
                        {"complex", s.is_complex}});
    tape.push_back({{"name", step.name},
                    {"op", step.op->name()},
                    {"call", step.call},
                    {"complex", step.is_complex},
                    {"value", number_json(step.value)},
                    {"reached", step.reached},
                    {"cotangent", number_json(step.cotangent)},
                    {"vjp", gradient_letters(step.op->text().vjp)},
                    {"shares", shares}});
  }
  return tape;
}

std::string lab_page(const std::string& request) {
  try {
    return reply_to(parse_json<nlohmann::json>("lab", request)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  } catch (const std::exception& error) {
    return nlohmann::json{{"error", error.what()}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
}

}  // namespace argand
