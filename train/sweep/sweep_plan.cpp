#include "train/sweep/sweep_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace argand {
namespace {

double number_in(const std::string& text) {
  double value = 0;
  assign({"", text, ""}, "", value);
  return value;
}

/// Makes the text suitable for a file name.
std::string as_name(std::string text) {
  for (char& c : text)
    if (c == '/' || c == ' ' || static_cast<unsigned char>(c) < ' ') c = '_';
  return text;
}

bool is_number(KeyKind kind) { return kind == KeyKind::Whole || kind == KeyKind::Fraction; }

}  // namespace

SweepPlan::SweepPlan(SweepRequest request, std::function<RunConfig(const Settings&)> resolve)
    : request_(std::move(request)), resolve_(std::move(resolve)) {
  const std::vector<GridAxis>& axes = request_.grid.axes;
  double count = 1;
  for (const GridAxis& axis : axes) count *= static_cast<double>(axis.values.size());
  if (count > static_cast<double>(most_configurations))
    config_fail_at("grid", "{:.0f} configurations exceed the limit of {}: vary fewer keys, or give fewer values", count,
                   most_configurations);
  grid_ = {{}};
  for (const GridAxis& axis : axes) {
    std::vector<Point> longer;
    for (const Point& point : grid_)
      for (const std::string& value : axis.values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    grid_ = std::move(longer);
  }
  points_ = grid_;
  std::map<std::string, std::string> configs;
  std::set<std::string> names;
  std::optional<RunConfig> any;
  for (const Point& point : points_) {
    RunConfig config = resolved(point);
    const std::string name = point_name(point);
    if (const auto [same, is_new] = configs.emplace(config.to_json(), name); !is_new || !names.insert(name).second)
      config_fail_at("grid", "{} and {} are the same configuration", same->second, name);
    if (!any) any = std::move(config);
  }
  const RunConfig& first = *any;
  const TextTask task = first.model.task;
  for (const GridAxis& axis : axes) {
    kinds_.push_back(kind_of_key(axis.key, task));
    if (request_.halving && (axis.key == "steps" || axis.key == "epochs"))
      config_fail_at(axis.place, "`halving` compares runs of equal length; drop it, or give one value");
  }
  if (request_.halving && std::max(first.training.steps, first.training.epochs) < 3)
    config_fail("halving", "begins with a third of the length; `steps` or `epochs` must be at least 3");
  if (const std::size_t seeds = request_.grid.seeds.size(); request_.search_seeds == 0 || request_.search_seeds > seeds)
    request_.search_seeds = seeds;
}

RunConfig SweepPlan::resolved(const Point& point) const { return resolve_(point_settings(point)); }

Settings SweepPlan::point_settings(const Point& point) const {
  Settings settings;
  for (std::size_t i = 0; i < point.size(); ++i)
    settings.push_back({request_.grid.axes[i].key, point[i], request_.grid.axes[i].place});
  return settings;
}

std::string SweepPlan::point_name(const Point& point) const {
  std::string name;
  for (std::size_t i = 0; i < point.size(); ++i)
    name += fmt::format("{}{}={}", i > 0 ? "," : "", request_.grid.axes[i].key, as_name(point[i]));
  return name.empty() ? "all" : name;
}

std::string SweepPlan::name(std::size_t configuration) const { return point_name(points_[configuration]); }

std::string SweepPlan::name(const SweepRun& run) const {
  return fmt::format("{}{}/seed-{}", run.third ? "third/" : "", name(run.configuration), run.seed);
}

Settings SweepPlan::settings(std::size_t configuration) const { return point_settings(points_[configuration]); }

Settings SweepPlan::settings(const SweepRun& run) const {
  Settings settings = this->settings(run.configuration);
  settings.push_back({"seed", fmt::format("{}", run.seed), ""});
  if (!run.third) return settings;
  const TrainingConfig training = resolved(points_[run.configuration]).training;
  const bool epochs = training.epochs > 0;
  settings.push_back({epochs ? "epochs" : "steps", fmt::format("{}", ((epochs ? training.epochs : training.steps) + 2) / 3), ""});
  return settings;
}

std::vector<std::int64_t> SweepPlan::search_seeds() const {
  const auto& seeds = request_.grid.seeds;
  return {seeds.begin(), seeds.begin() + static_cast<std::ptrdiff_t>(request_.search_seeds)};
}

std::vector<SweepRun> SweepPlan::missing(const std::vector<std::size_t>& configurations, bool third,
                                         const SweepScores& scores) const {
  std::vector<SweepRun> runs;
  for (const std::int64_t seed : search_seeds())  // all configurations with the first seed, then all with the second
    for (const std::size_t configuration : configurations)
      if (const SweepRun run{configuration, third, seed}; !scores.contains(name(run))) runs.push_back(run);
  return runs;
}

SweepScore SweepPlan::mean_score(std::size_t configuration, bool third, const SweepScores& scores) const {
  SweepScore sum = {0, 0};
  const std::vector<std::int64_t> seeds = search_seeds();
  for (const std::int64_t seed : request_.grid.seeds)  // a configuration that diverges with any seed is not the best
    if (const auto found = scores.find(name(SweepRun{configuration, third, seed}));
        found != scores.end() && found->second == no_score)
      return no_score;
  for (const std::int64_t seed : seeds) {
    const auto found = scores.find(name(SweepRun{configuration, third, seed}));
    const SweepScore& score = found == scores.end() ? no_score : found->second;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += score[i] / static_cast<double>(seeds.size());
  }
  return sum;
}

std::vector<std::size_t> SweepPlan::ranked(std::vector<std::size_t> configurations, bool third, const SweepScores& scores) const {
  std::map<std::size_t, SweepScore> means;
  for (const std::size_t c : configurations) means[c] = mean_score(c, third, scores);
  std::sort(configurations.begin(), configurations.end());
  std::stable_sort(configurations.begin(), configurations.end(), [&](auto a, auto b) { return means[a] < means[b]; });
  return configurations;
}

std::optional<std::size_t> SweepPlan::neighbour(std::size_t configuration, std::size_t axis, bool upper) const {
  const Point& point = points_[configuration];
  const double here = number_in(point[axis]);
  std::optional<std::size_t> nearest;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    Point other = points_[i];
    const double there = number_in(other[axis]);
    other[axis] = point[axis];
    if (other != point || (upper ? there <= here : there >= here)) continue;
    if (!nearest || std::abs(there - here) < std::abs(number_in(points_[*nearest][axis]) - here)) nearest = i;
  }
  return nearest;
}

bool SweepPlan::is_edge(std::size_t configuration, std::size_t axis, bool upper) const {
  return is_number(kinds_[axis]) && !neighbour(configuration, axis, upper) &&
         (upper || number_in(points_[configuration][axis]) > 0);  // values cannot go below 0
}

std::optional<std::size_t> SweepPlan::add_beyond(std::size_t configuration, std::size_t axis, bool upper) {
  const std::optional<std::size_t> inner = neighbour(configuration, axis, !upper);
  if (kinds_[axis] != KeyKind::Fraction || !inner || points_.size() >= grid_.size() + most_added) return std::nullopt;
  const double edge = number_in(points_[configuration][axis]), before = number_in(points_[*inner][axis]);
  if (edge <= 0) return std::nullopt;
  const double ratio = before > 0 ? edge / before : 2;
  Point point = points_[configuration];
  point[axis] = fmt::format("{:.3g}", edge * ratio);
  try {
    resolved(point);
  } catch (const ConfigError&) {  // out of bounds, for example a fraction above 1
    return std::nullopt;
  }
  points_.push_back(std::move(point));
  return points_.size() - 1;
}

std::vector<std::size_t> SweepPlan::widened(std::size_t best, const std::vector<std::size_t>* full) {
  std::vector<std::size_t> wanted;
  for (std::size_t axis = 0; axis < kinds_.size(); ++axis)
    for (const bool upper : {false, true}) {
      if (kinds_[axis] != KeyKind::Fraction) continue;
      std::optional<std::size_t> next = neighbour(best, axis, upper);
      if (!next && is_edge(best, axis, upper)) next = add_beyond(best, axis, upper);
      if (!next) continue;
      if (full != nullptr && std::find(full->begin(), full->end(), *next) == full->end()) wanted.push_back(*next);
    }
  return wanted;
}

void SweepPlan::find_edges() {
  for (std::size_t axis = 0; axis < kinds_.size(); ++axis)
    for (const bool upper : {false, true})
      if (is_edge(*best_, axis, upper)) edges_.push_back({request_.grid.axes[axis].key, points_[*best_][axis], upper});
}

std::vector<SweepRun> SweepPlan::next(const SweepScores& scores) {
  points_ = grid_;
  ranking_third_.clear();
  ranking_full_.clear();
  best_.reset();
  edges_.clear();
  const auto has_numbers = [&](std::size_t c, bool third) { return std::isfinite(mean_score(c, third, scores)[0]); };
  const auto all = [&] {
    std::vector<std::size_t> every(points_.size());
    std::iota(every.begin(), every.end(), 0U);
    return every;
  };
  std::vector<std::size_t> full = all();
  if (request_.halving) {
    for (;;) {
      ranking_third_ = ranked(all(), true, scores);
      if (auto runs = missing(all(), true, scores); !runs.empty()) return runs;
      const std::size_t before = points_.size(), best = ranking_third_.front();
      if (request_.widen && has_numbers(best, true)) widened(best, nullptr);
      if (points_.size() == before) break;
    }
    full = {ranking_third_.begin(), ranking_third_.begin() + static_cast<std::ptrdiff_t>((points_.size() + 2) / 3)};
    std::erase_if(full, [&](std::size_t c) { return !has_numbers(c, true); });
  }
  for (;;) {
    ranking_full_ = ranked(full, false, scores);
    if (auto runs = missing(full, false, scores); !runs.empty()) return runs;
    if (full.empty() || !has_numbers(ranking_full_.front(), false)) return {};
    best_ = ranking_full_.front();
    if (!request_.widen) break;
    std::vector<std::size_t> more = widened(*best_, &full);
    std::erase_if(more, [&](std::size_t c) {  // a run without a finite score after a third of the steps will not have one later
      return scores.contains(name(SweepRun{c, true, request_.grid.seeds.front()})) && !has_numbers(c, true);
    });
    if (more.empty()) break;
    full.insert(full.end(), more.begin(), more.end());
  }
  find_edges();
  std::vector<SweepRun> runs;
  for (const std::int64_t seed : request_.grid.seeds)
    if (const SweepRun run{*best_, false, seed}; !scores.contains(name(run))) runs.push_back(run);
  return runs;
}

}  // namespace argand
