#include "apps/report/log.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/qic_algebra.h"
#include "train/checkpoints/jsonl.h"

namespace argand {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_points = 800, most_angles = 200;

/// Values at steps; NaN where a value is not a number.
struct Curve {
  std::vector<std::int64_t> x;
  std::vector<double> y;

  void add(std::int64_t step, double value) {
    x.push_back(step);
    y.push_back(value);
  }
};

Json to_json(const Curve& curve) {
  Json json = {{"x", curve.x}, {"y", Json::array()}};
  for (const double value : curve.y) json["y"].push_back(for_page(value));
  return json;
}

/// The lowest and the highest point in each of many equal intervals, plus all non-finite values.
Curve thinned(const Curve& curve) {
  const std::size_t n = curve.x.size();
  if (n <= most_points) return curve;
  Curve kept;
  const std::size_t stretches = most_points / 2;
  for (std::size_t s = 0; s < stretches; ++s) {
    std::size_t low = s * n / stretches, high = low, odd = n;
    for (std::size_t i = low; i < (s + 1) * n / stretches; ++i) {
      if (!std::isfinite(curve.y[i])) odd = i;
      if (curve.y[i] < curve.y[low] || !std::isfinite(curve.y[low])) low = i;
      if (curve.y[i] > curve.y[high] || !std::isfinite(curve.y[high])) high = i;
    }
    std::vector<std::size_t> places = {low, high};
    if (odd < n) places.push_back(odd);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (const std::size_t i : places) kept.add(curve.x[i], curve.y[i]);
  }
  return kept;
}

/// At most `most` evenly spaced positions out of n, including the last.
std::vector<std::size_t> spread(std::size_t n, std::size_t most) {
  std::vector<std::size_t> places;
  const std::size_t count = std::min(n, most);
  for (std::size_t i = 1; i <= count; ++i) places.push_back(i * n / count - 1);
  return places;
}

/// The exponentially weighted mean over about a fiftieth of the curve, with its initial bias removed.
Curve smooth(const Curve& curve) {
  const double keep = 1 - 1 / std::max(2.0, static_cast<double>(curve.y.size()) / 50);
  double sum = 0, weight = 0;
  std::vector<double> means;
  for (const double value : curve.y) {
    if (std::isfinite(value)) {
      sum = keep * sum + (1 - keep) * value;
      weight = keep * weight + (1 - keep);
    }
    means.push_back(weight > 0 ? sum / weight : std::numeric_limits<double>::quiet_NaN());
  }
  Curve result;
  for (const std::size_t i : spread(means.size(), most_points / 2)) result.add(curve.x[i], means[i]);
  return result;
}

std::map<std::string, Curve> numbers_of(const RunLog& log) {
  std::map<std::string, Curve> curves;
  for (const auto& line : log.lines)
    for (const auto& [key, value] : line.items())
      if (key != "step" && (value.is_number() || value.is_null()))
        curves[key].add(line["step"], value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
  return curves;
}

/// Time and tokens since the beginning, by step. Lines are `log_every` steps apart; each covers all steps since the previous line.
Json clock_of(const RunLog& log) {
  Curve seconds, tokens;
  double second = 0, token = 0;
  std::int64_t before = 0;
  for (const auto& line : log.lines) {
    if (!line.contains("seconds") || !line["seconds"].is_number()) continue;
    const std::int64_t step = line["step"];
    const double own = line["seconds"], steps = static_cast<double>(step - before);
    second += steps * own;
    if (line.contains("tokens_per_second") && line["tokens_per_second"].is_number())
      token += steps * std::round(line["tokens_per_second"].get<double>() * own);
    seconds.add(before = step, second);
    tokens.add(step, token);
  }
  Json clock = {{"step", Json::array()}, {"seconds", Json::array()}, {"tokens", Json::array()}};
  for (const std::size_t i : spread(seconds.x.size(), most_angles)) {
    clock["step"].push_back(seconds.x[i]);
    clock["seconds"].push_back(for_page(seconds.y[i]));
    clock["tokens"].push_back(std::llround(tokens.y[i]));
  }
  return clock;
}

/// {"step": [...], "names": [...], "theta": [one list per name], "kappa": likewise}, or null.
Json angles_in(const RunLog& log) {
  std::vector<const Json*> lines;
  for (const auto& line : log.lines)
    if (line.contains("theta") && line["theta"].is_object()) lines.push_back(&line);
  if (lines.empty()) return nullptr;
  Json angles = {{"step", Json::array()}, {"names", Json::array()}, {"theta", Json::array()}, {"kappa", Json::array()}};
  const std::vector<std::size_t> places = spread(lines.size(), most_angles);
  for (const std::size_t i : places) angles["step"].push_back((*lines[i])["step"]);
  for (const auto& [name, values] : (*lines.back())["theta"].items())
    for (std::size_t h = 0; h < values.size(); ++h) {
      Json theta = Json::array(), squares = Json::array();
      for (const std::size_t i : places) {
        const Json::json_pointer place = Json::json_pointer() / "theta" / name / h;
        const auto& line = *lines[i];
        const bool there = line.contains(place) && line[place].is_number();
        const double angle = there ? line[place].get<double>() : std::numeric_limits<double>::quiet_NaN();
        theta.push_back(for_page(angle));
        squares.push_back(for_page(kappa(angle)));
      }
      angles["names"].push_back(values.size() > 1 ? name + "[" + std::to_string(h) + "]" : name);
      angles["theta"].push_back(theta);
      angles["kappa"].push_back(squares);
    }
  return angles;
}

/// Whether `rows` is a square matrix of counts.
bool is_confusion(const Json& rows) {
  return rows.is_array() && std::all_of(rows.begin(), rows.end(), [&](const Json& row) {
           return row.is_array() && row.size() == rows.size() &&
                  std::all_of(row.begin(), row.end(), [](const Json& count) { return count.is_number_integer() && count >= 0; });
         });
}

/// Adds the last confusion matrix, and each class's accuracy by step.
void add_confusion(const RunLog& log, Json& page) {
  std::vector<Curve> accuracy;
  for (const auto& line : log.lines) {
    if (!line.contains("confusion") || !is_confusion(line["confusion"])) continue;
    const auto& rows = line["confusion"];
    accuracy.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double all = 0;
      for (const auto& count : rows[i]) all += count.get<double>();
      accuracy[i].add(line["step"], rows[i].at(i).get<double>() / all);
    }
    page["confusion"] = {{"step", line["step"]}, {"counts", rows}};
  }
  for (const Curve& curve : accuracy) page["class_accuracy"].push_back(to_json(thinned(curve)));
}

}  // namespace

nlohmann::ordered_json for_page(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::stod(fmt::format("{:.5g}", value));
}

RunLog read_log(const std::string& path) {
  RunLog log;
  for_each_line(path, [&](Json line, std::int64_t) {
    if (line.is_null())
      ++log.unreadable;
    else
      log.lines.push_back(std::move(line));
  });
  return log;
}

nlohmann::ordered_json curves_of(const RunLog& log) {
  Json page;
  page["curves"] = page["smooth"] = Json::object();
  for (const auto& [name, curve] : numbers_of(log)) {
    page["curves"][name] = to_json(thinned(curve));
    if (name == "loss" || name == "grad_norm") page["smooth"][name] = to_json(smooth(curve));
  }
  page["clock"] = clock_of(log);
  page["angles"] = angles_in(log);
  add_confusion(log, page);
  return page;
}

}  // namespace argand
