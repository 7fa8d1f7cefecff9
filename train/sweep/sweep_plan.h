#pragma once
/// Decides which runs a sweep needs, as a pure function of the grid and the results so far: an interrupted sweep continues as if
/// uninterrupted.

#include <array>
#include <functional>
#include <map>
#include <optional>

#include "train/sweep/grid.h"

namespace argand {

struct SweepRequest {
  Grid grid;
  /// Trains every configuration for a third of the steps, then the best third of them, rounded up, in full.
  bool halving = false;
  /// If the best configuration lies at an end of the grid, extends the grid there, for keys with fractional values, until the best
  /// has worse neighbours on both sides. With halving, both neighbours are also trained in full.
  bool widen = false;
  /// Compares configurations on this many seeds; only the best is then trained with the remaining seeds, or the next best if one of
  /// these runs has no result. 0: all seeds.
  std::size_t search_seeds = 0;
};

struct SweepRun {
  std::size_t configuration = 0;
  bool third = false;  ///< whether to train only a third of the steps
  std::int64_t seed = 0;
};

/// Lower is better; the second value breaks ties. Infinite if the run has no result.
using SweepScore = std::array<double, 2>;
inline constexpr SweepScore no_score = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
/// Scores of the finished runs, by name.
using SweepScores = std::map<std::string, SweepScore>;

/// Reported if the best configuration has no neighbour on this side.
struct GridEdge {
  std::string key, value;
  bool upper = false;
};

class SweepPlan {
 public:
  static constexpr std::size_t most_configurations = 10'000, most_added = 8;

  /// `resolve` returns the configuration of a run with these settings on top of the common ones. Throws ConfigError for an invalid
  /// or repeated configuration, or for too many.
  SweepPlan(SweepRequest request, std::function<RunConfig(const Settings&)> resolve);

  /// The runs to train next, given these results; empty if the sweep is finished. The functions below refer to the last call.
  std::vector<SweepRun> next(const SweepScores& scores);

  /// The number of configurations in the grid, including those added.
  std::size_t size() const { return points_.size(); }
  /// "lr=0.001,dropout=0.1", or "all" if there are no axes.
  std::string name(std::size_t configuration) const;
  /// A relative path: "lr=0.001/seed-0", "third/lr=0.001/seed-0".
  std::string name(const SweepRun& run) const;
  /// The settings to add to the common ones, without the number of steps.
  Settings settings(std::size_t configuration) const;
  Settings settings(const SweepRun& run) const;

  const SweepRequest& request() const { return request_; }
  /// The configurations scheduled for a third of the steps or for all of them, best first.
  const std::vector<std::size_t>& ranking(bool third) const { return third ? ranking_third_ : ranking_full_; }
  /// The best of the fully trained configurations; empty if none has a result.
  std::optional<std::size_t> best() const { return best_; }
  const std::vector<GridEdge>& edges() const { return edges_; }

 private:
  using Point = std::vector<std::string>;  ///< a value per axis

  RunConfig resolved(const Point& point) const;
  std::string point_name(const Point& point) const;
  Settings point_settings(const Point& point) const;
  std::vector<std::int64_t> search_seeds() const;
  std::vector<SweepRun> missing(const std::vector<std::size_t>& configurations, bool third, const SweepScores& scores) const;
  SweepScore mean_score(std::size_t configuration, bool third, const SweepScores& scores) const;
  std::vector<std::size_t> ranked(std::vector<std::size_t> configurations, bool third, const SweepScores& scores) const;
  /// The next configuration along an axis, with all other values equal; empty at the end of the axis.
  std::optional<std::size_t> neighbour(std::size_t configuration, std::size_t axis, bool upper) const;
  /// Whether the grid could be extended on this side.
  bool is_edge(std::size_t configuration, std::size_t axis, bool upper) const;
  /// Adds the neighbour on this side; empty if it is invalid or if enough have been added.
  std::optional<std::size_t> add_beyond(std::size_t configuration, std::size_t axis, bool upper);
  /// Adds the missing neighbours of the best configuration; with `full`, its neighbours are trained in full.
  std::vector<std::size_t> widened(std::size_t best, const std::vector<std::size_t>* full);
  void find_edges();

  SweepRequest request_;
  std::function<RunConfig(const Settings&)> resolve_;
  std::vector<KeyKind> kinds_;  ///< kinds of the axes
  std::vector<Point> grid_, points_;
  std::vector<std::size_t> ranking_third_, ranking_full_;
  std::optional<std::size_t> best_;
  std::vector<GridEdge> edges_;
};

}  // namespace argand
